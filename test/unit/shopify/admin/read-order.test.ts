import { describe, expect, it } from 'vitest';
import type { AdminAnswer } from '../../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../../shared/shopify/admin/client/admin-client.ts';
import {
  type Enrichment,
  type OrderNode,
  orderDetails,
} from '../../../../shared/shopify/admin/order-as-payload.ts';
import { readOrder, scanOrders } from '../../../../shared/shopify/admin/read-orders.ts';
import { LOCALIZED_FIELDS } from '../../../../shared/store/store-entities.ts';
import { bag, customerNode, orderNode, rootWithOrder } from '../../../fixtures/order-node.ts';
import { lineOf, type OrderSpec, simpleOrder } from '../../../fixtures/order-spec.ts';
import { type AdminRoot, askIn, pagesOf } from '../../../support/admin-execution.ts';

const ID = '5512345678901';

async function read(changes: Record<string, unknown>, enrichment: Enrichment = {}) {
  const answer = await readOrder(
    askIn(rootWithOrder(orderNode(simpleOrder, changes))),
    ID,
    enrichment,
    {},
  );
  if (answer.kind !== 'found') throw new Error(JSON.stringify(answer));
  return answer.value;
}

/** A sale of the store's book, as much of it as is read. */
const saleNode = (changes: Record<string, unknown> = {}) => ({
  ...{ __typename: 'ProductSale', lineType: 'PRODUCT', quantity: 1 },
  ...{
    totalAmount: bag(10),
    totalTaxAmount: bag(0),
    lineItem: { id: 'gid://shopify/LineItem/9000' },
  },
  ...changes,
});

const tipSale = saleNode({
  ...{ __typename: 'TipSale', lineType: 'TIP', totalAmount: bag(500) },
  lineItem: { id: 'gid://shopify/LineItem/9900' },
});

const agreementNode = (...sales: readonly object[]) => ({
  ...{ __typename: 'OrderAgreement', happenedAt: '2026-10-05T09:12:44Z' },
  sales: pagesOf(sales),
});

/** Metafields as the store filters them: by `namespace.key`. */
function metafields(...all: { namespace: string; key: string; value: string }[]) {
  return ({ first, keys }: { first: number; keys: string[] }) =>
    pagesOf(all.filter(({ namespace, key }) => keys.includes(`${namespace}.${key}`)))({ first });
}

describe('what no webhook contains of an order', () => {
  const payment = (changes: Record<string, unknown> = {}) => ({
    kind: 'SALE',
    status: 'SUCCESS',
    paymentDetails: {
      __typename: 'CardPaymentDetails',
      company: 'Visa',
      paymentMethodName: 'visa',
    },
    ...changes,
  });

  it('includes the card of the first payment that succeeded', async () => {
    const mastercard = {
      __typename: 'CardPaymentDetails',
      company: 'Mastercard',
      paymentMethodName: 'debit',
    };
    const transactions = [
      payment({ status: 'FAILURE' }),
      payment({ status: 'PENDING' }),
      payment({ kind: 'REFUND' }),
      payment({ paymentDetails: { __typename: 'PaypalWalletPaymentDetails' } }),
      payment({ paymentDetails: null }),
      payment({ kind: 'AUTHORIZATION', paymentDetails: mastercard }),
      payment(),
    ];
    const { card } = await read({ transactions }, { card: true });
    expect(card).toEqual({ brand: 'Mastercard', type: 'debit' });
  });

  it('does not repeat the brand of the card', async () => {
    const { card } = await read({ transactions: [payment()] }, { card: true });
    expect(card).toEqual({ brand: 'Visa', type: undefined });
  });

  it('includes the names of the location and the staff member', async () => {
    const order = await read(
      {
        retailLocation: { legacyResourceId: '655441491', name: 'High Street' },
        staffMember: { id: 'gid://shopify/StaffMember/90', name: 'Kim Clerk' },
      },
      { locationNames: true, staffNames: true },
    );
    expect(order.location).toEqual({ id: '655441491', name: 'High Street' });
    expect(order.staff).toEqual({ id: '90', name: 'Kim Clerk' });
  });

  it('includes the staff member of a line where the order has none', async () => {
    const node = orderNode(simpleOrder);
    const [line] = (node.lineItems as ReturnType<typeof pagesOf<object>>)({ first: 1 }).nodes;
    const staffMember = { id: 'gid://shopify/StaffMember/91', name: 'Lee Clerk' };
    const { staff } = await read(
      { lineItems: pagesOf([{ ...line, staffMember }]) },
      { staffNames: true },
    );
    expect(staff).toEqual({ id: '91', name: 'Lee Clerk' });
  });

  it('includes only the metafields that are asked for', async () => {
    const order = await read(
      {
        metafields: metafields(
          { namespace: 'custom', key: 'birthday', value: '1990-04-01' },
          { namespace: 'custom', key: 'secret', value: 'not asked for' },
        ),
        customer: customerNode({
          metafields: metafields({ namespace: 'facts', key: 'document', value: 'X-1' }),
        }),
      },
      {
        metafields: [
          { owner: 'order', namespace: 'custom', key: 'birthday' },
          { owner: 'customer', namespace: 'facts', key: 'document' },
        ],
      },
    );
    expect(order.metafields).toEqual([
      { owner: 'order', namespace: 'custom', key: 'birthday', value: '1990-04-01' },
      { owner: 'customer', namespace: 'facts', key: 'document', value: 'X-1' },
    ]);
  });

  it('includes a Brazilian tax id from the localized fields', async () => {
    const localizedFields = pagesOf([{ key: 'TAX_CREDENTIAL_BR', value: '123.456.789-09' }]);
    const order = await read({ localizedFields }, { localizedFields: true });
    expect(order.metafields).toEqual([
      {
        owner: 'order',
        namespace: LOCALIZED_FIELDS,
        key: 'TAX_CREDENTIAL_BR',
        value: '123.456.789-09',
      },
    ]);
  });

  it('leaves out what has not the form of a metafield, as what is nested deeply', () => {
    const right = { namespace: 'custom', key: 'birthday', value: '1990-04-01' };
    const nested = [[['far down']]];
    const nodes = [nested, right, { ...right, value: nested }, { ...right, key: null }];
    // No answer of the schema, so none that its tests could make.
    const node = { lineItems: { nodes: [] }, metafields: { nodes } } as object as OrderNode;
    expect(orderDetails(node).metafields).toEqual([{ owner: 'order', ...right }]);
  });

  it('is requested only where it is set, because each part needs a scope that the app may lack', async () => {
    const forbidden = () => {
      throw new Error('asked for');
    };
    const node = orderNode(simpleOrder, {
      transactions: forbidden,
      retailLocation: forbidden,
      staffMember: forbidden,
      localizedFields: forbidden,
      metafields: forbidden,
      customer: customerNode({ metafields: forbidden }),
    });
    const answer = await readOrder(askIn(rootWithOrder(node)), ID, {}, {});
    expect(answer).toMatchObject({ kind: 'found', value: { card: undefined, metafields: [] } });
  });
});

describe('an order that the store does not show', () => {
  const scopes = (...handles: string[]): AdminRoot => ({
    order: null,
    currentAppInstallation: { accessScopes: handles.map((handle) => ({ handle })) },
  });

  it('is gone when the app may see all orders', async () => {
    const ask = askIn(scopes('read_orders', 'read_all_orders'));
    expect(await readOrder(ask, ID, {}, {})).toEqual({ kind: 'gone' });
  });

  it('is not called gone when it may only be too old to be visible', async () => {
    expect(await readOrder(askIn(scopes('read_orders')), ID, {}, {})).toEqual({
      kind: 'unavailable',
      why: 'order-not-visible-read-all-orders',
      lacks: 'read_all_orders',
      hidden: true,
      misconfigured: true,
    });
  });

  it('is gone when the store announced its deletion', async () => {
    const answer = await readOrder(
      askIn(scopes('read_orders')),
      ID,
      {},
      { deletionAnnounced: true },
    );
    expect(answer).toEqual({ kind: 'gone' });
  });
});

describe('an order on several pages', () => {
  const long: OrderSpec = {
    ...simpleOrder,
    tipCents: 300,
    lines: Array.from({ length: 60 }, () => lineOf(1000, { quantity: 2, takenBack: 1 })),
  };

  /** Answers like the store, except for the named document. */
  function askWith(name: string, change: (data: object) => AdminAnswer<never> | object): Ask {
    const node = orderNode(long, {
      paymentGatewayNames: ['gift_card'],
      agreements: pagesOf([agreementNode(tipSale), agreementNode()]),
    });
    const ask = askIn({ ...rootWithOrder(node), orders: pagesOf([node]) });
    return async (document, variables) => {
      const answer = await ask(document, variables);
      if (document.name !== name || answer.kind !== 'data') return answer;
      const changed = change(answer.data as object);
      return ('kind' in changed ? changed : { kind: 'data', data: changed }) as typeof answer;
    };
  }

  const later = (data: object) =>
    JSON.parse(JSON.stringify(data).replaceAll('2026-10-09T06:00:00Z', '2026-10-09T06:00:01Z'));

  it('that changes while it is scanned is left to the next scan, by creation to whoever reads it then', async () => {
    const ask = askWith('OrderLines', later);
    const span = { from: undefined, until: Date.parse('2026-10-10T00:00:00Z') };
    const changed = { id: ID, updatedAt: '2026-10-09T06:00:00Z', value: undefined };
    const none = { kind: 'found', value: { changed: [] } };
    expect(await scanOrders(ask, span, undefined, {})).toEqual(none);
    expect(await scanOrders(ask, { ...span, by: 'creation' }, undefined, {})).toEqual({
      kind: 'found',
      value: { changed: [changed] },
    });
  });

  for (const name of ['OrderLines', 'Refund', 'OrderAgreements', 'OrderPayments']) {
    it(`never mixes pages of two states (${name})`, async () => {
      const answer = await readOrder(askWith(name, later), ID, {}, {});
      expect(answer).toEqual({ kind: 'unavailable', why: 'changed-while-reading' });
    });

    it(`is unavailable when one page fails (${name})`, async () => {
      const failed = () => ({ kind: 'failure', reason: 'throttled', afterSeconds: 7 }) as const;
      const answer = await readOrder(askWith(name, failed), ID, {}, {});
      expect(answer).toEqual({ kind: 'unavailable', why: 'throttled', afterSeconds: 7 });
    });
  }

  it('is not read endlessly when a page has its own cursor as the next one', async () => {
    const endless = { hasNextPage: true, endCursor: '50' };
    const loop = (data: object) => {
      const { order } = data as { order: { lineItems: object } };
      return { order: { ...order, lineItems: { ...order.lineItems, pageInfo: endless } } };
    };
    const answer = await readOrder(askWith('OrderLines', loop), ID, {}, {});
    expect(answer).toEqual({ kind: 'unavailable', why: 'unreadable-answer' });
  });
});

describe('when an order was paid', () => {
  const transactions = [
    { kind: 'AUTHORIZATION', status: 'SUCCESS', processedAt: '2026-10-30T09:00:00Z' },
    { kind: 'CAPTURE', status: 'SUCCESS', processedAt: '2026-11-06T09:00:00+01:00' },
    { kind: 'SALE', status: 'SUCCESS', processedAt: '2026-11-05T23:00:00Z' },
    { kind: 'SALE', status: 'PENDING', processedAt: '2026-11-07T09:00:00Z' },
    { kind: 'REFUND', status: 'SUCCESS', processedAt: '2026-11-08T09:00:00Z' },
    { kind: 'SALE', status: 'SUCCESS', processedAt: null },
  ];

  it('is the time of its last payment that succeeded, if it is asked for', async () => {
    const order = await read({ transactions }, { paymentDates: true });
    expect(order).toMatchObject({ paidAt: '2026-11-06T08:00:00.000Z', card: undefined });
    expect((await read({ transactions })).paidAt).toBeUndefined();
    expect((await read({ transactions: [] }, { paymentDates: true })).paidAt).toBeUndefined();
  });
});

describe('a dispute', () => {
  it.each([
    ['LOST', true],
    ['ACCEPTED', true],
    ['WON', false],
    ['PREVENTED', false],
    ['NEEDS_RESPONSE', false],
    ['UNDER_REVIEW', false],
  ])('that is %s is lost: %s', async (status, lost) => {
    const disputes = [{ status: 'WON' }, { status }];
    expect((await read({ disputes }, { disputes: true })).lostDispute).toBe(lost);
    expect((await read({ disputes })).lostDispute).toBeUndefined();
  });
});

describe('what was paid with gift cards and store credit', () => {
  const payment = (gateway: string, cents: number, given: Record<string, unknown> = {}) => ({
    id: `gid://shopify/OrderTransaction/${cents}`,
    kind: 'SALE',
    status: 'SUCCESS',
    gateway,
    amountSet: bag(cents),
    ...given,
  });
  const gateways = ['gift_card', 'shopify_payments', 'shopify_store_credit'];

  it('is 30.00 and 5.00, less 10.00 that went back to the gift card: 25.00', async () => {
    const order = await read({
      paymentGatewayNames: gateways,
      transactions: [
        payment('gift_card', 3000),
        payment('gift_card', 9900, { status: 'FAILURE' }),
        payment('shopify_payments', 2200),
        payment('shopify_store_credit', 500, { kind: 'CAPTURE' }),
        payment('shopify_store_credit', 500, { kind: 'AUTHORIZATION' }),
        payment('gift_card', 1000, { kind: 'REFUND' }),
        payment('shopify_payments', 2200, { kind: 'REFUND' }),
      ],
    });
    expect(order.paidWithGiftCards).toMatchObject({ net: '25', returnedForShipping: '0' });
    expect(order.paidWithGiftCards?.apart).toEqual({
      cards: { net: '20', returnedForShipping: '0' },
      credit: { net: '5', returnedForShipping: '0', paid: '5', mix: undefined },
    });
    expect(order.paymentGateways[0]).toBe('shopify_payments');
  });

  it('is 0.00, not less, where 20.00 of a card payment went to a new gift card', async () => {
    const order = await read({
      paymentGatewayNames: gateways,
      transactions: [
        payment('shopify_payments', 5700),
        payment('gift_card', 2000, { kind: 'REFUND' }),
      ],
    });
    expect(order.paidWithGiftCards).toEqual({ net: '0', returnedForShipping: '0' });
  });

  it('is nothing where a card payment went back as store credit, and no account is asked', async () => {
    const transactions = [
      payment('shopify_payments', 5700),
      payment('shopify_store_credit', 2000, { kind: 'REFUND' }),
    ];
    const given = { paymentGatewayNames: gateways, transactions };
    const order = await read(given, { storeCredit: true });
    expect(order.paidWithGiftCards?.apart?.credit).toMatchObject({ paid: '0', mix: undefined });
  });

  it('is less what the store owes, cards before credit, until it goes back', async () => {
    const line = lineOf(1000, { quantity: 3, takenBack: 2 });
    const spec = { ...simpleOrder, shippingCents: 0, lines: [line] };
    const transactions = [
      payment('gift_card', 1200),
      payment('shopify_store_credit', 1000),
      payment('shopify_payments', 800),
    ];
    const owes = async (...back: readonly (readonly [gateway: string, cents: number])[]) => {
      const all = [
        ...transactions,
        ...back.map(([by, cents]) => payment(by, cents, { kind: 'REFUND' })),
      ];
      const node = orderNode(spec, {
        paymentGatewayNames: gateways,
        refunds: [],
        transactions: all,
      });
      const answer = await readOrder(askIn(rootWithOrder(node)), ID, {}, {});
      if (answer.kind !== 'found') throw new Error(JSON.stringify(answer));
      const { net, apart } = answer.value.paidWithGiftCards ?? {};
      return [net, apart?.cards.net, apart?.credit.net];
    };
    // 20.00 of 30.00 went out, and nothing went back yet.
    expect(await owes()).toEqual(['2', '0', '2']);
    expect(await owes(['shopify_payments', 800])).toEqual(['10', '0', '10']);
    expect(await owes(['shopify_payments', 800], ['gift_card', 1200])).toEqual(['10', '0', '10']);
  });

  it('is not asked for where none of them paid', async () => {
    expect((await read({})).paidWithGiftCards).toEqual({ net: '0', returnedForShipping: '0' });
  });
});

describe('the sales agreements of an order', () => {
  /** 130 sales of one agreement, and a tip in another one. */
  const agreements = pagesOf([
    agreementNode(...Array.from({ length: 130 }, () => saleNode())),
    { ...agreementNode(tipSale), __typename: 'OrderEditAgreement' },
  ]);

  /** What is asked for, and the answer. */
  async function asking(
    spec: Partial<OrderSpec>,
    question: Parameters<typeof readOrder>[3] = {},
    changes: Record<string, unknown> = {},
  ) {
    const asked: string[] = [];
    const node = orderNode({ ...simpleOrder, ...spec }, { agreements, ...changes });
    const ask = askIn(rootWithOrder(node));
    const counting: Ask = (document, variables) => {
      asked.push(document.name);
      return ask(document, variables);
    };
    const answer = await readOrder(counting, ID, {}, question);
    if (answer.kind !== 'found') throw new Error(JSON.stringify(answer));
    return { asked: new Set(asked), order: answer.value };
  }

  it('are read of an order with a tip, and all their pages', async () => {
    const tipped = await asking({ tipCents: 500 });
    expect(tipped.order.lines.map(({ id }) => id)).toEqual(['9000']);
    expect(tipped.asked).toEqual(new Set(['Order', 'OrderAgreements']));
    expect(tipped.order.book).toBeUndefined();
    expect((await asking({})).asked).toEqual(new Set(['Order']));
  });

  it('are read with the payments where the book is asked for, and all their pages', async () => {
    const { asked, order } = await asking({}, { book: 'always' });
    expect(asked).toEqual(new Set(['Order', 'OrderAgreements', 'OrderPayments']));
    // 130 sales of 0.10.
    expect(order.book?.at(-1)).toMatchObject({ subtotal: '13', lines: [{ kept: 130 }] });
    expect(order.book?.at(-1)).toMatchObject({ total: '18' });
  });

  it('are read only of an order that changed, where it is enough', async () => {
    const { asked, order } = await asking({}, { book: 'if-changed' });
    expect(asked).toEqual(new Set(['Order']));
    expect(order.changed).toBe(false);
    expect(order.book).toBeUndefined();
    const changed = await asking({ amountRefundedCents: 500 }, { book: 'if-changed' });
    expect(changed.asked).toContain('OrderAgreements');
    expect(changed.order.book).not.toHaveLength(0);
    // Something was taken out without a refund.
    const lines = [lineOf(5000, { quantity: 2, takenBack: 1 })];
    const edited = await asking({ lines }, { book: 'if-changed' }, { refunds: [] });
    expect(edited.order.changed).toBe(true);
    expect(edited.asked).toContain('OrderAgreements');
  });

  it('are read once of an order with a tip whose book is asked for', async () => {
    const asked: string[] = [];
    const node = orderNode(
      { ...simpleOrder, tipCents: 500 },
      { agreements: pagesOf([agreementNode(saleNode(), tipSale)]) },
    );
    const ask = askIn(rootWithOrder(node));
    await readOrder(
      (document, variables) => {
        asked.push(document.name);
        return ask(document, variables);
      },
      ...([ID, {}, { book: 'always' }] as const),
    );
    const once = asked.filter((name) => name === 'OrderAgreements').length;
    asked.length = 0;
    await readOrder(
      (document, variables) => {
        asked.push(document.name);
        return ask(document, variables);
      },
      ...([ID, {}, {}] as const),
    );
    expect(asked.filter((name) => name === 'OrderAgreements')).toHaveLength(once);
  });
});
