import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { encodeSnapshot } from '../../../../shared/core/store/store.ts';
import { orderAt, storeOrderOf } from '../../../fixtures/order-life.ts';
import { persons } from '../../../fixtures/persons.ts';
import { refusal, TIME_OUT } from '../../../fixtures/service-answers.ts';
import { amount, storeCoupon, storeProduct } from '../../../fixtures/store-entities.ts';
import { changeOrder, sendEvent } from '../../../support/change-order.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';

// A mark that one change drops shows only at the change after it: here each story has several.

type Connector = ReturnType<typeof openConnector>;
const ID = '5512345678901';
const KEY = { shop: SHOP, kind: 'order', id: ID } as const;
const entryOf = ({ ledger }: Connector) => ledger.entries.get(ledgerKeyText(KEY));

const REFUSED = refusal(30);

const tell = (connector: Connector, second: number, changes: Record<string, unknown>) =>
  changeOrder(connector, second, {}, changes);

describe('an order of the past, through any later life', () => {
  const chapter = fc.constantFrom('changes', 'stays', 'is refused', 'is lost', 'dies');

  /** What happens to the next call, which the service receives unless it refuses it. */
  function disturb({ loyalty: { world } }: Connector, how: string): void {
    if (how === 'changes' || how === 'stays') return;
    world.interfere = (_, pass) => {
      world.interfere = undefined;
      if (how === 'is refused') return REFUSED;
      pass();
      if (how === 'dies') throw new Error('the worker dies');
      return TIME_OUT;
    };
  }

  it('keeps its mark and names the rules that it was mapped by', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(chapter, { minLength: 1, maxLength: 5 }), async (life) => {
        const connector = openConnector({ rules: { goLive: '2026-10-06' } });
        const order = storeOrderOf(orderAt(0));
        const body = encodeSnapshot({ kind: 'order', order }, new Date(connector.clock.ms));
        await sendEvent(connector, KEY, { topic: 'backfill/order', history: true, body });
        await connector.drain();
        const first = entryOf(connector);
        expect(first).toMatchObject({ history: true, rules: expect.any(String) });
        let price = 50;
        for (const [index, how] of [...life, 'changes'].entries()) {
          if (how !== 'stays') price -= 1;
          disturb(connector, how);
          await tell(connector, index + 1, { current_subtotal_price: `${price}.00` });
          await connector.drain();
          connector.loyalty.world.interfere = undefined;
        }
        expect(entryOf(connector)).toMatchObject({ history: true, rules: first?.rules });
        const held = connector.loyalty.rows.orders.get(ID);
        expect(held?.OrderTotal).toBe(price);
        const names = held?.Metadatas.map(({ Name }) => Name);
        expect(names).toContain('history');
        connector.store.remove(SHOP, 'order', ID);
        await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
        await connector.drain();
        expect(connector.loyalty.rows.orders.get(ID)?.IsCancelledOrReturned).toBe(true);
        expect(entryOf(connector)).toMatchObject({ history: true });
      }),
      { numRuns: 15 },
    );
  });
});

describe('an order of a redacted person', () => {
  it('is not sent with the person by the change after the one that ended it', async () => {
    const connector = openConnector();
    await tell(connector, 1, {});
    await connector.drain();
    const mark = { redactedAt: connector.clock.ms, expiresAt: 1_900_000_000 };
    await connector.ledger.redact([KEY], mark);
    const calls = connector.loyalty.journal.length;
    // All of these happened before the redaction, and arrive after it.
    await tell(connector, 2, { financial_status: 'refunded' });
    await connector.drain();
    await tell(connector, 3, { financial_status: 'paid', current_subtotal_price: '12.00' });
    await connector.drain();
    const made = connector.loyalty.journal.slice(calls);
    expect(made.map(({ operation }) => operation)).toEqual(['cancelPosOrder']);
    expect(JSON.stringify([made, entryOf(connector)])).not.toContain(persons.quillane.email);
    expect(entryOf(connector)).toMatchObject({ redactedAt: mark.redactedAt });
  });

  it('is not sent again on request', async () => {
    const connector = openConnector();
    await tell(connector, 1, {});
    await connector.drain();
    const mark = { redactedAt: connector.clock.ms, expiresAt: 1_900_000_000 };
    await connector.ledger.redact([KEY], mark);
    await sendEvent(connector, KEY, { force: true });
    await connector.drain();
    expect(connector.loyalty.journal).toHaveLength(1);
  });
});

describe('a completed order of a redacted person', () => {
  it('stays completed at its first date while its next line is not shipped', async () => {
    const connector = openConnector();
    const send = async (second: number, spec: object, changes = {}) => {
      const payload = orderAt(second, spec, changes);
      connector.store.putOrder(SHOP, storeOrderOf(payload));
      await connector.deliver({ topic: 'orders/updated', payload });
      await connector.drain();
    };
    await send(1, { fulfilledAfterDays: 1 });
    const first = { ...connector.loyalty.rows.orders.get(ID) };
    expect(first.IsCompleted).toBe(true);
    const mark = { redactedAt: connector.clock.ms, expiresAt: 1_900_000_000 };
    await connector.ledger.redact([KEY], mark);
    connector.clock.ms += 7_200_000;
    for (const second of [3_700, 3_800]) {
      const current_subtotal_price = `${second / 50}.00`;
      await send(
        second,
        { fulfilledAfterDays: 3 },
        { current_subtotal_price, fulfillment_status: 'partial' },
      );
      const { IsCompleted, OrderCompletedDate } = first;
      const held = connector.loyalty.rows.orders.get(ID);
      expect(held).toMatchObject({ IsCompleted, OrderCompletedDate, OrderTotal: second / 50 });
    }
  });
});

describe('a first send without an answer', () => {
  it('is remembered also where the entry says that something was refused before', async () => {
    const connector = openConnector();
    const { loyalty, ledger, store } = connector;
    const key = { shop: SHOP, kind: 'product', id: storeProduct().id } as const;
    const send = async (updatedAt: string) => {
      store.putProduct(SHOP, storeProduct({ updatedAt }));
      await sendEvent(connector, key, { topic: 'products/update', deliveryId: updatedAt });
      await connector.work('products');
    };
    loyalty.world.interfere = () => REFUSED;
    await send('2026-10-09T11:00:00.000Z');
    expect(ledger.entries.get(ledgerKeyText(key))).toMatchObject({ version: 0, uncertain: false });
    loyalty.world.interfere = (_, pass) => {
      pass();
      return TIME_OUT;
    };
    await send('2026-10-09T11:10:00.000Z');
    expect(ledger.entries.get(ledgerKeyText(key))).toMatchObject({ uncertain: true });
  });
});

describe('a refusal while another worker writes', () => {
  it('is no dead letter: what the other one did may have caused it', async () => {
    const connector = openConnector();
    const { loyalty, ledger, queues, dead } = connector;
    await tell(connector, 1, {});
    loyalty.world.interfere = () => {
      void ledger.markUncertain(KEY);
      return REFUSED;
    };
    await connector.work('orders');
    expect([dead.size, queues.orders.size]).toEqual([0, 1]);
    expect(entryOf(connector)?.outcomes).toEqual([]);
    loyalty.world.interfere = () => REFUSED;
    // A call of the other one may still be under way.
    connector.clock.ms += 29_000;
    expect(await connector.work('orders')).toMatchObject({ received: 0 });
    await connector.drain();
    expect([dead.size, queues.orders.size]).toEqual([1, 0]);
    expect(entryOf(connector)?.outcomes).toMatchObject([{ outcome: 'rejected' }]);
  });
});

describe('a code of a discount', () => {
  it('belongs to it after every later change, also when it is removed', async () => {
    const connector = openConnector();
    const { store, ledger } = connector;
    const { code, discountId } = storeCoupon();
    for (const claim of ['code-added', 'code-removed', 'code-added', 'code-removed'] as const) {
      connector.clock.ms += 600_000;
      const updatedAt = new Date(connector.clock.ms - 300_000).toISOString();
      if (claim === 'code-added') store.putCoupon(SHOP, storeCoupon({ updatedAt }));
      else store.remove(SHOP, 'coupon', code);
      const key = { shop: SHOP, kind: 'coupon', id: code } as const;
      await sendEvent(connector, key, { claim, origin: 'webhook', deliveryId: updatedAt });
      await connector.drain();
      expect((await ledger.listCodes(SHOP, discountId)).codes).toEqual([code]);
    }
  });
});

describe('a code that changes', () => {
  it.each([
    [true, ['createCoupon', 'createCoupon'], 0],
    [false, ['createCoupon'], 1],
  ])(
    'is sent again where the service replaces it (%s), else it is for a person',
    async (couponsAreReplaced, calls, parked) => {
      const connector = openConnector({ assumptions: { couponsAreReplaced } });
      const { code } = storeCoupon();
      for (const [minute, percent] of [
        [10, '10'],
        [20, '25'],
      ] as const) {
        const updatedAt = new Date(connector.clock.ms + minute * 60_000).toISOString();
        connector.clock.ms += 3_600_000;
        connector.store.putCoupon(SHOP, storeCoupon({ updatedAt, value: amount(percent) }));
        const key = { shop: SHOP, kind: 'coupon', id: code } as const;
        const added = { claim: 'code-added', origin: 'webhook', deliveryId: updatedAt } as const;
        await sendEvent(connector, key, added);
        await connector.drain();
      }
      expect(connector.loyalty.journal.map(({ operation }) => operation)).toEqual(calls);
      expect(connector.dead.size).toBe(parked);
    },
  );
});
