import { describe, expect, it } from 'vitest';
import { openConnector } from '../../../local/harness/in-process-connector.ts';
import { createLoyaltyClient } from '../../../shared/loyalty/client.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { openRedeeming } from '../../support/redeem-world.ts';

/** The real client of a service that gives this answer to everything. */
function clientOf(answer: object) {
  const text = JSON.stringify(answer);
  return createLoyaltyClient({
    credentials: { token: 'token', key: 'key' },
    http: { send: async () => ({ kind: 'answer', status: 200, headers: {}, text }) },
  });
}

const page = { TotalItemCount: 0, PageSize: 10, PageNumber: 1, HasNextPage: false };

/** Redeems reward 1 with this answer, as far as the queue takes it. */
async function redeemWith(answer: object) {
  const world = openRedeeming();
  const { redeemReward } = clientOf(answer);
  const answered = <T extends object>(part: T): T =>
    'redeemReward' in part ? { ...part, redeemReward } : part;
  await world.redeem({}, answered);
  await world.drain();
  const [redemption] = await world.kept();
  return { codes: world.store.codes.size, at: redemption?.state.at };
}

describe('an answer that does not say that it was done', () => {
  it('Items: [] mints no discount code', async () => {
    expect(await redeemWith({ ...page, Items: [] })).toEqual({ codes: 0, at: 'unknown' });
  });

  it('another reward, or a disabled one, mints no discount code', async () => {
    const others = [{ Id: 9, Enabled: true }];
    expect(await redeemWith({ ...page, Items: others })).toEqual({ codes: 0, at: 'unknown' });
    const disabled = [{ Id: 1, Enabled: false, DisabledReason: 'Not for you' }];
    expect(await redeemWith({ ...page, Items: disabled })).toEqual({ codes: 0, at: 'unknown' });
  });

  it('"Not enough points" in ErrorMessages mints no discount code and is a refusal', async () => {
    const ErrorMessages = ['Not enough points'];
    for (const Items of [[], [{ Id: 1, Enabled: true }]]) {
      const { codes, at } = await redeemWith({ ...page, Items, ErrorMessages });
      expect([codes, at]).toEqual([0, 'refused']);
    }
  });

  it('a cashback change for a customer who does not exist closes no compensation', async () => {
    for (const Result of [
      { CustomerExists: false, PointsBalance: 0, Error: '' },
      { CustomerExists: true, PointsBalance: 0, Error: 'Customer is blocked' },
    ]) {
      const world = openRedeeming({ cashbackAddIs: 0 });
      Object.assign(world.loyalty, {
        changeCashback: clientOf({ HasError: false, Result }).changeCashback,
      });
      world.store.before = () => ({ kind: 'refused', code: 'INVALID' });
      await world.redeem();
      await world.drain();
      expect(await world.kept()).toMatchObject([{ state: { at: 'compensating' } }]);
      expect(world.dead.size).toBe(1);
    }
  });

  describe('isCanceled: false', () => {
    const payload = (updated_at: string, cancelledAfterDays?: number) =>
      buildOrder(
        { ...simpleOrder, ...(cancelledAfterDays !== undefined && { cancelledAfterDays }) },
        { updated_at },
      ).payload;

    /** An order that is cancelled in the store, and a service that says "not yet" so many times. */
    async function cancelWith(notYet: number) {
      const connector = openConnector();
      const { journal, world } = connector.loyalty;
      await connector.deliver({
        topic: 'orders/updated',
        payload: payload('2026-10-09T11:00:01.000Z'),
      });
      await connector.drain();
      let asked = 0;
      world.interfere = ({ operation }, pass) => {
        if (operation !== 'cancelPosOrder') return pass();
        asked += 1;
        if (asked > notYet) return pass();
        const text = JSON.stringify({ HasError: false, Result: { isCanceled: false, Status: 2 } });
        return { kind: 'answer', status: 200, headers: {}, text };
      };
      await connector.deliver({
        topic: 'orders/cancelled',
        payload: payload('2026-10-09T11:00:02.000Z', 3),
      });
      await connector.drain();
      const cancelled = journal.filter(({ operation }) => operation === 'cancelPosOrder').length;
      return { connector, asked, cancelled };
    }

    it('is asked again until the service says that the order is cancelled', async () => {
      const { connector, asked, cancelled } = await cancelWith(3);
      expect({ asked, cancelled }).toEqual({ asked: 4, cancelled: 1 });
      expect(connector.dead.size).toBe(0);
      expect(connector.telemetry.total('retried', { why: 'not-cancelled' })).toBe(3);
    });

    it('is parked by the retry window and never recorded as cancelled', async () => {
      const { connector, asked, cancelled } = await cancelWith(Number.POSITIVE_INFINITY);
      expect(cancelled).toBe(0);
      expect(asked).toBeGreaterThan(5);
      expect(connector.dead.size).toBe(1);
      // Without the fault, the same event again is sent again: nothing calls it done.
      connector.loyalty.world.interfere = undefined;
      await connector.deliver({
        topic: 'orders/cancelled',
        payload: payload('2026-10-09T11:00:02.000Z', 3),
      });
      await connector.drain();
      expect(connector.loyalty.journal.at(-1)?.operation).toBe('cancelPosOrder');
    });
  });
});
