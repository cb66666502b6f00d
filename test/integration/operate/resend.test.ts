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
    const unsent = actions.placeOrder({
      lines: [{ title: 'Hat', price: 9 }],
      customerId: sold[0]?.customerId,
      payment: 'paid',
    });
    await operated.work();
    const totals = () => operated.loyalty.state().orders.map(({ OrderTotal }) => OrderTotal);
    expect(totals().toSorted()).toEqual([120, 60]);

    const ids = [...sold, unsent].map(({ id }) => id).join(' ');
    const kept = await operated.run(`resend order ${ids}`);
    expect(kept.stdout).not.toContain('--yes');
    const one = await operated.run(`resend order ${sold[0]?.id} --new-rules`);
    expect(one.stdout).toMatch(/^amount that counts +50.00 +60.00 +60.00 +differs$/m);
    const { code, stdout } = await operated.run(`resend order ${ids} --new-rules`);
    expect(stdout).toContain('Nothing is done before you agree.');
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/Send 2 orders: npx .*--new-rules/);
    expect(code).toBe(0);
    expect(await operated.queues.waiting()).toBe(0);

    const done = await operated.run(`resend order ${ids} --new-rules --yes`);
    expect(done.code).toBe(0);
    expect(done.stdout).toContain('2 orders put on the queue');
    expect(await operated.queues.waiting()).toBe(2);
  });
});
