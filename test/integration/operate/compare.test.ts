import { describe, expect, it } from 'vitest';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { SHOP, tellOf, useOperatedConnector } from '../../support/operated-connector.ts';

const connector = useOperatedConnector();

async function placeOrder(): Promise<string> {
  const { id } = connector.sell();
  await tellOf(connector, 'order', id);
  await connector.work();
  return id;
}

async function changeInService(id: string): Promise<void> {
  const { Customer, ...order } = await askLoyalty(connector.loyalty, 'GET', `/Order/${id}`);
  const { OriginalId, Name, Email } = Customer ?? {};
  const given = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== null));
  const body = { ...given, Customer: { OriginalId, Name, Email }, OrderTotal: 75 };
  await askLoyalty(connector.loyalty, 'POST', '/POS/orders', body);
}

describe('both sides of one entity', () => {
  it('differ for an order that was changed in the service, which ends with 1', async () => {
    const id = await placeOrder();
    await changeInService(id);
    const { code, stdout } = await connector.run(`trace order ${id}`);
    expect(stdout).toContain(
      'ACTION REQUIRED\n  The loyalty service differs: amount that counts (store: 50.00, ',
    );
    expect(stdout).toMatch(/^amount that counts +50\.00 +50\.00 +75\.00 +differs$/m);
    expect(stdout).toContain(`resend order ${id} --shop ${SHOP} --force`);
    expect(code).toBe(1);
  });
});

describe('loyalty-connector compare', () => {
  it('is not well where nothing changed, and so nothing was compared', async () => {
    const { code, stdout } = await connector.run('compare orders --since 2099-01-01');
    expect(stdout).toContain('UNKNOWN\n  No order changed in the store since then');
    expect(code).toBe(4);
  });

  it('compares all orders since a moment, and lists those that differ by their names', async () => {
    for (let lost = 0; lost < 21; lost += 1) connector.sell();
    await placeOrder();
    await changeInService(await placeOrder());
    const { code, stdout } = await connector.run('compare orders --since 1h');
    expect(stdout).toMatch(
      /^#\d+ and 1 more +The loyalty service differs: amount that counts \(store: 50\.00, service: 75\.00\)\.$/m,
    );
    expect(stdout).toMatch(
      /^ACTION REQUIRED\n {2}1 order agrees; 2 different; 21 not sent yet\.$/m,
    );
    expect(stdout).toMatch(
      /Send the first 20 of 21 orders:\n {2}npx loyalty-connector resend order \d+ /,
    );
    expect(code).toBe(1);
  });

  it('says once that the service does not answer, and stops', async () => {
    connector.loyalty.faults.add({ operation: 'getOrder', kind: 'http-500' });
    const { code, stdout } = await connector.run('compare orders --since 1h --json');
    connector.loyalty.faults.clear();
    const { blocks, data } = JSON.parse(stdout);
    expect(data.orders).toHaveLength(3);
    expect(blocks[0].rows).toHaveLength(1);
    expect(code).toBe(4);
  });
});
