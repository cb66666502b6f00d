import type { Bench } from './bench.ts';

/** Every bench by name. Imported when it runs, so that benches do not affect each other's figures. */
export const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  receiver: async () => (await import('./benches/receiver.ts')).receiver,
  worker: async () => (await import('./benches/worker.ts')).worker,
  profile: async () => (await import('./benches/profile.ts')).profile,
  storefront: async () => (await import('./benches/storefront.ts')).storefront,
  neighbours: async () => (await import('./benches/neighbours.ts')).neighbours,
  drain: async () => (await import('./benches/drain.ts')).drain,
  cost: async () => (await import('./benches/cost.ts')).cost,
  backfill: async () => (await import('./benches/backfill.ts')).backfill,
  replay: async () => (await import('./benches/replay.ts')).replay,
  start: async () => (await import('./benches/start.ts')).start,
  ci: async () => (await import('./benches/ci.ts')).ci,
  simulate: async () => (await import('./benches/simulate.ts')).simulate,
};
