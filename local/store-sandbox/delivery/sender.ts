import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Posted, Poster } from '../../sandbox-kit/http/post.ts';
import { type Random, uuidFrom } from '../../sandbox-kit/seeded-random.ts';
import type { Table, Tables } from '../../sandbox-kit/tables.ts';
import { parseExactly } from '../payloads/json-values.ts';
import type { ServerSettings } from '../settings.ts';
import { type DeliveryPlan, type Disorder, planDelivery } from './disorder.ts';
import { type Subscriptions, subscribersOf } from './subscriptions.ts';

/**
 * Decides the order of deliveries. A delivery that may be overtaken waits for that many later ones, or
 * until no more seem to come. Within one burst of actions the order depends only on the random
 * numbers, not on time.
 */
export class Outbox<Item> {
  #waiting: { readonly key: number; readonly item: Item }[] = [];
  #last = 0;

  add(item: Item, overtakenBy: number): void {
    this.#last += 1;
    const entry = { key: this.#last + overtakenBy, item };
    // After all entries with the same key, so that equal ones keep their order.
    const place = this.#waiting.findIndex(({ key }) => key > entry.key);
    if (place < 0) this.#waiting.push(entry);
    else this.#waiting.splice(place, 0, entry);
  }

  /** The next one that no later one can overtake; with `hurry`, the next one in any case. */
  take(hurry: boolean): Item | undefined {
    const [head] = this.#waiting;
    if (!head || (!hurry && head.key > this.#last)) return undefined;
    this.#waiting.shift();
    return head.item;
  }

  get size(): number {
    return this.#waiting.length;
  }
}

interface SenderParts {
  readonly tables: Tables;
  readonly subscriptions: Subscriptions;
  readonly post: ReturnType<typeof createWebhookPost>;
  readonly secrets: () => { readonly current: string; readonly previous: string };
  readonly settings: ServerSettings;
  readonly random: Random;
  readonly disorder: () => Disorder;
  readonly now: () => Date;
  /** Called after each change of the tables. */
  readonly save: () => void;
}

/** An event to send to the subscribers of its topic, or to the one subscription of an Event. */
export interface Message {
  readonly topic: string;
  readonly eventId: string;
  readonly body: string;
  readonly event?: NonNullable<WebhookDelivery['event']> & { readonly uri: string };
}

/** How long a delivery waits for later ones to overtake it. */
const holdMs = 30;

/** Sends webhooks at least once, retries, and gives up as the real store does. */
export class Sender {
  readonly #parts: SenderParts;
  readonly #rows: Table<WebhookDelivery>;
  readonly #counter: Table<number>;
  /** Handles of Events that are no longer sent, because a delivery failed until the last try. */
  readonly #endedEvents: Table<true>;
  readonly #outbox = new Outbox<string>();
  /** Deliveries in progress, delayed, or waiting for a retry. */
  readonly #busy = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  /** Delayed deliveries that are due, but wait for their turn. */
  readonly #turns: (() => void)[] = [];
  #settledKeys: string[] = [];
  #underway = 0;
  #lateUnderway = 0;
  #hold: NodeJS.Timeout | undefined;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#rows = parts.tables.table('deliveries');
    this.#counter = parts.tables.table('delivery number');
    this.#endedEvents = parts.tables.table('ended events');
  }

  /** Continues with the deliveries that an earlier process left. */
  resume(): void {
    for (const row of this.#rows.values()) {
      if (row.state === 'waiting') this.#outbox.add(String(row.n), 0);
      else this.#settledKeys.push(String(row.n));
    }
    this.#pump(true);
  }

  /** Plans and stores the deliveries; `dispatch` sends them after they are saved. */
  accept(messages: readonly Message[]): void {
    const { subscriptions, random, disorder, now } = this.#parts;
    for (const { topic, eventId, body, event } of messages) {
      if (event && this.#endedEvents.get(event.handle)) continue;
      const ofEvent = event && [{ id: event.handle, uri: event.uri, includeFields: [] }];
      for (const subscription of ofEvent ?? subscribersOf(subscriptions, topic)) {
        const webhookId = uuidFrom(random);
        for (const plan of planDelivery(disorder(), random)) {
          const n = (this.#counter.get('n') ?? 0) + 1;
          this.#counter.put('n', n);
          this.#rows.put(String(n), {
            n,
            webhookId,
            eventId,
            topic,
            ...(event && { event: { action: event.action, handle: event.handle } }),
            subscriptionId: subscription.id,
            address: subscription.uri,
            triggeredAt: now().toISOString(),
            body: pickFields(body, subscription.includeFields),
            plan,
            state: plan.dropped ? 'dropped' : 'waiting',
            attempts: [],
          });
          if (plan.dropped) this.#settledKeys.push(String(n));
          else this.#outbox.add(String(n), plan.overtakenBy);
        }
      }
    }
  }

  dispatch(): void {
    this.#pump(false);
  }

  all(): WebhookDelivery[] {
    return [...this.#rows.values()];
  }

  /** Resolves when no delivery is waiting, in progress or due for a retry. */
  async settled(): Promise<void> {
    while (!this.#stopped.signal.aborted && (this.#outbox.size > 0 || this.#busy.size > 0)) {
      this.#pump(true);
      await Promise.race(this.#busy);
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#hold);
    this.#parts.post.close();
    for (const takeTurn of this.#turns.splice(0)) takeTurn();
    await Promise.all(this.#busy);
  }

  #pump(hurry: boolean): void {
    clearTimeout(this.#hold);
    const { deliveriesAtOnce } = this.#parts.settings;
    while (!this.#stopped.signal.aborted && this.#underway < deliveriesAtOnce) {
      const key = this.#outbox.take(hurry);
      if (key === undefined) break;
      const delayMs = this.#rows.get(key)?.plan.delayMs ?? 0;
      if (delayMs > 0) this.#keep(this.#sendLater(key, delayMs));
      else this.#keep(this.#sendNow(key));
    }
    if (this.#outbox.size === 0 || this.#stopped.signal.aborted) return;
    this.#hold = setTimeout(() => this.#pump(true), holdMs);
  }

  #keep(work: Promise<void>): void {
    const kept: Promise<void> = work
      // For example a full disk. The delivery stays waiting and is sent after the next start.
      .catch((error) => console.error('A delivery failed. It will be sent after a restart.', error))
      .finally(() => this.#busy.delete(kept));
    this.#busy.add(kept);
  }

  async #sendNow(key: string): Promise<void> {
    this.#underway += 1;
    await this.#attempt(key).finally(() => {
      this.#underway -= 1;
    });
    this.#pump(false);
  }

  async #sendLater(key: string, afterMs: number): Promise<void> {
    const { signal } = this.#stopped;
    await sleep(afterMs, undefined, { signal }).catch(() => {});
    // Limited like the others, so that deliveries that failed together are not all retried at once.
    if (this.#lateUnderway >= this.#parts.settings.deliveriesAtOnce && !signal.aborted) {
      await new Promise<void>((resolve) => this.#turns.push(resolve));
    }
    if (signal.aborted) return;
    this.#lateUnderway += 1;
    await this.#attempt(key).finally(() => {
      this.#lateUnderway -= 1;
      this.#turns.shift()?.();
    });
  }

  async #attempt(key: string): Promise<void> {
    const { post, secrets, settings, now } = this.#parts;
    const before = this.#rows.get(key);
    if (!before) return;
    const at = now().toISOString();
    const attempt = await post.post(before, secrets()[before.plan.secret]);
    const row = this.#rows.get(key);
    // A stop aborts the attempt, and a reset deletes the delivery: neither is a result.
    if (this.#stopped.signal.aborted || !row) return;
    const attempts = [...row.attempts, { at, ...attempt }];
    const pause = settings.retryPausesSeconds[attempts.length - 1];
    if (attempt.problem === undefined)
      return this.#settle({ ...row, attempts, state: 'delivered' });
    if (pause === undefined) return this.#giveUp({ ...row, attempts, state: 'failed' });
    this.#rows.put(key, { ...row, attempts });
    this.#parts.save();
    this.#keep(this.#sendLater(key, pause * 1000 * settings.retryTimeScale));
  }

  #giveUp(row: WebhookDelivery): void {
    const { subscriptions } = this.#parts;
    const subscription = subscriptions.get(row.subscriptionId);
    if (subscription?.madeBy === 'admin-api') subscriptions.delete(subscription.id);
    // Shopify, "Troubleshoot Events". How often a delivery must fail is not documented.
    if (row.event) this.#endedEvents.put(row.event.handle, true);
    this.#settle(row);
  }

  #settle(row: WebhookDelivery): void {
    this.#rows.put(String(row.n), row);
    this.#settledKeys.push(String(row.n));
    const surplus = this.#settledKeys.length - this.#parts.settings.deliveriesKept;
    for (const key of this.#settledKeys.splice(0, Math.max(0, surplus))) this.#rows.delete(key);
    this.#parts.save();
  }
}

export function createWebhookPost(shop: string, apiVersion: string, timeoutMs: number) {
  const poster = new Poster(timeoutMs, 32);
  return {
    post(delivery: WebhookDelivery, secret: string): Promise<Posted> {
      const body = Buffer.from(delivery.body);
      return poster.post(delivery.address, body, {
        'User-Agent': 'Shopify-Captain-Hook',
        ...headersOf(delivery, { shop, apiVersion, signature: sign(body, secret) }),
      });
    },
    close: () => poster.close(),
  };
}

/** Webhooks and Events have the same headers but for the prefix and what only one of them has. */
function headersOf(
  { topic, event, webhookId, eventId, triggeredAt }: WebhookDelivery,
  { shop, apiVersion, signature }: Record<'shop' | 'apiVersion' | 'signature', string>,
): Record<string, string> {
  const prefix = event ? 'Shopify' : 'X-Shopify';
  return {
    [`${prefix}-Topic`]: topic,
    [`${prefix}-Shop-Domain`]: shop,
    [`${prefix}-API-Version`]: apiVersion,
    [`${prefix}-Webhook-Id`]: webhookId,
    [`${prefix}-Triggered-At`]: triggeredAt,
    [`${prefix}-Hmac-Sha256`]: signature,
    ...(event
      ? { 'Shopify-Action': event.action, 'Shopify-Handle': event.handle }
      : { 'X-Shopify-Event-Id': eventId }),
  };
}

/** Base64 of the HMAC over the bytes as they are sent. */
function sign(body: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('base64');
}

/** One webhook to one address, with its attempts. */
export interface WebhookDelivery {
  /** Counts up by one, in the intended order. */
  readonly n: number;
  /** `X-Shopify-Webhook-Id`: the same on a retry and on a duplicate. */
  readonly webhookId: string;
  /** `X-Shopify-Event-Id`: the same for all webhooks of one action. */
  readonly eventId: string;
  readonly topic: string;
  /** Of an Event only. */
  readonly event?: { readonly action: string; readonly handle: string };
  readonly subscriptionId: string;
  readonly address: string;
  readonly triggeredAt: string;
  /** As it is sent and signed. */
  readonly body: string;
  readonly plan: DeliveryPlan;
  readonly state: 'waiting' | 'delivered' | 'failed' | 'dropped';
  readonly attempts: readonly DeliveryAttempt[];
}

interface DeliveryAttempt extends Posted {
  readonly at: string;
}

/**
 * A subscription may ask for certain fields only, also inside objects and lists (`variants.price`).
 * Fields that do not exist are left out. Ids keep every digit.
 */
export function pickFields(body: string, fields: readonly string[]): string {
  if (fields.length === 0) return body;
  return JSON.stringify(pick(parseExactly(body), toPaths(fields)));
}

type Path = readonly string[];

export const toPaths = (fields: readonly string[]): readonly Path[] =>
  fields.map((field) => field.split('.'));

export function pick(value: unknown, paths: readonly Path[]): unknown {
  if (paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) return value.map((entry) => pick(entry, paths));
  if (typeof value !== 'object' || value === null || isRaw(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const within = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
      return within.length > 0 ? [[name, pick(field, within)]] : [];
    }),
  );
}

function isRaw(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: object): boolean }).isRawJSON(value);
}
