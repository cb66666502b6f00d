import type { SubscriptionRow } from '../delivery/subscriptions.ts';
import { gid } from '../model/ids.ts';
import { apiVersion } from '../settings.ts';
import type { View } from './graph-context.ts';

export function subscriptionView(row: SubscriptionRow): View {
  return {
    __typename: 'WebhookSubscription',
    id: gid('WebhookSubscription', row.id),
    topic: topicEnum(row.topic),
    uri: row.uri,
    format: 'JSON',
    filter: row.filter,
    includeFields: row.includeFields,
    metafieldNamespaces: row.metafieldNamespaces,
    apiVersion: { handle: apiVersion, supported: true },
  };
}

/** `orders/partially_fulfilled` is `ORDERS_PARTIALLY_FULFILLED`. */
const topicEnum = (topic: string): string => topic.replace('/', '_').toUpperCase();

/** The first words show which underscore stands for the slash. */
const groups = [
  'BULK_OPERATIONS',
  'ORDER_TRANSACTIONS',
  'INVENTORY_LEVELS',
  'INVENTORY_ITEMS',
  'FULFILLMENT_ORDERS',
  'FULFILLMENT_EVENTS',
  'DRAFT_ORDERS',
];

export function topicName(name: string): string {
  const group = groups.find((one) => name.startsWith(`${one}_`)) ?? name.split('_')[0] ?? '';
  return `${group}/${name.slice(group.length + 1)}`.toLowerCase();
}
