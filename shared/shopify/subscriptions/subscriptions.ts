import { shopAddress } from '../../core/events/receive-delivery.ts';
import type { Telemetry } from '../../core/events/telemetry.ts';
import type { StoreUnavailable } from '../../core/store/store.ts';
import { type AdminAnswer, failure, unavailable } from '../admin/client/admin-answer.ts';
import type { Ask, DataOf } from '../admin/client/admin-client.ts';
import {
  createSubscriptionDocument,
  deleteSubscriptionDocument,
  updateSubscriptionDocument,
  webhookSubscriptionsDocument,
} from '../admin/documents.gen.ts';
import { API_VERSION } from '../entity-id.ts';
import { topicRoutes } from '../webhooks/topics.ts';
import {
  type ExistingSubscription,
  type ProductSource,
  type SubscribedRules,
  topicsOfEvents,
  type WantedSubscription,
  wantedSubscriptions,
} from './wanted-subscriptions.ts';

interface SubscriptionsSettings {
  readonly ask: (shop: string) => Ask;
  readonly shopOf: (domain: string) => {
    /** The shop's part of the webhook address. */
    readonly path: string;
    readonly rules: SubscribedRules;
  };
  /** Of the deployment, without a shop's part. */
  readonly webhookAddress: string;
  readonly products: ProductSource;
}

type CheckedSubscriptions =
  | { readonly kind: 'checked'; readonly findings: SubscriptionFindings }
  | StoreUnavailable;

type Change =
  | { readonly done: 'created' | 'corrected' | 'removed'; readonly topic: string }
  | { readonly done: 'refused'; readonly topic: string; readonly why: string };

export interface Subscriptions {
  check(shop: string): Promise<CheckedSubscriptions>;
  /** Continues after a refusal. */
  repair(
    shop: string,
    findings: Pick<SubscriptionFindings, 'missing' | 'wrong' | 'extra'>,
  ): Promise<readonly Change[]>;
}

/** The webhook subscriptions that the Admin API shows; it hides those of the app's configuration. */
export function createSubscriptions(settings: SubscriptionsSettings): Subscriptions {
  const { ask, shopOf, webhookAddress, products } = settings;
  return {
    async check(shop) {
      const answer = await listSubscriptions(ask(shop));
      if (answer.kind !== 'data') return unavailable(answer);
      const { path, rules } = shopOf(shop);
      const wanted = wantedSubscriptions(shopAddress(webhookAddress, path), rules, products);
      const ofEvents = topicsOfEvents(products);
      const findings = compareSubscriptions(wanted, answer.data, webhookAddress, ofEvents);
      return { kind: 'checked', findings };
    },

    async repair(shop, { missing, wrong, extra }) {
      const asking = ask(shop);
      const changes: Change[] = [];
      // Extra ones first: a duplicate may prevent the right one from being created.
      for (const one of extra) {
        changes.push(changeOf('removed', one.topic, await removeSubscription(asking, one)));
      }
      for (const { existing, wanted } of wrong) {
        const answer = await correctSubscription(asking, existing, wanted);
        changes.push(changeOf('corrected', wanted.topic, answer));
      }
      for (const wanted of missing) {
        const answer = await createSubscription(asking, wanted);
        changes.push(changeOf('created', wanted.topic, answer));
      }
      return changes;
    },
  };
}

function changeOf(
  done: 'created' | 'corrected' | 'removed',
  topic: string,
  answer: AdminAnswer<unknown>,
): Change {
  if (answer.kind === 'data') return { done, topic };
  if (answer.kind === 'failure') return { done: 'refused', topic, why: unavailable(answer).why };
  const fields = answer.errors.map(({ field, code }) => [field, code].filter(Boolean).join(' '));
  return { done: 'refused', topic, why: `the store does not accept ${fields.join(', ') || 'it'}` };
}

type SubscriptionsData = DataOf<typeof webhookSubscriptionsDocument>;
type SubscriptionPage = SubscriptionsData['webhookSubscriptions'];
type SubscriptionNode = SubscriptionPage['nodes'][number];
type Page = AdminAnswer<SubscriptionsData>;

type Changed = AdminAnswer<ExistingSubscription>;

async function listSubscriptions(ask: Ask): Promise<AdminAnswer<readonly ExistingSubscription[]>> {
  const found: ExistingSubscription[] = [];
  for (let after: string | null = null; ; ) {
    const answer: Page = await ask(webhookSubscriptionsDocument, { after });
    if (answer.kind !== 'data') return answer;
    const { nodes, pageInfo }: SubscriptionPage = answer.data.webhookSubscriptions;
    found.push(...nodes.map(toExisting));
    if (!pageInfo.hasNextPage) return { kind: 'data', data: found };
    // Without a new cursor the loop would never end.
    if (pageInfo.endCursor === null || pageInfo.endCursor === after) return failure('not-the-api');
    after = pageInfo.endCursor;
  }
}

async function createSubscription(ask: Ask, wanted: WantedSubscription): Promise<Changed> {
  const answer = await ask(createSubscriptionDocument, {
    topic: topicEnum(wanted.topic),
    subscription: inputOf(wanted),
  });
  return changed(answer, (data) => data.webhookSubscriptionCreate?.webhookSubscription);
}

/**
 * Where an update keeps something of the old subscription, such as a filter that cannot be emptied, it is
 * deleted and created again.
 */
async function correctSubscription(
  ask: Ask,
  existing: ExistingSubscription,
  wanted: WantedSubscription,
): Promise<Changed> {
  const answer = changed(
    await ask(updateSubscriptionDocument, { id: existing.id, subscription: inputOf(wanted) }),
    (data) => data.webhookSubscriptionUpdate?.webhookSubscription,
  );
  if (answer.kind === 'data' && differences(answer.data, wanted).length > 0) {
    const removed = await removeSubscription(ask, existing);
    return removed.kind === 'data' ? createSubscription(ask, wanted) : removed;
  }
  return answer;
}

async function removeSubscription(
  ask: Ask,
  { id }: Pick<ExistingSubscription, 'id'>,
): Promise<AdminAnswer<{ readonly removed: string }>> {
  const answer = await ask(deleteSubscriptionDocument, { id });
  return answer.kind === 'data' ? { kind: 'data', data: { removed: id } } : answer;
}

function changed<Data>(
  answer: AdminAnswer<Data>,
  node: (data: Data) => SubscriptionNode | null | undefined,
): Changed {
  if (answer.kind !== 'data') return answer;
  const subscription = node(answer.data);
  return subscription
    ? { kind: 'data', data: toExisting(subscription) }
    : failure('unreadable-answer');
}

function inputOf({ uri, includeFields }: WantedSubscription) {
  return { uri, includeFields, format: 'JSON', filter: null, metafieldNamespaces: [] } as const;
}

type TopicEnum = SubscriptionNode['topic'];

/** `orders/partially_fulfilled` is `ORDERS_PARTIALLY_FULFILLED`. */
function topicEnum(topic: string): TopicEnum {
  return topic.replace('/', '_').toUpperCase() as TopicEnum;
}

const topicByEnum = new Map([...topicRoutes.keys()].map((topic) => [topicEnum(topic), topic]));

function toExisting(node: SubscriptionNode): ExistingSubscription {
  const { id, uri, format, includeFields, metafieldNamespaces, apiVersion } = node;
  return {
    id,
    // The store's own name for a topic that the connector does not handle.
    topic: topicByEnum.get(node.topic) ?? node.topic,
    uri,
    format,
    filter: node.filter ?? undefined,
    includeFields: includeFields.toSorted(),
    metafieldNamespaces,
    apiVersion,
  };
}

export interface SubscriptionFindings {
  readonly fine: readonly ExistingSubscription[];
  readonly missing: readonly WantedSubscription[];
  readonly wrong: readonly WrongSubscription[];
  /** To this deployment, and not wanted: another topic, a duplicate, a former path. */
  readonly extra: readonly ExistingSubscription[];
  /**
   * To this deployment, of topics that Events announce. Nothing here shows whether the Events arrive, so the
   * scheduled run leaves them: a change that comes twice is harmless, one that does not come is not.
   */
  readonly covered: readonly ExistingSubscription[];
  /** Of the same app, to another address: another stage or another program. They are left alone. */
  readonly other: readonly ExistingSubscription[];
  /** Set when webhooks to this deployment have another API version than the readers expect. */
  readonly version: { readonly handle: string; readonly retired: boolean } | undefined;
}

interface WrongSubscription {
  readonly existing: ExistingSubscription;
  readonly wanted: WantedSubscription;
  readonly differs: readonly Difference[];
}

type Difference = 'fields' | 'filter' | 'format' | 'metafields';

/**
 * `webhookAddress` is that of the deployment, without a shop's part; `ofEvents` are the topics that Events
 * announce.
 */
export function compareSubscriptions(
  wanted: readonly WantedSubscription[],
  existing: readonly ExistingSubscription[],
  webhookAddress: string,
  ofEvents: ReadonlySet<string> = new Set(),
): SubscriptionFindings {
  const [ours, other] = partition(existing, ({ uri }) => isUnder(uri, webhookAddress));
  const fine: ExistingSubscription[] = [];
  const missing: WantedSubscription[] = [];
  const wrong: WrongSubscription[] = [];
  const taken = new Set<ExistingSubscription>();
  for (const one of wanted) {
    const candidates = ours.filter(
      ({ topic, uri }) => topic === one.topic && isSameAddress(uri, one.uri),
    );
    const judged = candidates.map((existing) => ({
      existing,
      differs: differences(existing, one),
    }));
    const best = judged.find(({ differs }) => differs.length === 0) ?? judged[0];
    if (!best) {
      missing.push(one);
      continue;
    }
    taken.add(best.existing);
    if (best.differs.length === 0) fine.push(best.existing);
    else wrong.push({ ...best, wanted: one });
  }
  const unwanted = ours.filter((one) => !taken.has(one));
  const [covered, extra] = partition(unwanted, ({ topic }) => ofEvents.has(topic));
  return { fine, missing, wrong, extra, covered, other, version: versionOf(ours) };
}

export function isInOrder({ missing, wrong, extra }: SubscriptionFindings): boolean {
  return missing.length + wrong.length + extra.length === 0;
}

function differences(
  existing: ExistingSubscription,
  wanted: WantedSubscription,
): readonly Difference[] {
  const fields = existing.includeFields.toSorted().join() !== wanted.includeFields.join();
  return [
    ...(fields ? ['fields' as const] : []),
    ...(existing.filter ? ['filter' as const] : []),
    ...(existing.format === 'JSON' ? [] : ['format' as const]),
    ...(existing.metafieldNamespaces.length > 0 ? ['metafields' as const] : []),
  ];
}

function versionOf(ours: readonly ExistingSubscription[]): SubscriptionFindings['version'] {
  const versions = ours.map(({ apiVersion }) => apiVersion);
  const one = versions.find(({ supported }) => !supported) ?? versions.find(isUnexpected);
  return one && { handle: one.handle, retired: !one.supported };
}

const isUnexpected = ({ handle }: ExistingSubscription['apiVersion']) => handle !== API_VERSION;

/** A store may write an address in another form: host in capitals, a slash at the end. */
function isSameAddress(one: string, other: string): boolean {
  return one === other || (isUrl(one) && isUrl(other) && normalized(one) === normalized(other));
}

function isUnder(uri: string, address: string): boolean {
  if (!isUrl(uri) || !isUrl(address)) return false;
  return (
    normalized(uri) === normalized(address) || normalized(uri).startsWith(`${normalized(address)}/`)
  );
}

/** Pub/Sub and EventBridge have addresses of other forms. */
const isUrl = (uri: string): boolean => /^https?:/i.test(uri) && URL.canParse(uri);

function normalized(uri: string): string {
  const { origin, pathname } = new URL(uri);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

function partition<T>(all: readonly T[], fits: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(fits), all.filter((one) => !fits(one))];
}

interface SubscriptionCheck {
  readonly subscriptions: Subscriptions;
  readonly telemetry: Telemetry;
}

/**
 * The scheduled check of one shop's subscriptions: without a subscription, changes are missed without
 * any error. When the store does not answer, the next run checks again; a refusal is counted by what follows.
 */
export async function checkSubscriptions(
  shop: string,
  { subscriptions, telemetry }: SubscriptionCheck,
): Promise<void> {
  const checked = await subscriptions.check(shop);
  if (checked.kind === 'unavailable') {
    telemetry.log('warn', 'the subscriptions could not be checked', { shop, why: checked.why });
    return;
  }
  const { findings } = checked;
  if (findings.version) {
    const { handle, retired } = findings.version;
    telemetry.log('warn', 'webhooks have another API version than the readers expect', {
      shop,
      apiVersion: handle,
      retired,
    });
  }
  if (isInOrder(findings)) return;

  const { missing, wrong, extra } = findings;
  const counts = { missing: missing.length, wrong: wrong.length, extra: extra.length };
  for (const [why, found] of Object.entries(counts)) {
    if (found > 0) telemetry.count('subscriptions-wrong', { why }, found);
  }
  telemetry.log('warn', 'webhook subscriptions are not as they should be', { shop, ...counts });
  for (const change of await subscriptions.repair(shop, findings)) {
    if (change.done === 'refused') {
      const { topic, why } = change;
      telemetry.log('error', 'a webhook subscription could not be repaired', { shop, topic, why });
    } else {
      telemetry.log('info', 'a webhook subscription was repaired', { shop, topic: change.topic });
    }
  }
}
