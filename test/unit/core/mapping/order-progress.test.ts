import { describe, expect, it } from 'vitest';
import {
  isBetweenLines,
  neverCompleted,
  orderProgress,
} from '../../../../shared/core/mapping/order-progress.ts';
import type { StoreOrder } from '../../../../shared/store/order.ts';
import { storeOrder } from '../../../fixtures/store-entities.ts';

const PLACED = '2026-10-05T09:12:44.000Z';
const LATER = '2026-10-08T09:12:44.000Z';
const order = (changes: Partial<StoreOrder> = {}): StoreOrder => ({ ...storeOrder(), ...changes });

describe('an order that completes when it is paid', () => {
  const rules = { completeWhen: 'paid' } as const;

  it.each([
    ['paid', true],
    ['partially_refunded', true],
    ['pending', false],
    ['partially_paid', false],
  ])('is completed as %s: %s', (paymentStatus, expected) => {
    const { completedAt } = orderProgress(order({ paymentStatus }), rules, undefined);
    expect(completedAt !== undefined).toBe(expected);
  });

  it('counts from just after it was placed, also if it was sent days later', () => {
    const sent = order({ paymentStatus: 'paid', fulfilledAt: LATER });
    expect(orderProgress(sent, rules, undefined).completedAt).toBe('2026-10-05T09:12:45.000Z');
  });
});

describe('an order that ended and was never sent', () => {
  it('is sent as ended only if it could have earned points before', () => {
    const rules = { completeWhen: 'fulfilled' } as const;
    const cancelled = order({ cancelledAt: LATER, fulfilledAt: undefined });
    expect(neverCompleted(cancelled, rules)).toBe(true);
    expect(neverCompleted({ ...cancelled, fulfilledAt: PLACED }, rules)).toBe(false);
  });
});

describe('an order of which nothing is kept', () => {
  const emptied = order({ paymentStatus: 'paid' });
  const lines = emptied.lines.map((line) => ({ ...line, kept: 0 }));

  it('is in the middle of an exchange while its money is kept, and not once it is cancelled', () => {
    expect(isBetweenLines({ ...emptied, lines })).toBe(true);
    expect(isBetweenLines({ ...emptied, lines, cancelledAt: LATER })).toBe(false);
    expect(isBetweenLines({ ...emptied, lines, paymentStatus: 'refunded' })).toBe(false);
    expect(isBetweenLines({ ...emptied, lines: [] })).toBe(false);
  });
});

describe('the status of an order', () => {
  it('is open where the store has no word for its payment', () => {
    const unpaid = order({ paymentStatus: undefined, fulfillmentStatus: undefined });
    const { status } = orderProgress(unpaid, { completeWhen: 'fulfilled' }, undefined);
    expect(status).toBe('open');
  });
});
