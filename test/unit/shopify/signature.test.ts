import '@shopify/shopify-api/adapters/node';
import { createHmac } from 'node:crypto';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestHeaders } from '../../../shared/core/events/receive-delivery.ts';
import {
  checkSignature,
  readSignature,
  readWebhookHeaders,
} from '../../../shared/shopify/webhooks/topics.ts';

const secret = 'the-secret-of-this-test';
const sign = (body: string | Uint8Array, key = secret) =>
  createHmac('sha256', key).update(body).digest('base64');

const library = shopifyApi({
  apiKey: 'key',
  apiSecretKey: secret,
  apiVersion: ApiVersion.July26,
  hostName: 'example.com',
  isEmbeddedApp: false,
  logger: { log: () => {} },
});

/** The result of Shopify's own library. */
async function libraryAccepts(body: string, headers: RequestHeaders): Promise<boolean> {
  const { valid } = await library.webhooks.validate({
    rawBody: body,
    rawRequest: { method: 'POST', url: '/', headers } as never,
    rawResponse: {} as never,
  });
  return valid;
}

function weAccept(body: string, headers: RequestHeaders): boolean {
  const signature = readSignature(headers);
  return (
    signature !== undefined &&
    checkSignature(Buffer.from(body), signature, { current: secret }) !== 'invalid' &&
    readWebhookHeaders(headers).kind === 'read'
  );
}

describe('the signature check', () => {
  const bodies = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
  const names = ['hmac-sha256', 'topic', 'shop-domain', 'webhook-id', 'api-version'];
  const text = fc.stringMatching(/^[a-z0-9/.-]{1,20}$/);

  it("agrees with Shopify's own library on arbitrary bodies, signatures and headers", async () => {
    const signature = (body: string) =>
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(sign(body)) },
        fc.constant(sign(body, 'another secret')),
        fc.constant(sign(`${body} `)),
        fc.constant(sign(body).slice(0, -1)),
        fc.constant(sign(body).replaceAll('=', '')),
        fc.constant(sign(body).toLowerCase()),
        fc.base64String({ minLength: 4 }),
      );
    const requests = bodies.chain((body) =>
      fc.record({
        body: fc.constant(body),
        signature: signature(body),
        prefix: fc.constantFrom('x-shopify-', 'shopify-', 'X-Shopify-', 'X-SHOPIFY-'),
        values: fc.record({
          topic: text,
          'shop-domain': text,
          'webhook-id': text,
          'api-version': text,
        }),
        left: fc.subarray(names, { minLength: 4 }),
      }),
    );
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(requests, async ({ body, signature, prefix, values, left }) => {
        const all = { 'hmac-sha256': signature, ...values };
        const headers = Object.fromEntries(
          Object.entries(all).flatMap(([name, value]) =>
            left.includes(name) ? [[prefix + name, value]] : [],
          ),
        );
        const ours = weAccept(body, headers);
        accepted += ours ? 1 : 0;
        expect(ours).toBe(await libraryAccepts(body, headers));
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(20);
  });

  it('covers any raw bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(), (body, at) => {
        expect(checkSignature(body, sign(body), { current: secret })).toBe('current');
        const rotated = { current: 'new', previous: secret };
        expect(checkSignature(body, sign(body), rotated)).toBe('previous');
        if (body.length === 0) return;
        const changed = body.map((byte, index) => (index === at % body.length ? byte ^ 1 : byte));
        expect(checkSignature(changed, sign(body), { current: secret })).toBe('invalid');
      }),
    );
  });

  it('refuses a signature that only decodes to the right bytes', () => {
    const body = Buffer.from('{}');
    const padded = `${sign(body)}==`;
    expect(Buffer.from(padded, 'base64')).toEqual(Buffer.from(sign(body), 'base64'));
    expect(checkSignature(body, padded, { current: secret })).toBe('invalid');
  });
});
