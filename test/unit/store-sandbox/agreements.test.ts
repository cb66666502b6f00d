import { describe, expect, it } from 'vitest';
import type { ActionInput } from '../../../local/store-sandbox/model/actions.ts';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import type { ShopSettings } from '../../../local/store-sandbox/settings.ts';
import { askAdminApi, bookDocument, openAdminApi, readBook } from '../../support/read-book.ts';
import { type OpenStore, openStore } from './open-store.ts';

type Draft = ActionInput<'placeOrder'>;

const shirts: Draft = { lines: [{ title: 'Shirt', price: 50, quantity: 2 }], payment: 'paid' };

/** `ORDER PRODUCT 2: 100`, as the book of the order has it. */
function bookOf(store: OpenStore, { id }: Pick<OrderRow, 'id'>) {
  return readBook(openAdminApi(store.world), id, 10).map(
    ({ reason, sales }) =>
      [
        reason,
        ...sales.nodes.map(({ actionType, lineType, quantity, totalAmount }) => {
          const pieces = quantity === null ? '' : ` ${quantity}`;
          return `${actionType} ${lineType}${pieces}: ${Number(totalAmount.shopMoney.amount)}`;
        }),
      ] as const,
  );
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
        'ORDER PRODUCT 2: 108',
        'ORDER GIFT_CARD 1: 20',
        'ORDER TIP 1: 3',
        'ORDER SHIPPING: 6',
        'ORDER DUTY: 4',
        'ORDER ADDITIONAL_FEE: 1.5',
      ],
    ]);
  });

  it('has nothing of a cash rounding, which the transaction has apart from its amount', () => {
    const { store, orderId } = placed(
      { lines: [{ title: 'Gum', price: 0.98 }], payment: 'paid', gateway: 'cash' },
      { smallestCoinMinor: 5 },
    );
    const query = `query Cash($id: ID!) { order(id: $id) {
      transactions { kind gateway amountSet { shopMoney { amount } } amountRoundingSet { shopMoney { amount } } }
      totalCashRoundingAdjustment { paymentSet { shopMoney { amount } } }
    } }`;
    const answer = askAdminApi(openAdminApi(store.world), query, {
      id: `gid://shopify/Order/${orderId}`,
    });
    expect(answer.data).toEqual({
      order: {
        transactions: [
          {
            kind: 'SALE',
            gateway: 'cash',
            amountSet: { shopMoney: { amount: '0.98' } },
            amountRoundingSet: { shopMoney: { amount: '0.02' } },
          },
        ],
        totalCashRoundingAdjustment: { paymentSet: { shopMoney: { amount: '0.02' } } },
      },
    });
    expect(bookOf(store, { id: orderId })).toEqual([['ORDER', 'ORDER PRODUCT 1: 0.98']]);
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
    expect(bookOf(store, order)[1]).toEqual([
      'ORDER_EDIT',
      'RETURN PRODUCT -1: -50',
      'ORDER PRODUCT 1: 15',
    ]);
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
        ['ORDER_EDIT', 'UPDATE PRODUCT 0: -30'],
        ['ORDER_EDIT', 'UPDATE PRODUCT 0: 20', `RETURN SHIPPING: ${shipping}`],
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
      ['REFUND', 'RETURN PRODUCT -1: -50', 'ORDER ADJUSTMENT: 5'],
      ['REFUND', 'RETURN PRODUCT -1: -50', 'RETURN SHIPPING: -5', 'RETURN ADJUSTMENT: -5'],
    ]);
  });

  it.each([
    ['discrepancy', [['REFUND', 'RETURN ADJUSTMENT: -60']]],
    ['settlement', [['REFUND', 'RETURN ADJUSTMENT: -10']]],
  ] as const)('of more than an edit left over, as a %s', (owedRefund, refund) => {
    const { store, order, orderId, lineId } = placed(shirts, { owedRefund });
    store.do('editOrder', { orderId, set: [{ lineId, quantity: 1 }] });
    store.do('refundOrder', { orderId, amount: 60 });
    expect(bookOf(store, order).slice(2)).toEqual(refund);
  });

  it.each([
    ['balanced', ['ORDER ADJUSTMENT: 50'], [['REFUND', 'RETURN ADJUSTMENT: -50']]],
    ['paired', [], []],
    ['rise', ['ORDER ADJUSTMENT: 50'], [['REFUND', 'RETURN ADJUSTMENT: -50']]],
  ] as const)('whose money is on its way (%s) is even once it arrived', (pending, first, later) => {
    const { store, order, orderId, lineId } = placed();
    store.do('refundOrder', { orderId, lines: [{ lineId, quantity: 1 }], pending });
    store.do('settleRefund', { orderId });
    expect(bookOf(store, order).slice(1)).toEqual([
      ['REFUND', 'RETURN PRODUCT -1: -50', ...first],
      ...later,
    ]);
  });

  it('leaves nothing of a cancelled order, in either currency', () => {
    const { store, orderId, lineId } = placed({
      lines: [{ title: 'Gum', price: 0.33, quantity: 3 }],
      shipping: [{ price: 5 }],
      tip: 3,
      duties: 4,
      additionalFee: 1.5,
      presentment: { currency: 'USD', rate: 1.117 },
      payment: 'paid',
    });
    store.do('refundOrder', { orderId, lines: [{ lineId, quantity: 1 }], shipping: 1.11 });
    store.do('cancelOrder', { orderId });
    const sales = readBook(openAdminApi(store.world), orderId, 10).flatMap(
      (one) => one.sales.nodes,
    );
    const total = (money: 'shopMoney' | 'presentmentMoney') =>
      sales.reduce((sum, one) => sum + Math.round(Number(one.totalAmount[money].amount) * 100), 0);
    expect([total('shopMoney'), total('presentmentMoney')]).toEqual([0, 0]);
  });
});

describe('the agreement of a return', () => {
  const exchange = [{ title: 'Hat', price: 15 }];

  it.each([
    ['return', [['RETURN', 'RETURN PRODUCT -1: -50', 'ORDER PRODUCT 1: 15', 'ORDER FEE: 2']]],
    [
      'order-edit',
      [
        ['RETURN', 'RETURN PRODUCT -1: -50', 'ORDER FEE: 2'],
        ['ORDER_EDIT', 'ORDER PRODUCT 1: 15'],
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

  it('waits for the refund where the store writes it so', () => {
    const { store, order, orderId, lineId } = placed(shirts, { returnAgreement: 'with-refund' });
    const { id: returnId } = store.do('returnItems', { orderId, lines: [{ lineId, quantity: 1 }] });
    store.do('editOrder', { orderId, add: exchange });
    expect(bookOf(store, order).slice(1)).toEqual([['ORDER_EDIT', 'ORDER PRODUCT 1: 15']]);
    store.do('refundOrder', { orderId, returnId });
    expect(bookOf(store, order)[2]).toEqual(['REFUND', 'RETURN PRODUCT -1: -50']);
  });

  it('shows the return only to an app that may read returns', () => {
    const { store, orderId, lineId } = placed();
    store.do('returnItems', { orderId, lines: [{ lineId, quantity: 1 }] });
    const query = `query Returns($id: ID!) { order(id: $id) { agreements(first: 5) { nodes {
      reason ... on ReturnAgreement { return { name } }
    } } } }`;
    const ask = (scopes: readonly string[]) =>
      askAdminApi(openAdminApi(store.world, { scopes }), query, {
        id: `gid://shopify/Order/${orderId}`,
      });
    expect(ask(['read_orders']).errors).toMatchObject([{ extensions: { code: 'ACCESS_DENIED' } }]);
    expect(ask(['read_orders', 'read_returns']).data).toMatchObject({
      order: { agreements: { nodes: [{ reason: 'ORDER' }, { return: { name: '#1001-R1' } }] } },
    });
  });
});

describe('the list of agreements', () => {
  it.each([
    ['as-made', ['ORDER', 'ORDER_EDIT', 'REFUND']],
    ['reversed', ['REFUND', 'ORDER_EDIT', 'ORDER']],
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
    expect(bookOf(store, order).map(([reason]) => reason)).toEqual(reasons);
  });

  it('has sales of a type that is not known yet', () => {
    const { store, order } = placed({ ...shirts, tip: 1 }, { unknownSales: ['TIP'] });
    expect(bookOf(store, order)[0]).toEqual([
      'ORDER',
      'ORDER PRODUCT 2: 100',
      'UNKNOWN UNKNOWN 1: 1',
    ]);
  });

  it('costs one point for each object, and two for each list', () => {
    const { store, orderId } = placed();
    const variables = { id: `gid://shopify/Order/${orderId}`, agreements: 5, sales: 10 };
    const cost = (connectionCost: 'eased' | 'sized') => {
      const api = openAdminApi(store.world, { connectionCost });
      return askAdminApi(api, bookDocument, variables).extensions?.cost.requestedQueryCost;
    };
    // A sale with two amounts in two currencies and its line is eight objects.
    expect(cost('sized')).toBe(1 + 2 + 5 * (1 + 2 + 10 * 8));
    expect(cost('eased')).toBe(1 + 2 + 3 * (1 + 2 + 5 * 8));
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
      amountSet { shopMoney { amount } } totalUnsettledSet { shopMoney { amount } }
    } netPaymentSet { shopMoney { amount } } } }`;
    const { data } = askAdminApi(openAdminApi(store.world), query, {
      id: `gid://shopify/Order/${orderId}`,
    });
    const { order } = data as { order: { transactions: { id: string }[] } };
    const [promised, , paid] = order.transactions;
    const shopMoney = (amount: string) => ({ shopMoney: { amount } });
    expect(order).toMatchObject({
      transactions: [
        {
          kind: 'SALE',
          status: 'PENDING',
          processedAt: null,
          totalUnsettledSet: shopMoney('100.0'),
        },
        { kind: 'SALE', status: 'SUCCESS', gateway: 'gift_card', amountSet: shopMoney('40.0') },
        { kind: 'SALE', status: 'SUCCESS', gateway: 'manual', amountSet: shopMoney('60.0') },
        { kind: 'REFUND', status: 'PENDING', gateway: 'manual', amountSet: shopMoney('50.0') },
      ],
      netPaymentSet: shopMoney('100.0'),
    });
    expect(paid).toMatchObject({ parentTransaction: { id: promised?.id } });
    expect(order.transactions[3]).toMatchObject({ parentTransaction: { id: paid?.id } });
  });
});
