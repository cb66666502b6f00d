import { describe, expect, it } from 'vitest';
import { createEmfTelemetry } from '../../../shared/aws/emf-telemetry.ts';
import { defineConnector, type Shop } from '../../../shared/config/connector-config.ts';
import { errorFields } from '../../../shared/core/events/telemetry.ts';
import { readAnswer } from '../../../shared/loyalty/client.ts';
import { buildPath } from '../../../shared/loyalty/operations.ts';
import { loyaltyAddress } from '../../../shared/services/shop-loyalty.ts';
import { adminAddress } from '../../../shared/shopify/admin/client/admin-client.ts';

const connector = defineConnector({
  shops: [{ domain: 'example-store.myshopify.com' }, { domain: 'second-store.myshopify.com' }],
  rules: { currency: 'EUR' },
  loyalty: { address: 'https://loyalty.example.com' },
});
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
    const [first, second] = connector.shops;
    if (!first || !second) throw new Error('two shops are needed');
    const loyalty = (shop: Shop, sandboxes: string) => loyaltyAddress(connector, shop, sandboxes);
    expect(() => loyalty(first, address)).toThrow(/sandbox/);
    expect(() => loyalty(second, address)).toThrow(/sandbox/);
    expect(loyalty(first, `http://127.0.0.1:1 ${address}`)).toBe('http://127.0.0.1:1');
    expect(() => loyalty(second, `http://127.0.0.1:1 ${address}`)).toThrow(/sandbox/);
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

const HOSTILE = [
  'a\r\n{"level":"error","message":"forged"}',
  '\u001b[2J\u001b[31mred',
  '"}\n{"_aws":{"CloudWatchMetrics":[{"Namespace":"AWS/Billing"}]}}',
  '\u2028\u2029\u0085',
  '\ud800',
];

function told(act: (telemetry: ReturnType<typeof createEmfTelemetry>) => void): string[] {
  const lines: string[] = [];
  const settings = {
    ...({ namespace: 'LoyaltyConnector/test', service: 'receive-webhook' } as const),
    monitoring: 'full',
  } as const;
  const telemetry = createEmfTelemetry(settings, (line) => lines.push(line));
  act(telemetry);
  telemetry.flush();
  return lines;
}

describe('a log line', () => {
  it.each(HOSTILE)('stays one line of JSON whatever a header or an id holds: %j', (text) => {
    const lines = told(({ log }) =>
      log('info', 'received', { correlationId: text, id: text, topic: text }),
    );
    expect(lines).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u007f]/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'received', id: text });
    expect(JSON.parse(lines[0] ?? '')).not.toHaveProperty('_aws');
  });

  it('reports an error by its kind and place, never by its message', () => {
    const message = `cannot read ${HOSTILE.join(' ')} of robin@example.com\nlooked at vermilion doors`;
    const error = Object.assign(new TypeError(message), { code: 'ENOENT' });
    const fields = errorFields(error);
    expect(JSON.stringify(fields)).not.toMatch(/robin|forged|vermilion/);
    expect(fields).toMatchObject({ error: 'TypeError', errorCode: 'ENOENT' });
    expect(fields.stack).toMatch(/^at .*addresses\.test\.ts:.* < at /);
    expect(errorFields('robin')).toEqual({ error: 'string' });
  });

  it.each(HOSTILE)('takes the service’s own words on one line: %j', (text) => {
    const result = readAnswer(
      'sendOrder',
      {
        kind: 'answer',
        status: 200,
        headers: {},
        text: JSON.stringify({ HasError: true, ErrorCode: 50, ErrorMessage: `No. ${text}` }),
      },
      { input: {}, hidden: () => [] },
      new Date(0),
    );
    const { message } = result as { message: string };
    expect(message).toContain('No.');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(message).not.toMatch(/[\u0000-\u001f\u007f]/);
  });
});
