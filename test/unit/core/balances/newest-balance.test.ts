import { beforeEach, describe, expect, it } from 'vitest';
import { sequenceNumber } from '../../../../local/harness/memory-queue.ts';
import { sortGroup } from '../../../../shared/core/balances/settle-balances.ts';
import type { Item } from '../../../../shared/core/batch/conclude.ts';
import { openBalanceWorker, SHOP } from '../../../support/balance-worker.ts';

let worker: ReturnType<typeof openBalanceWorker>;
beforeEach(() => {
  worker = openBalanceWorker(['1', '2', '3']);
});

describe('balances in the store', () => {
  it('are written for all customers of a batch in one call, with the tier that the service names', async () => {
    worker.tiers.set('2', 'Gold');
    for (const id of ['1', '2', '3']) await worker.announce(id, Number(id) * 100);
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.store.calls).toEqual([3]);
    expect(Object.fromEntries(worker.store.customers)).toEqual({
      1: { points: '100', cashback: '5' },
      2: { points: '200', cashback: '10', tier: 'Gold' },
      3: { points: '300', cashback: '15' },
    });
  });

  it('follow the newest event, however the events are ordered in a batch', async () => {
    await worker.announce('1', 30, { at: -10 });
    await worker.announce('1', 50, { at: 0 });
    expect(await worker.handle('1', 40, { at: -5 })).toEqual({ received: 3, left: 0 });
    expect(worker.pointsOf('1')).toBe('50');
    expect(worker.store.calls).toEqual([1]);
    expect(worker.telemetry.total('superseded')).toBe(2);
  });

  it('are not changed by an event older than what is applied', async () => {
    await worker.handle('1', 50);
    await worker.handle('1', 20, { at: -3600 });
    expect(worker.pointsOf('1')).toBe('50');
    expect(worker.telemetry.total('superseded')).toBe(1);
  });

  it('are not changed by a replayed event, even one of the same second as the newest', async () => {
    await worker.announce('1', 10, { point: 'first' });
    await worker.handle('1', 20, { point: 'second' });
    expect(worker.pointsOf('1')).toBe('20');
    // Beyond the queue's own memory of five minutes.
    const sixMinutes = 360;
    worker.clock.ms += sixMinutes * 1000;
    await worker.handle('1', 10, { at: -sixMinutes, point: 'first' });
    expect(worker.pointsOf('1')).toBe('20');
  });

  it('take a second change within the same second in the order of arrival', async () => {
    await worker.handle('1', 10, { point: 'first' });
    await worker.handle('1', 25, { point: 'second' });
    expect(worker.pointsOf('1')).toBe('25');
  });

  it('are not kept from changing by a replayed event that comes in one batch with a new one of its second', async () => {
    const eventDate = new Date(worker.clock.ms).toISOString();
    const first = { eventDate, point: 'first' };
    await worker.handle('1', 10, first);
    worker.clock.ms += 360_000;
    await worker.announce('1', 25, { eventDate, point: 'second' });
    expect(await worker.handle('1', 10, first)).toEqual({ received: 2, left: 0 });
    expect(worker.pointsOf('1')).toBe('25');
  });

  it('take a replayed event for as old as its first delivery after a long wait on the queue', async () => {
    const eventDate = new Date(worker.clock.ms).toISOString();
    const first = { eventDate, point: 'first' };
    await worker.announce('1', 10, first);
    await worker.announce('1', 25, { eventDate, point: 'second' });
    worker.clock.ms += 360_000;
    expect(await worker.handle('1', 10, first)).toEqual({ received: 3, left: 0 });
    expect(worker.pointsOf('1')).toBe('25');
  });

  it('cost no call to the store when nothing changed', async () => {
    await worker.handle('1', 50);
    const receivedAt = new Date(worker.clock.ms + 60_000).toISOString();
    await worker.handle('1', 50, { at: 60, receivedAt });
    expect(worker.store.calls).toEqual([1]);
    expect(worker.telemetry.total('unchanged')).toBe(1);
    // The version moved on all the same: what lies between changes nothing.
    await worker.handle('1', 70, { at: 30 });
    expect(worker.pointsOf('1')).toBe('50');
  });

  it('take a replayed event for as old as its first delivery, however a batch lists them', () => {
    const common = { receivedAt: '2026-10-09T12:00:00Z', eventDate: '2026-10-09T12:00:00Z' };
    const items = (['3 first', '1 first', '2 second'] as const).map((text): Item => {
      const [count = '', deliveryId = ''] = text.split(' ');
      const ids = { messageId: text, receiptHandle: text, groupId: text };
      return {
        message: {
          ...{ ...ids, body: '', attempts: 1 },
          sequenceNumber: sequenceNumber(Number(count)),
        },
        event: {
          ...{ kind: 'balance', shop: SHOP, id: '1', topic: 'Point_Add', deliveryId },
          ...{ ...common, points: '1', cashback: '0' },
        },
      };
    });
    const { work } = sortGroup(items, new Set([SHOP]));
    expect(work?.events[0]?.deliveryId).toBe('second');
  });
});
