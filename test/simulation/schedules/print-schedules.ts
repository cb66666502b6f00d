import { noticeInSearch } from '../mutations/apply-mutation.ts';
import { type Explored, explore } from './explore.ts';
import { type Search, searches } from './searches.ts';

/**
 * Runs every search, or those of the given numbers; true when none finds a schedule that ends wrong, and each finds the
 * deliberate bug that it has to.
 */
export async function printSchedules(numbers: readonly number[]): Promise<boolean> {
  const unknown = numbers.filter((number) => !searches[number - 1]);
  if (unknown.length > 0) {
    console.error(`There is no search ${unknown.join(' and no search ')}.\n${listSearches()}`);
    return false;
  }
  let isRight = true;
  for (const [at, search] of searches.entries()) {
    if (numbers.length > 0 && !numbers.includes(at + 1)) continue;
    const begin = Date.now();
    const explored = await explore(search.scenario, search.bounds);
    console.log(describe(`${at + 1}. ${search.name}`, explored, (Date.now() - begin) / 1000));
    const findsBug = await findsItsBug(search);
    isRight &&= explored.wrong === undefined && findsBug;
  }
  return isRight;
}

export const listSearches = () =>
  searches.map(({ name }, at) => `${String(at + 1).padStart(4)}  ${name}`).join('\n');

async function findsItsBug({ name, bug }: Search): Promise<boolean> {
  const { tried, what } = await noticeInSearch(bug, name);
  const end = what === undefined ? `NOT found in ${tried} states` : `found after ${tried} states`;
  console.log(`  with the bug ${bug}: ${end}${what === undefined ? '' : `: ${what}`}`);
  return what !== undefined;
}

function describe(name: string, { states, ends, deepest, wrong }: Explored, seconds: number) {
  const figures = `${states} states, ${ends} ends, up to ${deepest} steps, ${seconds.toFixed(0)} s`;
  if (!wrong) return `${name}: right in every schedule (${figures})`;
  const steps = wrong.schedule.map((step) => `    ${step}`);
  return [`${name}: wrong (${figures})`, ...wrong.what.map((one) => `  ${one}`), ...steps].join(
    '\n',
  );
}
