import manifest from '../../../package.json' with { type: 'json' };
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { readCaller } from '../deployment/read-caller.ts';
import {
  type ChangeCounts,
  type ChangeEnded,
  type Recorded,
  recordBegin,
  recordEnd,
} from './audit-records.ts';

/** The audit record of the running command. */
export interface RecordedChange {
  /** How much was changed so far, by name; a later count of the same name replaces it. */
  count(counts: ChangeCounts): void;
  end(result: ChangeEnded['result']): Promise<void>;
}

export interface CommandLine {
  /** `dead-letters replay` */
  readonly command: string;
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

export async function recordChange(
  deployment: Deployment,
  line: CommandLine,
  {
    ledger = openLedger(deployment),
    now = () => new Date(),
    recorded = 'change',
  }: {
    readonly ledger?: Pick<Ledger, 'write'>;
    readonly now?: () => Date;
    readonly recorded?: Recorded;
  } = {},
): Promise<RecordedChange> {
  const caller = await readCaller(deployment.aws);
  const { version } = manifest;
  const change = { command: line.command, arguments: argumentsOf(line), version };
  const key = await recordBegin(ledger, caller, change, now(), recorded);
  const counted: Record<string, number> = {};
  return {
    count: (counts) => void Object.assign(counted, counts),
    end: (result) => recordEnd(ledger, key, { result, counts: counted }, now()),
  };
}

const MOST_CHARACTERS = 200;
/** The parser of a date gives epoch milliseconds; every other number is smaller. */
const FIRST_DATE = Date.parse('2000-01-01');

/** What was typed, without what may be personal or secret. */
export function argumentsOf({
  operands,
  options,
}: Omit<CommandLine, 'command'>): Readonly<Record<string, string>> {
  const given = [
    ...operands.map((value, index) => [`${index + 1}`, value] as const),
    ...Object.entries(options),
  ];
  return Object.fromEntries(
    given
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, textOf(value).slice(0, MOST_CHARACTERS)]),
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'number' && value >= FIRST_DATE) return new Date(value).toISOString();
  const text = String(value);
  // The path of an address may be a token.
  if (/^https?:/i.test(text)) return URL.parse(text)?.origin ?? '(an address)';
  return text.replace(/[^\s"'<>]+@[^\s"'<>]+/g, '(an e-mail address)');
}
