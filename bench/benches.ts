import type { Bench } from './bench.ts';

/** Every bench by name; loaded when it runs, so that one does not weigh on another's figures. */
export const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  replay: async () => (await import('./benches/replay.ts')).replay,
};
