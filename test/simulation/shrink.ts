import type { Violation } from './kernel/journal.ts';
import { BEGINNING } from './kernel/kernel.ts';
import type { SimulationResult, SimulationSettings } from './simulate.ts';

/** Enough for a history of a few lines; more would only take longer. */
const MOST_RUNS = 400;

export interface Shrunk {
  readonly violation: Violation;
  readonly result: SimulationResult;
}

/**
 * Removes from a failing run what its failure does not need: first changes in the store, then faults, then
 * the changes once more, as long as the same oracle fails.
 */
export async function shrink(
  settings: Pick<SimulationSettings, 'seed' | 'events'>,
  failed: SimulationResult,
  simulateOnce: (settings: SimulationSettings) => Promise<SimulationResult>,
): Promise<Shrunk | undefined> {
  const [first] = failed.violations;
  if (!first) return undefined;
  let steps = failed.steps;
  let only: readonly number[] | undefined;
  let runs = 0;

  const run = (tried: Pick<SimulationSettings, 'steps' | 'inWords'>, faults = only) =>
    simulateOnce({ ...settings, ...tried, only: faults && new Set(faults) });
  const complaint = ({ violations }: SimulationResult) =>
    violations.find(({ oracle }) => oracle === first.oracle);
  const fails = async (tried: readonly number[], faults = only): Promise<boolean> => {
    if (runs >= MOST_RUNS) return false;
    runs += 1;
    return complaint(await run({ steps: tried }, faults)) !== undefined;
  };

  steps = await minimize(steps, (kept) => fails(kept));
  const names = (await run({ steps })).faults.map(({ name }) => name);
  only = await minimize(names, (kept) => fails(steps, kept));
  steps = await minimize(steps, (kept) => fails(kept));
  const result = await run({ steps, inWords: true });
  const violation = complaint(result);
  return violation && { violation, result };
}

/** Delta debugging: removes ever smaller parts of the list while the rest still fails. */
async function minimize<Item>(
  items: readonly Item[],
  fails: (kept: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let kept = items;
  for (let size = Math.ceil(kept.length / 2); size >= 1; ) {
    let start = 0;
    let hasShrunk = false;
    while (start < kept.length) {
      const without = [...kept.slice(0, start), ...kept.slice(start + size)];
      if (await fails(without)) {
        kept = without;
        hasShrunk = true;
      } else start += size;
    }
    if (size === 1 && !hasShrunk) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return kept;
}

/** The last lines of a history are the ones that led to the failure. */
const MOST_LINES = 120;

/** A failing run for a person to read. */
export function describeFailure({ violation, result }: Shrunk): string {
  const { lines, faults, steps } = result;
  // Another oracle may have failed before; this history is about one of them.
  const upTo = lines.findIndex(({ text }) => text.startsWith(`!! ${violation.oracle}:`));
  const history = lines.slice(0, upTo < 0 ? undefined : upTo + 1);
  const shown = history.slice(-MOST_LINES);
  const left = history.length - shown.length;
  return [
    `${violation.oracle}: ${violation.what}`,
    '',
    `It takes ${steps.length} steps and ${faults.length} faults:`,
    ...faults.map(({ text }) => `  - ${text}`),
    '',
    ...(left > 0 ? [`  (${left} lines before)`] : []),
    ...shown.map(({ at, text }) => `  ${clock(at)}  ${text}`),
  ].join('\n');
}

/** Hours, minutes and seconds since the start. */
function clock(at: number): string {
  const ms = at - BEGINNING;
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const seconds = ((ms / 1000) % 60).toFixed(3).padStart(6, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${seconds}`;
}
