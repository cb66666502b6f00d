import { encodeEvent } from '../../shared/core/events/encode-event.ts';
import { deduplicationIdOf, groupIdOf, letterIdOf } from '../../shared/core/events/message-ids.ts';
import type { QueueDepth } from '../../shared/core/events/queue-depth.ts';
import { type QueueFamily, queueFamilyOf } from '../../shared/core/events/queue-family.ts';
import type { SourceQueue } from '../../shared/core/events/source-queue.ts';
import type { DeadLetters, EventQueue } from '../../shared/core/events/store-event.ts';
import type { MemoryQueue } from './memory-queue.ts';

/** The interfaces of the sync core over queues in this process. */
export function createMemoryEventQueue(
  queues: Readonly<Record<QueueFamily, MemoryQueue>>,
): EventQueue {
  return {
    async send(event) {
      queues[queueFamilyOf(event.kind)].send({
        body: encodeEvent(event),
        groupId: groupIdOf(event),
        deduplicationId: deduplicationIdOf(event),
      });
    },
  };
}

export function createMemoryQueueDepth(
  queues: Readonly<Record<QueueFamily, MemoryQueue>>,
): QueueDepth {
  return {
    async of(family) {
      const { size, hidden } = queues[family];
      return { ready: size - hidden, hidden };
    },
  };
}

export function createMemoryDeadLetters(queue: MemoryQueue): DeadLetters {
  return {
    async park(source, { attempts, ...texts }) {
      const attributes = { attempts: String(attempts), ...texts };
      const id = letterIdOf(source);
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
  };
}
