import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  balanceKey,
  recallBalance,
  rememberBalance,
} from '../../../../shared/core/balances/point-balance.ts';
import { balanceChange } from '../../../../shared/core/balances/settle-balances.ts';
import { openBalanceWorker, SHOP } from '../../../support/balance-worker.ts';
import { onePartApart } from '../../../support/one-part-apart.ts';

// What one change drops shows only at the change after it: here each story has several.

type Worker = ReturnType<typeof openBalanceWorker>;
const KEY = { shop: SHOP, kind: 'customer', id: '1' } as const;
const shown = ({ store }: Worker) => store.customers.get('1');

async function tell(worker: Worker, ...given: [points: number, options?: object]): Promise<void> {
  await worker.announce('1', ...given);
  await worker.work();
}

/** The service's answer for a customer whom it does not let be read. */
const refused = { kind: 'business-error', class: 'rejected', name: undefined, message: 'no' };

it('a balance is written again where only its points, cashback, tier or expiring points differ', () => {
  const amount = fc.constantFrom('1', '2');
  const expiring = fc.record({ points: amount, at: fc.constantFrom('2026-10-10', '2026-10-11') });
  const parts = { points: amount, cashback: amount, tier: amount, expiring };
  fc.assert(
    fc.property(onePartApart(parts), (pair) => {
      const [one, other] = pair.map((held) => balanceKey({ ...held, seen: [] }));
      expect(one).not.toBe(other);
    }),
  );
});

describe('a balance over many changes', () => {
  it('is not read again for a repetition of any of its last 20 events', async () => {
    const worker = openBalanceWorker(['1']);
    for (let at = 1; at <= 30; at += 1) {
      await worker.announce('1', at, { at, point: `p${at}` });
      // Several in a batch: of these, too, the oldest are forgotten first.
      if (at % 3 === 0) await worker.work();
    }
    const asked = worker.asked();
    for (let at = 11; at <= 30; at += 1) {
      const eventDate = new Date(worker.clock.ms + at * 1000).toISOString();
      await tell(worker, at, { eventDate, point: `p${at}`, topic: 'Point_Update' });
    }
    expect([worker.asked(), worker.dead.size]).toEqual([asked, 0]);
    expect(shown(worker)?.points).toBe('30');
    // An item of the ledger has a largest size.
    expect(recallBalance(worker.entry('1')?.remembered)?.seen).toHaveLength(20);
  });

  it('shows a tier that the customer did not have before', async () => {
    const worker = openBalanceWorker(['1']);
    await tell(worker, 10, { at: 1 });
    worker.tiers.set('1', '  Gold \n Plus ');
    await tell(worker, 20, { at: 2 });
    expect(shown(worker)?.tier).toBe('Gold Plus');
    // The store refuses a blank text, and the points with it.
    worker.tiers.set('1', ' ');
    await tell(worker, 30, { at: 3 });
    expect(shown(worker)).toEqual({ points: '30', cashback: '1.5' });
  });

  it.each([
    { tier: null, held: null, given: {} },
    { tier: undefined, held: 'Gold', given: {} },
    { tier: null, held: undefined, given: { tier: null } },
    { tier: null, held: 'Gold', given: { tier: null } },
    { tier: 'Gold', held: null, given: { tier: 'Gold' } },
  ])('costs a second call only for what must be taken away: %j', ({ tier, held, given }) => {
    const balance = { points: '1', cashback: '0', expiring: null, seen: [] };
    const withTier = (one: typeof tier) => ({
      ...balance,
      ...(one !== undefined && { tier: one }),
    });
    const remembered = rememberBalance(withTier(held));
    const entry = { version: 1, uncertain: false, outcomes: [], revision: 1, remembered };
    expect(balanceChange('1', withTier(tier), entry)).toStrictEqual({
      ...{ customerId: '1', points: '1', cashback: '0' },
      ...given,
    });
  });

  it('loses a tier in the end that the service did not name for a while', async () => {
    const worker = openBalanceWorker(['1']);
    worker.tiers.set('1', 'Gold');
    await tell(worker, 10, { at: 1 });
    worker.tiers.set('1', { failure: refused });
    await tell(worker, 20, { at: 2 });
    expect(shown(worker)).toMatchObject({ points: '20', tier: 'Gold' });
    worker.tiers.set('1', null);
    await tell(worker, 20, { at: 3 });
    expect(shown(worker)?.tier).toBeUndefined();
  });

  it('loses a tier although the first try to take it away did not reach the store', async () => {
    const worker = openBalanceWorker(['1']);
    worker.tiers.set('1', 'Gold');
    await tell(worker, 10, { at: 1 });
    worker.tiers.set('1', null);
    worker.store.before = async () => ({ kind: 'unavailable', why: 'no-word' });
    await tell(worker, 20, { at: 2 });
    worker.store.before = undefined;
    worker.clock.ms += 600_000;
    await worker.work();
    expect(shown(worker)).toEqual({ points: '20', cashback: '1' });
  });

  it('is read for a request from before an event whose customer could not be read', async () => {
    const worker = openBalanceWorker(['1']);
    await tell(worker, 10, { at: 1 });
    worker.points.set('1', { PointsBalance: 40, CashbackBalance: 2 });
    worker.clock.ms -= 1_000;
    await worker.ask('1');
    await worker.work();
    expect(shown(worker)?.points).toBe('40');
  });

  it('is finished by an older event after the store refused the newer one', async () => {
    const worker = openBalanceWorker(['1']);
    await tell(worker, 10, { at: 1 });
    worker.store.before = async () => ({ kind: 'refused', code: 'INVALID' });
    await tell(worker, 20, { at: 9 });
    expect(worker.dead.size).toBe(1);
    worker.store.before = undefined;
    await tell(worker, 15, { at: 5 });
    expect(shown(worker)?.points).toBe('20');
    expect(worker.entry('1')?.uncertain).toBe(false);
  });

  it('that is the same is decided again where another worker wrote meanwhile', async () => {
    const worker = openBalanceWorker(['1']);
    await tell(worker, 10, { at: 1 });
    const { ledger } = worker;
    worker.parts.ledger = {
      ...ledger,
      write: async (...given) => {
        worker.parts.ledger = ledger;
        await ledger.markUncertain(KEY);
        return ledger.write(...given);
      },
    };
    await worker.announce('1', 10, { at: 2 });
    expect(await worker.work()).toEqual({ received: 1, left: 1 });
    worker.clock.ms += 60_000;
    expect(await worker.work()).toEqual({ received: 1, left: 0 });
    expect(worker.entry('1')?.uncertain).toBe(false);
  });
});

describe('a redacted customer', () => {
  it('stays unread also after the store did not know them', async () => {
    const worker = openBalanceWorker(['1']);
    await tell(worker, 10, { at: -60 });
    const redactedAt = worker.clock.ms;
    await worker.ledger.redact([KEY], { redactedAt, expiresAt: 1_900_000_000 });
    worker.store.customers.delete('1');
    await tell(worker, 20, { at: 1 });
    expect(worker.entry('1')).toMatchObject({ redactedAt, uncertain: false });
    const asked = worker.asked();
    worker.clock.ms += 3_600_000;
    await worker.ask('1');
    await worker.work();
    expect([worker.asked(), worker.queue.size]).toEqual([asked, 0]);
  });
});
