import { beforeEach, describe, expect, it } from 'vitest';
import { foreseeClosing } from '../../../../shared/core/redeem/resume-redemption.ts';
import type {
  Redemption,
  RedemptionState,
} from '../../../../shared/core/redemptions/redemption.ts';
import { applyStep, openBook } from '../../../../shared/core/redemptions/redemption-record.ts';
import { openRedeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

let world: ReturnType<typeof openRedeeming>;
beforeEach(() => {
  world = openRedeeming();
});

async function keep(id: string, state: RedemptionState, more: Partial<Redemption> = {}) {
  const at = new Date(world.clock.ms).toISOString();
  const terms = { title: 'Five off', points: 100, kind: 'fixed', value: 5 } as const;
  const redemption: Redemption = {
    ...{ id, rewardId: 1, clientKeys: [], intendedAt: at, since: at, state },
    terms: { ...terms, combines: false, codePrefix: 'FIVE', limited: false },
    ...more,
  };
  const book = openBook(
    { shop: SHOP, customerId: ROBIN },
    { ledger: world.ledger, now: () => new Date(world.clock.ms), retentionDays: 400 },
  );
  await book.change((found) => ({
    book: { ...found, redemptions: [...found.redemptions, redemption] },
    value: undefined,
  }));
  const event = { shop: SHOP, customerId: ROBIN, kind: 'redemption', id, topic: 'redeem' } as const;
  return { book, redemption, event: { ...event, deliveryId: id, receivedAt: at } };
}

const at = '2026-10-09T12:00:00.000Z';
const code = { code: 'OLD-1', kind: 'fixed', value: 5, startsAt: at } as const;
const OLD = 'OLD000000000';
const REDEEMED = { at: 'redeemed', redeemedRewardId: 7, code, calledAt: at } as const;
const body = { CustomerId: ROBIN, RewardId: 1, OriginalKey: 'a-key' };
const CALLING = { at: 'calling', body, attempts: 1, calledAt: at } as const;

describe('a person who closes a redemption', () => {
  it('hears beforehand what it would do', async () => {
    const now = new Date(world.clock.ms);
    const { redemption } = await keep(OLD, CALLING, { stuck: 'look-up-refused' });
    const free = { ...redemption, stuck: undefined } as unknown as Redemption;
    const closed = { ...redemption, state: { at: 'cancelled' } } as const;
    expect(foreseeClosing(redemption, 'cancelled', now)).toMatchObject({ kind: 'closed' });
    expect(foreseeClosing(closed, 'cancelled', now)).toEqual({
      kind: 'closed',
      redemption: closed,
    });
    expect(foreseeClosing(closed, 'refused', now)).toMatchObject({ kind: 'not-allowed' });
    expect(foreseeClosing(free, 'refused', now)).toMatchObject({ kind: 'not-allowed' });
    expect(foreseeClosing(undefined, 'refused', now)).toEqual({ kind: 'not-found' });
  });

  it('does not hear that it is closed when the customer got the code at that moment', async () => {
    const { book } = await keep(OLD, REDEEMED, { stuck: 'look-up-refused' });
    const { readMany } = world.ledger;
    world.ledger.readMany = async (keys) => {
      const found = await readMany(keys);
      world.ledger.readMany = readMany;
      await applyStep(book, OLD, { kind: 'made', discountId: '1' });
      return found;
    };
    expect(await world.close(OLD, 'cancelled')).toMatchObject({ kind: 'not-allowed' });
    expect(world.queue.size).toBe(0);
  });

  it('has a message for each, so that the worker deletes the codes of both', async () => {
    for (const id of ['OLD000000001', 'OLD000000002']) {
      await keep(id, REDEEMED, { stuck: 'look-up-refused' });
      expect(await world.close(id, 'cancelled')).toMatchObject({ kind: 'closed' });
    }
    expect(world.queue.size).toBe(2);
  });
});
