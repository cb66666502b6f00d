import { describe, expect, it } from 'vitest';
import {
  isBetweenLines,
  lacksPayment,
  neverCompleted,
  orderProgress,
} from '../../../../shared/core/mapping/map-order.ts';
import type { StoreOrder } from '../../../../shared/store/order.ts';
import { amount, storeOrder } from '../../../fixtures/store-entities.ts';

const PLACED = '2026-10-05T09:12:44.000Z';
const LATER = '2026-10-08T09:12:44.000Z';
const order = (changes: Partial<StoreOrder> = {}): StoreOrder => ({ ...storeOrder(), ...changes });

describe('an order that completes when it is paid', () => {
  const rules = { completeWhen: 'paid' } as const;

  const completes = (changes: Partial<StoreOrder>) =>
    orderProgress(order(changes), rules, undefined).completedAt !== undefined;

  it.each([
    ['paid', true],
    ['partially_refunded', true],
    ['pending', false],
    ['partially_paid', false],
    ['voided', false],
    ['expired', false],
  ])('is completed as %s: %s', (paymentStatus, expected) => {
    expect(completes({ paymentStatus })).toBe(expected);
  });

  it('is not completed by a refunded deposit: of 40.00, 20.00 were paid and 5.00 paid back', () => {
    const paymentStatus = 'partially_refunded';
    const refunded = { paymentStatus, refundedWithoutLines: amount('5') };
    // With or without the money that was paid back: the store does not document which.
    expect(completes({ ...refunded, outstanding: amount('20') })).toBe(false);
    expect(completes({ ...refunded, outstanding: amount('25') })).toBe(false);
    expect(completes({ ...refunded, outstanding: amount('5') })).toBe(true);
    // More was refunded than is owed.
    expect(completes({ ...refunded, outstanding: amount('4') })).toBe(false);
    expect(completes({ ...refunded, outstanding: amount('0') })).toBe(true);
    expect(completes({ paymentStatus, outstanding: amount('5') })).toBe(false);
  });

  it('counts from its last payment, else from its placement, also if it was sent days later', () => {
    const sent = order({ paymentStatus: 'paid', fulfilledAt: LATER });
    expect(orderProgress(sent, rules, undefined).completedAt).toBe(PLACED);
    const paid = { ...sent, paidAt: '2026-11-06T08:00:00.000Z' };
    expect(orderProgress(paid, rules, undefined).completedAt).toBe('2026-11-06T08:00:00.000Z');
    expect(
      orderProgress({ ...sent, paidAt: '2026-10-05T09:12:43.000Z' }, rules, undefined),
    ).toEqual(expect.objectContaining({ completedAt: PLACED }));
  });

  it('lacks its date if its first snapshot that completes it is an hour younger than the order', () => {
    const at = (updatedAt: string, changes: Partial<StoreOrder> = {}) =>
      order({ paymentStatus: 'paid', updatedAt, ...changes });
    expect(lacksPayment(at('2026-10-05T10:12:44.000Z'), rules, undefined)).toBe(false);
    const late = at('2026-10-05T10:12:45.000Z');
    expect(lacksPayment(late, rules, undefined)).toBe(true);
    expect(lacksPayment(late, rules, PLACED)).toBe(false);
    expect(lacksPayment(late, { completeWhen: 'fulfilled' }, undefined)).toBe(false);
    expect(lacksPayment({ ...late, paidAt: PLACED }, rules, undefined)).toBe(false);
    expect(lacksPayment({ ...late, paymentStatus: 'pending' }, rules, undefined)).toBe(false);
    const unstated = { paymentStatus: 'partially_refunded', outstanding: undefined };
    expect(lacksPayment(at('2026-10-05T09:20:00.000Z', unstated), rules, undefined)).toBe(true);
  });
});

describe('an order that completes when it is shipped', () => {
  const rules = { completeWhen: 'fulfilled' } as const;
  const shipped = { fulfillmentStatus: 'fulfilled', fulfilledAt: PLACED };

  it.each([
    ['paid', PLACED],
    ['pending', PLACED],
    ['voided', undefined],
    ['expired', undefined],
  ])('and is %s is completed at %s', (paymentStatus, completedAt) => {
    const progress = orderProgress(order({ ...shipped, paymentStatus }), rules, undefined);
    expect(progress.completedAt).toBe(completedAt);
  });

  it('stays completed if its payment is voided afterwards', () => {
    const voided = order({ ...shipped, paymentStatus: 'voided' });
    expect(orderProgress(voided, rules, PLACED).completedAt).toBe(PLACED);
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
