import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { control } from './ask-admin.ts';

let sandbox: StoreSandbox;
beforeAll(async () => {
  sandbox = await startStoreSandbox({
    webhooksTo: 'http://127.0.0.1:9/nobody',
    settings: { retryPausesSeconds: [] },
  });
});
afterAll(() => sandbox.stop());

describe('the control API', () => {
  it('performs every action over HTTP and returns its result', async () => {
    const placed = await control(sandbox, 'POST', 'actions/placeOrder', {
      lines: [{ title: 'Thing', price: '9.99' }],
    });
    const { result } = (await placed.json()) as { result: { id: string } };
    expect(placed.status).toBe(200);
    const paid = await control(sandbox, 'POST', 'actions/payOrder', { orderId: result.id });
    expect(paid.status).toBe(200);
    const state = (await (await control(sandbox, 'GET', 'state')).json()) as { orders: unknown[] };
    expect(state.orders).toMatchObject([
      { id: result.id, financialStatus: 'paid', totals: { totalMinor: 999 } },
    ]);
  });

  it.each([
    ['placeOrder', { lines: [] }, 'lines'],
    ['placeOrder', { lines: [{ title: 'x', price: '1.999' }] }, 'not an amount'],
    ['placeOrder', { lines: [{ title: 'x' }] }, 'price'],
    ['placeOrder', { lines: [{ title: 'x', price: 1 }], surprise: 1 }, 'surprise'],
    [
      'placeOrder',
      { lines: [{ title: 'x', price: 1 }], discounts: [{ code: 'NOSUCH' }] },
      'NOSUCH',
    ],
    ['payOrder', { orderId: '404' }, '404'],
    ['createDiscount', { codes: ['WELCOME10'], percentage: 1 }, 'taken'],
    ['createDiscount', { codes: ['A', 'a'], percentage: 1 }, 'taken'],
    ['deleteProduct', null, 'productId'],
  ])('answers 422 to %s with %o, says why, and changes nothing', async (action, input, why) => {
    const before = await (await control(sandbox, 'GET', 'state')).text();
    const response = await control(sandbox, 'POST', `actions/${action}`, input);
    expect(response.status).toBe(422);
    expect(await response.text()).toContain(why);
    const strip = (text: string) => text.replace(/"now":"[^"]+"/, '');
    expect(strip(await (await control(sandbox, 'GET', 'state')).text())).toBe(strip(before));
  });

  it.each([
    'actions/constructor',
    'actions/__proto__',
    'actions/nothing',
    'nothing',
    'actions/placeOrder/x',
  ])('has no %s', async (path) => {
    expect((await control(sandbox, 'POST', path, {})).status).toBe(404);
  });

  it('refuses requests that a page of another origin could send, and other host names', async () => {
    const forged = await fetch(`${sandbox.address}/sandbox/actions/placeRandomOrder`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    });
    expect(forged.status).toBe(415);
    const { port } = new URL(sandbox.address);
    const status = await new Promise((resolve, reject) => {
      http
        .get(
          { port, host: '127.0.0.1', path: '/sandbox/state', headers: { host: 'evil.example' } },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        )
        .on('error', reject);
    });
    expect(status).toBe(403);
    const preflight = await fetch(`${sandbox.address}/sandbox/actions/placeRandomOrder`, {
      method: 'OPTIONS',
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    expect(preflight.status).toBe(405);
  });

  it('moves the clock forward only', async () => {
    const { now } = sandbox.state();
    await control(sandbox, 'POST', 'clock', { seconds: 86_400 });
    expect(Date.parse(sandbox.state().now) - Date.parse(now)).toBeGreaterThanOrEqual(86_400_000);
    for (const seconds of [-1, 'x', null, 1e12]) {
      expect((await control(sandbox, 'POST', 'clock', { seconds })).status).toBe(400);
    }
  });
});

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

  it('loads nothing from other origins', async () => {
    const text = await (await fetch(sandbox.address)).text();
    const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect(link).toMatch(/^[/#]/);
    for (const link of links.filter((one) => one.startsWith('/'))) {
      expect((await fetch(sandbox.address + link)).status).toBe(200);
    }
  });

  it('answers a browser with a page and a program with JSON where there is nothing', async () => {
    const ask = (accept: string) => fetch(`${sandbox.address}/nothing`, { headers: { accept } });
    const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8');
    expect([page.status, page.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    expect(await page.text()).toContain('There is no such page');
    expect(await (await ask('*/*')).json()).toEqual({
      problems: [expect.stringContaining('/sandbox/')],
    });
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
