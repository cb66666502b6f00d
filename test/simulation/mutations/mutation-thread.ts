import { parentPort, workerData } from 'node:worker_threads';
import { loadMutated, type Noticed } from './apply-mutation.ts';
import type { Mutation } from './mutation.ts';
import { mutations } from './mutations.ts';

type Asked =
  | { readonly name: string; readonly events: number; readonly most: number }
  | { readonly name: string; readonly search: string };

const asked = workerData as Asked;
const mutation = mutations.find(({ name }) => name === asked.name);
if (!mutation) throw new Error(`there is no mutation ${asked.name}`);
loadMutated(mutation);
parentPort?.postMessage(await notice(mutation));

async function notice({ name, part = 'orders' }: Mutation): Promise<Noticed> {
  if ('search' in asked) return { name, ...(await noticeBySearch(asked.search)) };
  const { simulations } = await import('../parts.ts');
  const { events, most } = asked;
  for (let seed = 1; seed <= most; seed += 1) {
    const [violation] = (await simulations[part]({ seed, events })).violations;
    if (violation) return { name, tried: seed, ...violation };
  }
  return { name, tried: most, what: undefined };
}

async function noticeBySearch(name: string) {
  const { searches } = await import('../schedules/searches.ts');
  const { explore } = await import('../schedules/explore.ts');
  const search = searches.find((one) => one.name === name);
  if (!search) throw new Error(`there is no search ${name}`);
  const { states, wrong } = await explore(search.scenario, search.bounds);
  return { tried: states, what: wrong?.what.join('; ') };
}
