import type { components } from '../../loyalty/contract.gen.ts';
import { toThousandths } from '../ledger/sent-amounts.ts';
import type { WantedState } from '../mapping/wanted-state.ts';

type WantedCoupon = Extract<WantedState, { kind: 'coupon' | 'inactive-coupon' }>;
type HeldCoupon = components['schemas']['CouponItem'];

/** What the store or the loyalty service says of a coupon. */
export interface CouponSide {
  /** `over`: used or inactive. The service does not distinguish them. */
  readonly state: 'usable' | 'over';
  /** In thousandths. Undefined: not known. */
  readonly value: number | undefined;
  /** The service's number of the kind of discount. */
  readonly type: number | undefined;
}

export type CouponDifference = 'absent' | 'state' | 'value' | 'type';

export function couponOfStore(wanted: WantedCoupon): CouponSide {
  if (wanted.kind === 'inactive-coupon') {
    return { state: 'over', value: undefined, type: undefined };
  }
  const { IsUsed, CouponValue, CouponType } = wanted.coupon;
  const state = IsUsed ? 'over' : 'usable';
  return { state, value: toThousandths(CouponValue), type: CouponType ?? undefined };
}

export function couponOfService({ IsUsed, CouponValue, CouponType }: HeldCoupon): CouponSide {
  const value = CouponValue == null ? undefined : toThousandths(CouponValue);
  return { state: IsUsed ? 'over' : 'usable', value, type: CouponType ?? undefined };
}

/** A coupon that is over need not be there, and nothing else of it counts. */
export function couponDifferences(
  wanted: CouponSide,
  held: CouponSide | undefined,
): readonly CouponDifference[] {
  if (!held) return wanted.state === 'over' ? [] : ['absent'];
  const differs = (name: 'value' | 'type') =>
    wanted[name] !== undefined && held[name] !== undefined && wanted[name] !== held[name];
  return [
    ...(wanted.state === held.state ? [] : (['state'] as const)),
    ...(wanted.state === 'over' ? [] : (['value', 'type'] as const).filter(differs)),
  ];
}
