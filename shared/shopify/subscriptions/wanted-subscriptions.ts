import type * as v from 'valibot';
import { productEventDocument } from '../admin/documents.gen.ts';
import { API_VERSION } from '../entity-id.ts';
import { BESIDE_RECEIVED, orderPayload } from '../webhooks/order-amounts.ts';
import { refundPayload } from '../webhooks/payload-fields.ts';
import { memberPayload, mergePayload } from '../webhooks/read-customer-webhook.ts';
import { productPayload } from '../webhooks/read-product-webhook.ts';
import { complianceTopics, type TopicRoute, topicRoutes } from '../webhooks/topics.ts';

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
    .filter(
      ([, { kind, claim }]) =>
        kind !== 'member' || claim === 'merged' || customers === 'from-sign-up',
    )
    .filter(([topic]) => lostDisputes === 'take-back' || !topic.startsWith('disputes/'))
    .map(([topic, route]) => ({
      topic,
      uri,
      includeFields: webhookFields(topic, route).toSorted(),
    }));
}

/**
 * The connector's part of `shopify.app.toml`: what only the app's configuration can declare. The others are made
 * through the Admin API, which does not show what is declared here: both would send every event twice.
 */
export function appConfiguration(uri: string, products: ProductSource = BY_WEBHOOKS): string {
  const compliance = table('webhooks.subscriptions', [
    ['compliance_topics', [...complianceTopics]],
    ['uri', uri],
  ]);
  const events = wantedEvents(uri, products).map((one) =>
    table('events.subscription', Object.entries(one)),
  );
  return [
    head('webhooks'),
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

/** One `[[events.subscription]]` of shopify.app.toml (Shopify, "Manage Events subscriptions"). */
interface WantedEvents {
  /** Unique in the app; comes back in every delivery. */
  readonly handle: string;
  readonly topic: string;
  readonly actions: readonly ('create' | 'update' | 'delete')[];
  /** Paths of fields. Only an update needs one of them to have changed. */
  readonly triggers: readonly string[];
  readonly uri: string;
  /** Its result is the payload. */
  readonly query: string;
}

/** The settings that decide how changes of products arrive. */
export interface ProductSource {
  readonly productChanges: 'webhooks' | 'events';
}

const BY_WEBHOOKS: ProductSource = { productChanges: 'webhooks' };

/**
 * For the fields that the mapping of products uses. The price is that of the cheapest variant, and fields that
 * Shopify derives cannot be triggers: so all of a variant, which includes its addition and removal, but not its
 * inventory, which belongs to another topic.
 */
export const PRODUCT_TRIGGERS: readonly string[] = [
  'product.title',
  'product.handle',
  'product.status',
  'product.vendor',
  'product.productType',
  'product.category',
  'product.media.*',
  'product.variants.*',
];

/** See docs/decisions/0020-subscriptions-follow-from-the-code.md. */
export function wantedEvents(uri: string, source: ProductSource): readonly WantedEvents[] {
  if (source.productChanges === 'webhooks') return [];
  const events: WantedEvents = {
    handle: 'loyalty_products',
    topic: 'Product',
    actions: ['create', 'update', 'delete'],
    triggers: PRODUCT_TRIGGERS,
    uri,
    query: withoutFragments(productEventDocument.text),
  };
  return [events];
}

/** The webhook topics whose changes the Events announce. */
export function topicsOfEvents({ productChanges }: ProductSource): ReadonlySet<string> {
  if (productChanges === 'webhooks') return new Set();
  const ofProducts = [...topicRoutes].filter(([, { kind }]) => kind === 'product');
  return new Set(ofProducts.map(([topic]) => topic));
}

/** Whether the query of a subscription may have fragments is not documented. */
function withoutFragments(text: string): string {
  const [query = '', ...fragments] = text.split(/(?=fragment \w+ on \w+\{)/);
  return fragments.reduce((whole, fragment) => {
    const [, name = '', fields = ''] = /^fragment (\w+) on \w+\{(.*)\}$/.exec(fragment) ?? [];
    return whole.replaceAll(`...${name}`, () => fields);
  }, query);
}

/** Fields of the body, each with those inside it: what a reader's schema names. */
type Fields = ReadonlyMap<string, Fields>;

/**
 * What the subscriptions ask for is what the readers' schemas name, so a body with only these fields reads exactly like
 * the whole body (test/integration/webhook-fields.test.ts).
 *
 * A dot selects a field of an object or of each entry of a list (Shopify, "Modify your payloads"). At most one dot:
 * deeper paths are not documented.
 */
function fieldsOf(schema: v.GenericSchema): readonly string[] {
  return [...fieldsIn(schema)].flatMap(([field, inside]) => {
    if (inside.size === 0 || field === WHOLE) return field;
    return [...inside.keys()].map((inner) => `${field}.${inner}`);
  });
}

/**
 * The key `tip_payment_gateway` marks a tip, and it is not documented what selecting a key does to entries that lack it.
 * Reading every line as a tip would empty the order.
 */
const WHOLE = 'line_items';

/** The parts of a schema of valibot in which others may be. */
interface Parts {
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly item?: v.GenericSchema;
  readonly wrapped?: v.GenericSchema;
  readonly pipe?: readonly (v.GenericSchema | { readonly kind: 'transformation' | 'validation' })[];
}

function fieldsIn(schema: v.GenericSchema): Fields {
  const { entries = {}, item, wrapped, pipe = [] } = schema as v.GenericSchema & Parts;
  const named = Object.entries(entries).filter(([field]) => !isUnneeded(field, entries));
  const inner = [item, wrapped, ...pipe].filter((one) => one?.kind === 'schema');
  return new Map([
    ...named.map(([field, value]) => [field, fieldsIn(value)] as const),
    ...inner.flatMap((one) => [...fieldsIn(one)]),
  ]);
}

/** The global id says more than the number beside it. */
const isUnneeded = (field: string, entries: object) =>
  BESIDE_RECEIVED.has(field) || (field === 'id' && 'admin_graphql_api_id' in entries);

/** Empty: the whole body, which is small. */
function webhookFields(topic: string, { kind, carries }: TopicRoute): readonly string[] {
  switch (carries) {
    case 'entity':
      if (kind === 'member') return fieldsOf(memberPayload);
      return fieldsOf(kind === 'order' ? orderPayload : productPayload);
    case 'merge':
      return fieldsOf(mergePayload);
    case 'order-reference':
      if (topic === 'orders/edited') return [];
      return topic.startsWith('disputes/') ? ['order_id'] : fieldsOf(refundPayload);
    // The body holds the owner's address too; the domain is enough.
    case 'shop':
      return ['myshopify_domain'];
    case 'deletion':
    case 'discount':
    case 'compliance':
    case 'event':
      return [];
  }
}
