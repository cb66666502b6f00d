import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { askAdmin, control } from '../../support/ask-admin.ts';

let sandbox: StoreSandbox;
beforeAll(async () => {
  sandbox = await startStoreSandbox({
    webhooksTo: 'http://127.0.0.1:9/nobody',
    settings: { retryPausesSeconds: [] },
  });
});
afterAll(() => sandbox.stop());

describe('the page', () => {
  const hostile = '<img src=x onerror="alert(1)">\'"&</script><script>alert(2)</script>';

  it('escapes every text of the store, and runs no script from it', async () => {
    const customer = sandbox.actions.createCustomer({
      firstName: hostile,
      lastName: hostile,
      email: hostile,
      phone: hostile,
    });
    const product = sandbox.actions.createProduct({
      title: hostile,
      vendor: hostile,
      productType: hostile,
      price: 1,
    });
    sandbox.actions.createDiscount({ title: hostile, codes: [hostile], percentage: 1 });
    sandbox.actions.placeOrder({
      lines: [{ variantId: product.variants[0]?.id ?? '' }, { title: hostile, price: 1 }],
      customerId: customer.id,
      discounts: [{ code: hostile }],
    });
    await sandbox.deliveries.settled();
    for (const path of ['/', '/fragment']) {
      const response = await fetch(sandbox.address + path);
      const text = await response.text();
      expect(text).toContain('&lt;img src=x');
      expect(text).not.toContain('<img');
      expect(text.match(/<script/g) ?? []).toHaveLength(path === '/' ? 1 : 0);
      const policy = response.headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
    }
  });

  it('offers only actions that the store accepts', async () => {
    const text = await (await fetch(`${sandbox.address}/fragment`)).text();
    const readBack = (value: string) =>
      value
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&');
    const buttons = [...text.matchAll(/data-action="(\w+)" data-input="([^"]*)"/g)];
    expect(new Set(buttons.map(([, action]) => action)).size).toBeGreaterThan(10);
    const seen = new Set<string>();
    for (const [, action = '', input = ''] of buttons) {
      if (seen.has(action) || action.startsWith('delete') || action === 'redactCustomer') continue;
      seen.add(action);
      const response = await control(
        sandbox,
        'POST',
        `actions/${action}`,
        JSON.parse(readBack(input)),
      );
      expect([action, response.status]).toEqual([action, 200]);
    }
  });
});

describe('Shopify Flow', () => {
  it('shows the triggers that it was sent', async () => {
    const sent = 'flowTriggerReceive(handle: "tier-changed", payload: "<b>")';
    await askAdmin(sandbox, `mutation { ${sent} { userErrors { field } } }`);
    expect(sandbox.state().triggers).toMatchObject([{ handle: 'tier-changed', payload: '<b>' }]);
    const text = await (await fetch(`${sandbox.address}/fragment`)).text();
    expect(text).toContain('tier-changed');
  });
});

it('forgets its subscriptions, as when the app is installed anew', async () => {
  expect(sandbox.state().subscriptions).toHaveLength(1);
  expect((await control(sandbox, 'DELETE', 'subscriptions')).status).toBe(200);
  expect(sandbox.state().subscriptions).toEqual([]);
});
