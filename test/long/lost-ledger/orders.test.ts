import { describe, expect, it } from 'vitest';
import { useAccidents } from './accident.ts';
import { live, orderLives } from './order-lives.ts';

const world = useAccidents();

/** These have tests of their own. */
const OPEN = [
  'a line added, money back after the accident',
  'a refund that settles after the accident, and after a later refund',
  'a refund that settles after the accident, in the second of a later refund',
  'refunded in full and exchanged',
];
/** Refunded once more in the end. */
const NEXT = [
  'equal amounts',
  'two refunds in one moment',
  'paid in another currency',
  'shipped',
  'placed',
];
const livesHere = () => orderLives(world).filter(({ title }) => !OPEN.includes(title));

describe('what commands say of an order whose ledger entry was lost', () => {
  it('is not that both sides agree, until it is known', async () => {
    const shopper = world.shop.newShopper('whose order is asked for');
    const id = world.sell(shopper, [80, 20]);
    await world.rest();
    world.refund(id, { amount: 30 });
    await world.rest();
    await world.loseLedger();
    const traced = await world.run(`trace order ${id}`);
    expect(traced.stdout).not.toMatch(/^WELL/m);
    expect(traced.code).not.toBe(0);
    const { code } = await world.run('recover --yes');
    expect(code).toBe(0);
    expect((await world.run(`trace order ${id}`)).stdout).toMatch(/^WELL/m);
    expect(world.heldOrder(id)?.points).toBe(70);
  });
});

describe('orders around an accident of the ledger', () => {
  it('restored to an earlier moment, and noticed after further events: each counts what the store says', async () => {
    const { copy, lives, goOn, ...said } = await live(world, livesHere());
    await world.restoreLedger(copy);
    await goOn();
    expect(said.counted()).toEqual(said.wanted);
    const { code, text } = await world.run('recover --yes');
    expect(text).toContain('Recovered in');
    expect(code).toBe(0);
    expect(said.counted()).toEqual(said.wanted);
    expect(said.balances()).toEqual(said.wantedBalances);

    // And the next refunds are taken once.
    const next = lives.filter(({ title }) => NEXT.includes(title));
    for (const { id } of next) world.refund(id, { amount: 1 });
    await world.rest();
    const less = next.map(({ title, points }) => [title, points - 1]);
    expect(said.counted()).toEqual({ ...said.wanted, ...Object.fromEntries(less) });
    expect(await world.shop.deadLetters()).toBe(0);
  });

  it('lost, then sent again by a backfill: nothing is taken twice', async () => {
    const { goOn, ...said } = await live(world, livesHere().slice(0, 10));
    const before = said.counted();
    await world.loseLedger();
    const backfill = await world.run('backfill orders --since 1d --rate 1000 --yes');
    expect(backfill.code).toBe(0);
    await world.rest();
    expect(said.counted()).toEqual(before);
    await goOn();
    expect(said.counted()).toEqual(said.wanted);
    expect(said.balances()).toEqual(said.wantedBalances);
    expect(await world.shop.deadLetters()).toBe(0);
  });
});
