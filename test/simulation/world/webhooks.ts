import { createHmac } from 'node:crypto';
import { countInMinute, receiveDelivery } from '../../../shared/core/events/receive-delivery.ts';
import { shopifyDeliveries } from '../../../shared/shopify/webhooks/topics.ts';
import { joined } from '../kernel/chance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { PATH, SECRET, SHOP } from './connector.ts';
import { Deliveries, type Delivery } from './deliveries.ts';
import type { SentWebhook } from './living-store.ts';
import { eventQueueOf } from './process-world.ts';
import type { Queues } from './queues.ts';
import type { WatchedTelemetry } from './watched-telemetry.ts';

interface Webhook extends SentWebhook, Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly signature: string;
  readonly triggeredAt: string;
  readonly bytes: Uint8Array;
}

const secrets = { current: SECRET };
const shop = {
  domain: SHOP,
  deliveries: shopifyDeliveries,
  secrets: {
    get: async () => secrets,
    refresh: async () => ({ kind: 'unchanged', value: secrets }) as const,
  },
};

/** The store's webhooks on their way to the receiver. */
export class Webhooks {
  readonly #kernel: Kernel;
  readonly deliveries: Deliveries<Webhook>;
  /** Deliveries that were answered with 200. */
  accepted = 0;
  made = 0;
  /** Deliveries, by topic and id, that are unreadable. */
  readonly unreadable = new Set<string>();
  readonly lostTopics = new Set<string>();

  constructor(kernel: Kernel, queues: Queues, telemetry: WatchedTelemetry) {
    this.#kernel = kernel;
    const { now, journal } = kernel;
    this.deliveries = new Deliveries(kernel, {
      ...{ what: 'webhook', who: 'the store', patienceMs: 5_000 },
      // Shopify tries eight times more, over four hours.
      retryMinutes: [1, 2, 4, 8, 15, 30, 60, 120],
      receive: (process, webhook) =>
        receiveDelivery(
          { method: 'POST', path: PATH, headers: headersOf(webhook), body: webhook.bytes },
          {
            shops: new Map([[PATH, shop]]),
            queue: eventQueueOf(process, queues),
            telemetry,
            now,
            countOfEntity: countInMinute(now),
          },
        ),
      onAccepted: ({ topic, words, bytes }) => {
        this.accepted += 1;
        if (queues.hasTaken(topic, bytes)) return;
        journal.violation('accepted', `${words} got its 200, and no queue holds it`);
      },
      onLost: ({ topic }) => this.lostTopics.add(topic),
    });
  }

  send(sent: readonly SentWebhook[], step: number, isUnreadable = false): void {
    for (const [index, notice] of sent.entries()) {
      this.made += 1;
      const bytes = Buffer.from(notice.body);
      const id = `webhook-${step}-${index}`;
      const words = `${notice.topic} ${id}`;
      if (isUnreadable) this.unreadable.add(words);
      const webhook = {
        ...notice,
        key: joined(joined(101, step), index),
        words,
        id,
        eventId: `event-${step}`,
        triggeredAt: this.#kernel.now().toISOString(),
        signature: createHmac('sha256', SECRET).update(bytes).digest('base64'),
        bytes,
      };
      this.deliveries.send(webhook, 0.3);
    }
  }
}

function headersOf(webhook: Webhook): Readonly<Record<string, string>> {
  return {
    'x-shopify-topic': webhook.topic,
    'x-shopify-shop-domain': SHOP,
    'x-shopify-webhook-id': webhook.id,
    'x-shopify-event-id': webhook.eventId,
    'x-shopify-api-version': '2026-10',
    'x-shopify-triggered-at': webhook.triggeredAt,
    'x-shopify-hmac-sha256': webhook.signature,
  };
}
