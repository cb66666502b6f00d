import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { type LineSpec, simpleOrder } from '../../fixtures/order-spec.ts';
import { personalFields, persons } from '../../fixtures/persons.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';

const ID = '5512345678901';
const line = { product: 1, priceCents: 1000, quantity: 5, discountCents: 0, takenBack: 0 };

interface Moment {
  readonly lines: readonly LineSpec[];
  readonly changes?: object;
}

/** Refunds, an edit that raises the amount, another change beside a refund, then the end. */
const life: readonly Moment[] = [
  { lines: [line] },
  { lines: [{ ...line, takenBack: 1 }] },
  {
    lines: [
      { ...line, takenBack: 1 },
      { ...line, product: 2, quantity: 2 },
    ],
  },
  {
    lines: [
      { ...line, takenBack: 2 },
      { ...line, product: 2, quantity: 2 },
    ],
    changes: personalFields(persons.quillane),
  },
];

const specOf = (second: number) => {
  const { lines, changes } = life[second] ?? { lines: [] };
  const updated_at = new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
  return [
    { ...simpleOrder, fulfilledAfterDays: 1, lines },
    { updated_at, ...changes },
  ] as const;
};

/** Lives the order's life; the worker dies before or after the effect of this number. */
async function live(diesAt: number, before: boolean) {
  const assumptions = { raiseAfterPartialCancel: 'send-gross' } as const;
  const connector = openConnector({ assumptions });
  const { ledger } = connector;
  let effects = 0;
  const orDie = async <Value>(effect: () => Promise<Value> | Value): Promise<Value> => {
    effects += 1;
    const dies = effects === diesAt;
    if (dies && before) return new Promise<never>(() => {});
    const value = await effect();
    return dies ? new Promise<never>(() => {}) : value;
  };
  const write: Ledger['write'] = (...args) => orDie(() => ledger.write(...args));
  connector.parts.ledger = { ...ledger, write };
  connector.loyalty.world.interfere = (_, pass) => orDie(pass);
  for (const second of life.keys()) {
    const [spec, changes] = specOf(second);
    connector.store.putOrder(SHOP, storeOrder(spec, changes));
    const { payload } = buildOrder(spec, changes);
    await connector.deliver({ topic: 'orders/updated', payload });
    void connector.work('orders');
    for (let turn = 0; turn < 40; turn += 1) await new Promise(setImmediate);
    // Beyond the visibility of a message whose worker died.
    connector.clock.ms += 31_000;
  }
  await connector.drain();
  const held = connector.loyalty.rows.orders.get(ID);
  const points = [...connector.loyalty.rows.points.values()].map((row) => row.pointsHundredths);
  return { effects, amount: held && amountHeld(held), points, dead: connector.dead.size };
}

describe('a worker that dies', () => {
  it('at any write or call leaves the amount and the points exact: 50 → 40 → 60 → 50', async () => {
    const { effects, ...whole } = await live(0, false);
    expect(whole).toEqual({ amount: 50, points: [5000], dead: 0 });
    expect(effects).toBeGreaterThan(10);
    for (let at = 1; at <= effects + 3; at += 1) {
      for (const before of [true, false]) {
        const { effects: _, ...ended } = await live(at, before);
        expect(ended, `dies ${before ? 'before' : 'after'} effect ${at}`).toEqual(whole);
      }
    }
  });
});
