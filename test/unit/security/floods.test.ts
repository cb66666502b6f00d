import { describe, expect, it } from 'vitest';
import { createEmfTelemetry } from '../../../shared/aws/emf-telemetry.ts';
import { receiveDelivery } from '../../../shared/core/events/receive-delivery.ts';
import type { Telemetry } from '../../../shared/core/events/telemetry.ts';
import { receivePoints } from '../../../shared/rewards/balances/receive-points.ts';
import { serveStorefront } from '../../../shared/shopify/storefront-requests/serve-storefront.ts';
import { shopifyDeliveries } from '../../../shared/shopify/webhooks/topics.ts';
import { synthesizeStack } from '../../support/synthesized-stack.ts';
import { alarmsOf, readMetricLine, rings } from '../../support/watched-metrics.ts';

const SHOP = 'example-store.myshopify.com';
const NOON = Date.parse('2026-10-09T12:00:00.000Z');
const alarms = alarmsOf(synthesizeStack({ storefront: {} }, 'test'));

const held = { current: 'secret-of-the-shop' };
const secrets = {
  get: async () => held,
  refresh: async () => ({ kind: 'unchanged', value: held }) as const,
};
const queue = { send: async () => Promise.reject(new Error('a forged request was queued')) };
const body = Buffer.from('{}');
/** As long as one of the store: another form is refused before anything is counted. */
const FORGED_HMAC = Buffer.alloc(32).toString('base64');

type Deps = { readonly telemetry: Telemetry; readonly now: () => Date };
type Address = (deps: Deps) => Promise<{ readonly status: number }>;

/** A request with a wrong proof for a known shop, at each public address. */
const FORGED: readonly (readonly [alarm: string, address: Address])[] = [
  [
    'signatures-refused',
    (deps) =>
      receiveDelivery(
        { method: 'POST', path: '/shop', headers: { 'x-shopify-hmac-sha256': FORGED_HMAC }, body },
        {
          shops: new Map([['/shop', { domain: SHOP, secrets, deliveries: shopifyDeliveries }]]),
          ...{ ...deps, queue, countOfEntity: () => 1 },
        },
      ),
  ],
  [
    'point-events-refused',
    (deps) =>
      receivePoints(
        { method: 'POST', path: `/shop/${'A'.repeat(43)}`, headers: {}, body },
        {
          shops: new Map([['shop', { domain: SHOP, tokens: secrets }]]),
          ...{ ...deps, queue, customerIdIn: 'Id' },
        },
      ),
  ],
  [
    'storefront-refused',
    (deps) =>
      serveStorefront(
        { method: 'GET', path: '/shop/me', query: 'signature=AAAA', headers: {}, body },
        {
          ...deps,
          shops: new Map([['shop', { domain: SHOP, secrets } as never]]),
          script: async () => Promise.reject(new Error('the script was sent')),
        },
      ),
  ],
];

/** So many requests to one process, spread over so many seconds. */
async function flood(address: Address, count: number, seconds: number) {
  const lines: string[] = [];
  const clock = { ms: NOON };
  const now = () => new Date(clock.ms);
  const settings = { namespace: 'Flood', service: 'receive-webhook', monitoring: 'full' } as const;
  const telemetry = createEmfTelemetry(settings, (line) => lines.push(line), now);
  for (let sent = 0; sent < count; sent += 1) {
    expect((await address({ telemetry, now })).status).toBe(401);
    telemetry.flush();
    clock.ms += (seconds * 1_000) / count;
  }
  const metrics = lines.map((line) => JSON.parse(line)).filter((line) => '_aws' in line);
  const written = metrics.flatMap(readMetricLine).flatMap(({ values }) => values);
  return { lines: lines.length, counted: written.reduce((sum, value) => sum + value, 0) };
}

describe.each(FORGED)('a flood of forged requests for a known shop, by which %s', (id, address) => {
  it('writes a few lines a minute, and not one for each request', async () => {
    // Lambda lets ten a second through for each copy of a function.
    const { lines, counted } = await flood(address, 6_000, 600);
    expect(lines).toBeLessThan(300);
    expect(counted).toBeGreaterThan(3_000);
    expect(counted).toBeLessThanOrEqual(6_000);
  });

  it('rings its alarm, also as one burst', async () => {
    const alarm = alarms.find(({ name }) => name.endsWith(`-${id}`));
    if (!alarm) throw new Error(`no alarm ${id}`);
    const { counted } = await flood(address, 40, 2);
    expect(rings(alarm, [counted])).toBe(true);
    expect(rings(alarm, [(await flood(address, 2, 2)).counted])).toBe(false);
  });

  it('writes a single one at once', async () => {
    expect((await flood(address, 1, 1)).counted).toBe(1);
  });
});
