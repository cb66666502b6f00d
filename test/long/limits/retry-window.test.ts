import { describe, expect, it } from 'vitest';
import {
  deliverOfBoth,
  expectAllOnce,
  ORDERS_OF_A,
  ORDERS_OF_B,
} from '../../integration/limits/entities.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { A, B, useTwoAccounts } from '../../support/two-accounts.ts';

const open = useTwoAccounts(runConnectors());
const DAY = 86_400;

describe('the retry window of four days', () => {
  /** Delivered at the start; the service fails for the days before the pause and after it. */
  async function failing(days: { before: number; paused: number; after: number }) {
    const accounts = await open();
    const { connector } = accounts;
    accounts.answer(A, () => ({ status: 503 }));
    await deliverOfBoth(accounts);
    await accounts.workFor(days.before * DAY, DAY / 6);
    await connector.pauseShop(A);
    const tried = accounts.callsOf(A).length;
    await accounts.workFor(days.paused * DAY, DAY / 6);
    expect(accounts.callsOf(A)).toHaveLength(tried);
    await connector.resumeShop(A);
    await accounts.workFor(days.after * DAY, DAY / 6);
    return accounts;
  }

  it('does not count a pause of nine days: nothing is parked, all is sent once', async () => {
    const accounts = await failing({ before: 0, paused: 9, after: 0 });
    accounts.answer(A);
    await expectAllOnce(accounts);
  });

  it('counts what was before the pause and after it, and no more: 1.5, 7 paused, 2.2', async () => {
    const accounts = await failing({ before: 1.5, paused: 7, after: 2.2 });
    expect(await accounts.connector.deadLetters()).toEqual([]);
    accounts.answer(A);
    await expectAllOnce(accounts);
  });

  it('ends all the same: 1.5, 5 paused, 3 failing park every message of the shop and none of its neighbour', async () => {
    const accounts = await failing({ before: 1.5, paused: 5, after: 3 });
    const letters = await accounts.connector.deadLetters();
    expect(letters).toHaveLength(ORDERS_OF_A.length + 2);
    expect(accounts.takenOrders(B)).toEqual(ORDERS_OF_B);
  });
});
