import { describe, expect, it } from 'vitest';
import { groupIdOf } from '../../../../shared/core/events/event.ts';
import { redemptionsKey } from '../../../../shared/rewards/redeem/redemption-record.ts';
import { openBalanceWorker } from '../../../support/balance-worker.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
import { withNewer } from '../../../support/newer-ledger.ts';
import { openRedeeming, ROBIN } from '../../../support/redeem-world.ts';

describe('a message that a newer release wrote', () => {
  it('lets all of its customer wait, and no other; days later it is for a person', async () => {
    const worker = openBalanceWorker([ROBIN, '7002']);
    const receivedAt = new Date(worker.clock.ms).toISOString();
    const groupId = groupIdOf({ shop: SHOP, kind: 'balance', id: ROBIN, topic: 'Point_Add' });
    await worker.announce(ROBIN, 100);
    worker.sendRaw(JSON.stringify({ v: 99, receivedAt }), groupId);
    await worker.announce('7002', 200);
    expect(await worker.work()).toEqual({ received: 3, left: 2 });
    expect(worker.store.customers.get(ROBIN)?.points).toBe('');
    expect(worker.store.customers.get('7002')?.points).toBe('200');
    expect(worker.dead.size).toBe(0);
    worker.clock.ms += 5 * 86_400_000;
    await worker.work();
    const [letter] = worker.dead.receive({ max: 10 });
    expect(letter?.attributes?.reason).toBe('newer-release');
    // What waited behind it goes on.
    worker.clock.ms += 60_000;
    expect(await worker.work()).toEqual({ received: 1, left: 0 });
    expect(worker.store.customers.get(ROBIN)?.points).toBe('100');
  });
});

describe('what a newer release wrote in the ledger', () => {
  it('lets the balance of its customer wait, and no other', async () => {
    const worker = openBalanceWorker([ROBIN, '7002']);
    worker.parts.ledger = withNewer(worker.ledger, { shop: SHOP, kind: 'customer', id: ROBIN });
    await worker.announce(ROBIN, 100);
    await worker.announce('7002', 200);
    expect(await worker.work()).toEqual({ received: 2, left: 1 });
    expect(worker.ledger.entries.has(`customer|${SHOP}|${ROBIN}`)).toBe(false);
    expect(worker.telemetry.total('retried', { why: 'newer-release' })).toBe(1);
    expect(worker.dead.size).toBe(0);
  });

  it('spends no points of a customer whose redemptions it holds', async () => {
    const redeeming = openRedeeming();
    const book = redemptionsKey({ shop: SHOP, customerId: ROBIN });
    const newer = <Part extends object>(part: Part): Part =>
      part === (redeeming.ledger as object)
        ? (withNewer(redeeming.ledger, book) as unknown as Part)
        : part;
    expect(await redeeming.redeem({}, newer)).toEqual({ kind: 'unavailable' });
    expect(redeeming.loyalty.balances.get(ROBIN)).toBe(1_000);

    // A redemption that is on the queue already stays there.
    await redeeming.redeem();
    const spent = redeeming.loyalty.balances.get(ROBIN);
    expect(redeeming.queue.size).toBe(1);
    redeeming.clock.ms += 600_000;
    await redeeming.work(newer);
    expect(redeeming.queue.size).toBe(1);
    expect(redeeming.dead.size).toBe(0);
    expect(redeeming.loyalty.balances.get(ROBIN)).toBe(spent);
    await redeeming.drain();
    expect(redeeming.queue.size).toBe(0);
  });
});
