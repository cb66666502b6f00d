import { describe, expect, it } from 'vitest';
import type { MappingRules } from '../../../../shared/config/mapping-settings.ts';
import { mapCoupon } from '../../../../shared/core/mapping/map-coupon.ts';
import type { StoreCoupon } from '../../../../shared/store/store-entities.ts';
import { amount, rules, storeCoupon } from '../../../fixtures/store-entities.ts';

const now = new Date('2026-10-15T12:00:00Z');
const inactive = { kind: 'wanted', wanted: { kind: 'inactive-coupon', id: 'AUTUMN10' } };

function mapped(
  changes: Partial<StoreCoupon> = {},
  changed: Partial<MappingRules> = {},
  known = false,
  remembered?: string,
) {
  return mapCoupon(
    storeCoupon(changes),
    { ...rules, ...changed },
    { known, remembered, now },
    'example-store.myshopify.com',
  );
}

function formOf(changes: Partial<StoreCoupon> = {}, changed: Partial<MappingRules> = {}) {
  const result = mapped(changes, changed);
  if (result.kind !== 'wanted' || result.wanted.kind !== 'coupon')
    throw new Error(JSON.stringify(result));
  return result.wanted.coupon;
}

const customer = (id: string) => ({
  id,
  name: 'Robin Sample',
  email: 'robin.sample@example.com',
  phone: undefined,
  createdAt: undefined,
});
const audience = (...ids: string[]) =>
  ({ audience: { kind: 'customers', customers: ids.map(customer) } }) as const;

describe('mapping a coupon', () => {
  it('gives the whole form of a code for one customer', () => {
    expect(formOf({ ...audience('7'), endsAt: '2026-11-30T23:59:59.000Z' })).toEqual({
      OriginalId: 'AUTUMN10',
      CouponCode: 'AUTUMN10',
      CreatedDate: '2026-10-01T00:00:00.000Z',
      CouponType: 1,
      IsUsed: false,
      CouponValue: 10,
      ValidDateStart: '2026-10-01T00:00:00.000Z',
      ValidDateEnd: '2026-11-30T23:59:59.000Z',
      CustomerId: '7',
      Customer: { OriginalId: '7', Name: 'Robin Sample', Email: 'robin.sample@example.com' },
    });
  });

  it.each([
    ['percentage', '12.5', 1, 12.5],
    ['fixed-amount', '5.05', 0, 5.05],
    ['free-shipping', undefined, 2, 0],
    ['buy-x-get-y', undefined, 4, 0],
    ['app', undefined, 4, 0],
  ] as const)('sends %s of %s as type %i with value %d', (kind, value, type, number) => {
    const form = formOf({ kind, value: value === undefined ? undefined : amount(value) });
    expect(form).toMatchObject({ CouponType: type, CouponValue: number });
  });

  it('is inactive once expired, by status or by date, whether recorded or not', () => {
    expect(mapped({ status: 'expired' })).toMatchObject(inactive);
    expect(mapped({ endsAt: now.toISOString() }, {}, true)).toMatchObject(inactive);
    expect(mapped({ endsAt: '2026-10-15T12:00:00.001Z' }).kind).toBe('wanted');
    expect(formOf({ status: 'scheduled' }).CouponCode).toBe('AUTUMN10');
  });

  it('is not mirrored, by name, while the store gives it to a share of buyers, active or not', () => {
    const skip = { kind: 'skip', why: 'coupon-for-some-buyers' };
    expect(mapped({ onlyForSome: true })).toEqual(skip);
    expect(mapped({ onlyForSome: true, status: 'expired' })).toEqual(skip);
    expect(mapped({ onlyForSome: true }, {}, true)).toMatchObject(inactive);
  });

  it('never mirrors a code the connector made for a reward, not even its end', () => {
    const skip = { kind: 'skip', why: 'reward-coupon' };
    expect(mapped({ madeByConnector: true, onlyForSome: true })).toEqual(skip);
    expect(mapped({ madeByConnector: true })).toEqual(skip);
    expect(mapped({ madeByConnector: true, status: 'expired' })).toEqual(skip);
  });

  it('belongs to its customer, and to none of several', () => {
    expect(mapped(audience('7'))).toMatchObject({ wanted: { coupon: { CustomerId: '7' } } });
    expect(JSON.stringify(mapped(audience('7', '8')))).not.toContain('Customer');
  });

  it('is not sent for a customer whom the service could not tell from others', () => {
    const customers = [{ ...customer('7'), email: undefined }];
    expect(mapped({ audience: { kind: 'customers', customers } })).toEqual({
      kind: 'skip',
      why: 'customer-without-email',
    });
  });

  it('is skipped by kind and audience where the merchant says so', () => {
    expect(mapped({}, { couponKinds: ['app'] })).toEqual({
      kind: 'skip',
      why: 'coupon-kind-not-mirrored',
    });
    expect(mapped({}, { couponForEveryone: 'skip' })).toEqual({
      kind: 'skip',
      why: 'coupon-for-everyone',
    });
  });

  it('is taken back when a rule that changed no longer lets it through', () => {
    expect(mapped({}, { couponForEveryone: 'skip' }, true)).toMatchObject(inactive);
  });

  it('is used only when no one can use it any more', () => {
    expect(formOf({ timesUsed: 5 }).IsUsed).toBe(false);
    expect(formOf({ timesUsed: 4, useLimit: 5 }).IsUsed).toBe(false);
    expect(formOf({ timesUsed: 5, useLimit: 5 }).IsUsed).toBe(true);
    expect(formOf({ timesUsed: 1, oncePerCustomer: true }).IsUsed).toBe(false);
    expect(formOf({ oncePerCustomer: true, ...audience() }).IsUsed).toBe(false);
    expect(formOf({ timesUsed: 1, oncePerCustomer: true, ...audience('7') }).IsUsed).toBe(true);
    expect(formOf({ timesUsed: 1, oncePerCustomer: true, ...audience('7', '8') }).IsUsed).toBe(
      false,
    );
  });
});

describe('on a loyalty account that several shops share', () => {
  const shared = { sharedAccount: true };

  it('a coupon has an id of its shop’s own, and keeps it', () => {
    const first = mapped({}, shared);
    const own = { OriginalId: 'AUTUMN10@example-store.myshopify.com', CouponCode: 'AUTUMN10' };
    expect(first).toMatchObject({ wanted: { id: 'AUTUMN10', coupon: own } });
    const { remember } = first as { remember: string };
    expect(mapped({}, { sharedAccount: false }, true, remember)).toMatchObject({
      wanted: { coupon: own },
    });
  });

  it('a coupon that was sent under its code alone keeps that id', () => {
    expect(mapped({}, shared, true)).toMatchObject({
      wanted: { coupon: { OriginalId: 'AUTUMN10' } },
    });
  });

  it('a code that this shop never sent is not taken back: it may be another shop’s', () => {
    const ended = { status: 'expired' };
    expect(mapped(ended, shared)).toEqual({ kind: 'skip', why: 'never-sent' });
    expect(mapped(ended, shared, true)).toMatchObject(inactive);
    expect(mapped(ended)).toMatchObject(inactive);
  });
});
