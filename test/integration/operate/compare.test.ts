import { describe, expect, it } from 'vitest';
import { SECRETS, SHOP, tellOf, useOperatedConnector } from '../../support/operated-connector.ts';

const connector = useOperatedConnector();

async function sync(kind: 'order' | 'product' | 'coupon', id: string): Promise<void> {
  await tellOf(connector, kind, id);
  await connector.work();
}

async function placeOrder(): Promise<string> {
  const { actions } = connector.store;
  const customer = actions.createCustomer({ firstName: 'Kim', email: 'kim@example.org' });
  const lines = [{ title: 'Linen shirt', price: 60 }];
  const { id } = actions.placeOrder({ lines, customerId: customer.id, payment: 'paid' });
  actions.fulfilOrder({ orderId: id });
  await sync('order', id);
  return id;
}

/** Another client of the service, or a person in its panel. */
async function inService(method: string, path: string, body?: object) {
  const { token, key } = SECRETS.loyalty;
  const answer = await fetch(`${connector.loyalty.address}/v1/pvt/${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${token}:${key}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Record<string, Record<string, unknown>>;
}

async function changeInService(id: string): Promise<void> {
  const { Customer, ...order } = await inService('GET', `Order/${id}`);
  const { OriginalId, Name, Email } = Customer ?? {};
  const given = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== null));
  const body = { ...given, Customer: { OriginalId, Name, Email }, OrderTotal: 75 };
  expect(await inService('POST', 'POS/orders', body)).toMatchObject({ HasError: false });
}

describe('loyalty-connector compare', () => {
  it('reads an order from both sides, and ends with 0 while they agree', async () => {
    const id = await placeOrder();
    const { code, stdout, stderr } = await connector.run(`compare order ${id}`);
    expect(stderr).toBe('');
    expect(stdout).toContain('IN SYNC\n  Both sides were read and agree.');
    expect(stdout).toMatch(/^state +completed +completed +completed$/m);
    expect(stdout).toMatch(/^amount +50\.00 +50\.00 +50\.00$/m);
    expect(stdout).toMatch(/^coupon +none +not known +none$/m);
    expect(code).toBe(0);
  });

  it('compares all orders since a moment, and ends with how many are in sync', async () => {
    await placeOrder();
    const { code, stdout } = await connector.run('compare orders --since 1h');
    expect(stdout).toBe('in sync: 2 orders\n');
    expect(code).toBe(0);
    await changeInService(await placeOrder());
    const different = await connector.run('compare orders --since 1h');
    expect(different.stdout).toContain('The loyalty service differs: amount.');
    expect(different.stdout).toMatch(/\nin sync: 2 orders, different: 1\n$/);
    expect(different.code).toBe(1);
  });

  it('shows the difference of an order that was changed in the service, and ends with 1', async () => {
    const id = await placeOrder();
    await changeInService(id);
    const { code, stdout } = await connector.run(`compare order ${id}`);
    expect(stdout).toContain('DIFFERENT\n  The loyalty service differs: amount.');
    expect(stdout).toMatch(/^amount +50\.00 +50\.00 +75\.00 +differs$/m);
    expect(stdout).toContain(`trace order --shop ${SHOP} ${id}`);
    expect(code).toBe(1);
    const { stdout: json } = await connector.run(`compare order ${id} --json`);
    expect(JSON.parse(json)).toMatchObject({ kind: 'order', id, verdict: 'different' });
  });

  it('says that the service lacks an order that was not sent', async () => {
    const { actions } = connector.store;
    const customer = actions.createCustomer({ firstName: 'Kim', email: 'kim2@example.org' });
    const lines = [{ title: 'Linen shirt', price: 60 }];
    const { id } = actions.placeOrder({ lines, customerId: customer.id, payment: 'paid' });
    const skipped = await connector.run(`compare order ${id}`);
    expect(skipped.stdout).toContain('it is not sent: pending');
    expect(skipped.code).toBe(0);
    actions.fulfilOrder({ orderId: id });
    const { code, stdout } = await connector.run(`compare order ${id}`);
    expect(stdout).toContain('The loyalty service differs: absent.');
    expect(stdout).toMatch(/^state +completed +not sent +does not have it +differs$/m);
    expect(code).toBe(1);
  });

  it('compares a coupon, and ends with 1 when the service has ended it', async () => {
    connector.store.actions.createDiscount({ percentage: 10, codes: ['SUMMER10'] });
    await sync('coupon', 'SUMMER10');
    const { code, stdout } = await connector.run('compare coupon SUMMER10');
    expect(stdout).toContain('IN SYNC');
    expect(stdout).toMatch(/^value +10 +sent +10$/m);
    expect(code).toBe(0);
    await inService('POST', 'Coupons/SUMMER10/inactive');
    const ended = await connector.run('compare coupon SUMMER10');
    expect(ended.stdout).toMatch(/^state +usable +sent +over +differs$/m);
    expect(ended.code).toBe(1);
  });

  it('admits that a product cannot be read from the service, and ends with 2', async () => {
    const product = connector.store.actions.createProduct({ title: 'Linen shirt', price: 49.9 });
    const before = await connector.run(`compare product ${product.id}`);
    expect(before.stdout).toContain('DIFFERENT\n  What the store says now was not sent yet.');
    expect(before.code).toBe(1);
    await sync('product', product.id);
    const { code, stdout } = await connector.run(`compare product ${product.id}`);
    expect(stdout).toContain('CANNOT TELL');
    expect(stdout).toContain('the service cannot be asked for it');
    expect(code).toBe(2);
  });

  it('ends with 2 when a side does not answer', async () => {
    const id = await placeOrder();
    connector.loyalty.faults.add({ operation: 'getOrder', kind: 'http-500' });
    const { code, stdout } = await connector.run(`compare order ${id}`);
    connector.loyalty.faults.clear();
    expect(stdout).toContain('CANNOT TELL\n  The loyalty service could not be read');
    expect(code).toBe(2);
    const unknown = await connector.run('compare order 4711');
    expect(unknown.stdout).toContain('CANNOT TELL');
    expect(unknown.code).toBe(2);
  });

  it('answers wrong arguments with one clear line', async () => {
    const { code, stderr } = await connector.run('compare customer 1');
    expect(stderr).toContain('compare an order, a product or a coupon, not "customer"');
    expect(code).toBe(2);
  });
});
