import type { DeadLetters } from '../../shared/core/events/dead-letter.ts';
import { encodeEvent } from '../../shared/core/events/encode-event.ts';
import { type QueueFamily, queueFamilyOf } from '../../shared/core/events/event.ts';
import { deduplicationIdOf, groupIdOf, letterIdOf } from '../../shared/core/events/message-ids.ts';
import type { EventQueue, QueueDepth, SourceQueue } from '../../shared/core/events/queues.ts';
import type { MemoryQueue } from './memory-queue.ts';

type MemoryQueues = Readonly<Partial<Record<QueueFamily, MemoryQueue>>>;

/** The interfaces of the sync core over queues in this process. */
export function createMemoryEventQueue(queues: MemoryQueues): EventQueue {
  return {
    async send(event) {
      queueOf(queueFamilyOf(event.kind), queues).send({
        body: encodeEvent(event),
        groupId: groupIdOf(event),
        deduplicationId: deduplicationIdOf(event),
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

function queueOf(family: QueueFamily, queues: MemoryQueues): MemoryQueue {
  const queue = queues[family];
  if (!queue) throw new Error(`the test has no queue of ${family}`);
  return queue;
}
