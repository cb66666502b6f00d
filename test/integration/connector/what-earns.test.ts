import { afterEach, describe, expect, it } from 'vitest';
import { orderTotals } from '../../../local/store-sandbox/model/order-totals.ts';
import type { StoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import type { MappingSettings } from '../../../shared/config/mapping-settings.ts';
import { type RunningConnector, runConnectors } from '../../support/running-connector.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A store and the service, where one unit of the currency earns one point. */
async function open(rules: MappingSettings = {}) {
  const { stop, connector, store } = await openStoreAndConnector(connectors, { seed: 3, rules });
  stops.push(stop);
  return { connector, store, ...stepsOf(connector, store) };
}

type Draft = Parameters<StoreSandbox['actions']['placeOrder']>[0];

function stepsOf(connector: RunningConnector, store: StoreSandbox) {
  const [customer] = store.rows.customers.values();
  /** One step of the store and all the work it causes; the store's clock has whole seconds. */
  async function step<Result>(act: () => Result): Promise<Result> {
    connector.pass(5);
    const result = act();
    await store.deliveries.settled();
    await connector.settle();
    return result;
  }
  const points = (orderId: string) =>
    connector.loyalty.state().orders.find(({ OriginalId }) => OriginalId === orderId)?.points ?? 0;
  return {
    step,
    points,
    /** Places the order, pays it with these means one after the other, and fulfils it. */
    async sell(draft: Partial<Draft>, ...giftCards: [gateway: string, amount: number][]) {
      const { id: orderId } = await step(() =>
        store.actions.placeOrder({
          lines: [{ title: 'Shirt', price: 50, taxable: false }],
          customerId: customer?.id ?? null,
          taxes: [],
          ...draft,
        }),
      );
      for (const [gateway, amount] of giftCards)
        await step(() => store.actions.payOrder({ orderId, gateway, amount }));
      const order = store.rows.orders.get(orderId);
      if (order && orderTotals(order).outstandingMinor > 0) {
        await step(() => store.actions.payOrder({ orderId }));
      }
      await step(() => store.actions.fulfilOrder({ orderId }));
      return orderId;
    },
  };
}

const shipping = [{ price: 20 }];
const eighty = [{ title: 'Shirt', price: 80, taxable: false }];

describe('an order paid in part with a gift card', () => {
  it('of 80.00 and 20.00 shipping, 50.00 by gift card, earns 40 points, not 80', async () => {
    const { sell, points } = await open();
    expect(points(await sell({ lines: eighty, shipping }, ['gift_card', 50]))).toBe(40);
  });

  it('earns the same with 50.00 of store credit', async () => {
    const { sell, points } = await open();
    const orderId = await sell({ lines: eighty, shipping }, ['shopify_store_credit', 50]);
    expect(points(orderId)).toBe(40);
  });

  it('and wholly with two gift cards earns 0 points', async () => {
    const { sell, points, connector } = await open();
    const orderId = await sell({}, ['gift_card', 20], ['gift_card', 30]);
    expect(points(orderId)).toBe(0);
    expect(connector.loyalty.state().orders).toMatchObject([{ OrderTotal: 0, IsCompleted: true }]);
  });

  it('keeps 10 points after 50.00 of 100.00 went back to the card and none to the gift card', async () => {
    const { sell, step, points, store } = await open();
    const lines = [{ title: 'Shirt', price: 50, quantity: 2, taxable: false }];
    const orderId = await sell({ lines }, ['gift_card', 40]);
    expect(points(orderId)).toBe(60);
    const lineId = store.rows.orders.get(orderId)?.lines[0]?.id ?? '';
    await step(() => store.actions.refundOrder({ orderId, lines: [{ lineId, quantity: 1 }] }));
    expect(points(orderId)).toBe(10);
  });

  it('earns all 80 points with earn-when-used, without a question to the store', async () => {
    const { sell, points, store } = await open({ giftCards: 'earn-when-used' });
    expect(points(await sell({ lines: eighty, shipping }, ['gift_card', 50]))).toBe(80);
    expect(store.journal.entries()).toEqual([]);
  });
});

describe('buying a gift card of 100.00', () => {
  const card = [{ title: 'Gift card', price: 100, giftCard: true, taxable: false }];

  it.each([
    ['earn-when-bought', 100, 0],
    ['earn-when-used', 0, 100],
    ['never', 0, 0],
  ] as const)('with %s earns %d points, and spending it %d', async (giftCards, bought, used) => {
    const { sell, points } = await open({ giftCards });
    expect(points(await sell({ lines: card }))).toBe(bought);
    const lines = [{ title: 'Coat', price: 100, taxable: false }];
    expect(points(await sell({ lines }, ['gift_card', 100]))).toBe(used);
  });
});

describe('a refund of an amount', () => {
  it('of 49.00 of 50.00 without lines keeps 1 point, not 50', async () => {
    const { sell, step, points, store } = await open();
    const orderId = await sell({});
    expect(points(orderId)).toBe(50);
    await step(() => store.actions.refundOrder({ orderId, amount: 49 }));
    expect(points(orderId)).toBe(1);
  });

  it('of 20.00 shipping keeps all 80 points', async () => {
    const { sell, step, points, store } = await open();
    const orderId = await sell({ lines: eighty, shipping });
    await step(() => store.actions.refundOrder({ orderId, shipping: 'all' }));
    expect(points(orderId)).toBe(80);
  });
});

describe('an order with taxes of 19 %', () => {
  const taxes = [{ title: 'VAT', rate: 0.19 }];
  const lines = [{ title: 'Shirt', price: 59.5 }];

  it.each([
    ['exclude', true, 50],
    ['include', true, 59.5],
    ['exclude', false, 59.5],
    ['include', false, 70.81],
  ] as const)(
    'with taxes: %s and prices that include them: %s earns %d points for a price of 59.50',
    async (setting, taxesIncluded, expected) => {
      const { sell, points } = await open({ taxes: setting });
      expect(points(await sell({ lines, taxes, taxesIncluded }))).toBe(expected);
    },
  );
});

describe('an order of someone the service cannot tell apart', () => {
  it('without a customer earns 0 points, costs 0 calls and makes no dead letter', async () => {
    const { sell, connector } = await open();
    await sell({ customerId: null, email: 'walk.in@example.com' });
    expect(connector.newOperations()).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);
  });

  it('of a telephone number only earns 0 points, and all 50 once it has an e-mail address', async () => {
    const { sell, step, points, connector, store } = await open();
    const { id } = store.actions.createCustomer({ firstName: 'Robin', phone: '+15555550142' });
    const orderId = await sell({ customerId: id });
    expect(connector.newOperations()).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);

    await step(() =>
      store.actions.updateCustomer({ customerId: id, email: 'robin.q@example.com' }),
    );
    await step(() => store.actions.tagOrder({ orderId, tags: ['seen'] }));
    expect(points(orderId)).toBe(50);
  });

  it('is parked by name where the settings send it and the service refuses it (error 50)', async () => {
    const { sell, connector, store } = await open({ customersWithoutEmail: 'send' });
    const { id } = store.actions.createCustomer({ firstName: 'Robin', phone: '+15555550142' });
    await sell({ customerId: id });
    const [letter] = await connector.deadLetters();
    expect(letter?.attributes).toMatchObject({
      code: 'ApiExternalCustomer_document_email_empty',
    });
  });
});
