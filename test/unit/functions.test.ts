import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RESERVE_MS, runInTime, shareOutTime, toMessages } from '../../functions/wiring.ts';

it('a message has its receives as a number, and its sequence number to the last of 20 digits', () => {
  const attributes = {
    ApproximateReceiveCount: '12',
    SequenceNumber: '18849496460467696129',
    MessageGroupId: 'g',
  };
  const record = { messageId: 'm', receiptHandle: 'r', body: '{}', attributes };
  const event = { Records: [record] } as unknown as SQSEvent;
  expect(toMessages(event)).toStrictEqual([
    {
      messageId: 'm',
      receiptHandle: 'r',
      body: '{}',
      groupId: 'g',
      attempts: 12,
      sequenceNumber: '18849496460467696129',
    },
  ]);
});

const REMAINING_MS = 240_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the time of a batch', () => {
  it('is over for the store first, then for the work, and never before', async () => {
    const { storeMs, workMs } = shareOutTime(REMAINING_MS);
    await runInTime(REMAINING_MS, async ({ work, store }) => {
      const over = () => [store.aborted, work.aborted];
      vi.advanceTimersByTime(storeMs - 1);
      expect(over()).toEqual([false, false]);
      vi.advanceTimersByTime(1);
      expect(over()).toEqual([true, false]);
      vi.advanceTimersByTime(workMs - storeMs);
      expect(over()).toEqual([true, true]);
    });
    expect(workMs).toBe(REMAINING_MS - RESERVE_MS);
  });

  it('leaves no timer behind that would hold what the batch held', async () => {
    expect(await runInTime(REMAINING_MS, async () => vi.getTimerCount())).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
    const broken = runInTime(REMAINING_MS, async () => {
      throw new Error('broken');
    });
    await expect(broken).rejects.toThrow('broken');
    expect(vi.getTimerCount()).toBe(0);
  });
});
