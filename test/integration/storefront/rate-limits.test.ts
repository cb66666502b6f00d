import { expect, it } from 'vitest';
import { runConnectors } from '../../support/running-connector.ts';
import { openProgram, signedFor } from '../../support/running-program.ts';

const connectors = runConnectors();

/** As docs/limits.md says. */
const READS = 10;
const [OF_A_TILL_USER, OF_VISITORS, OF_TILLS] = [2 * READS, 10 * READS, 20 * READS];

async function open() {
  const program = await openProgram(connectors, { storefront: { readsPerMinute: READS } });
  const [mine, theirs] = [await program.shopper('Robin'), await program.shopper('Sasha')];
  /** How many of these requests come before the first that is one too many. */
  const accepted = async (ask: () => Promise<{ readonly status: number }>) => {
    for (let n = 0; n < 1_000; n += 1) if ((await ask()).status === 429) return n;
    throw new Error('no request is one too many');
  };
  return { one: program.one, mine, theirs, accepted };
}

it('a shopper is refused beyond the reads of a minute, and another is not', async () => {
  const { one, mine, theirs, accepted } = await open();
  expect(await accepted(() => one.proxy(mine, 'me'))).toBe(READS);
  expect(await accepted(() => one.proxy(theirs, 'me'))).toBe(READS);
});

it('visitors without a login are together refused beyond ten times as many, and no shopper is', async () => {
  const { one, mine, accepted } = await open();
  const query = signedFor('', { items: '11:19.90:2', currency: 'EUR' });
  expect(await accepted(() => one.send('example-store/points', { query }))).toBe(OF_VISITORS);
  expect(await accepted(() => one.proxy(mine, 'me'))).toBe(READS);
});

it('a till user is refused beyond twice as many, and all together beyond twenty times as many', async () => {
  const { one, mine, accepted } = await open();
  const ask = (staff: number) => () => one.till(mine, 'view', {}, String(staff));
  const all: number[] = [];
  for (let staff = 5_001; all.at(-1) !== 0; staff += 1) all.push(await accepted(ask(staff)));
  const users = OF_TILLS / OF_A_TILL_USER;
  expect(all).toEqual([...Array(users).fill(OF_A_TILL_USER), 0]);
});
