import { createMemoryQueue } from '../../local/harness/memory-queue.ts';
import { describeFifoQueueContract } from '../contract/fifo-queue-contract.ts';

describeFifoQueueContract('the queue in memory', { givesGroupsWhole: true }, async () => {
  let milliseconds = 0;
  const now = () => milliseconds;
  const dead = createMemoryQueue({ now, name: 'dead' });
  const queue = createMemoryQueue({ now, redrive: { to: dead, maxReceiveCount: 2 } });
  return {
    send: async (groupId, body, deduplicationId = body) => {
      queue.send({ groupId, body, deduplicationId });
    },
    receive: async (limits) => queue.receive(limits),
    remove: async ({ receiptHandle }) => queue.delete(receiptHandle),
    hide: async ({ receiptHandle }, seconds) => queue.changeVisibility(receiptHandle, seconds),
    receiveDead: async () => dead.receive(),
    pass: async (seconds) => {
      milliseconds += seconds * 1000;
    },
  };
});
