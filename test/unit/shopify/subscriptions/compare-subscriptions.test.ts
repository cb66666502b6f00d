import { describe, expect, it } from 'vitest';
import {
  compareSubscriptions,
  isInOrder,
} from '../../../../shared/shopify/subscriptions/subscriptions.ts';
import {
  type ExistingSubscription,
  shopAddress,
  wantedSubscriptions,
} from '../../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { complianceTopics, topicRoutes } from '../../../../shared/shopify/webhooks/topics.ts';

const HERE = 'https://hooks.example.com';
const uri = shopAddress(HERE, 'shop');
const rules = { customers: 'from-sign-up', lostDisputes: 'take-back' } as const;
const wanted = wantedSubscriptions(uri, rules);

let lastId = 0;
function existing(topic: string, given: Partial<ExistingSubscription> = {}): ExistingSubscription {
  lastId += 1;
  const includeFields = wanted.find((one) => one.topic === topic)?.includeFields ?? [];
  return {
    id: `gid://shopify/WebhookSubscription/${lastId}`,
    topic,
    uri,
    includeFields,
    format: 'JSON',
    filter: undefined,
    metafieldNamespaces: [],
    apiVersion: { handle: '2026-10', supported: true },
    ...given,
  };
}
const all = () => wanted.map(({ topic }) => existing(topic));
const compare = (subscriptions: readonly ExistingSubscription[]) =>
  compareSubscriptions(wanted, subscriptions, HERE);

describe('the wanted subscriptions', () => {
  it('cover every topic that the connector handles, except the compliance topics', () => {
    const topics = new Set(wanted.map(({ topic }) => topic));
    const handled = [...topicRoutes.keys()].filter((topic) => !complianceTopics.has(topic));
    expect(topics).toEqual(new Set(handled));
    expect(topics).toContain('app/uninstalled');
  });

  it('go to the shop’s own address', () => {
    expect(uri).toBe('https://hooks.example.com/shop');
    expect(shopAddress('https://hooks.example.com/', 'shop')).toBe(uri);
    expect(wanted.every((one) => one.uri === uri)).toBe(true);
  });
});

describe('comparing subscriptions', () => {
  it('finds no difference where all are as wanted', () => {
    const findings = compare(all());
    expect(findings).toMatchObject({ missing: [], wrong: [], extra: [], other: [] });
    expect(findings.fine).toHaveLength(wanted.length);
    expect(findings.version).toBeUndefined();
    expect(isInOrder(findings)).toBe(true);
  });

  it('reports each missing one', () => {
    for (const { topic } of wanted) {
      const findings = compare(all().filter((one) => one.topic !== topic));
      expect(findings.missing.map((one) => one.topic)).toEqual([topic]);
      expect(isInOrder(findings)).toBe(false);
    }
  });

  it.each([
    ['fields', { includeFields: [] }],
    ['fields', { includeFields: ['id'] }],
    ['filter', { filter: 'total_price:>100' }],
    ['format', { format: 'XML' }],
    ['metafields', { metafieldNamespaces: ['facts'] }],
  ] as const)('finds one with other %s wrong', (difference, given) => {
    const wrong = existing('orders/updated', given);
    const findings = compare([...all().filter(({ topic }) => topic !== 'orders/updated'), wrong]);
    expect(findings.wrong).toMatchObject([{ existing: wrong, differs: [difference] }]);
    expect(findings.missing).toEqual([]);
  });

  it('ignores the order of the fields and the spelling of the address', () => {
    const [first, ...rest] = all();
    const turned = existing('orders/create', {
      includeFields: (first?.includeFields ?? []).toReversed(),
      uri: 'HTTPS://Hooks.Example.com/shop/',
    });
    expect(isInOrder(compare([turned, ...rest]))).toBe(true);
  });

  it('reports a duplicate of a topic as extra, and keeps the right one', () => {
    const filtered = existing('orders/paid', { filter: 'test:true' });
    const findings = compare([filtered, ...all()]);
    expect(findings.extra).toEqual([filtered]);
    expect(findings.wrong).toEqual([]);
  });

  it('reports an unknown topic or a former path as extra', () => {
    const unhandled = existing('CARTS_UPDATE');
    const former = existing('orders/create', { uri: `${HERE}/former` });
    expect(compare([...all(), unhandled, former]).extra).toEqual([unhandled, former]);
  });

  it('leaves subscriptions to other addresses alone', () => {
    const others = [
      existing('orders/create', { uri: 'https://hooks.example.com.evil.example/shop' }),
      existing('orders/create', { uri: 'https://other.example.com/shop' }),
      existing('orders/create', { uri: 'arn:aws:events:us-east-1::event-source/x' }),
      existing('orders/create', { uri: 'pubsub://project:topic' }),
    ];
    const findings = compare([...all(), ...others]);
    expect(findings.other).toEqual(others);
    expect(isInOrder(findings)).toBe(true);
    const staged = compareSubscriptions(wanted, others, 'https://hooks.example.com/prod');
    expect(staged.extra).toEqual([]);
  });

  it('reports another API version, and a retired one', () => {
    const older = { apiVersion: { handle: '2026-07', supported: true } };
    const retired = { apiVersion: { handle: '2025-01', supported: false } };
    const [, ...rest] = all();
    expect(compare([existing('orders/create', older), ...rest]).version).toEqual({
      handle: '2026-07',
      retired: false,
    });
    const both = [existing('orders/create', older), existing('orders/updated', retired)];
    expect(compare(both).version).toEqual({ handle: '2025-01', retired: true });
  });

  it('reports all as extra where the app’s configuration creates them', () => {
    const made = all();
    const elsewhere = existing('orders/create', { uri: 'https://other.example.com/shop' });
    const findings = compareSubscriptions([], [...made, elsewhere], HERE);
    expect(findings).toMatchObject({ missing: [], wrong: [], extra: made, other: [elsewhere] });
  });
});
