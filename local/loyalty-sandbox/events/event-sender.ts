import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PointTopic, pointTopics } from '../../../shared/loyalty/operations.ts';
import { Poster } from '../../sandbox-kit/http/post.ts';
import type { Change, Table, Tables } from '../../sandbox-kit/tables.ts';
import type { SandboxSettings, ServerSettings } from '../settings.ts';
import type { Subscription, Subscriptions } from './subscriptions.ts';

/**
 * A change of points to tell about, as the program writes it and as the sender marks it.
 *
 *   (no delivery) ──▶ pending ──▶ delivered
 *         │              └──────▶ undelivered   after the last attempt
 *         └──▶ not-sent                         no active subscription for its topic
 */
export interface PointEvent {
  readonly id: string;
  readonly topic: PointTopic;
  readonly payload: unknown;
  readonly delivery?: Delivery;
}

interface Delivery {
  readonly state: 'pending' | 'delivered' | 'undelivered' | 'not-sent';
  readonly attempts: number;
  /** When the last attempt ended. */
  readonly at?: string;
  /** What was wrong with the last attempt. */
  readonly problem?: string;
  /** The subscriptions that need no further attempt while others do. */
  readonly takenBy?: readonly string[];
}

/** Events of one customer are sent one after the other; those of others need not wait for them. */
export function customerOf(event: PointEvent): string {
  const customer = (event.payload as { readonly Customer?: Record<string, unknown> }).Customer;
  return String(customer?.Id ?? customer?.Email ?? '');
}

interface EventPost {
  /** Resolves to undefined when the receiver took it (2xx), else to what went wrong. */
  post(to: Subscription, event: PointEvent): Promise<string | undefined>;
  close(): void;
}

type EventSettings = Pick<SandboxSettings, 'eventForm'>;

/** What is delivered of an event, under a Uuid. */
export function wrapEvent(
  { topic, payload }: Pick<PointEvent, 'topic' | 'payload'>,
  { eventForm }: EventSettings,
  Uuid: string,
  now: Date,
): unknown {
  if (eventForm === 'bare') return payload;
  const names: { Topic: PointTopic | number; TopicName?: PointTopic } =
    eventForm === 'wrapped'
      ? { Topic: topic }
      : { Topic: pointTopics.indexOf(topic) + 1, TopicName: topic };
  return { Uuid, Timestamp: now.toISOString(), ...names, Payload: payload };
}

export function createEventPost(
  timeoutMs: number,
  settings: EventSettings,
  now: () => Date,
): EventPost {
  const poster = new Poster(timeoutMs, 16);
  return {
    async post({ address, headers = {} }, event) {
      const body = JSON.stringify(wrapEvent(event, settings, randomUUID(), now()));
      const { problem } = await poster.post(address, Buffer.from(body), headers);
      return problem;
    },
    close: () => poster.close(),
  };
}

interface EventSenderParts {
  readonly tables: Tables;
  readonly subscriptions: Subscriptions;
  readonly post: EventPost;
  readonly serverSettings: ServerSettings;
  readonly now: () => Date;
  /** Called after each change of the tables. */
  readonly save: () => void;
}

/** Sends at least once, and a customer's events in the order in which they happened. */
export class EventSender {
  readonly #parts: EventSenderParts;
  readonly #events: Table<PointEvent>;
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #settledKeys: string[] = [];
  readonly #stopped = new AbortController();

  constructor(parts: EventSenderParts) {
    this.#parts = parts;
    this.#events = parts.tables.table('events');
  }

  /** Takes up what an earlier process left. */
  resume(): void {
    this.accept([...this.#parts.tables.all('events')]);
  }

  /** Takes up the events among the changes of a call. */
  accept(changes: Iterable<Change>): void {
    for (const { table, key } of changes) {
      const event = table === 'events' ? this.#events.get(key) : undefined;
      if (!event) continue;
      const state = event.delivery?.state ?? 'pending';
      if (state !== 'pending') this.#settledKeys.push(key);
      else if (this.#parts.subscriptions.activeFor(event.topic).length > 0)
        this.#enqueue(key, event);
      else this.#settle(key, event, { state: 'not-sent', attempts: 0 });
    }
    this.#dropOldest();
  }

  all(): PointEvent[] {
    return [...this.#events.values()];
  }

  /** When nothing is waiting to be sent any more. */
  async settled(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes.values());
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#parts.post.close();
    await this.settled();
  }

  #enqueue(key: string, event: PointEvent): void {
    const lane = customerOf(event);
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    const sending: Promise<void> = before
      .then(() => this.#send(key))
      // As when the disk is full. The event stays pending, and is sent after the next start.
      .catch((error) => console.error(`Point event ${key} was left where it is.`, error))
      .finally(() => {
        if (this.#lanes.get(lane) === sending) this.#lanes.delete(lane);
      });
    this.#lanes.set(lane, sending);
  }

  async #send(key: string): Promise<void> {
    const { post, subscriptions, serverSettings, now } = this.#parts;
    while (!this.#stopped.signal.aborted) {
      const event = this.#events.get(key);
      if (!event) return;
      const takenBy = [...(event.delivery?.takenBy ?? [])];
      const left = subscriptions
        .activeFor(event.topic)
        .filter(({ name }) => !takenBy.includes(name));
      if (left.length === 0) return this.#settle(key, event, endedBySwitchOff(event.delivery));
      let problem: string | undefined;
      for (const subscription of left) {
        const failure = await post.post(subscription, event);
        // A stop cuts the attempt off, and a reset takes the event away: neither is an outcome.
        if (this.#stopped.signal.aborted || !this.#events.get(key)) return;
        subscriptions.note(subscription, failure === undefined ? 'delivered' : 'failed');
        if (failure === undefined) takenBy.push(subscription.name);
        problem ??= failure;
      }
      const attempts = (event.delivery?.attempts ?? 0) + 1;
      const tried = { attempts, at: now().toISOString() };
      if (problem === undefined) return this.#settle(key, event, { state: 'delivered', ...tried });
      if (attempts >= serverSettings.eventAttempts) {
        return this.#settle(key, event, { state: 'undelivered', ...tried, problem });
      }
      const taken = takenBy.length > 0 && { takenBy };
      this.#mark(key, event, { state: 'pending', ...tried, problem, ...taken });
      await this.#pause(attempts);
    }
  }

  async #pause(attempts: number): Promise<void> {
    const { eventFirstDelayMs, eventLongestDelayMs } = this.#parts.serverSettings;
    const delayMs = Math.min(eventFirstDelayMs * 2 ** (attempts - 1), eventLongestDelayMs);
    await sleep(delayMs, undefined, { signal: this.#stopped.signal }).catch(() => {});
  }

  #settle(key: string, event: PointEvent, delivery: Delivery): void {
    this.#settledKeys.push(key);
    this.#mark(key, event, delivery);
    this.#dropOldest();
  }

  #mark(key: string, event: PointEvent, delivery: Delivery): void {
    this.#events.put(key, { ...event, delivery });
    this.#parts.save();
  }

  #dropOldest(): void {
    const dropped = this.#settledKeys.splice(
      0,
      Math.max(0, this.#settledKeys.length - this.#parts.serverSettings.eventsKept),
    );
    for (const key of dropped) this.#events.delete(key);
    if (dropped.length > 0) this.#parts.save();
  }
}

function endedBySwitchOff(delivery: Delivery | undefined): Delivery {
  if (!delivery || delivery.attempts === 0) return { state: 'not-sent', attempts: 0 };
  return { ...delivery, state: 'undelivered' };
}
