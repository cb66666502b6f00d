import { describe, expect, it, vi } from 'vitest';
import { openInProcessLoyalty } from '../../../../local/harness/in-process-loyalty.ts';
import { readCustomer } from '../../../../shared/core/balances/point-balance.ts';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';

const SHOP = 'example-store.myshopify.com';

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
  return { clock, loyalty, deadline, read: (id = '7') => readCustomer({ shop: SHOP, id }, world) };
}

describe('a reading of a customer', () => {
  it('has points, cashback and tier, and when it began', async () => {
    const { clock, read } = await open();
    expect(await read()).toEqual({
      kind: 'read',
      began: clock.ms,
      balance: { points: '40', cashback: expect.any(String), expiring: null },
      tier: expect.any(String),
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

  it('PointsToExpire: names only points close to expiry', async () => {
    const soon = await open({ pointsValidDays: 20, pointsExpireSoonDays: 30 });
    const { balance } = (await soon.read()) as { balance: { expiring: unknown } };
    expect(balance.expiring).toEqual({ points: '40', at: expect.stringMatching(/^2026-10-/) });
    const later = await open({ pointsValidDays: 60, pointsExpireSoonDays: 30 });
    expect(await later.read()).toMatchObject({ balance: { expiring: null } });
  });

  it('is tried again while the service does not answer either question', async () => {
    const { loyalty, read } = await open();
    for (const operation of ['getCustomer', 'getCustomerPoints']) {
      loyalty.world.interfere = (call, pass) =>
        call.operation === operation
          ? { kind: 'failure', reason: 'time-out', mayHaveHappened: true }
          : pass();
      expect(await read()).toMatchObject({ kind: 'retry', retry: { why: 'time-out' } });
    }
  });
});
