import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { anyOrder, type OrderSpec } from '../../fixtures/order-spec.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';

const ID = '5512345678901';
const START = Date.parse('2026-10-09T10:00:00Z');

/** An order's life: specs at rising seconds. Some share a second, as the store's clock allows. */
const anyLife = fc
  .array(fc.record({ spec: anyOrder, later: fc.integer({ min: 0, max: 2 }) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((steps) => {
    let second = 0;
    return steps.map(({ spec, later }) => {
      second += later;
      const updated_at = new Date(START + second * 1000).toISOString();
      return { spec: withoutEnd(spec), changes: { updated_at } };
    });
  });

/** A cancelled order stays cancelled in a store: lives here end by losing their lines instead. */
function withoutEnd(spec: OrderSpec): OrderSpec {
  const keeps = spec.lines.map((line) => ({ ...line, takenBack: 0 }));
  return { ...spec, lines: keeps, cancelledAfterDays: undefined };
}

/**
 * What the service holds, without what differs by the number of calls. Which snapshots came before the
 * last decides whether the order was completed already, and how its amount was reached.
 */
function held(connector: ReturnType<typeof openConnector>): unknown {
  const order = connector.loyalty.rows.orders.get(ID);
  if (!order) return undefined;
  const { customerId, Coupon, PaymentMethod, Branch, SalesPerson, Metadatas } = order;
  const metadata = Metadatas.map(({ Name, Value }) => ({ Name, Value }));
  const amount = amountHeld(order);
  const points = [...connector.loyalty.rows.points.values()].map((row) => row.pointsHundredths);
  expect(points).toEqual(order.IsCompleted && amount > 0 ? [Math.round(amount * 100)] : []);
  return { customerId, Coupon, PaymentMethod, Branch, SalesPerson, metadata, amount };
}

describe('convergence', () => {
  it('any permutation with repetition of the snapshots ends as the last one alone', async () => {
    const plays = anyLife.chain((life) =>
      fc.record({
        life: fc.constant(life),
        // Every snapshot at least once, in any order, some of them again.
        order: fc
          .array(fc.nat({ max: life.length - 1 }), { maxLength: 6 })
          .chain((again) => shuffled([...life.keys(), ...again])),
        batches: fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 12 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(plays, async ({ life, order, batches }) => {
        const last = life.at(-1);
        if (!last) return;
        const assumptions = { raiseAfterPartialCancel: 'send-gross' } as const;
        const connector = openConnector({ assumptions });
        connector.store.putOrder(SHOP, storeOrder(last.spec, last.changes));
        let turn = 0;
        for (const index of order) {
          const step = life[index];
          if (!step) continue;
          const { payload } = buildOrder(step.spec, step.changes);
          await connector.deliver({ topic: 'orders/updated', payload });
          const size = batches[turn++ % batches.length] ?? 1;
          if (size % 2 === 0) await connector.work('orders', { max: size });
        }
        await connector.drain();

        const alone = openConnector();
        alone.store.putOrder(SHOP, storeOrder(last.spec, last.changes));
        await alone.deliver({
          topic: 'orders/updated',
          payload: buildOrder(last.spec, last.changes).payload,
        });
        await alone.drain();
        expect(held(connector)).toEqual(held(alone));
        expect(connector.dead.size).toBe(0);
        expectNoCallRepeated(connector);
      }),
      { numRuns: 150 },
    );
  });
});

/** Two equal calls in a row would mean that nothing had changed between them. */
function expectNoCallRepeated({ loyalty }: ReturnType<typeof openConnector>): void {
  const changes = loyalty.journal.filter(({ body }) => body !== undefined);
  const bodies = changes.map(({ operation, body }) => {
    const { UpdatedDate: _, ...rest } = body as Record<string, unknown>;
    return JSON.stringify([operation, rest]);
  });
  for (const [index, body] of bodies.entries()) {
    if (index > 0) expect(body).not.toBe(bodies[index - 1]);
  }
}

const shuffled = (items: number[]) =>
  fc.shuffledSubarray(items, { minLength: items.length, maxLength: items.length });
