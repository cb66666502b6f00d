import { describe, expect, it } from 'vitest';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { createLoyaltyClient } from '../../../shared/loyalty/client.ts';
import { buildPath } from '../../../shared/loyalty/operations.ts';
import { loyaltyAddress } from '../../../shared/services/shop-loyalty.ts';
import { adminAddress } from '../../../shared/shopify/admin/client/admin-client.ts';

const connector = defineConnector({
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
});
const credentials = { token: 'token', key: 'key' };
const SHOP = 'example-store.myshopify.com';

/** Where no credential may go, whatever a variable of the environment says. */
const ELSEWHERE = [
  'http://169.254.169.254/latest/meta-data',
  'http://evil.example',
  'https://evil.example',
  'http://127.0.0.1.evil.example',
  'http://127.0.0.1@evil.example',
  'http://localhost@evil.example',
  'http://localhost.evil.example',
  'http://10.0.0.7',
  'ftp://127.0.0.1',
  'file:///etc/passwd',
];

describe('credentials go to the configured service and nowhere else', () => {
  it.each(ELSEWHERE)('a sandbox is of this machine: %s is none', (address) => {
    expect(() => loyaltyAddress(connector, address)).toThrow(/sandbox/);
    expect(() => adminAddress(SHOP, address)).toThrow(/sandbox/);
  });

  it('the store is asked at the shop’s own domain', () => {
    expect(adminAddress(SHOP)).toBe(`https://${SHOP}`);
    for (const shop of [
      'evil.example',
      `${SHOP}.evil.example`,
      `evil.example/${SHOP}`,
      `x@${SHOP}`,
    ]) {
      expect(() => adminAddress(shop)).toThrow(/myshopify/);
    }
  });

  it('the client itself takes no plain address but this machine’s', () => {
    for (const address of ELSEWHERE.filter((one) => !one.startsWith('https:'))) {
      expect(() => createLoyaltyClient({ baseUrl: address, credentials })).toThrow(/base address/);
    }
  });

  it.each([
    ['../../admin', '/v1/orders/..%2F..%2Fadmin/cancel'],
    ['..', '/v1/orders/%2E%2E/cancel'],
    ['1?x=2#y', '/v1/orders/1%3Fx%3D2%23y/cancel'],
    ['1\r\nHost: evil.example', '/v1/orders/1%0D%0AHost%3A%20evil.example/cancel'],
    ['a\ud800', '/v1/orders/a%EF%BF%BD/cancel'],
  ])('an id is one part of a path and no more: %j', (id, path) => {
    expect(buildPath('/v1/orders/{id}/cancel', { id })).toBe(path);
  });
});
