import type { AccessControl } from '../iam/access-control.ts';
import type { FunctionDescription } from '../template/describe-resources.ts';
import { roleNameOf } from '../template/describe-resources.ts';

export interface LogLine {
  readonly at: number;
  readonly functionName: string;
  readonly text: string;
}

/** Lines kept per log group. */
const LINES_KEPT = 10_000;

interface Parts {
  readonly access: () => AccessControl;
  readonly place: { readonly region: string; readonly account: string };
  readonly now: () => number;
}

/**
 * The logs of the functions. As on Lambda, the role of a function must be allowed to write them;
 * otherwise the lines are lost silently.
 */
export class LogGroups {
  readonly #parts: Parts;
  readonly #lines = new Map<string, LogLine[]>();
  readonly #streams = new Set<string>();
  /** Of no group there are older lines, so that none has the beginning of what another one has the end of. */
  #keptSince = 0;
  readonly #listeners = new Set<(line: LogLine) => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  write(of: FunctionDescription, stream: string, text: string): void {
    const { access, place, now } = this.#parts;
    const resource = `arn:aws:logs:${place.region}:${place.account}:log-group:${of.logGroup}:log-stream:${stream}`;
    const may = (action: string) =>
      access().decide({ who: roleNameOf(of), action, resource }).kind === 'allowed';
    if (!this.#streams.has(resource)) {
      if (!may('logs:CreateLogStream')) return;
      this.#streams.add(resource);
    }
    if (!may('logs:PutLogEvents')) return;
    const line = { at: now(), functionName: of.name, text };
    const lines = this.#lines.get(of.logGroup) ?? [];
    this.#lines.set(of.logGroup, lines);
    lines.push(line);
    if (lines.length > LINES_KEPT) this.#keptSince = (lines.shift()?.at ?? 0) + 1;
    for (const listener of this.#listeners) listener(line);
  }

  linesOf({ logGroup }: Pick<FunctionDescription, 'logGroup'>): readonly LogLine[] {
    return this.#lines.get(logGroup) ?? [];
  }

  since(logGroup: string, moment: number): readonly LogLine[] {
    const from = Math.max(moment, this.#keptSince);
    return (this.#lines.get(logGroup) ?? []).filter(({ at }) => at >= from);
  }

  onLine(listener: (line: LogLine) => void): void {
    this.#listeners.add(listener);
  }
}
