import { lanes, type ProofPart } from './parts.ts';

export interface StepResult {
  /** `stopped`: its time was over, and it goes on in the next run. */
  readonly end: 'passed' | 'failed' | 'stopped';
  readonly seconds: number;
  readonly command: string;
  /** With everything that it printed. */
  readonly file: string;
  readonly output: string;
}

interface ProofFacts {
  readonly commit: string;
  readonly date: Date;
  readonly results: Readonly<Record<string, StepResult>>;
}

const MOST_LINES = 25;

/** What was run, what it found and what it leaves out, in Markdown. */
export function describeProof({ commit, date, results }: ProofFacts): string {
  const parts = lanes.flat().map((part) => ({ part, ...sortSteps(part, results) }));
  const rows = parts.map(({ part, run, left, seconds }) => {
    const ends = (['passed', 'failed', 'stopped'] as const)
      .map((end) => [end, run.filter(({ result }) => result.end === end).length] as const)
      .filter(([, count]) => count > 0)
      .map(([end, count]) => `${count} ${end}`);
    const stopped = run.filter(({ result }) => result.end === 'stopped').map(({ name }) => name);
    const missing = [
      ...(left.length === 0 ? [] : [`${left.length} of ${part.steps.length} steps`]),
      ...(stopped.length === 0 ? [] : [`stopped: ${stopped.join('; ')}`]),
      part.leavesOut,
    ].join('; ');
    return `| ${part.title} | ${ends.join(', ') || 'not run'} | ${duration(seconds)} | ${missing} |`;
  });
  return [
    `# Verification of ${commit}, ${date.toISOString().slice(0, 10)}`,
    '',
    '| part | steps | time | not covered |',
    '|---|---|---|---|',
    ...rows,
    ...parts.flatMap(describePart),
    '',
  ].join('\n');
}

/** The page with a new row for every part of which no step is left; the other rows keep their date. */
export function putResults(page: string, { date, results }: ProofFacts): string {
  return lanes.flat().reduce((text, part) => {
    const { run, left } = sortSteps(part, results);
    if (left.length > 0 || run.some(({ result }) => result.end === 'stopped')) return text;
    const beginning = `| ${part.title} |`;
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.startsWith(beginning));
    if (at < 0) throw new Error(`the page has no row for "${part.title}"`);
    const day = date.toISOString().slice(0, 10);
    const row = `${beginning} ${describeEnd(run)} | ${part.leavesOut} | ${day} |`;
    return lines.with(at, row).join('\n');
  }, page);
}

function describeEnd(run: SortedPart['run']): string {
  const failed = run.filter(({ result }) => result.end === 'failed').map(({ name }) => name);
  if (failed.length > 0) return `FAILED: ${failed.join('; ')}`;
  const [first] = run;
  return run.length === 1 && first
    ? `${first.name}: passed`
    : `${run.length} of ${run.length} passed`;
}

type SortedPart = { readonly part: ProofPart } & ReturnType<typeof sortSteps>;

function sortSteps(part: ProofPart, results: ProofFacts['results']) {
  const steps = part.steps.map(({ name }) => ({
    name,
    result: results[`${part.title}: ${name}`],
  }));
  const run = steps.flatMap(({ name, result }) => (result ? [{ name, result }] : []));
  const left = steps.filter(({ result }) => !result).map(({ name }) => name);
  return { run, left, seconds: run.reduce((sum, { result }) => sum + result.seconds, 0) };
}

function describePart({ part, run, left }: SortedPart): readonly string[] {
  const steps = run.flatMap(({ name, result: { command, end, seconds, file, output } }) => [
    '',
    `**${name}**: ${end}, ${duration(seconds)}; its whole output is in \`${file}\``,
    '',
    '```',
    `$ ${command}`,
    ...lastLines(output),
    '```',
  ]);
  const rest = left.length === 0 ? [] : ['', `Not run: ${left.join('; ')}.`];
  return ['', `## ${part.title}`, ...steps, ...rest];
}

function lastLines(output: string): readonly string[] {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(-MOST_LINES);
  const hidden = lines.length - shown.length;
  return hidden > 0 ? [`… ${hidden} lines before`, ...shown] : shown;
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
