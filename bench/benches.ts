import type { Bench } from './bench.ts';

/** Every bench by name; loaded when it runs, so that one does not weigh on another's figures. */
export const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  backfill: async () => (await import('./benches/backfill.ts')).backfill,
  burst: async () => (await import('./benches/burst.ts')).burst,
  replay: async () => (await import('./benches/replay.ts')).replay,
};
