import { describe, expect, it, vi } from 'vitest';
import { checkSettings } from '../../../shared/config/settings-check.ts';
import { runCommand } from '../../support/connector-command.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';

const connector = useOperatedConnector();

describe('loyalty-connector probe', () => {
  it('tries nothing without a yes, and names the account and what it would make', async () => {
    const { code, stdout, stderr } = await connector.run('probe');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Nothing is done before you agree.');
    expect(stdout).toContain(`account of ${SHOP} at ${new URL(connector.loyalty.address).host}`);
    expect(stdout).toContain('3 customers, up to 5 orders, a coupon and a redeemed reward');
    expect(stdout).toContain('npx loyalty-connector probe --yes');
    expect(connector.loyalty.journal.entries()).toEqual([]);
  });

  it('prints each step and the settings to paste, which the settings file takes', async () => {
    const { code, stdout } = await connector.run('probe --yes --wait 0');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^pass +resend +An order sent again replaces the earlier one/m);
    expect(stdout).toMatch(
      /^resend +getCustomerPoints: accepted, PointsBalance \d+\n +sendOrder: accepted, OrderTotal/m,
    );
    const [, printed = ''] = /for connector\.config\.ts\n +(\{.*\})\n$/s.exec(stdout) ?? [];
    const found = JSON.parse(
      printed
        .replace(/(\w+):/g, '"$1":')
        .replaceAll("'", '"')
        .replace(/,(\s*\})/g, '$1'),
    );
    const address = 'https://loyalty.example.com';
    const whole = { ...found, shops: [{ domain: SHOP }], loyalty: { address, ...found.loyalty } };
    expect(checkSettings(whole)).toEqual([]);
    expect(found.loyalty.assumptions.ordersAreReplaced).toBe(true);
    // The settings have no storefront, and a probe must not switch it on.
    expect(found.storefront).toBeUndefined();
  });

  it('undoes everything on Ctrl-C, and ends with 130', async () => {
    const before = connector.loyalty.state().orders.length;
    // The probe waits for points, and cannot read any.
    connector.loyalty.faults.add({ kind: 'http-500', operation: 'getCustomerPoints' });
    let interrupt = () => {};
    const running = runCommand(['probe', '--yes', '--wait', '3600'], {
      folder: connector.folder,
      onOutput(_, child) {
        interrupt = () => child.kill('SIGINT');
      },
    });
    await vi.waitFor(
      () => expect(connector.loyalty.state().orders.length).toBeGreaterThan(before),
      { timeout: 60_000 },
    );
    interrupt();
    const { code, stdout, stderr } = await running;
    connector.loyalty.faults.clear();
    expect(stderr).toContain('Undoing what was created, then stopping.');
    expect(stdout).toContain('Not all steps were tried.');
    expect(code).toBe(130);
    const { orders, customers } = connector.loyalty.state();
    expect(orders.filter((order) => !order.IsCancelledOrReturned)).toEqual([]);
    expect(customers.filter((customer) => customer.isActive)).toEqual([]);
  });

  it('ends with 1 when something could not be undone, and says what a person can do', async () => {
    connector.loyalty.faults.add({ kind: 'http-503', operation: 'deactivateCoupon' });
    const { code, stdout } = await connector.run('probe --yes --wait 0');
    connector.loyalty.faults.clear();
    expect(code).toBe(1);
    expect(stdout).toMatch(/coupon probe-\S+: NOT UNDONE \(HTTP 503\)\n +Set it inactive/);
  });
});
