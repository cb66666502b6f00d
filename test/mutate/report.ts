/** The part of Stryker's report that is printed. */
export interface MutationReport {
  readonly files: Readonly<Record<string, MutatedFile>>;
}

interface MutatedFile {
  readonly source: string;
  readonly mutants: readonly Mutant[];
}

interface Mutant {
  readonly status: string;
  readonly replacement?: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

/** Both count from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

const NOTICED = new Set(['Killed', 'Timeout']);
const UNNOTICED = new Set(['Survived', 'NoCoverage']);

/** How many changes were noticed in each file, and every change that was not. */
export function describeReport({ files }: MutationReport): string {
  const lines: string[] = [];
  let [all, noticed] = [0, 0];
  for (const [name, { source, mutants }] of Object.entries(files)) {
    const good = mutants.filter(({ status }) => NOTICED.has(status)).length;
    const missed = mutants.filter(({ status }) => UNNOTICED.has(status));
    all += good + missed.length;
    noticed += good;
    lines.push(`${name}: ${good} of ${good + missed.length}`);
    for (const one of missed) lines.push(`  ${describeMutant(one, source)}`);
  }
  return [...lines, `noticed: ${noticed} of ${all}`].join('\n');
}

function describeMutant({ status, replacement, location }: Mutant, source: string): string {
  const { start, end } = location;
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  const before = lines
    .map((line, i) =>
      line.slice(i === 0 ? start.column - 1 : 0, i === last ? end.column - 1 : undefined).trim(),
    )
    .join(' ');
  const reached = status === 'Survived' ? '' : ' (no test reaches it)';
  return `${start.line}: ${before} → ${(replacement ?? '').replace(/\s+/g, ' ')}${reached}`;
}
