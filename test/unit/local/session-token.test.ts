import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { customerToken } from '../../../local/extension-host/session-token.ts';

const signer = {
  shopDomain: 'example-store.myshopify.com',
  clientId: 'client',
  secret: 'app-secret',
  now: new Date('2026-11-15T12:00:00Z'),
};

const claimsOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe("the host's session tokens", () => {
  it('carry the claims that Shopify documents for customer accounts, for five minutes', () => {
    const second = signer.now.getTime() / 1000;
    expect(claimsOf(customerToken(signer, '42'))).toEqual({
      aud: 'client',
      dest: 'example-store.myshopify.com',
      exp: second + 300,
      iat: second,
      nbf: second,
      jti: expect.stringMatching(/^[\da-f-]{36}$/),
      sub: 'gid://shopify/Customer/42',
    });
  });

  it('name no customer where none is logged in', () => {
    expect(claimsOf(customerToken(signer, undefined))).not.toHaveProperty('sub');
  });

  it("are signed with the app's secret", () => {
    const [head, body, signature] = customerToken(signer, '42').split('.');
    const expected = createHmac('sha256', 'app-secret').update(`${head}.${body}`);
    expect(signature).toBe(expected.digest('base64url'));
  });
});
