import { expect, it } from 'vitest';
import {
  couponDifferences,
  couponOfService,
  couponOfStore,
} from '../../../../shared/core/reconcile/compare-order.ts';

const coupon = { CouponCode: 'A', CouponValue: 10.5, CouponType: 1 } as const;
const usable = { kind: 'coupon', id: 'A', coupon: { ...coupon, IsUsed: false } } as const;
const used = { kind: 'coupon', id: 'A', coupon: { ...coupon, IsUsed: true } } as const;
const inactive = { kind: 'inactive-coupon', id: 'A' } as const;

it.each([
  [usable, { ...coupon, IsUsed: false }, []],
  [usable, undefined, ['absent']],
  [usable, { ...coupon, IsUsed: true }, ['state']],
  [usable, { ...coupon, CouponValue: 11 }, ['value']],
  [usable, { ...coupon, CouponType: 2 }, ['type']],
  // What one side does not say is no difference.
  [usable, { CouponCode: 'A', CouponValue: null, CouponType: null }, []],
  [{ ...usable, coupon: { ...usable.coupon, CouponType: null } }, coupon, []],
  // Nothing else counts of a coupon that is over, and it need not be there.
  [used, { ...coupon, IsUsed: true, CouponValue: 11, CouponType: 2 }, []],
  [used, { ...coupon, IsUsed: false }, ['state']],
  [used, undefined, []],
  [inactive, { ...coupon, IsUsed: true }, []],
  [inactive, { ...coupon, IsUsed: false }, ['state']],
  [inactive, undefined, []],
])(
  'a coupon of the store, %j, differs from the service’s, %j, in %j',
  (wanted, held, differences) => {
    const side = held && couponOfService(held as Parameters<typeof couponOfService>[0]);
    expect(
      couponDifferences(couponOfStore(wanted as Parameters<typeof couponOfStore>[0]), side),
    ).toEqual(differences);
  },
);
