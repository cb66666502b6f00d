import type { ProofPart, Step } from './parts.ts';

interface LaneWork {
  readonly now: () => number;
  /** Not yet run, or stopped. */
  isOpen(part: ProofPart, step: Step): boolean;
  run(part: ProofPart, step: Step, until: number): Promise<void>;
}

/**
 * Each step gets an equal share of what is left of its part, so that one that does not end takes nothing from the
 * others. What they leave over goes to those that were stopped.
 */
export async function runLane(
  parts: readonly ProofPart[],
  lengthMs: number,
  { now, isOpen, run }: LaneWork,
): Promise<void> {
  const begin = now();
  let share = 0;
  for (const part of parts) {
    share = Math.min(share + part.share, 1);
    const end = begin + share * lengthMs;
    const least = part.needsMinutes * 60_000;
    for (const _round of ['all', 'stopped']) {
      const open = part.steps.filter((step) => isOpen(part, step));
      for (const [at, step] of open.entries()) {
        const left = end - now();
        const own = Math.max(left / (open.length - at), least);
        if (left >= least && isOpen(part, step)) await run(part, step, now() + own);
      }
    }
  }
}
