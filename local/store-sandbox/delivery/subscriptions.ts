import type { Table, Tables } from '../../sandbox-kit/tables.ts';
import type { Ids } from '../model/ids.ts';

export interface SubscriptionRow {
  readonly id: string;
  /** `orders/create`; `*` for every topic. */
  readonly topic: string;
  readonly uri: string;
  /** Only subscriptions created through the Admin API are removed when their deliveries fail. */
  readonly madeBy: 'admin-api' | 'option';
  readonly includeFields: readonly string[];
  readonly metafieldNamespaces: readonly string[];
  readonly filter: string | null;
}

export type Subscriptions = Table<SubscriptionRow>;

export const openSubscriptions = (tables: Tables): Subscriptions => tables.table('subscriptions');

export const subscribersOf = (subscriptions: Subscriptions, topic: string): SubscriptionRow[] =>
  [...subscriptions.values()].filter((one) => one.topic === topic || one.topic === '*');

/** Replaces the address of an earlier start. */
export function setOptionAddress(
  subscriptions: Subscriptions,
  uri: string | undefined,
  topics: readonly string[],
  ids: Ids,
): void {
  for (const { id, madeBy } of [...subscriptions.values()]) {
    if (madeBy === 'option') subscriptions.delete(id);
  }
  for (const topic of uri === undefined ? [] : topics) {
    const id = ids.next('WebhookSubscription');
    const whole = { includeFields: [], metafieldNamespaces: [], filter: null };
    subscriptions.put(id, { id, topic, uri: uri ?? '', madeBy: 'option', ...whole });
  }
}

/** The real store requires https; here http is enough. */
export function addressProblem(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'Address is invalid';
  return url.username || url.password ? 'Address must not contain a user name' : undefined;
}
