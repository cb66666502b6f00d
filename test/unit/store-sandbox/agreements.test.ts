import { describe, expect, it } from 'vitest';
import { Tables } from '../../../local/sandbox-kit/tables.ts';
import { openSubscriptions } from '../../../local/store-sandbox/delivery/subscriptions.ts';
import { AdminApi } from '../../../local/store-sandbox/graphql/admin-api.ts';
import type { ActionInput } from '../../../local/store-sandbox/model/actions.ts';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import { defaultServerSettings, type ShopSettings } from '../../../local/store-sandbox/settings.ts';
import { type OpenStore, openStore } from './open-store.ts';

type Draft = ActionInput<'placeOrder'>;

const shirts: Draft = { lines: [{ title: 'Shirt', price: 50, quantity: 2 }], payment: 'paid' };

const agreementsOf = (store: OpenStore, { id }: Pick<OrderRow, 'id'>) =>
  store.rows.orders.get(id)?.agreements ?? [];

/** `PRODUCT 2: 100`, as the book of the order has it. */
const bookOf = (store: OpenStore, order: Pick<OrderRow, 'id'>) =>
  agreementsOf(store, order).map(({ reason, sales }) => [
    reason,
    ...sales.map(({ lineType, quantity, minor }) => {
      const pieces = quantity === null ? '' : ` ${quantity}`;
      return `${lineType}${pieces}: ${minor / 100}`;
    }),
  ]);

function askAdminApi(
  { world }: OpenStore,
  query: string,
  variables: Record<string, unknown>,
  settings: Partial<typeof defaultServerSettings> = {},
) {
  const api = new AdminApi({
    world,
    subscriptions: openSubscriptions(new Tables()),
    settings: { ...defaultServerSettings, bucketSize: 1e9, ...settings },
    perform: () => ({ kind: 'refused', why: '' }),
    save: () => {},
  });
  const prepared = api.prepare({ query, variables });
  if (prepared.kind === 'invalid') throw new Error(JSON.stringify(prepared.errors));
  return api.answer(prepared.request);
}

function placed(draft: Draft = shirts, shop: Partial<ShopSettings> = {}) {
  const store = openStore({ shop });
  const order = store.do('placeOrder', draft);
  return { store, order, orderId: order.id, lineId: order.lines[0]?.id ?? '' };
}

describe('the agreement of a placed order', () => {
  it('has a sale for each line, shipping, the tip, duties and a fee, after discounts and taxes', () => {
    const { store, order } = placed({
      lines: [
        { title: 'Shirt', price: 50, quantity: 2 },
        { title: 'Card', price: 20, giftCard: true },
      ],
      discounts: [{ title: 'Kindness', amount: 10 }],
      taxesIncluded: false,
      shipping: [{ price: 5 }],
      tip: 3,
      duties: 4,
      additionalFee: 1.5,
      payment: 'paid',
    });
    expect(bookOf(store, order)).toEqual([
      [
        'ORDER',
        'PRODUCT 2: 108',
        'GIFT_CARD 1: 20',
        'TIP 1: 3',
        'SHIPPING: 6',
        'DUTY: 4',
        'ADDITIONAL_FEE: 1.5',
      ],
    ]);
  });
});

describe('the agreement of an edit', () => {
  it('has what was added and what was removed, and none for the refund that a removal leaves', () => {
    const { store, order, orderId, lineId } = placed();
    store.do('editOrder', {
      orderId,
      set: [{ lineId, quantity: 1 }],
      add: [{ title: 'Hat', price: 15 }],
    });
    expect(store.rows.orders.get(orderId)?.refunds).toHaveLength(1);
    expect(bookOf(store, order)[1]).toEqual(['ORDER_EDIT', 'PRODUCT -1: -50', 'PRODUCT 1: 15']);
  });

  it('changes a discount without pieces, and removes shipping', () => {
    const discounts = [{ title: 'Free shipping', percentage: 100, shipping: true }];
    for (const { given, shipping } of [
      { given: [], shipping: -5 },
      { given: discounts, shipping: 0 },
    ]) {
      const { store, order, orderId, lineId } = placed({
        ...{ ...shirts, shipping: [{ price: 5 }], discounts: given },
      });
      store.do('editOrder', { orderId, discount: [{ lineId, amount: 30 }] });
      store.do('editOrder', { orderId, discount: [{ lineId, amount: 10 }], removeShipping: true });
      expect(bookOf(store, order).slice(1)).toEqual([
        ['ORDER_EDIT', 'PRODUCT 0: -30'],
        ['ORDER_EDIT', 'PRODUCT 0: 20', `SHIPPING: ${shipping}`],
      ]);
    }
  });
});

describe('the agreement of a refund', () => {
  it('reverses the items and adjusts to what was paid back', () => {
    const { store, order, orderId, lineId } = placed({ ...shirts, shipping: [{ price: 5 }] });
    const lines = [{ lineId, quantity: 1 }];
    store.do('refundOrder', { orderId, lines, amount: 45 });
    store.do('refundOrder', { orderId, lines, shipping: 'all', amount: 60 });
    expect(bookOf(store, order).slice(1)).toEqual([
      ['REFUND', 'PRODUCT -1: -50', 'ADJUSTMENT: 5'],
      ['REFUND', 'PRODUCT -1: -50', 'SHIPPING: -5', 'ADJUSTMENT: -5'],
    ]);
  });

  it.each([
    ['discrepancy', [['REFUND', 'ADJUSTMENT: -60']]],
    ['settlement', [['REFUND', 'ADJUSTMENT: -10']]],
  ] as const)('of more than an edit left over, as a %s', (owedRefund, refund) => {
    const { store, order, orderId, lineId } = placed(shirts, { owedRefund });
    store.do('editOrder', { orderId, set: [{ lineId, quantity: 1 }] });
    store.do('refundOrder', { orderId, amount: 60 });
    expect(bookOf(store, order).slice(2)).toEqual(refund);
  });

  it.each([
    ['balanced', ['ADJUSTMENT: 50'], [['REFUND', 'ADJUSTMENT: -50']]],
    ['paired', [], []],
    ['rise', ['ADJUSTMENT: 50'], [['REFUND', 'ADJUSTMENT: -50']]],
  ] as const)('whose money is on its way (%s) is even once it arrived', (pending, first, later) => {
    const { store, order, orderId, lineId } = placed();
    store.do('refundOrder', { orderId, lines: [{ lineId, quantity: 1 }], pending });
    store.do('settleRefund', { orderId });
    expect(bookOf(store, order).slice(1)).toEqual([
      ['REFUND', 'PRODUCT -1: -50', ...first],
      ...later,
    ]);
  });

  it('leaves nothing of a cancelled order', () => {
    const { store, orderId, lineId } = placed({
      lines: [{ title: 'Gum', price: 0.33, quantity: 3 }],
      shipping: [{ price: 5 }],
      tip: 3,
      duties: 4,
      additionalFee: 1.5,
      payment: 'paid',
    });
    store.do('refundOrder', { orderId, lines: [{ lineId, quantity: 1 }], shipping: 1.11 });
    store.do('cancelOrder', { orderId });
    const sales = agreementsOf(store, { id: orderId }).flatMap((one) => one.sales);
    expect(sales.reduce((sum, { minor }) => sum + minor, 0)).toBe(0);
  });
});

describe('the agreement of a return', () => {
  const exchange = [{ title: 'Hat', price: 15 }];

  it.each([
    ['return', [['RETURN', 'PRODUCT -1: -50', 'PRODUCT 1: 15', 'FEE: 2']]],
    [
      'order-edit',
      [
        ['RETURN', 'PRODUCT -1: -50', 'FEE: 2'],
        ['ORDER_EDIT', 'PRODUCT 1: 15'],
      ],
    ],
  ] as const)('has its fee, and what the customer gets instead: %s', (exchangeAgreement, book) => {
    const { store, order, orderId, lineId } = placed(shirts, { exchangeAgreement });
    const lines = [{ lineId, quantity: 1 }];
    const { id: returnId } = store.do('returnItems', { orderId, lines, exchange, fee: 2 });
    const { transactions } = store.do('refundOrder', { orderId, returnId });
    expect(bookOf(store, order).slice(1)).toEqual(book);
    expect(transactions.at(-1)).toMatchObject({ kind: 'refund', minor: 3_300 });
  });
});

describe('the list of agreements', () => {
  it.each([
    ['as-made', ['Order', 'OrderEdit', 'Refund']],
    ['reversed', ['Refund', 'OrderEdit', 'Order']],
  ] as const)('is by time, and within one second %s', (sameSecondAgreements, reasons) => {
    const { store, order, orderId, lineId } = placed(shirts, { sameSecondAgreements });
    const later = store.clock.ms;
    store.do('editOrder', { orderId, set: [{ lineId, quantity: 1 }] });
    store.do('refundOrder', { orderId, amount: 5 });
    const row = store.rows.orders.get(orderId) as OrderRow;
    const happenedAt = new Date(later).toISOString();
    store.rows.orders.put(orderId, {
      ...row,
      agreements: row.agreements.map((one) => ({ ...one, happenedAt })),
    });
    const query = `query List($id: ID!) { order(id: $id) {
      agreements(first: 5) { nodes { __typename } }
    } }`;
    const { data } = askAdminApi(store, query, { id: `gid://shopify/Order/${order.id}` });
    const nodes = reasons.map((reason) => ({ __typename: `${reason}Agreement` }));
    expect(data).toEqual({ order: { agreements: { nodes } } });
  });

  it('costs one point for each object, and two for each list', () => {
    const { store, orderId } = placed();
    const query = `query Book($id: ID!) { order(id: $id) { agreements(first: 5) { nodes {
      sales(first: 10) { nodes { totalAmount { shopMoney { amount } } } pageInfo { hasNextPage } }
    } pageInfo { hasNextPage } } } }`;
    const cost = (connectionCost: 'eased' | 'sized') => {
      const variables = { id: `gid://shopify/Order/${orderId}` };
      const { extensions } = askAdminApi(store, query, variables, { connectionCost });
      return extensions?.cost.requestedQueryCost;
    };
    // A sale with its amount is three objects.
    expect(cost('sized')).toBe(1 + 2 + 5 * (1 + 2 + 10 * 3));
    expect(cost('eased')).toBe(1 + 2 + 3 * (1 + 2 + 5 * 3));
  });
});

describe('the transactions of an order', () => {
  it('say how money came and went', () => {
    const { store, orderId, lineId } = placed({ ...shirts, payment: 'pending', gateway: 'manual' });
    store.do('payOrder', { orderId, amount: 40, gateway: 'gift_card' });
    store.do('payOrder', { orderId, gateway: 'manual' });
    store.do('refundOrder', { orderId, lines: [{ lineId, quantity: 1 }], pending: 'paired' });
    const query = `query Money($id: ID!) { order(id: $id) { transactions {
      id kind status gateway processedAt parentTransaction { id }
      amountSet { shopMoney { amount } }
    } } }`;
    const { data } = askAdminApi(store, query, { id: `gid://shopify/Order/${orderId}` });
    const { order } = data as { order: { transactions: { id: string }[] } };
    const [promised, , paid] = order.transactions;
    const shopMoney = (amount: string) => ({ shopMoney: { amount } });
    expect(order).toMatchObject({
      transactions: [
        { kind: 'SALE', status: 'PENDING', processedAt: null, amountSet: shopMoney('100.0') },
        { kind: 'SALE', status: 'SUCCESS', gateway: 'gift_card', amountSet: shopMoney('40.0') },
        { kind: 'SALE', status: 'SUCCESS', gateway: 'manual', amountSet: shopMoney('60.0') },
        { kind: 'REFUND', status: 'PENDING', gateway: 'manual', amountSet: shopMoney('50.0') },
      ],
    });
    expect(paid).toMatchObject({ parentTransaction: { id: promised?.id } });
    expect(order.transactions[3]).toMatchObject({ parentTransaction: { id: paid?.id } });
  });
});
