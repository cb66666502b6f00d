import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { callApi, completedOrder, orders, send } from './server-requests.ts';
import { startSandbox } from './start-sandbox.ts';

let sandbox: LoyaltySandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const get = (path: string) => send(sandbox.address, 'GET', path);

describe('the API page', () => {
  it('loads everything it needs from the sandbox', async () => {
    const { status, headers, text } = await get('/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const references = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(references).toContain('/docs-assets/swagger-ui-bundle.js');
    for (const path of references) {
      expect(path).toMatch(/^\//);
      expect(await get(path)).toMatchObject({ status: 200 });
    }
  });

  it('describes the contract with the sandbox as its server, under the name it was asked by', async () => {
    const { json } = await send(sandbox.address, 'GET', '/openapi.json', {
      headers: { host: 'localhost:4010' },
    });
    expect(json).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'http://localhost:4010' }],
      components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
    });
    expect((await get('/openapi.yaml')).text).toMatch(/^openapi: 3\.1\.0/);
  });
});

describe('the state page', () => {
  it('never runs what came in with the data', async () => {
    const attack = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
    await callApi(sandbox, 'PUT', `/v1/pvt/Product/${encodeURIComponent(attack)}`, {
      OriginalId: attack,
      Title: attack,
      IsActive: true,
      ProductBrand: { OriginalId: attack, Name: attack },
    });
    await callApi(sandbox, 'POST', orders, {
      ...completedOrder(attack, attack),
      OrderStatus: attack,
      Coupon: attack,
    });
    await callApi(sandbox, 'POST', '/v1/pvt/Coupons', { OriginalId: attack, CouponCode: attack });
    await callApi(sandbox, 'POST', orders, attack);
    await callApi(sandbox, 'GET', "/v1/<script>alert('path')</script>");
    for (const path of ['/state', '/state/fragment']) {
      const { text } = await get(path);
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(text).not.toContain('<script>');
      expect(text).not.toContain('<img');
      expect(text).not.toMatch(/"'>/);
    }
  });
});

describe('every page', () => {
  it.each(['/', '/state', '/state/fragment'])(
    '%s runs no script but files of the sandbox',
    async (path) => {
      const { headers, text } = await get(path);
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
      expect(text).not.toMatch(/<script(?![^>]* src=)/);
    },
  );

  it.each([
    '/docs-assets/../package.json',
    '/docs-assets/%2e%2e/package.json',
    '/docs-assets/package.json',
    '/assets/../state-page.ts',
    '/assets/',
    '//etc/passwd',
    '/__proto__',
    '/nothing',
    '*',
    'http://127.0.0.1/state',
  ])('gives no file for %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});
