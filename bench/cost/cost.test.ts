import { describe, expect, it } from 'vitest';
import { billedMs, webhookPrice } from './webhook-price.ts';

const deployed = { receiverMb: 256, workerMb: 512, batchSize: 10 };
const use = {
  receiver: { waitMs: 15, cpuMs: 0 },
  worker: { waitMs: 170, cpuMs: 0 },
  messageBytes: 8_000,
  units: { read: 1, write: 1.3 },
  perBatch: 1,
};

describe('the price of a million webhooks', () => {
  it('adds up what Lambda, SQS and DynamoDB bill', () => {
    const price = webhookPrice(deployed, use);
    expect(price.receiver).toBeCloseTo(0.2 + 0.015 * 0.25 * 13.3334, 6);
    expect(price.worker).toBeCloseTo(0.2 + 0.17 * 0.5 * 13.3334, 6);
    // Sent, received and deleted.
    expect(price.queue).toBeCloseTo(1.5, 6);
    expect(price.ledger).toBeCloseTo(0.125 + 1.3 * 0.625, 6);
    const { total, ...parts } = price;
    expect(total).toBeCloseTo(
      Object.values(parts).reduce((sum, one) => sum + one, 0),
      9,
    );
  });

  it('shares the receiving, the deleting and the invocation of a batch', () => {
    const price = webhookPrice(deployed, { ...use, messageBytes: 3_000, perBatch: 10 });
    expect(price.queue).toBeCloseTo(0.5 + (2 * 0.5) / 10, 6);
    expect(price.worker).toBeCloseTo(0.02 + 0.17 * 0.5 * 13.3334, 6);
  });

  it('counts every started 64 KB of a message, and of a batch of messages', () => {
    const large = webhookPrice(deployed, { ...use, messageBytes: 70_000 });
    expect(large.queue).toBeCloseTo(0.5 * (2 + 2 + 1), 6);
    const batch = webhookPrice(deployed, { ...use, messageBytes: 8_000, perBatch: 10 });
    expect(batch.queue).toBeCloseTo(0.5 * (1 + (2 + 1) / 10), 6);
  });

  it('pays for computing with the share of a CPU that the memory brings', () => {
    const slow = webhookPrice(deployed, { ...use, worker: { waitMs: 0, cpuMs: 10 } });
    expect(slow.worker).toBeCloseTo(0.2 + 0.01 * (1_769 / 512) * 0.5 * 13.3334, 6);
  });
});

describe('the time that Lambda bills', () => {
  it('is the waiting time plus the computing time divided by the share of a CPU', () => {
    expect(billedMs({ waitMs: 8, cpuMs: 2 }, 1_769)).toBe(10);
    expect(billedMs({ waitMs: 8, cpuMs: 2 }, 1_769 / 4)).toBe(16);
    // More than one CPU does not make one thread faster.
    expect(billedMs({ waitMs: 8, cpuMs: 2 }, 10_240)).toBe(10);
  });
});
