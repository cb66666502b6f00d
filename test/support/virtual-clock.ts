/** Time that passes only when everything that runs waits for it. */
export function createVirtualClock(start = 1_800_000_000_000) {
  let at = start;
  const timers: { readonly due: number; readonly ring: () => void }[] = [];
  return {
    now: () => at,
    pause: (ms: number) =>
      new Promise<void>((ring) => {
        timers.push({ due: at + Math.max(ms, 0), ring });
      }),
    /** Rings every timer up to then, in order, and lets each finish what it causes. */
    async runUntil(end: number): Promise<void> {
      for (;;) {
        await settled();
        const next = timers.toSorted((a, b) => a.due - b.due)[0];
        if (!next || next.due > end) break;
        timers.splice(timers.indexOf(next), 1);
        at = Math.max(at, next.due);
        next.ring();
      }
      at = end;
    },
  };
}

/** All promises that can go on without a timer have gone on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
