import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import {
  balanceIn,
  decimalText,
  expiringNext,
  readCustomer,
} from '../../../../shared/rewards/balances/point-balance.ts';
import { openBalanceWorker, SHOP } from '../../../support/balance-worker.ts';
import { openInProcessLoyalty } from '../../../support/in-process-loyalty.ts';

let worker: ReturnType<typeof openBalanceWorker>;
beforeEach(() => {
  worker = openBalanceWorker(['1']);
});

const serviceHolds = (points: number) =>
  worker.points.set('1', { PointsBalance: points, CashbackBalance: points / 20 });

describe('a balance that was asked for', () => {
  it('answers the events that arrived before it, and no later one', async () => {
    await worker.announce('1', 10);
    serviceHolds(40);
    worker.clock.ms += 1_000;
    await worker.ask('1');
    expect(await worker.work()).toEqual({ received: 2, left: 0 });
    expect([worker.pointsOf('1'), worker.asked()]).toEqual(['40', 1]);
    // The same event again, from before the reading.
    await worker.announce('1', 40, { receivedAt: new Date(worker.clock.ms - 500).toISOString() });
    await worker.work();
    expect([worker.telemetry.total('superseded'), worker.asked()]).toEqual([2, 1]);
    await worker.handle('1', 50);
    expect([worker.pointsOf('1'), worker.asked()]).toEqual(['50', 2]);
  });

  it('is not written for a customer of whom the service names no balance', async () => {
    await worker.ask('1');
    expect(await worker.work()).toEqual({ received: 1, left: 0 });
    expect(worker.telemetry.total('skipped', { why: 'no-balance' })).toBe(1);
    expect(worker.store.calls).toEqual([]);
    expect(worker.entry('1')).toBeUndefined();
  });

  it('is not read twice for requests that one reading answers', async () => {
    serviceHolds(40);
    await worker.ask('1');
    await worker.ask('1', 'repair');
    await worker.work();
    await worker.ask('1');
    await worker.work();
    expect(worker.asked()).toBe(1);
    worker.clock.ms += 1_000;
    await worker.ask('1');
    await worker.work();
    expect(worker.asked()).toBe(2);
    expect(worker.telemetry.total('unchanged')).toBe(1);
    expect(worker.store.calls).toEqual([1]);
  });
});

describe('the mark before a write', () => {
  it('does not keep the expiry of an earlier redaction', async () => {
    await worker.handle('1', 10);
    const mark = { redactedAt: worker.clock.ms, expiresAt: 1_900_000_000 };
    await worker.ledger.redact([{ shop: SHOP, kind: 'customer', id: '1' }], mark);
    worker.store.before = async () => Promise.reject(new Error('killed'));
    worker.clock.ms += 60_000;
    await worker.handle('1', 20);
    expect(worker.entry('1')).toMatchObject({ uncertain: true, redactedAt: mark.redactedAt });
    expect(worker.entry('1')?.expiresAt).toBeUndefined();
  });
});

describe('points about to expire', () => {
  const soon = { PointsToExpire: [{ Points: 15, When: '2026-11-01T00:00:00-03:00' }] };

  it('are written with every balance, and taken away when there are none', async () => {
    worker.points.set('1', { PointsBalance: 40, ...soon });
    await worker.handle('1', 40);
    expect(worker.store.customers.get('1')?.expiring).toEqual({
      points: '15',
      at: '2026-11-01T03:00:00Z',
    });
    worker.points.set('1', { PointsBalance: 25, PointsToExpire: [] });
    await worker.handle('1', 25);
    expect(worker.store.customers.get('1')).toEqual({ points: '25', cashback: '1.25' });
  });

  it('are read again for an event that leaves the points as they are', async () => {
    await worker.handle('1', 40);
    worker.points.set('1', { PointsBalance: 40, ...soon });
    await worker.handle('1', 40);
    expect(worker.store.customers.get('1')?.expiring?.points).toBe('15');
  });

  it('stay as they are when the service does not let them be read', async () => {
    worker.points.set('1', { PointsBalance: 40, ...soon });
    await worker.handle('1', 40);
    worker.points.clear();
    worker.clock.ms += 1_000;
    await worker.ask('1');
    await worker.work();
    expect(worker.store.customers.get('1')?.expiring?.points).toBe('15');
  });

  const now = Date.parse('2026-10-09T12:00:00Z');
  it.each([
    ['nothing is listed', undefined, null],
    ['what is listed is over', [{ Points: 5, When: '2026-10-09T11:00:00Z' }], null],
    ['what is listed cannot be read', [{ Points: '5', When: '2026-11-01' }, null, 7], null],
    [
      'it is in a year that no store can hold',
      [{ Points: 5, When: '+010000-01-01T00:00:00Z' }],
      null,
    ],
    ['there are no points', [{ Points: 0, When: '2026-11-01T00:00:00Z' }], null],
    [
      'several expire on the next day, and others later',
      [
        { Points: 9, When: '2026-12-01T00:00:00Z' },
        { Points: 0.2, When: '2026-11-01T20:00:00Z' },
        { Points: 0.1, When: '2026-11-01T08:00:00Z' },
      ],
      { points: '0.3', at: '2026-11-01T08:00:00Z' },
    ],
  ])('are the next to expire: %s', (_, listed, expected) => {
    expect(expiringNext(listed, now)).toEqual(expected);
  });
});

describe('a reading of a customer', () => {
  /** The real client and the sandbox's rules, with one customer who has 40 points. */
  async function open(settings: Parameters<typeof openInProcessLoyalty>[1] = {}) {
    const clock = { ms: Date.parse('2026-10-09T12:00:00.000Z') };
    const now = () => new Date(clock.ms);
    const loyalty = openInProcessLoyalty(now, settings);
    await loyalty.client.sendOrder({
      OriginalId: 'order-1',
      OrderPlacementDate: '2026-10-01T09:00:00Z',
      OrderCompletedDate: '2026-10-02T09:00:00Z',
      IsCompleted: true,
      OrderTotal: 40,
      Customer: { OriginalId: '7', Email: 'seven@example.com' },
    });
    const source = { loyalty: loyalty.client, breaker: createCircuitBreaker() };
    const deadline = new AbortController().signal;
    const world = { shops: new Map([[SHOP, source]]), now, deadline };
    return {
      clock,
      loyalty,
      deadline,
      read: (id = '7') => readCustomer({ shop: SHOP, id }, world),
    };
  }

  it('has points, cashback and tier, and when it began', async () => {
    const { clock, read } = await open();
    expect(await read()).toEqual({
      kind: 'read',
      began: clock.ms,
      balance: { points: '40', cashback: expect.any(String), expiring: null },
      tier: expect.any(String),
      isFirst: true,
    });
  });

  it('has no more time than the worker', async () => {
    const { loyalty, deadline, read } = await open();
    const customer = vi.spyOn(loyalty.client, 'getCustomer');
    const points = vi.spyOn(loyalty.client, 'getCustomerPoints');
    await read();
    for (const { mock } of [customer, points]) expect(mock.lastCall?.[1]?.signal).toBe(deadline);
  });

  it('CustomerExists false: has no balance', async () => {
    const { read } = await open();
    expect(await read('8')).toMatchObject({ kind: 'read', balance: undefined, tier: undefined });
  });

  it('is tried again while the service does not answer either question', async () => {
    const { loyalty, read } = await open();
    for (const operation of ['getCustomer', 'getCustomerPoints']) {
      loyalty.world.interfere = (call, pass) =>
        call.operation === operation
          ? { kind: 'failure', reason: 'time-out', mayHaveHappened: true }
          : pass();
      expect(await read()).toMatchObject({ kind: 'retry', why: 'time-out' });
    }
  });
});

describe('a balance that the service names', () => {
  it.each([
    ['points and cashback', { PointsBalance: 40, CashbackBalance: 1.5 }, '40', '1.5'],
    ['no cashback, which is none', { PointsBalance: 40 }, '40', '0'],
    ['no points, which is not known', { CashbackBalance: 1.5 }, undefined, undefined],
    ['points that no metafield holds', { PointsBalance: 1e13 }, undefined, undefined],
    ['such cashback', { PointsBalance: 40, CashbackBalance: 1e13 }, undefined, undefined],
  ])('is of %s', (_, said, points, cashback) => {
    const balance = balanceIn(said, 0);
    expect(balance?.points).toBe(points);
    expect(balance?.cashback).toBe(cashback);
    expect(balance === undefined).toBe(points === undefined);
  });
});

describe('a decimal of a metafield', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [64.9, '64.9'],
    [0.1 + 0.2, '0.3'],
    [-12.5, '-12.5'],
    [1234567890123.45, '1234567890123.45'],
    [9_999_999_999_999, '9999999999999'],
    [1e-7, '0.0000001'],
    [1e-12, '0'],
  ])('writes %d as %s', (value, text) => {
    expect(decimalText(value)).toBe(text);
  });

  it('fits the type of the metafield or is refused', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(decimalText(value) ?? '0').toMatch(/^-?\d{1,13}(?:\.\d{1,9})?$/);
      }),
    );
    expect(decimalText(1e13)).toBeUndefined();
    expect(decimalText(Number.NaN)).toBeUndefined();
  });
});
