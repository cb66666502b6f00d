import { expect, it } from 'vitest';
import {
  areWebhooksLost,
  createTally,
  keepLastReconcile,
  type LastReconcile,
  readLastReconcile,
  readReconcileRuns,
} from '../../../../shared/core/reconcile/last-reconcile.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
import { recordTelemetry } from '../../../support/recorded-telemetry.ts';

const SHOP = 'example-store.myshopify.com';
const NONE = { order: 0, product: 0, coupon: 0, member: 0 };
const at = (hour: number) => new Date(Date.UTC(2026, 10, 1, hour)).toISOString();

const run = (hour: number, rest: Partial<LastReconcile> = {}): LastReconcile => ({
  ...{ beganAt: at(hour), endedAt: at(hour), lookedAt: NONE, healed: NONE, rolledOut: NONE },
  ...{ sent: [], stopped: [], ...rest },
});

const healing = (hour: number) =>
  run(hour, {
    healed: { ...NONE, order: 1 },
    rolledOut: { ...NONE, product: 1 },
    sent: [{ kind: 'order', id: `${hour}`, why: 'stale' }],
  });

it('keeps the last runs, and for longer those that sent something', async () => {
  const ledger = createMemoryLedger();
  for (let hour = 0; hour < 20; hour += 1) await keepLastReconcile(ledger, SHOP, healing(hour));
  for (let hour = 20; hour < 60; hour += 1) await keepLastReconcile(ledger, SHOP, run(hour));
  const runs = await readReconcileRuns(ledger, SHOP);
  expect(await readLastReconcile(ledger, SHOP)).toEqual(run(59));
  const hours = runs.map(({ endedAt }) => (Date.parse(endedAt) - Date.parse(at(0))) / 3_600_000);
  const newest = [59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49];
  expect(hours).toEqual([...newest, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10]);
  expect(runs.at(-1)).toEqual(healing(10));
});

it.each([
  { lookedAt: 4, healed: 4, isLost: false },
  { lookedAt: 100, healed: 5, isLost: false },
  { lookedAt: 99, healed: 5, isLost: true },
])('takes webhooks for lost from five on, if they are more than the share: %j', (given) => {
  expect(areWebhooksLost(given)).toBe(given.isLost);
});

it('counts a lost webhook apart from what changed for another reason, and keeps the first of both', () => {
  const telemetry = recordTelemetry();
  const tally = createTally(telemetry);
  const ids = Array.from({ length: 30 }, (_, index) => `${index}`);
  tally.add('product', { lookedAt: 0, sent: [] });
  tally.add('product', { lookedAt: 2, sent: [{ id: 'p', why: 'rules-changed' }] });
  const sent = ids.map((id) => ({ id, why: 'missing' as const }));
  tally.add('order', { lookedAt: 30, sent });
  expect(tally).toMatchObject({
    lookedAt: { ...NONE, order: 30, product: 2 },
    healed: { ...NONE, order: 30 },
    rolledOut: { ...NONE, product: 1 },
  });
  expect(tally.sent).toHaveLength(20);
  expect(tally.sent[0]).toEqual({ kind: 'product', id: 'p', why: 'rules-changed' });
  expect(telemetry.total('rolled-out', { kind: 'product' })).toBe(1);
  expect(telemetry.total('healed', { kind: 'order' })).toBe(30);
  // A figure of nothing would cost as much as another.
  expect(telemetry.counted.filter(({ value }) => value === 0)).toEqual([]);
});
