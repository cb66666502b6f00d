import { describe, expect, it } from 'vitest';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { placeOrder } from '../../support/placed-order.ts';

const operated = useOperatedConnector();
const orders = () => operated.loyalty.state().orders.length;
const pastRun = async () => (await operated.run('history')).stdout;

describe('loyalty-connector retry-now', () => {
  it('says that nothing waits, and asks for a reason that exists', async () => {
    const { code, stdout } = await operated.run('retry-now');
    expect(stdout).toContain('No such message waits.');
    expect(code).toBe(0);
    const wrong = await operated.run('retry-now --reason bad-luck');
    expect(wrong.stderr).toContain('loyalty, store, throttled, misconfigured');
    expect(wrong.code).toBe(2);
  });

  it('sends at once what waited for half an hour for a refused account, by reason and queue', async () => {
    operated.loyalty.faults.add({ kind: 'business-error', code: 76 });
    await placeOrder(operated);
    await placeOrder(operated);
    await operated.work();
    operated.loyalty.faults.clear();
    await operated.work();
    expect(orders()).toBe(0);

    for (const line of ['retry-now --queue coupons', 'retry-now --reason store']) {
      expect((await operated.run(line)).stdout).toContain('2 others wait.');
    }
    await operated.work();
    expect(orders()).toBe(0);

    const { code, stdout, stderr } = await operated.run(
      `retry-now --reason misconfigured --queue orders --shop ${SHOP}`,
    );
    expect(stderr).toBe('');
    expect(stdout).toContain('2 messages are tried again now: orders 2.');
    expect(stdout).not.toContain('paused');
    expect(code).toBe(0);
    await operated.work();
    expect(orders()).toBe(2);
    expect(await pastRun()).toMatch(/retry-now/);

    // The records of the waits are still there; the messages are not.
    const again = JSON.parse((await operated.run('retry-now --json')).stdout);
    expect(again).toEqual({ woken: 0, gone: 2, left: 0, pauses: [] });
  });
});
