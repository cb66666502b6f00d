import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createSqsEventQueue,
  createSqsQueueDepth,
  packEntries,
} from '../../shared/aws/sqs-queues.ts';
import { letterEvent } from '../support/parked-letters.ts';

describe('what is sent together', () => {
  it('is as much as SQS takes in one request, in its order, and no request more than needed', () => {
    const bytes = fc.oneof(fc.nat(300_000), fc.constantFrom(1_000_000, 500_000, 500_001));
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 40 }), (sizes) => {
        const entries = sizes.map((length) => ({ MessageBody: { length } as string }));
        const packs = packEntries(entries);
        const sizeOf = (pack: (typeof packs)[number]) =>
          pack.reduce((sum, { MessageBody }) => sum + MessageBody.length, 0);
        expect(packs.flat()).toEqual(entries);
        for (const [index, pack] of packs.entries()) {
          expect(pack.length).toBeLessThanOrEqual(10);
          expect(sizeOf(pack)).toBeLessThanOrEqual(1_000_000);
          const [next] = packs[index + 1] ?? [];
          const room =
            1_000_000 - sizeOf(pack) >= (next?.MessageBody.length ?? Number.POSITIVE_INFINITY);
          expect(room && pack.length < 10).toBe(false);
        }
      }),
    );
  });

  it.each([
    [true, 1],
    [false, 4],
  ])(
    'is given up at once where it is our fault (%s), and tried a few times else',
    async (SenderFault, tries) => {
      const paused: number[] = [];
      let calls = 0;
      const sqs = {
        sendMessage: async () => ({}),
        async sendMessageBatch() {
          calls += 1;
          return { Failed: [{ Id: '0', Code: 'Fault', SenderFault }], Successful: [] };
        },
      };
      const pause = async (ms: number) => paused.push(ms);
      const queue = createSqsEventQueue(sqs, { orders: 'of-orders' }, { pause });
      expect(await queue.sendAll([letterEvent()])).toMatchObject([{ code: 'Fault' }]);
      expect([calls, paused]).toEqual([tries, [200, 400, 800].slice(0, tries - 1)]);
    },
  );
});

it('a queue is as deep as all that is on it: ready, in work, or delayed', async () => {
  const counts = {
    ...{ ApproximateNumberOfMessages: '1', ApproximateNumberOfMessagesNotVisible: '20' },
    ApproximateNumberOfMessagesDelayed: '300',
  };
  const getQueueAttributes = async ({ QueueUrl }: { QueueUrl: string | undefined }) => ({
    Attributes: QueueUrl === 'of-coupons' ? counts : {},
  });
  const depth = createSqsQueueDepth(
    { getQueueAttributes },
    { orders: 'of-orders', coupons: 'of-coupons' },
  );
  expect(await depth.of('coupons')).toEqual({ ready: 1, hidden: 320 });
  expect(await depth.of('orders')).toEqual({ ready: 0, hidden: 0 });
});
