import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { inOrder } from '../../../local/store-sandbox/delivery/disorder.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';

let stack: LocalStack;
let callsSeen = 0;

beforeAll(async () => {
  stack = await startLocalStack({
    settings: 'test/fixtures/long-live.config.ts',
    mayBeDenied: true,
  });
});
afterEach(() => {
  stack.access.restore();
  stack.store.disorder = inOrder;
});
afterAll(() => stack?.stop(), 60_000);

/** What the loyalty service was asked for since this was last called. */
function newOperations() {
  const entries = stack.loyalty.journal.entries({ since: callsSeen });
  callsSeen = entries.at(-1)?.n ?? callsSeen;
  return entries.map(({ operation }) => operation);
}

/** A fulfilled order as its webhook, which was not sent: each test sends it as it likes. */
function unsentOrder() {
  stack.store.disorder = { ...inOrder, drop: 1 };
  const [customer] = stack.store.rows.customers.values();
  const { id } = stack.store.actions.placeOrder({
    customerId: customer?.id ?? '',
    lines: [{ title: 'Gift', price: 12.5, quantity: 2 }],
    payment: 'paid',
  });
  stack.store.actions.fulfilOrder({ orderId: id });
  const told = stack.store.deliveries.all().findLast(({ topic }) => topic === 'orders/updated');
  if (!told) throw new Error('the store tells nothing of its order');
  return { id, body: told.body };
}

const orderOf = (id: string) =>
  stack.loyalty.state().orders.find(({ OriginalId }) => OriginalId === id);

describe('signed webhooks at the function URL', () => {
  it('send an order to the loyalty service once, even if delivered several times', async () => {
    const { id, body } = unsentOrder();
    newOperations();
    const answers = await Promise.all(
      ['a', 'b', 'b', 'c'].map((webhookId) =>
        stack.post('orders/updated', body, { webhookId: `${id}-${webhookId}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await stack.settled();
    // 25.00 with 20 % taxes in it.
    expect(orderOf(id)).toMatchObject({ OrderTotal: 20.83, IsCancelledOrReturned: false });
    expect(newOperations()).toEqual(['sendOrder']);
  });

  it('are refused with 401 when the signature is wrong, and nothing happens', async () => {
    const { id, body } = unsentOrder();
    newOperations();
    const answer = await stack.post('orders/updated', body, { secret: 'somebody else’s' });
    expect(answer.status).toBe(401);
    await stack.settled();
    expect(orderOf(id)).toBeUndefined();
    expect(newOperations()).toEqual([]);
  });

  it('are verified by their bytes, whether Lambda passes them as text or as base64', async () => {
    const { id, body } = unsentOrder();
    const answer = await stack.post('orders/updated', body, { contentType: 'application/x-other' });
    expect(answer.status).toBe(200);
    await stack.settled();
    expect(orderOf(id)).toBeDefined();
  });

  it('above 6 MB do not reach the function', async () => {
    const answer = await stack.post('orders/create', 'x'.repeat(6_300_000));
    expect(answer.status).toBe(413);
  });

  it('that cannot be read are parked with the reason', async () => {
    expect((await stack.post('products/update', '{"no":"product"}')).status).toBe(200);
    await stack.settled();
    const { Messages: [letter] = [] } = await stack.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: stack.outputs.ProductsDeadLetterQueueUrl,
        MessageAttributeNames: ['All'],
        WaitTimeSeconds: 1,
      }),
    );
    expect(letter?.MessageAttributes?.reason?.StringValue).toBe('unreadable');
  });
});

describe('from the store to the loyalty service', () => {
  it('an order is paid, fulfilled and partly refunded, and its points follow', async () => {
    const { actions, rows } = stack.store;
    const [customer] = rows.customers.values();
    const order = actions.placeOrder({
      customerId: customer?.id ?? '',
      lines: [{ title: 'Gift', price: 10, quantity: 3 }],
      payment: 'paid',
    });
    actions.fulfilOrder({ orderId: order.id });
    await stack.settled();
    // 30.00 with 20 % taxes in it.
    expect(orderOf(order.id)).toMatchObject({ OrderTotal: 25, IsCompleted: true, points: 25 });
    const [line] = order.lines;
    actions.refundOrder({ orderId: order.id, lines: [{ lineId: line?.id ?? '', quantity: 1 }] });
    await stack.settled();
    // 8.33 of the 25 that were sent are taken back.
    expect(orderOf(order.id)).toMatchObject({ OrderTotal: 25, points: 16.67 });
  });

  it('a person is erased, with no more than the worker may write', async () => {
    const { actions } = stack.store;
    const { id: customerId } = actions.createCustomer({
      ...{ firstName: 'Ana', lastName: 'Lopes', email: 'ana@example.org' },
    });
    const lines = [{ title: 'Gift', price: 10 }];
    const { id } = actions.placeOrder({ customerId, lines, payment: 'paid' });
    actions.fulfilOrder({ orderId: id });
    await stack.settled();
    const numberOf = (gid: string) => Number(gid.split('/').at(-1));
    const answer = await stack.post('customers/redact', {
      shop_domain: stack.shop.domain,
      customer: { id: numberOf(customerId), email: 'ana@example.org' },
      orders_to_redact: [numberOf(id)],
    });
    expect(answer.status).toBe(200);
    await stack.settled();
    expect(stack.problems.filter((one) => one.startsWith('AccessDenied'))).toEqual([]);
  });

  it('a product and the codes of a discount are synced, and codes of a deleted discount become inactive', async () => {
    const { actions } = stack.store;
    const product = actions.createProduct({ title: 'Lamp', price: 40 });
    const discount = actions.createDiscount({
      title: 'Two',
      percentage: 20,
      codes: ['ONE', 'TWO'],
    });
    await stack.settled();
    const { products, coupons } = stack.loyalty.state();
    expect(products.find(({ OriginalId }) => OriginalId === product.id)?.ProductPrice).toBe(40);
    const active = coupons.filter(({ isActive }) => isActive).map(({ CouponCode }) => CouponCode);
    expect(active).toEqual(expect.arrayContaining(['ONE', 'TWO']));
    actions.deleteDiscount({ discountId: discount.id });
    await stack.settled();
    const ended = stack.loyalty.state().coupons.filter(({ isActive }) => !isActive);
    expect(ended.map(({ CouponCode }) => CouponCode).toSorted()).toEqual(['ONE', 'TWO']);
  });

  it('nothing is lost or parked in an outage', async () => {
    const { id: outage } = stack.loyalty.faults.add({ kind: 'outage' });
    const { id, body } = unsentOrder();
    expect((await stack.post('orders/updated', body)).status).toBe(200);
    await vi.waitFor(
      () => expect(stack.metrics.lastHour().some(({ name }) => name === 'retried')).toBe(true),
      { timeout: 30_000, interval: 100 },
    );
    stack.loyalty.faults.clear(outage);
    await stack.settled();
    expect(orderOf(id)).toBeDefined();
  });
});

describe('the operator', () => {
  it('runs reconcile through Lambda, which finds an order whose webhook was lost', async () => {
    // Reconciling leaves the last quarter of an hour to the webhooks.
    stack.store.advanceClock(-20 * 60);
    const { id } = unsentOrder();
    stack.store.advanceClock(20 * 60);
    const lambda = new LambdaClient({
      endpoint: stack.endpoint,
      region: 'us-east-1',
      credentials: stack.keys.operator,
    });
    const { FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName: stack.outputs.ReconcileFunction }),
    );
    expect(FunctionError).toBeUndefined();
    await stack.settled();
    expect(orderOf(id)).toMatchObject({ OrderTotal: 20.83 });
  });
});

describe('a missing permission', () => {
  it('causes AccessDenied in the function, and the store gets an error and sends again', async () => {
    stack.access.revoke(
      ({ who, action, resource }) =>
        who.includes('Receive') && action === 'sqs:SendMessage' && resource.includes('Orders'),
    );
    const { body } = unsentOrder();
    expect((await stack.post('orders/updated', body)).status).toBe(503);
    const receiver = stack.description.functions.find(({ name }) => name.includes('Receive'));
    if (!receiver) throw new Error('there is no receiver');
    const lines = () => stack.logs.linesOf(receiver).map(({ text }) => text);
    await vi.waitFor(
      () => expect(lines().join('\n')).toContain('"error":"AccessDeniedException"'),
      10_000,
    );
    expect(stack.problems.join('\n')).toContain('may not sqs:SendMessage');
    stack.access.restore();
    expect((await stack.post('orders/updated', body)).status).toBe(200);
  });
});

describe('the local stack', () => {
  it('shows the metrics of the functions at the metrics address', async () => {
    const answer = await fetch(stack.metricsAddress);
    const { metrics } = (await answer.json()) as {
      metrics: { name: string; dimensions: object; value: number; at: number }[];
    };
    const names = new Set(metrics.map(({ name }) => name));
    expect([...names]).toEqual(expect.arrayContaining(['received', 'applied', 'latency-ms']));
  });

  it('outputs the addresses of this machine', () => {
    expect(stack.webhookAddress.startsWith(stack.outputs.WebhookAddress ?? '?')).toBe(true);
    expect(stack.outputs.OrdersQueueUrl?.startsWith(stack.endpoint)).toBe(true);
  });
});
