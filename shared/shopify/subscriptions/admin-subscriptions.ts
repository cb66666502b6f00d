import { type AdminAnswer, failure } from '../admin/client/admin-answer.ts';
import type { Ask, DataOf } from '../admin/client/admin-client.ts';
import {
  createSubscriptionDocument,
  deleteSubscriptionDocument,
  updateSubscriptionDocument,
  webhookSubscriptionsDocument,
} from '../admin/documents.gen.ts';
import { topicRoutes } from '../webhooks/topics.ts';
import { differences } from './compare-subscriptions.ts';
import type { ExistingSubscription, WantedSubscription } from './subscription.ts';

type SubscriptionsData = DataOf<typeof webhookSubscriptionsDocument>;
type SubscriptionPage = SubscriptionsData['webhookSubscriptions'];
type SubscriptionNode = SubscriptionPage['nodes'][number];
type Page = AdminAnswer<SubscriptionsData>;

type Changed = AdminAnswer<ExistingSubscription>;

/** All that the app made in this shop through the Admin API. */
export async function listSubscriptions(
  ask: Ask,
): Promise<AdminAnswer<readonly ExistingSubscription[]>> {
  const found: ExistingSubscription[] = [];
  for (let after: string | null = null; ; ) {
    const answer: Page = await ask(webhookSubscriptionsDocument, { after });
    if (answer.kind !== 'data') return answer;
    const { nodes, pageInfo }: SubscriptionPage = answer.data.webhookSubscriptions;
    found.push(...nodes.map(toExisting));
    if (!pageInfo.hasNextPage) return { kind: 'data', data: found };
    // The same cursor again would never end.
    if (pageInfo.endCursor === null || pageInfo.endCursor === after) return failure('not-the-api');
    after = pageInfo.endCursor;
  }
}

export async function createSubscription(ask: Ask, wanted: WantedSubscription): Promise<Changed> {
  const answer = await ask(createSubscriptionDocument, {
    topic: topicEnum(wanted.topic),
    subscription: inputOf(wanted),
  });
  return changed(answer, (data) => data.webhookSubscriptionCreate?.webhookSubscription);
}

/**
 * Makes one as it should be. Where the store keeps something of the old one (a filter that cannot be
 * emptied, for one) it is made anew instead.
 */
export async function correctSubscription(
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

export async function removeSubscription(
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
    // Of a topic that the connector does not handle, the store's own name will do.
    topic: topicByEnum.get(node.topic) ?? node.topic,
    uri,
    format,
    filter: node.filter ?? undefined,
    includeFields: includeFields.toSorted(),
    metafieldNamespaces,
    apiVersion,
  };
}
