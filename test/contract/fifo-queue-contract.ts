import { beforeEach, describe, expect, it } from 'vitest';

interface FifoMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attempts: number;
}

/** A FIFO queue whose messages go to another one after two receives. */
export interface FifoQueueUnderTest {
  send(groupId: string, body: string, deduplicationId?: string): Promise<void>;
  receive(limits?: { max?: number; visibilitySeconds?: number }): Promise<readonly FifoMessage[]>;
  remove(message: FifoMessage): Promise<void>;
  hide(message: FifoMessage, seconds: number): Promise<void>;
  /** Messages that were received too often. */
  receiveDead(): Promise<readonly FifoMessage[]>;
  pass(seconds: number): Promise<void>;
}

/**
 * What a receive returns of one group: only its first message, its messages before the first hidden one,
 * or all of it unless one is hidden. AWS documents the last and does the second (docs/reliability.md);
 * fauxqs does the first.
 */
type GroupRule = 'first' | 'before-hidden' | 'unless-hidden';

/** The behaviour of SQS on which the simulation relies. */
export function describeFifoQueueContract(
  name: string,
  rule: GroupRule,
  create: () => Promise<FifoQueueUnderTest>,
): void {
  describe(`the FIFO queue contract, kept by ${name}`, () => {
    let queue: FifoQueueUnderTest;
    beforeEach(async () => {
      queue = await create();
    });
    const bodies = (messages: readonly FifoMessage[]) => messages.map(({ body }) => body);
    const first = (messages: readonly FifoMessage[]): FifoMessage => {
      const [message] = messages;
      if (!message) throw new Error('nothing was received');
      return message;
    };

    it('hides a received message, shows it again after its time-out, and counts the receives', async () => {
      await queue.send('a', '1');
      const held = first(await queue.receive({ visibilitySeconds: 4 }));
      expect(held.attempts).toBe(1);
      expect(await queue.receive()).toEqual([]);
      await queue.pass(4.3);
      const again = first(await queue.receive({ visibilitySeconds: 1 }));
      expect([again.messageId, again.attempts]).toEqual([held.messageId, 2]);
    });

    it('returns nothing of a group while one of its messages is with a worker', async () => {
      for (const body of ['1', '2']) await queue.send('a', body);
      await queue.send('b', '3');
      const [held] = await queue.receive({ max: 1 });
      expect(held?.body).toBe('1');
      expect(bodies(await queue.receive())).toEqual(['3']);
      if (held) await queue.remove(held);
      expect(bodies(await queue.receive())).toEqual(['2']);
    });

    it('keeps the group locked while its first message is delayed', async () => {
      for (const body of ['1', '2']) await queue.send('a', body);
      await queue.hide(first(await queue.receive({ max: 1, visibilitySeconds: 4 })), 9);
      await queue.pass(4.5);
      expect(await queue.receive()).toEqual([]);
      await queue.pass(5);
      expect(first(await queue.receive({ max: 1 })).body).toBe('1');
    });

    it('ignores a repeated deduplication id, even of a deleted message', async () => {
      await queue.send('a', '1', 'same');
      await queue.remove(first(await queue.receive()));
      await queue.send('a', '2', 'same');
      expect(await queue.receive()).toEqual([]);
    });

    it('moves a message unchanged to the dead-letter queue after too many receives', async () => {
      await queue.send('a', 'poison');
      for (let receives = 0; receives < 2; receives += 1) {
        expect(bodies(await queue.receive({ visibilitySeconds: 1 }))).toEqual(['poison']);
        await queue.pass(1.3);
      }
      expect(await queue.receive({ visibilitySeconds: 1 })).toEqual([]);
      expect(bodies(await queue.receiveDead())).toEqual(['poison']);
    });

    it.runIf(rule !== 'first')('returns several messages of a group in order', async () => {
      for (const body of ['1', '2', '3']) await queue.send('a', body);
      expect(bodies(await queue.receive())).toEqual(['1', '2', '3']);
    });

    it.runIf(rule !== 'first')(
      'returns nothing of a group from its first hidden one on',
      async () => {
        for (const body of ['1', '2', '3']) await queue.send('a', body);
        const [, second] = await queue.receive({ visibilitySeconds: 1 });
        if (!second) throw new Error('the second was not received');
        await queue.hide(second, 60);
        await queue.pass(1.3);
        expect(bodies(await queue.receive())).toEqual(rule === 'before-hidden' ? ['1'] : []);
      },
    );
  });
}
