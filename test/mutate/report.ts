import type { Change } from './instrument.ts';
import { isNoticed } from './saved-verdicts.ts';
import type { Verdict } from './try-changes.ts';

interface Tried {
  readonly change: Change;
  readonly verdict: Verdict;
}

export interface TriedFile {
  readonly name: string;
  readonly source: string;
  readonly tried: readonly Tried[];
}

/** How many changes of each file were noticed, and every change that was not. */
export function describeFile({ name, source, tried }: TriedFile): string {
  const missed = tried.filter(({ verdict }) => !isNoticed(verdict));
  const lines = missed.map((one) => `  ${describeChange(one, source)}`);
  return [`${name}: ${tried.length - missed.length} of ${tried.length}`, ...lines].join('\n');
}

/** The rows of a table in the documentation. */
export function describeFolders(folders: ReadonlyMap<string, readonly TriedFile[]>): string {
  const all = [...folders.values()].flat();
  return [...folders, ['all', all] as const].map(([name, files]) => rowOf(name, files)).join('\n');
}

/** Changes, noticed by a test, refused by the compiler, the others, and the share that was noticed. */
function rowOf(name: string, files: readonly TriedFile[]): string {
  const verdicts = files.flatMap(({ tried }) => tried.map(({ verdict }) => verdict));
  const refused = verdicts.filter((verdict) => verdict === 'refused').length;
  const noticed = verdicts.filter(isNoticed).length;
  const score = `${((100 * noticed) / verdicts.length).toFixed(1)} %`;
  const others = verdicts.length - noticed;
  return `| ${[name, verdicts.length, noticed - refused, refused, others, score].join(' | ')} |`;
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
