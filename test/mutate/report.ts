import { TIME_OVER } from '../support/proof-run.ts';
import type { Change } from './instrument.ts';
import { isNoticed, type Verdict } from './try-changes.ts';

interface Tried {
  readonly change: Change;
  /** Undefined where the run was stopped before it was tried. */
  readonly verdict: Verdict | undefined;
}

export interface TriedFile {
  readonly name: string;
  readonly source: string;
  readonly tried: readonly Tried[];
}

/** How many changes of a file were not noticed, and which. */
export function describeFile({ name, source, tried }: TriedFile): string {
  const missed = tried.filter(({ verdict }) => verdict && !isNoticed(verdict));
  const lines = missed.map((one) => `  ${describeChange(one, source)}`);
  return [`${name}: ${missed.length} of ${tried.length} not noticed`, ...lines].join('\n');
}

/** The rows of a table in the documentation. */
export function describeFolders(folders: ReadonlyMap<string, readonly TriedFile[]>): string {
  const all = [...folders.values()].flat();
  return [...folders, ['all', all] as const].map(([name, files]) => rowOf(name, files)).join('\n');
}

/** Changes, noticed by a test, refused by the compiler, noticed by neither, and not tried. */
function rowOf(name: string, files: readonly TriedFile[]): string {
  const { all, noticed, refused, missed, untried } = count(files);
  return `| ${[name, all, noticed - refused, refused, missed, untried].join(' | ')} |`;
}

function count(files: readonly TriedFile[]) {
  const all = files.flatMap(({ tried }) => tried.map(({ verdict }) => verdict));
  const verdicts = all.filter((verdict) => verdict !== undefined);
  const noticed = verdicts.filter(isNoticed).length;
  return {
    ...{ all: all.length, noticed, missed: verdicts.length - noticed },
    refused: verdicts.filter((verdict) => verdict === 'refused').length,
    untried: all.length - verdicts.length,
  };
}

/** What a run found that its end must say: in which folders more went unnoticed than is known, and what was not tried. */
export function judgeFolders(
  wanted: readonly string[],
  folders: ReadonlyMap<string, readonly TriedFile[]>,
  known: Readonly<Record<string, number>>,
): { readonly code: number; readonly lines: readonly string[] } {
  const worse = [...folders].flatMap(([name, files]) => {
    const { missed } = count(files);
    const { [name]: read = 0 } = known;
    return missed > read
      ? [`${name}: ${missed} changes are not noticed, and ${read} are known`]
      : [];
  });
  const left = wanted.filter((name) => {
    const files = folders.get(name);
    return !files || count(files).untried > 0;
  });
  const untried = left.map((name) => `${name}: not all changes were tried`);
  const code = worse.length > 0 ? 1 : untried.length > 0 ? TIME_OVER : 0;
  return { code, lines: [...worse, ...untried] };
}

function describeChange({ change, verdict }: Tried, source: string): string {
  const { location, replacement } = change;
  const reached = verdict === 'unreached' ? ' (no test reaches it)' : '';
  const after = replacement.replace(/\s+/g, ' ');
  return `${location.start.line + 1}: ${before(source, location)} → ${after}${reached}`;
}

function before(source: string, { start, end }: Change['location']): string {
  const lines = source.split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  return lines
    .map((line, i) => line.slice(i === 0 ? start.column : 0, i === last ? end.column : undefined))
    .map((line) => line.trim())
    .join(' ');
}
