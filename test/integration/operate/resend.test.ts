import { describe, expect, it } from 'vitest';
import { tellOf, useOperatedConnector } from '../../support/operated-connector.ts';

/** The functions still count with taxes; the settings that the command reads count without. */
const operated = useOperatedConnector({ rules: { taxes: 'include' } });

describe('loyalty-connector resend', () => {
  it('shows what the rules of today change, and sends only after that', async () => {
    const { actions } = operated.store;
    const email = 'orsolya@example.org';
    const { id: customerId } = actions.createCustomer({ firstName: 'Orsolya', email });
    for (const price of [60, 120]) {
      const lines = [{ title: 'Linen shirt', price }];
      const order = actions.placeOrder({ lines, customerId, payment: 'paid' });
      actions.fulfilOrder({ orderId: order.id });
      await tellOf(operated, 'order', order.id);
    }
    // Not shipped, so it was never sent.
    actions.placeOrder({ lines: [{ title: 'Hat', price: 9 }], customerId, payment: 'paid' });
    await operated.work();
    const totals = () => operated.loyalty.state().orders.map(({ OrderTotal }) => OrderTotal);
    expect(totals().toSorted()).toEqual([120, 60]);

    const dry = await operated.run('resend --since 1d --dry-run');
    expect(dry.stdout).toMatch(/^3 orders of example-store\.myshopify\.com placed since /);
    expect(dry.stdout).toContain('By the rules of today 2 change: 2 earn less, 0 earn more.');
    expect(dry.stdout).toContain('Their amounts: 180.00 before, 150.00 after.');
    expect(dry.stdout).toContain('Nothing was sent.');
    expect(dry.code).toBe(0);
    const json = JSON.parse((await operated.run('resend --since 1d --dry-run --json')).stdout);
    expect(json).toMatchObject({ dryRun: true, lookedAt: 3, changed: 2, before: 180, after: 150 });

    const asked = await operated.run('resend --since 1d');
    expect(asked.code).toBe(1);
    expect(await operated.queues.waiting()).toBe(0);

    const done = await operated.run('resend --since 1d --yes');
    expect(done.code).toBe(0);
    expect(done.stdout).toContain('Sent 2 of 2.');
    expect(await operated.queues.waiting()).toBe(2);
  });
});
