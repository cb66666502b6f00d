import { expect, it } from 'vitest';
import { createMemoryLedger } from '../../../../local/harness/memory-ledger.ts';
import { rememberBalance } from '../../../../shared/core/balances/point-balance.ts';
import type { QueuedEvent } from '../../../../shared/core/events/event.ts';
import { noteMerge } from '../../../../shared/core/ledger/merged-customer.ts';
import { askForDifferences } from '../../../../shared/core/reconcile/repair-balances.ts';

const SHOP = 'example-store.myshopify.com';
const KEY = { shop: SHOP, kind: 'customer', id: '1' } as const;
const NOW = new Date('2026-10-09T12:00:00.000Z');
const AT = '2026-11-01T00:00:00Z';
const soon = (Points: number, When = AT) => ({ PointsToExpire: [{ Points, When }] });
const expiring = { points: '15', at: AT };

/** Who is asked for, where the ledger holds 40 points and 2 of cashback. */
async function ask(reported: object, { uncertain = false, mergedInto = '', ...known }) {
  const ledger = createMemoryLedger();
  const remembered = rememberBalance({ points: '40', cashback: '2', seen: [], ...known });
  await ledger.write(KEY, { version: 1, uncertain, remembered, outcomes: [] }, undefined);
  if (mergedInto) {
    await noteMerge(KEY, mergedInto, { ledger, now: NOW, topic: 'merge', retentionDays: 400 });
  }
  const sent: QueuedEvent[] = [];
  const queue = { send: async (event: QueuedEvent) => void sent.push(event) };
  const customer = { OriginalId: '1', PointsBalance: 40, CashbackBalance: 2, ...reported };
  await askForDifferences(SHOP, [customer], 7, { ledger, queue, now: () => NOW });
  return sent;
}

it.each([
  ['the same', {}, {}, 0],
  ['other points', { PointsBalance: 41 }, {}, 1],
  ['other cashback', { CashbackBalance: 3 }, {}, 1],
  ['no points', { PointsBalance: undefined }, {}, 1],
  ['the same, after a write whose end is not known', {}, { uncertain: true }, 1],
  ['points that expire and are not shown', soon(15), {}, 1],
  ['the points that expire', soon(15), { expiring }, 0],
  ['fewer points that expire', soon(14), { expiring }, 1],
  ['points that expire later', soon(15, '2026-11-02T00:00:00Z'), { expiring }, 1],
  ['no more points that expire', { PointsToExpire: [] }, { expiring }, 1],
  ['nothing about points that expire', { PointsToExpire: undefined }, { expiring }, 0],
  ['other points of a customer who was merged', { PointsBalance: 41 }, { mergedInto: '2' }, 0],
])(
  'a report with %s asks for the balance only where it differs',
  async (_, reported, known, count) => {
    expect(await ask(reported, known)).toHaveLength(count);
  },
);

it('asks for a balance once in a night, though its page is compared again', async () => {
  expect(await ask({ PointsBalance: 41 }, {})).toEqual([
    {
      ...KEY,
      kind: 'balance',
      topic: 'repair',
      deliveryId: 'repair/1/7',
      receivedAt: NOW.toISOString(),
    },
  ]);
});
