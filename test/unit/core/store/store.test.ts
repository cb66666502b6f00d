import { describe, expect, it } from 'vitest';
import {
  decodeSnapshot,
  encodeCoupon,
  encodeSnapshot,
  retryStore,
} from '../../../../shared/core/store/store.ts';
import { storeCoupon, storeOrder, storeProduct } from '../../../fixtures/store-entities.ts';

const readAt = new Date('2026-10-09T12:00:00.000Z');
const order = storeOrder();
const coupon = storeCoupon();
const entity = { kind: 'order', order } as const;
const ofOrder = { kind: 'order', id: order.id };
const ofCoupon = { kind: 'coupon', id: coupon.code };
const body = (message: unknown) => new TextEncoder().encode(JSON.stringify(message));
const whole = { form: 1, readAt: readAt.toISOString(), entity };

describe('what the connector read from the store, as a body', () => {
  it('is read back with its date, and a code without one', () => {
    const product = storeProduct();
    const read = { entity: { kind: 'product', product }, readAt: readAt.getTime() } as const;
    const ofProduct = { kind: 'product', id: product.id };
    expect(decodeSnapshot(ofProduct, encodeSnapshot(read.entity, readAt))).toEqual(read);
    expect(decodeSnapshot(ofOrder, body(whole))).toEqual({ entity, readAt: readAt.getTime() });
    expect(decodeSnapshot(ofCoupon, encodeCoupon(coupon))).toEqual({
      entity: { kind: 'coupon', coupon },
    });
  });

  // The store is asked instead. Else an order would be given the amount of another.
  it.each([
    ['of another order', { ...ofOrder, id: '1' }, whole],
    ['of another kind with the same id', { ...ofOrder, kind: 'product' }, whole],
    ['of another code', { ...ofCoupon, id: 'WINTER10' }, { form: 1, coupon }],
    ['in the form of another release', ofOrder, { ...whole, form: 2 }],
    ['without the time when it was read', ofOrder, { ...whole, readAt: undefined }],
    ['without an entity', ofOrder, { ...whole, entity: undefined }],
    ['that holds nothing', ofOrder, null],
  ])('is not used %s', (_, event, message) => {
    expect(decodeSnapshot(event, body(message))).toBeUndefined();
  });
});

// Else an operator's `retry-now` could overtake a change that the store is still making.
it('says of a change without an answer that the store may still make it', () => {
  const unavailable = { kind: 'unavailable', why: 'time-out' } as const;
  expect(retryStore({ ...unavailable, mayHaveHappened: true })).toHaveProperty('mayHaveHappened');
  expect(retryStore(unavailable)).not.toHaveProperty('mayHaveHappened');
});
