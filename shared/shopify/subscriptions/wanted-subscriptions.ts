import { API_VERSION } from '../api-version.ts';
import { complianceTopics, topicRoutes } from '../webhooks/topics.ts';
import { webhookFields } from '../webhooks/webhook-fields.ts';
import { BY_WEBHOOKS, type ProductSource, topicsOfEvents, wantedEvents } from './wanted-events.ts';

export interface WantedSubscription {
  /** `orders/create` */
  readonly topic: string;
  readonly uri: string;
  /** Sorted; empty: the whole body. */
  readonly includeFields: readonly string[];
}

/** One that was created through the Admin API. */
export interface ExistingSubscription extends WantedSubscription {
  /** Global id. */
  readonly id: string;
  /** `JSON`, `XML` */
  readonly format: string;
  readonly filter: string | undefined;
  readonly metafieldNamespaces: readonly string[];
  /** A setting of the app at Shopify; all its subscriptions have the same. */
  readonly apiVersion: { readonly handle: string; readonly supported: boolean };
}

/** The settings that decide whether customers and disputes are subscribed to. */
export interface SubscribedRules {
  readonly customers: 'from-sign-up' | 'with-orders';
  readonly lostDisputes: 'ignore' | 'take-back';
}

const DEFAULTS: SubscribedRules = { customers: 'from-sign-up', lostDisputes: 'ignore' };

/**
 * One subscription for every topic that the connector handles under the shop's rules and no Event announces,
 * at the shop's own address.
 * See docs/decisions/0020-subscriptions-follow-from-the-code.md.
 */
export function wantedSubscriptions(
  uri: string,
  { customers, lostDisputes }: SubscribedRules = DEFAULTS,
  products: ProductSource = BY_WEBHOOKS,
): readonly WantedSubscription[] {
  const announced = topicsOfEvents(products);
  return [...topicRoutes]
    .filter(([topic]) => !complianceTopics.has(topic) && !announced.has(topic))
    .filter(([, { kind }]) => kind !== 'member' || customers === 'from-sign-up')
    .filter(([topic]) => lostDisputes === 'take-back' || !topic.startsWith('disputes/'))
    .map(([topic, route]) => ({
      topic,
      uri,
      includeFields: webhookFields(topic, route).toSorted(),
    }));
}

export function shopAddress(webhookAddress: string, shopPath: string): string {
  return `${webhookAddress.replace(/(?<!\/)\/+$/, '')}/${shopPath}`;
}

/**
 * The connector's part of `shopify.app.toml`. The compliance topics are always in it, Events where the settings
 * ask for them, the others only where the app's configuration creates the subscriptions.
 */
export function appConfiguration(
  uri: string,
  madeBy: 'admin-api' | 'app-configuration',
  rules: SubscribedRules = DEFAULTS,
  products: ProductSource = BY_WEBHOOKS,
): string {
  const compliance = table('webhooks.subscriptions', [
    ['compliance_topics', [...complianceTopics]],
    ['uri', uri],
  ]);
  const wanted = madeBy === 'admin-api' ? [] : wantedSubscriptions(uri, rules, products);
  const groups = Map.groupBy(wanted, (one) => one.includeFields.join());
  const subscriptions = [...groups.values()].map((group) => {
    const fields = group[0]?.includeFields ?? [];
    return table('webhooks.subscriptions', [
      ['topics', group.map(({ topic }) => topic)],
      ['uri', uri],
      ...(fields.length > 0 ? [['include_fields', fields] as const] : []),
    ]);
  });
  const events = wantedEvents(uri, products).map((one) =>
    table('events.subscription', Object.entries(one)),
  );
  return [
    head('webhooks'),
    ...subscriptions,
    compliance,
    ...(events.length > 0 ? [head('events'), ...events] : []),
  ].join('\n');
}

const head = (name: string): string => `[${name}]\napi_version = ${quote(API_VERSION)}\n`;

type Setting = readonly [name: string, value: string | readonly string[]];

function table(name: string, settings: readonly Setting[]): string {
  const lines = settings.map(([setting, value]) => `${setting} = ${write(value)}`);
  return `[[${name}]]\n${lines.join('\n')}\n`;
}

/** One entry per line, so that a diff shows one changed entry as one line. */
function write(value: string | readonly string[]): string {
  if (typeof value === 'string') return quote(value);
  return `[\n${value.map((one) => `  ${quote(one)},\n`).join('')}]`;
}

/** For the characters of topics, addresses and queries, a basic string of TOML is the same as one of JSON. */
const quote = (text: string): string => JSON.stringify(text);
