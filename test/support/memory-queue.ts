import type { DeadLetters } from '../../shared/core/batch/dead-letter.ts';
import {
  deadLetterIdOf,
  deduplicationIdOf,
  type EventQueue,
  groupIdOf,
  type QueueDepth,
  type QueueFamily,
  queueFamilyOf,
  type ReceivedMessage,
  type SourceQueue,
} from '../../shared/core/events/event.ts';
import { encodeEvent } from '../../shared/core/events/message-body.ts';

/** A FIFO queue of SQS in memory, on a clock that the test sets. */
export interface MemoryQueue {
  /** Accepts the message, unless one with the same deduplication id came in the last five minutes. */
  send(message: OutgoingMessage): { readonly messageId: string };
  /** A worker's batch: may have several messages of a group, as in SQS. */
  receive(limits?: ReceiveLimits): HandedOut[];
  /** Throws for an expired receipt handle: another worker has the message. */
  delete(receiptHandle: string): void;
  changeVisibility(receiptHandle: string, seconds: number): void;
  /** How many messages it holds, visible or not. */
  readonly size: number;
  /** How many of them are hidden: with a worker, or waiting for a retry. */
  readonly hidden: number;
  /** When the next hidden message becomes visible; undefined when none is hidden. */
  readonly nextVisibleAt: number | undefined;
  /** All that decides what it does next. */
  readonly contents: unknown;
}

interface ReceiveLimits {
  readonly max?: number;
  readonly visibilitySeconds?: number;
  /**
   * What a hidden message locks: its whole group, as AWS documents it ("Interleaving multiple ordered
   * message groups"), or what is behind it (default), as AWS does it (docs/reliability.md).
   */
  readonly locks?: 'group' | 'behind';
}

interface OutgoingMessage {
  readonly body: string;
  readonly groupId: string;
  readonly deduplicationId: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

interface HandedOut extends ReceivedMessage {
  readonly attributes: Readonly<Record<string, string>>;
}

interface StoredMessage extends Required<OutgoingMessage> {
  readonly messageId: string;
  readonly sequenceNumber: string;
  attempts: number;
  visibleAt: number;
  receiptHandle: string | undefined;
}

/**
 * As SQS has them: too long for a number, and a text of another length is not larger or smaller by its first
 * digits ("The length of SequenceNumber is 128 bits", SendMessage).
 */
export const sequenceNumber = (count: number): string =>
  String(9_999_999_999_999_999_998n + BigInt(count));

const DEDUPLICATION_MS = 5 * 60_000;
const MESSAGE_MAX_BYTES = 1_048_576;
const MAX_VISIBILITY_SECONDS = 43_200;
const ALLOWED_ID = /^[\x21-\x7e]{1,128}$/;
/** SQS accepts only the characters of XML 1.0 in a body. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const REFUSED_CHARACTERS = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

export function createMemoryQueue({
  now,
  name = 'queue',
  visibilitySeconds = 30,
  redrive,
}: {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly name?: string;
  readonly visibilitySeconds?: number;
  /** The dead-letter queue, and how often a message is received before it goes there. */
  readonly redrive?: { readonly to: MemoryQueue; readonly maxReceiveCount: number };
}): MemoryQueue {
  const messages: StoredMessage[] = [];
  const taken = new Map<string, { readonly messageId: string; readonly at: number }>();
  let count = 0;

  function inFlight(receiptHandle: string): StoredMessage {
    const message = messages.find((candidate) => candidate.receiptHandle === receiptHandle);
    if (!message || message.visibleAt <= now()) throw new Error('ReceiptHandleIsInvalid');
    return message;
  }

  function handOut(message: StoredMessage, seconds: number): HandedOut {
    message.attempts += 1;
    message.visibleAt = now() + seconds * 1000;
    const receiptHandle = `${message.messageId}#${message.attempts}`;
    message.receiptHandle = receiptHandle;
    const { messageId, body, groupId, attempts, sequenceNumber, attributes } = message;
    return { messageId, receiptHandle, body, groupId, attempts, sequenceNumber, attributes };
  }

  /** Like SQS's redrive: keeps the body and the ids, and adds no reason. */
  function moveAway(message: StoredMessage): void {
    messages.splice(messages.indexOf(message), 1);
    const { body, groupId, deduplicationId, attributes } = message;
    redrive?.to.send({ body, groupId, deduplicationId, attributes });
  }

  return {
    get nextVisibleAt() {
      let next: number | undefined;
      for (const { visibleAt } of messages) {
        if (visibleAt > now()) next = Math.min(next ?? visibleAt, visibleAt);
      }
      return next;
    },
    get size() {
      return messages.length;
    },
    get contents() {
      return [messages, [...taken]];
    },
    get hidden() {
      return messages.filter(({ visibleAt }) => visibleAt > now()).length;
    },
    send(message) {
      refuseInvalid(message);
      const earlier = taken.get(message.deduplicationId);
      if (earlier && now() - earlier.at < DEDUPLICATION_MS) return { messageId: earlier.messageId };
      count += 1;
      const messageId = `${name}-${count}`;
      taken.set(message.deduplicationId, { messageId, at: now() });
      messages.push({
        attributes: {},
        ...message,
        messageId,
        sequenceNumber: sequenceNumber(count),
        attempts: 0,
        visibleAt: now(),
        receiptHandle: undefined,
      });
      return { messageId };
    },
    receive({ max = 10, visibilitySeconds: seconds = visibilitySeconds, locks = 'behind' } = {}) {
      const hidden = messages.filter(({ visibleAt }) => locks === 'group' && visibleAt > now());
      const held = new Set(hidden.map(({ groupId }) => groupId));
      const received: HandedOut[] = [];
      const moved: StoredMessage[] = [];
      for (const message of messages) {
        if (received.length === max) break;
        if (message.visibleAt > now()) held.add(message.groupId);
        else if (held.has(message.groupId)) continue;
        else if (redrive && message.attempts >= redrive.maxReceiveCount) moved.push(message);
        else received.push(handOut(message, seconds));
      }
      moved.forEach(moveAway);
      return received;
    },
    delete(receiptHandle) {
      messages.splice(messages.indexOf(inFlight(receiptHandle)), 1);
    },
    changeVisibility(receiptHandle, seconds) {
      if (seconds < 0 || seconds > MAX_VISIBILITY_SECONDS) throw new Error('InvalidParameterValue');
      inFlight(receiptHandle).visibleAt = now() + seconds * 1000;
    },
  };
}

function refuseInvalid({ body, groupId, deduplicationId, attributes = {} }: OutgoingMessage): void {
  const sizes = [body, ...Object.entries(attributes).flat()].map((text) => Buffer.byteLength(text));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MESSAGE_MAX_BYTES) throw new Error('InvalidParameterValue: too large');
  if (body === '' || Object.values(attributes).includes('')) throw new Error('MissingParameter');
  if (REFUSED_CHARACTERS.test(body)) throw new Error('InvalidMessageContents');
  if (!ALLOWED_ID.test(groupId) || !ALLOWED_ID.test(deduplicationId)) {
    throw new Error('InvalidParameterValue: id');
  }
}

type MemoryQueues = Readonly<Partial<Record<QueueFamily, MemoryQueue>>>;

/** The interfaces of the sync core over queues in this process. */
export function createMemoryEventQueue(queues: MemoryQueues): EventQueue {
  return {
    async send(event, deduplicationId = deduplicationIdOf(event)) {
      queueOf(queueFamilyOf(event.kind), queues).send({
        body: encodeEvent(event),
        groupId: groupIdOf(event),
        deduplicationId,
      });
    },
  };
}

export function createMemoryQueueDepth(queues: MemoryQueues): QueueDepth {
  return {
    async of(family) {
      const { size, hidden } = queueOf(family, queues);
      return { ready: size - hidden, hidden };
    },
  };
}

export function createMemoryDeadLetters(
  queue: MemoryQueue,
  family: QueueFamily = 'orders',
): DeadLetters {
  return {
    family,
    async park(source, { attempts, ...texts }) {
      const attributes = { attempts: String(attempts), ...texts };
      const id = deadLetterIdOf(source);
      queue.send({ body: source.body, groupId: id, deduplicationId: id, attributes });
    },
  };
}

export function createMemorySourceQueue(queue: MemoryQueue): SourceQueue {
  return {
    async delay(messages, afterSeconds) {
      const seconds = Math.min(Math.max(Math.ceil(afterSeconds), 0), 42_300);
      let failed = 0;
      for (const { receiptHandle } of messages) {
        try {
          queue.changeVisibility(receiptHandle, seconds);
        } catch {
          failed += 1;
        }
      }
      if (failed > 0) throw new Error(`the visibility of ${failed} messages stayed as it was`);
    },
    isCrowded: async () => false,
  };
}

function queueOf(family: QueueFamily, queues: MemoryQueues): MemoryQueue {
  const queue = queues[family];
  if (!queue) throw new Error(`the test has no queue of ${family}`);
  return queue;
}
