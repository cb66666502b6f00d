import { describe, expect, it } from 'vitest';
import { tellOf, useOperatedConnector } from '../../support/operated-connector.ts';

/** The functions still count with taxes; the settings that the command reads count without. */
const operated = useOperatedConnector({ rules: { taxes: 'include' } });

describe('loyalty-connector resend', () => {
  it('shows what the rules of today change, and sends only after that', async () => {
    const { actions } = operated.store;
    const sold = [60, 120].map((price) => operated.sell({ price }));
    for (const { id } of sold) await tellOf(operated, 'order', id);
    // Not shipped, so it was never sent.
    actions.placeOrder({
      lines: [{ title: 'Hat', price: 9 }],
      customerId: sold[0]?.customerId,
      payment: 'paid',
    });
    await operated.work();
    const totals = () => operated.loyalty.state().orders.map(({ OrderTotal }) => OrderTotal);
    expect(totals().toSorted()).toEqual([120, 60]);

    const { code, stdout } = await operated.run('resend --since 1d');
    expect(stdout).toContain('2: 2 earn less, 0 earn more');
    expect(stdout).toContain('180.00 before, 150.00 after');
    expect(stdout).toMatch(/^#\d+ +60\.00 +50\.00$/m);
    expect(stdout).toContain('Nothing was sent.');
    expect(code).toBe(0);
    const json = JSON.parse((await operated.run('resend --since 1d --json')).stdout);
    expect(json.data).toMatchObject({ lookedAt: 3, changed: 2, before: 180, after: 150, sent: 0 });
    expect(await operated.queues.waiting()).toBe(0);

    const done = await operated.run('resend --since 1d --yes');
    expect(done.code).toBe(0);
    expect(done.stdout).toContain('2 orders sent to the queue');
    expect(await operated.queues.waiting()).toBe(2);
  });
});
