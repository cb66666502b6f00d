import type { DeliveryPlan } from './disorder.ts';

/** One webhook to one address, with everything that became of it. */
export interface WebhookDelivery {
  /** Counts up by one, in the order in which the store meant to send them. */
  readonly n: number;
  /** `X-Shopify-Webhook-Id`: the same on a retry and on a duplicate. */
  readonly webhookId: string;
  /** `X-Shopify-Event-Id`: the same for all that one action sends. */
  readonly eventId: string;
  readonly topic: string;
  readonly subscriptionId: string;
  readonly address: string;
  readonly triggeredAt: string;
  /** As it is sent, and signed. */
  readonly body: string;
  readonly plan: DeliveryPlan;
  readonly state: 'waiting' | 'delivered' | 'failed' | 'dropped';
  readonly attempts: readonly DeliveryAttempt[];
}

export interface DeliveryAttempt {
  readonly at: string;
  readonly durationMs: number;
  /** Absent where no answer came. */
  readonly status?: number;
  /** The beginning of the answer. */
  readonly answer?: string;
  readonly problem?: string;
}
