import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import type { Dimensions, Metric, Telemetry } from '../../../shared/core/events/telemetry.ts';
import { createAdminClient } from '../../../shared/shopify/admin/client/admin-client.ts';
import {
  checkSubscriptions,
  createSubscriptions,
  isInOrder,
  type SubscriptionFindings,
} from '../../../shared/shopify/subscriptions/subscriptions.ts';
import { wantedSubscriptions } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { askAdmin } from '../../support/ask-admin.ts';
import { startReceiver, type WebhookReceiver } from '../store-sandbox/webhook-receiver.ts';

const HERE = 'https://hooks.example.com';
const URI = `${HERE}/shop`;

let sandbox: StoreSandbox;
let counted: (readonly [Metric, Dimensions, number])[];
const telemetry: Telemetry = {
  count: (metric, dimensions = {}, value = 1) => counted.push([metric, dimensions, value]),
  log: () => {},
};
const countOf = (metric: Metric) =>
  counted.filter(([name]) => name === metric).reduce((sum, [, , value]) => sum + value, 0);

beforeEach(async () => {
  counted = [];
  sandbox = await startStoreSandbox();
});
afterEach(() => sandbox.stop());

function open(webhookAddress = HERE, productChanges: 'webhooks' | 'events' = 'webhooks') {
  const { accessToken } = sandbox.credentials;
  const value = { kind: 'static', accessToken } as const;
  const client = createAdminClient({
    shop: sandbox.shop.domain,
    secret: { get: async () => value, refresh: async () => value },
    sandboxAddress: sandbox.address,
  });
  return createSubscriptions({
    ask: () => client.until(undefined),
    shopOf: () => ({ path: 'shop', rules: { customers: 'from-sign-up', lostDisputes: 'ignore' } }),
    webhookAddress,
    products: { productChanges },
  });
}

async function check(subscriptions = open()): Promise<SubscriptionFindings> {
  const checked = await subscriptions.check(sandbox.shop.domain);
  if (checked.kind !== 'checked') throw new Error(checked.why);
  return checked.findings;
}

const heal = (subscriptions = open()) =>
  checkSubscriptions(sandbox.shop.domain, { subscriptions, telemetry });

async function subscribe(topic: string, uri: string, rest: object = {}): Promise<void> {
  const answer = await askAdmin(
    sandbox,
    'mutation($t: WebhookSubscriptionTopic!, $s: WebhookSubscriptionInput!) { webhookSubscriptionCreate(topic: $t, webhookSubscription: $s) { userErrors { message } } }',
    { t: topic, s: { uri, ...rest } },
  );
  expect(answer.data.webhookSubscriptionCreate.userErrors).toEqual([]);
}

describe('the subscriptions of a shop', () => {
  it('are made, once, and then in order', async () => {
    expect((await check()).missing).toHaveLength(wantedSubscriptions(URI).length);
    await heal();
    expect(countOf('subscriptions-wrong')).toBe(wantedSubscriptions(URI).length);
    const findings = await check();
    expect(isInOrder(findings)).toBe(true);
    expect(findings.version).toBeUndefined();
    counted = [];
    await heal();
    expect(counted).toEqual([]);
  });

  it('include none of products where Events announce them, and the scheduled run removes none of those', async () => {
    await heal();
    const made = sandbox.state().subscriptions.length;
    counted = [];
    const byEvents = open(HERE, 'events');
    expect((await check(byEvents)).covered.map(({ topic }) => topic).toSorted()).toEqual([
      'products/create',
      'products/delete',
      'products/update',
    ]);
    await heal(byEvents);
    expect(counted).toEqual([]);
    expect(sandbox.state().subscriptions).toHaveLength(made);
    const { covered } = await check(byEvents);
    await byEvents.repair(sandbox.shop.domain, { missing: [], wrong: [], extra: covered });
    await heal(byEvents);
    const left = sandbox.state().subscriptions;
    expect(left).toHaveLength(made - 3);
    expect(left.filter(({ topic }) => topic.startsWith('products/'))).toEqual([]);
  });

  it('are corrected and removed, and what is addressed elsewhere is left alone', async () => {
    await subscribe('ORDERS_CREATE', URI, { includeFields: ['id'], filter: 'test:true' });
    await subscribe('CARTS_UPDATE', URI);
    await subscribe('ORDERS_CREATE', 'https://elsewhere.example.com/shop');
    const found = await check();
    expect(found.wrong.map(({ differs }) => differs)).toEqual([['fields', 'filter']]);
    expect(found.extra.map(({ topic }) => topic)).toEqual(['CARTS_UPDATE']);
    await heal();
    const findings = await check();
    expect(isInOrder(findings)).toBe(true);
    expect(findings.other.map(({ uri }) => uri)).toEqual(['https://elsewhere.example.com/shop']);
  });

  it('are all found beyond the first page', async () => {
    for (let n = 0; n < 130; n += 1) {
      await subscribe('ORDERS_CREATE', `https://elsewhere.example.com/${n}`);
    }
    await heal();
    const findings = await check();
    expect(findings.other).toHaveLength(130);
    expect(isInOrder(findings)).toBe(true);
  });

  it('go on after one that the store refuses', async () => {
    const changes = await open('not an address').repair(sandbox.shop.domain, {
      missing: wantedSubscriptions('not an address').slice(0, 2),
      wrong: [],
      extra: [],
    });
    expect(changes.map(({ done }) => done)).toEqual(['refused', 'refused']);
    expect(changes[0]).toMatchObject({ why: expect.stringContaining('webhookSubscription') });
  });
});

describe('a delivery of such a subscription', () => {
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.stop());

  it('holds the fields that were asked for and no others', async () => {
    await heal(open(receiver.address));
    sandbox.actions.placeRandomOrder();
    await sandbox.deliveries.settled();
    const delivery = sandbox.deliveries.all().find(({ topic }) => topic === 'orders/create');
    const body = JSON.parse(delivery?.body ?? '{}');
    const fields = wantedSubscriptions(URI).find(({ topic }) => topic === 'orders/create');
    const asked = new Set(fields?.includeFields.map((field) => field.split('.')[0]));
    expect(Object.keys(body).filter((name) => !asked.has(name))).toEqual([]);
    expect(body.updated_at).toBeDefined();
    expect(Object.keys(body.fulfillments?.[0] ?? {})).not.toContain('line_items');
  });
});
