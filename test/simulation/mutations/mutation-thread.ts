import { parentPort, workerData } from 'node:worker_threads';
import { loadMutated, type Noticed } from './apply-mutation.ts';
import { mutations } from './mutations.ts';

/** Runs seeds of the simulation with one bug in the product, until an oracle fails. */
const { name, events, most } = workerData as {
  readonly name: string;
  readonly events: number;
  readonly most: number;
};
const mutation = mutations.find((one) => one.name === name);
if (!mutation) throw new Error(`there is no mutation ${name}`);
loadMutated(mutation);
const { simulations } = await import('../parts.ts');
const simulate = simulations[mutation.part ?? 'orders'];
let noticed: Noticed = { name, seeds: most, oracle: undefined, what: undefined };
for (let seed = 1; seed <= most; seed += 1) {
  const [violation] = (await simulate({ seed, events })).violations;
  if (!violation) continue;
  noticed = { name, seeds: seed, oracle: violation.oracle, what: violation.what };
  break;
}
parentPort?.postMessage(noticed);
