import { createHmac } from 'node:crypto';
import { API_VERSION } from '../../../shared/shopify/entity-id.ts';
import { receiveWebhook } from '../../../shared/shopify/webhooks/receive-webhook.ts';
import { joined } from '../kernel/chance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { PATH, SECRET, SHOP } from './connector.ts';
import type { SentWebhook } from './living-store.ts';
import { eventQueueOf } from './process-world.ts';
import type { Queues } from './queues.ts';
import type { WatchedTelemetry } from './watched-telemetry.ts';

/** Shopify tries eight times more, over four hours. */
const RETRY_MINUTES = [1, 2, 4, 8, 15, 30, 60, 120];
/** How long the store waits for an answer. */
const PATIENCE_MS = 5_000;

/** Attempts of a copy are counted from here, to distinguish them from those of the first. */
const SECOND_COPY = 20;

interface Webhook extends SentWebhook {
  readonly key: number;
  readonly id: string;
  readonly eventId: string;
  readonly signature: string;
  readonly triggeredAt: string;
  readonly bytes: Uint8Array;
}

/** Delivers the store's webhooks to the receiver: late, twice, out of order, or not at all. */
export class Webhooks {
  readonly #kernel: Kernel;
  readonly #queues: Queues;
  readonly #telemetry: WatchedTelemetry;
  /** Deliveries that were answered with 200. */
  accepted = 0;
  made = 0;
  /** Deliveries, by topic and id, that are unreadable. */
  readonly unreadable = new Set<string>();
  /** When the last planned delivery arrives. */
  lastPlannedAt = 0;
  delivered = 0;
  /** Webhooks that never reached the connector. */
  lost = 0;
  readonly lostTopics = new Set<string>();

  constructor(kernel: Kernel, queues: Queues, telemetry: WatchedTelemetry) {
    this.#kernel = kernel;
    this.#queues = queues;
    this.#telemetry = telemetry;
  }

  send(sent: readonly SentWebhook[], step: number, isUnreadable = false): void {
    const kernel = this.#kernel;
    const { chance, rates } = kernel;
    const eventId = `event-${step}`;
    for (const [index, notice] of sent.entries()) {
      this.made += 1;
      const key = joined(joined(101, step), index);
      const bytes = Buffer.from(notice.body);
      const webhook: Webhook = {
        ...notice,
        key,
        id: `webhook-${step}-${index}`,
        eventId,
        triggeredAt: kernel.now().toISOString(),
        signature: createHmac('sha256', SECRET).update(bytes).digest('base64'),
        bytes,
      };
      const words = `${notice.topic} ${webhook.id}`;
      if (isUnreadable) this.unreadable.add(words);
      if (
        kernel.happens(joined(key, 1), rates.drops, 'webhook: lost', () => `${words} is never sent`)
      ) {
        this.#lose(webhook);
        continue;
      }
      this.#plan(this.#delay(webhook, 2), webhook, 0);
      const twice = kernel.happens(
        joined(key, 3),
        rates.duplicates,
        'webhook: twice',
        () => `${words} comes twice`,
      );
      if (!twice) continue;
      const sameInstant = chance(key, 4) < 0.3;
      this.#plan(this.#delay(webhook, sameInstant ? 2 : 5), webhook, SECOND_COPY);
    }
  }

  #plan(afterMs: number, webhook: Webhook, attempt: number): void {
    const { time } = this.#kernel;
    this.lastPlannedAt = Math.max(this.lastPlannedAt, time.now + afterMs);
    time.after(afterMs, () => this.#deliver(webhook, attempt));
  }

  #delay(webhook: Webhook, part: number): number {
    const { chance, rates } = this.#kernel;
    const name = joined(webhook.key, part);
    const words = `${webhook.topic} ${webhook.id}`;
    const drawn = chance(name, 8);
    if (
      this.#kernel.happens(
        name,
        rates.late,
        'webhook: hours late',
        () => `${words} comes hours late`,
      )
    ) {
      return drawn * 5 * 3_600_000;
    }
    const overtaken = joined(name, 9);
    if (
      this.#kernel.happens(
        overtaken,
        rates.shuffled,
        'webhook: overtaken',
        () => `${words} is overtaken`,
      )
    ) {
      return drawn * 60_000;
    }
    return 20 + drawn * 400;
  }

  #deliver(webhook: Webhook, attempt: number): void {
    const { time, journal, now } = this.#kernel;
    this.delivered += 1;
    const began = time.now;
    const name = `receiver of ${webhook.topic} ${webhook.id} #${attempt}`;
    const tryLater = () => this.#tryLater(webhook, attempt);
    const process = new SimulatedProcess(this.#kernel, name, () => {
      time.after(PATIENCE_MS, tryLater);
    });
    const secrets = { current: SECRET };
    const answering = receiveWebhook(
      {
        method: 'POST',
        path: PATH,
        headers: headersOf(webhook),
        body: webhook.bytes,
      },
      {
        shops: new Map([
          [
            PATH,
            {
              domain: SHOP,
              watchesSilence: false,
              secrets: {
                get: async () => secrets,
                refresh: async () => ({ kind: 'unchanged', value: secrets }) as const,
              },
            },
          ],
        ]),
        queue: eventQueueOf(process, this.#queues),
        telemetry: this.#telemetry,
        now,
        apiVersion: API_VERSION,
      },
    );
    const broke = (error: unknown) => {
      journal.violation('broke-off', `${name} throws ${error}`);
      process.die();
    };
    answering.then(({ status }) => {
      journal.note(process.key, () => `${name}: ${status}`);
      if (status === 200) this.#accept(webhook);
      // A late answer counts as none.
      if (status !== 200 || time.now - began > PATIENCE_MS) tryLater();
    }, broke);
  }

  #accept(webhook: Webhook): void {
    const { topic, id, bytes } = webhook;
    const delivery = `${topic} ${id}`;
    this.accepted += 1;
    if (!this.#queues.hasTaken(topic, bytes)) {
      this.#kernel.journal.violation('accepted', `${delivery} got its 200, and no queue holds it`);
    }
  }

  #lose({ topic }: Webhook): void {
    this.lost += 1;
    this.lostTopics.add(topic);
  }

  #tryLater(webhook: Webhook, attempt: number): void {
    const minutes = RETRY_MINUTES[attempt % SECOND_COPY];
    if (minutes === undefined) {
      this.#lose(webhook);
      const { journal } = this.#kernel;
      journal.note(webhook.key, () => `the store gives up on ${webhook.topic} ${webhook.id}`);
      return;
    }
    this.#plan(minutes * 60_000, webhook, attempt + 1);
  }
}

function headersOf(webhook: Webhook): Readonly<Record<string, string>> {
  return {
    'x-shopify-topic': webhook.topic,
    'x-shopify-shop-domain': SHOP,
    'x-shopify-webhook-id': webhook.id,
    'x-shopify-event-id': webhook.eventId,
    'x-shopify-api-version': API_VERSION,
    'x-shopify-triggered-at': webhook.triggeredAt,
    'x-shopify-hmac-sha256': webhook.signature,
  };
}
