import type { StoreUnavailable } from '../../core/store/store.ts';
import { type AdminAnswer, failure, unavailable } from '../admin/client/admin-answer.ts';
import type { Ask, DataOf } from '../admin/client/admin-client.ts';
import {
  createSubscriptionDocument,
  deleteSubscriptionDocument,
  updateSubscriptionDocument,
  webhookSubscriptionsDocument,
} from '../admin/documents.gen.ts';
import { topicRoutes } from '../webhooks/topics.ts';
import {
  compareSubscriptions,
  differences,
  type SubscriptionFindings,
} from './compare-subscriptions.ts';
import { type ProductSource, topicsOfEvents } from './wanted-events.ts';
import {
  type ExistingSubscription,
  type SubscribedRules,
  shopAddress,
  type WantedSubscription,
  wantedSubscriptions,
} from './wanted-subscriptions.ts';

export interface SubscriptionsSettings {
  readonly ask: (shop: string) => Ask;
  readonly shopOf: (domain: string) => {
    /** The shop's part of the webhook address. */
    readonly path: string;
    readonly rules: SubscribedRules;
  };
  /** Of the deployment, without a shop's part. */
  readonly webhookAddress: string;
  /** Only one of the two may create subscriptions: with both, every event would come twice. */
  readonly madeBy: 'admin-api' | 'app-configuration';
  readonly products: ProductSource;
}

type CheckedSubscriptions =
  | { readonly kind: 'checked'; readonly findings: SubscriptionFindings }
  | (StoreUnavailable & { readonly answer: Exclude<AdminAnswer<never>, { kind: 'data' }> });

export type Change =
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
  const { ask, shopOf, webhookAddress, madeBy, products } = settings;
  return {
    async check(shop) {
      const answer = await listSubscriptions(ask(shop));
      if (answer.kind !== 'data') return { ...unavailable(answer), answer };
      const { path, rules } = shopOf(shop);
      const wanted =
        madeBy === 'admin-api'
          ? wantedSubscriptions(shopAddress(webhookAddress, path), rules, products)
          : [];
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
