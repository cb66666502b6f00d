import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { searches } from '../schedules/searches.ts';
import { type Noticed, noticeInSearch, noticeMutation } from './apply-mutation.ts';
import type { Mutation } from './mutation.ts';
import { mutations } from './mutations.ts';

const PAGE = new URL('../../../docs/reliability.md', import.meta.url);

/**
 * Prints the table of docs/reliability.md, or writes each row there as soon as it is known. How many seeds a bug needs
 * changes with every change of how many calls the product makes, so each row has its date. True when every bug was
 * noticed in time.
 */
export async function printMutations(
  names: readonly string[],
  isWritten: boolean,
): Promise<boolean> {
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
      if (isWritten) writeFileSync(PAGE, putRow(readFileSync(PAGE, 'utf8'), name, row));
      console.error(row);
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  if (isWritten) return isGood;
  console.log('| mutation | the bug | seeds until noticed | at most | noticed by | run |');
  console.log('|---|---|---|---|---|---|');
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
  const by = oracle ?? (within === undefined ? 'a [search](#schedules)' : '');
  const day = new Date().toISOString().slice(0, 10);
  return `| \`${name}\` | ${bug} | ${end} | ${within ?? ''} | ${by} | ${day} |`;
}

const isRowOf = (name: string) => (line: string) => line.startsWith(`| \`${name}\` |`);

/** A mutation without a row gets one behind the last. */
export function putRow(page: string, name: string, row: string): string {
  const lines = page.split('\n');
  const at = lines.findIndex(isRowOf(name));
  const last = lines.findLastIndex((line) => mutations.some((one) => isRowOf(one.name)(line)));
  return (at < 0 ? lines.toSpliced(last + 1, 0, row) : lines.with(at, row)).join('\n');
}
