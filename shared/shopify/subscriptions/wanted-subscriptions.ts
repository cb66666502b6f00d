import { complianceTopics, topicRoutes } from '../webhooks/topics.ts';
import { webhookFields } from '../webhooks/webhook-fields.ts';
import type { WantedSubscription } from './subscription.ts';

/**
 * One subscription for every topic that the connector handles, at the shop's own address.
 * See docs/decisions/0020-subscriptions-derived-and-mended.md.
 */
export function wantedSubscriptions(uri: string): readonly WantedSubscription[] {
  return [...topicRoutes]
    .filter(([topic]) => !complianceTopics.has(topic))
    .map(([topic, route]) => ({
      topic,
      uri,
      includeFields: webhookFields(topic, route).toSorted(),
    }));
}

/** A shop's part of the deployment's address, as the receiver knows it. */
export function shopAddress(webhookAddress: string, shopPath: string): string {
  return `${webhookAddress.replace(/(?<!\/)\/+$/, '')}/${shopPath}`;
}
