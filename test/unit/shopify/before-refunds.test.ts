import { describe, expect, it } from 'vitest';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import { orderAmounts } from '../../../shared/core/mapping/order-amounts.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { buildOrder, paidBack } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { rules, storeOrder } from '../../fixtures/store-entities.ts';
import { createChance } from '../../simulation/kernel/chance.ts';
import { LivingStore, toStoreOrder } from '../../simulation/world/living-store.ts';

const SEEDS = 8;
const STEPS = 150;

/** Goods that were added later count as if they had always been there. */
const soldIn = ({ lines }: OrderRow): string =>
  JSON.stringify(lines.map(({ id, quantity }) => [id, quantity]));

/** A gift card may pay later, and a payment be voided. */
const paidIn = ({ transactions }: OrderRow): string =>
  JSON.stringify(transactions.filter(({ kind }) => kind !== 'refund').map(({ id }) => id));

const totalOf = (order: Omit<StoreOrder, 'beforeRefunds'>) =>
  orderAmounts({ ...order, beforeRefunds: [] }, rules).total;

describe('an order that was refunded', () => {
  it('says what it counted before each refund, as it was told then', async () => {
    let compared = 0;
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const chance = createChance(seed);
      let ms = Date.parse('2026-10-01T00:00:00Z');
      const store = new LivingStore(() => new Date(ms), false);
      for (let step = 0; step < STEPS; step += 1) {
        ms += 1_000;
        let draws = 0;
        store.step(() => chance(step, draws++));
      }
      for (const states of store.orderStates.values()) {
        const rows = states.flatMap((row) => (row?.cancelledAt === null ? [row] : []));
        const last = rows.at(-1);
        if (!last) continue;
        const now = await toStoreOrder(store.world, last);
        if (now.lines.every(({ kept }) => kept === 0)) continue;
        const totals = [...now.beforeRefunds, now].map(totalOf);
        for (const row of rows) {
          // Goods that are returned first and refunded later are counted with their refund.
          const isInOrder = row.reductions.every(({ refundId }) => refundId);
          if (!isInOrder || paidIn(row) !== paidIn(last) || soldIn(row) !== soldIn(last)) continue;
          compared += 1;
          expect(totals).toContain(totalOf(await toStoreOrder(store.world, row)));
        }
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  it('counts money without goods from when it settled: 30 → 20 → 15 points', () => {
    const line = { product: 1, priceCents: 1000, quantity: 3, discountCents: 0, takenBack: 1 };
    const spec = { ...simpleOrder, lines: [line], amountRefundedCents: 500 };
    const [goods, money] = buildOrder(spec).payload.refunds as object[];
    const refunds = [
      {
        ...money,
        created_at: '2026-10-07T10:00:00Z',
        transactions: [paidBack(500, { processed_at: '2026-10-09T10:00:00Z' })],
      },
      goods,
    ];
    const order = storeOrder(spec, { refunds });
    const totals = [...order.beforeRefunds, order].map(totalOf);
    expect(totals.map(Number)).toEqual([30, 20, 15]);
  });
});
