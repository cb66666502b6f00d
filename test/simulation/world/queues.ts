import {
  DEAD_LETTER_DAYS,
  type DeadLetter,
  type DeadLetterQueue,
  type DeadLetters,
} from '../../../shared/core/batch/dead-letter.ts';
import {
  deduplicationIdOf,
  groupIdOf,
  type QueuedEvent,
  type QueueFamily,
  queueFamilyOf,
  type ReceivedMessage,
  type StoreQueueFamily,
} from '../../../shared/core/events/event.ts';
import { encodeEvent } from '../../../shared/core/events/message-body.ts';
import { DEAD_LETTER_REASONS, type ParkingReason } from '../../../shared/core/events/outcome.ts';
import {
  createMemoryDeadLetters,
  createMemoryQueue,
  type MemoryQueue,
} from '../../support/memory-queue.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { SimulatedProcess } from '../kernel/simulated-process.ts';

/** A dead-letter queue as a person's commands use it. */
export function letterQueueOn(family: QueueFamily, queue: MemoryQueue): DeadLetterQueue {
  return {
    family,
    receive: async (visibilitySeconds) =>
      queue.receive({ visibilitySeconds }).map((message) => deadLetterIn(family, message)),
    async giveBack(handles) {
      for (const handle of handles) queue.changeVisibility(handle, 0);
    },
    async remove(handles) {
      for (const handle of handles) queue.delete(handle);
    },
    counts: async () => ({ visible: queue.size, inFlight: 0 }),
  };
}

function deadLetterIn(
  family: QueueFamily,
  letter: ReturnType<MemoryQueue['receive']>[number],
): DeadLetter {
  const { reason, why = '', code, attempts, at = '' } = letter.attributes;
  const known = DEAD_LETTER_REASONS.find((one) => one === reason) ?? 'crashed';
  return {
    ...{ family, ...letter, letterId: reason === undefined ? letter.messageId : letter.groupId },
    ...{ reason: known, why, code, attempts: Number(attempts), at: Date.parse(at) },
  };
}

export const FAMILIES: readonly StoreQueueFamily[] = ['orders', 'products', 'coupons'];

/** As deployed: see infra/connector-function.ts. */
export const WORKER_TIMEOUT_MS = 240_000;
const VISIBILITY_SECONDS = 6 * 240;
const MAX_RECEIVES = 1_000;

/** Whether this reason is allowed for a dead letter of this delivery and entity. */
export type AllowsLetter = (
  reason: ParkingReason,
  delivery: string,
  entity: QueuedEntity | undefined,
) => boolean;

/** What a message is about. */
export type QueuedEntity = Pick<QueuedEvent, 'kind' | 'id'>;

interface JudgedDelay {
  readonly seconds: number;
  readonly why: string;
  /** Whether the worker has read the message's last wait in the ledger. */
  readonly hadWait: (message: ReceivedMessage) => boolean;
}

/** Nothing was tried. */
const HELD_BACK: ReadonlySet<string> = new Set([
  ...['loyalty-unavailable', 'shop-paused', 'call-under-way', 'shop-busy'],
  ...['redemption-in-progress', 'redemption-absent', 'redemption-to-cancel'],
]);
/**
 * The last wait could not be read: every receive counts as a failure. Of a message that cannot be read the log does not
 * say which it is.
 */
const UNREAD: ReadonlySet<string> = new Set(['ledger-unavailable', '']);
/** Hours without any fault. */
const PATIENT: ReadonlySet<string> = new Set(['not-cancelled']);
/** Seconds, after a call without an answer. */
const LONGEST_REQUESTED = 60;

/** Seconds. After 30 receives it waits as long as other messages, and during a pause until its end. */
function mostHeldBack(why: string, receives: number): number {
  if (why === 'call-under-way') return 45;
  // The longest is the time between two look-ups.
  if (why.startsWith('redemption-')) return 600;
  if (why === 'shop-busy' && receives <= 30) return Math.min(5 * 4 ** (receives - 1), 120);
  return why === 'loyalty-unavailable' && receives <= 30 ? 180 : Number.POSITIVE_INFINITY;
}

/** The queues of the connector and the history of their messages. */
export class Queues {
  readonly sources: Readonly<Record<QueueFamily, MemoryQueue>>;
  readonly dead: Readonly<Record<QueueFamily, MemoryQueue>>;
  /** By message: its topic and delivery. */
  readonly #deliveries = new Map<string, string>();
  /** Messages that are still on their queue. */
  readonly #waiting = new Map<string, QueuedEntity>();
  /** Topics and bodies that a queue accepted, without those that deduplication dropped. */
  readonly #taken = new Set<string>();
  readonly #letterBodies = new Set<string>();
  /** By message. */
  readonly #failures = new Map<string, number>();
  readonly #kernel: Kernel;
  /** Called when a message may have become receivable. */
  onSent: (family: QueueFamily) => void = () => {};

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    const now = () => kernel.time.now;
    const dead = (name: string) => createMemoryQueue({ now, name: `${name}-dead` });
    this.dead = {
      orders: dead('orders'),
      products: dead('products'),
      coupons: dead('coupons'),
      balances: dead('balances'),
    };
    const source = (name: QueueFamily) =>
      createMemoryQueue({
        now,
        name,
        visibilitySeconds: VISIBILITY_SECONDS,
        redrive: { to: this.dead[name], maxReceiveCount: MAX_RECEIVES },
      });
    this.sources = {
      orders: source('orders'),
      products: source('products'),
      coupons: source('coupons'),
      balances: source('balances'),
    };
  }

  async send(
    event: QueuedEvent,
    { by, name = deduplicationIdOf(event) }: { readonly by?: SimulatedProcess; name?: string } = {},
  ): Promise<void> {
    const family = queueFamilyOf(event.kind);
    const queue = this.sources[family];
    const before = queue.size;
    const { messageId } = queue.send({
      body: encodeEvent(event),
      groupId: groupIdOf(event),
      deduplicationId: name,
    });
    if (queue.size === before) return;
    if (by?.isNewer) by.writtenByNewer.add(messageId);
    this.#deliveries.set(messageId, `${event.topic} ${event.deliveryId}`);
    this.#waiting.set(messageId, event);
    if ('body' in event && event.body) this.#taken.add(contentOf(event.topic, event.body));
    this.onSent(family);
  }

  /** As a process finds it: to the older release, a message of the next one has a higher version. */
  asReadBy({ isNewer, writtenByNewer }: SimulatedProcess, message: ReceivedMessage) {
    if (isNewer || !writtenByNewer.has(message.messageId)) return message;
    return { ...message, body: message.body.replace('{"v":1,', '{"v":2,') };
  }

  /** Undefined for a message that has left its queue. */
  entityOf(messageId: string): string | undefined {
    const entity = this.#waiting.get(messageId);
    return entity && `${entity.kind} ${entity.id}`;
  }

  deliveryOf(messageId: string): string | undefined {
    return this.#deliveries.get(messageId);
  }

  hasTaken(topic: string, body: Uint8Array): boolean {
    return this.#taken.has(contentOf(topic, body));
  }

  /** Parks dead letters; each must be one that the run allows. */
  deadLettersOf(family: QueueFamily, allows: AllowsLetter): DeadLetters {
    const queue = this.dead[family];
    const model = createMemoryDeadLetters(queue, family);
    return {
      family,
      park: async (source, reason) => {
        const { messageId } = source;
        const delivery = this.deliveryOf(messageId) ?? '';
        if (!allows(reason, delivery, this.#waiting.get(messageId))) {
          this.#kernel.journal.violation(
            'dead-letter',
            `${delivery} was given up: ${reason.reason}, ${reason.why}`,
          );
        }
        const before = queue.size;
        await model.park(source, reason);
        if (queue.size > before) this.#letterBodies.add(source.body);
      },
    };
  }

  /**
   * The more often a message failed, the longer it waits, also beside a new one of its group: 5 s, doubled with each
   * failure, and half of it at least, up to the two minutes of what waits for its turn. What the connector held back
   * itself is no failure, and waits no longer than the circuit breaker is open, and half of that in addition.
   */
  judgeDelay(messages: readonly ReceivedMessage[], { seconds, why, hadWait }: JudgedDelay): void {
    const { journal } = this.#kernel;
    const isHeldBack = HELD_BACK.has(why);
    for (const message of messages) {
      const { messageId, attempts } = message;
      const isCounted = attempts === 1 || (hadWait(message) && !UNREAD.has(why));
      const before = isCounted ? (this.#failures.get(messageId) ?? 0) : attempts - 1;
      this.#failures.set(messageId, isHeldBack ? before : before + 1);
    }
    const failures = Math.max(...messages.map((one) => this.#failures.get(one.messageId) ?? 0));
    const receives = Math.max(...messages.map(({ attempts }) => attempts));
    const doubled = 5 * 2 ** Math.max(failures - 1, 0);
    const least = isHeldBack ? 0 : Math.min(doubled, 120) / 2;
    const most = isHeldBack ? mostHeldBack(why, receives) : doubled + LONGEST_REQUESTED;
    const [{ messageId } = { messageId: '' }] = messages;
    const what = `${this.deliveryOf(messageId)} waits for ${seconds} s after ${failures} failures: ${why}`;
    if (seconds < least) journal.violation('too-often', what);
    if (seconds > most && !PATIENT.has(why)) journal.violation('waits-too-long', what);
  }

  /** SQS forgets dead letters that waited for too long. */
  expireLetters(): void {
    const oldest = this.#kernel.time.now - DEAD_LETTER_DAYS * 86_400_000;
    for (const queue of Object.values(this.dead)) {
      for (const { receiptHandle, attributes } of queue.receive({ max: 1_000 })) {
        if (Date.parse(attributes.at ?? '') < oldest) queue.delete(receiptHandle);
        else queue.changeVisibility(receiptHandle, 0);
      }
    }
  }

  /** Permanently removed from its queue. */
  delete(family: QueueFamily, { messageId, receiptHandle }: ReceivedMessage): void {
    this.sources[family].delete(receiptHandle);
    this.#waiting.delete(messageId);
  }

  /** Messages that are still on their queue. */
  get waiting(): readonly QueuedEntity[] {
    return [...this.#waiting.values()];
  }

  wasParked(body: string): boolean {
    return this.#letterBodies.has(body);
  }

  get size(): number {
    return Object.values(this.sources).reduce((sum, { size }) => sum + size, 0);
  }
}

const contentOf = (topic: string, body: Uint8Array): string =>
  `${topic} ${Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')}`;
