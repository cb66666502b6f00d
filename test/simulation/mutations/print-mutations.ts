import { availableParallelism } from 'node:os';
import { noticeMutation } from './apply-mutation.ts';
import { mutations } from './mutations.ts';

/** Prints the table of docs/reliability.md. True when every bug was noticed in time. */
export async function printMutations(): Promise<boolean> {
  const waiting = [...mutations];
  const lines = new Map<string, string>();
  let isGood = true;

  async function work(): Promise<void> {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const { name, bug, within } = one;
      const { seeds, oracle } = await noticeMutation(name, within);
      if (oracle === undefined) isGood = false;
      const end = oracle === undefined ? `**not in ${seeds}**` : String(seeds);
      lines.set(name, `| \`${name}\` | ${bug} | ${end} | ${within} | ${oracle ?? ''} |`);
      console.error(`${name}: ${oracle ? `${oracle}, after ${seeds} seeds` : 'NOT noticed'}`);
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log('| mutation | the bug | seeds until noticed | at most | noticed by |');
  console.log('|---|---|---|---|---|');
  for (const { name } of mutations) console.log(lines.get(name));
  return isGood;
}
