import { expect, it } from 'vitest';
import { judgeRun } from '../../../scripts/connector/reconcile/reconcile.ts';
import type { LastReconcile } from '../../../shared/core/reconcile/last-reconcile.ts';

const none = { order: 0, product: 0, coupon: 0 };
const run = (order: number): LastReconcile => ({
  ...{ beganAt: '2026-11-15T03:00:00.000Z', endedAt: '2026-11-15T03:01:00.000Z' },
  ...{ lookedAt: { ...none, order }, healed: none, rolledOut: none, sent: [], stopped: [] },
});
const read = { read: 9, unread: 0, differing: 0, ids: [] };

it('says of a comparison with the ledger that the loyalty service was not asked', () => {
  const { kind, what } = judgeRun({ runs: [run(3)], ordersRead: [] }, false);
  expect(kind).toBe('well');
  expect(what).toContain('Store and ledger agree: 3 orders');
  expect(what).toContain('The loyalty service was not asked.');
});

it('needs a person where orders are known to differ in the loyalty service', () => {
  const ordersRead = [{ ...read, differing: 2, ids: ['71', '72'] }];
  for (const isDeep of [true, false]) {
    expect(judgeRun({ runs: [run(3)], ordersRead }, isDeep).kind).toBe('action required');
  }
});

it('is not well where nothing was compared, or where orders could not be read', () => {
  const { kind, what } = judgeRun({ runs: [run(0)], ordersRead: [] }, false);
  expect(kind).toBe('waits');
  expect(what).toContain('What changed after 02:45 UTC was left to its webhooks');
  const unread = { runs: [run(3)], ordersRead: [{ ...read, unread: 2 }] };
  expect(judgeRun(unread, true).kind).toBe('not known');
});
