import { availableParallelism } from 'node:os';
import { searches } from '../schedules/searches.ts';
import { type Noticed, noticeInSearch, noticeMutation } from './apply-mutation.ts';
import type { Mutation } from './mutation.ts';
import { mutations } from './mutations.ts';

/** Prints a row for each bug, with the seeds until it was noticed. True when every bug was noticed in time. */
export async function printMutations(names: readonly string[]): Promise<boolean> {
  const waiting = mutations.filter(({ name }) => names.length === 0 || names.includes(name));
  const rows = new Map<string, string>();
  const unknown = names.filter((name) => !waiting.some((one) => one.name === name));
  for (const name of unknown) console.error(`There is no mutation ${name}.`);
  if (unknown.length > 0) return false;
  let isGood = true;

  async function work(): Promise<void> {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const { name, within } = one;
      const noticed =
        within === undefined ? await search(name) : await noticeMutation(name, within);
      if (noticed.what === undefined) isGood = false;
      const row = rowOf(one, noticed);
      rows.set(name, row);
      console.error(row);
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log('| mutation | the bug | seeds until noticed | at most | noticed by |');
  console.log('|---|---|---|---|---|');
  for (const { name } of mutations) if (rows.has(name)) console.log(rows.get(name));
  return isGood;
}

function search(name: string): Promise<Noticed> {
  const found = searches.find(({ bug }) => bug === name);
  if (!found) throw new Error(`no search has the bug ${name}`);
  return noticeInSearch(name, found.name);
}

function rowOf({ name, bug, within }: Mutation, { tried, oracle, what }: Noticed): string {
  const all = within === undefined ? `${tried} states` : String(tried);
  const end = what === undefined ? `**not in ${all}**` : all;
  const by = oracle ?? (within === undefined ? 'a search' : '');
  return `| \`${name}\` | ${bug} | ${end} | ${within ?? ''} | ${by} |`;
}
