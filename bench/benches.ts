import type { Bench } from './bench.ts';

/** Every bench by name. Imported when it runs, so that benches do not affect each other's figures. */
export const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  receiver: async () => (await import('./benches/receiver.ts')).receiver,
  worker: async () => (await import('./benches/worker.ts')).worker,
  storefront: async () => (await import('./benches/storefront.ts')).storefront,
  neighbours: async () => (await import('./benches/neighbours.ts')).neighbours,
  cost: async () => (await import('./benches/cost.ts')).cost,
};
