import type { components } from '../../loyalty/contract.gen.ts';
import type { Redemption, RewardCode, RewardKind } from './redemption.ts';

type RewardConfiguration = components['schemas']['RewardConfiguration'];
type Coupon = components['schemas']['PreGeneratedCoupon'];

/** A code that the service does not know: of what the shopper was offered, from now on. */
export function ownCode({ id, terms }: Redemption, now: Date, code?: string): RewardCode {
  const endsAt = endAfter(now, terms.validDays);
  return {
    code: code ?? `${terms.codePrefix}-${id}`,
    kind: terms.kind,
    value: terms.value,
    startsAt: now.toISOString(),
    ...(endsAt !== undefined && { endsAt }),
  };
}

/**
 * The code out of the answer to a redemption. The coupon that it assigns is what an order must name to be
 * known to have used the reward; where it has none, the code is one of our own.
 */
export function codeFrom(
  answer: RewardConfiguration | undefined,
  redemption: Redemption,
  now: Date,
): RewardCode {
  const own = ownCode(redemption, now);
  const coupon = assignedCoupon(answer);
  if (!coupon) return own;
  const { code, starts, ends, kind, value } = coupon;
  const startsAt = starts !== undefined && starts > own.startsAt ? starts : own.startsAt;
  const endsAt = ends !== undefined && ends > startsAt ? ends : own.endsAt;
  return {
    code,
    startsAt,
    // Both or none: a value means nothing without its kind.
    ...(kind !== undefined && isValueOf(kind, value)
      ? { kind, value: kind === 'free-shipping' ? 0 : value }
      : { kind: own.kind, value: own.value }),
    ...(endsAt !== undefined && { endsAt }),
  };
}

/** True when a store discount can have this value. */
export function isValueOf(kind: RewardKind, value: number): boolean {
  switch (kind) {
    case 'fixed':
      return value > 0 && Number.isFinite(value);
    case 'percent':
      return value > 0 && value <= 100;
    case 'free-shipping':
      return true;
  }
}

/** `CouponType` of the contract; a store has no discount for the others. */
const COUPON_KINDS: Readonly<Record<number, RewardKind>> = {
  0: 'fixed',
  1: 'percent',
  2: 'free-shipping',
};

/** The store's codes have at most 255 characters. */
const LONGEST_CODE = 255;

function assignedCoupon(answer: RewardConfiguration | undefined) {
  const coupons = (answer?.PreGeneratedCouponLists ?? []).flatMap(
    (list): readonly Coupon[] => list?.PreGeneratedCoupons ?? [],
  );
  const usable = coupons.filter((coupon) => codeIn(coupon) !== '');
  // Only one can be meant: of several, the assigned one. Where several are assigned, all but one belong
  // to other customers, and nothing says which.
  const assigned = usable.filter(({ IsAssigned }) => IsAssigned === true);
  const coupon = onlyOne(assigned.length > 0 ? assigned : usable);
  if (!coupon) return undefined;
  const { CouponType, CouponValue, ValidDateStart, ValidDateEnd } = coupon;
  return {
    code: codeIn(coupon),
    kind: CouponType === undefined ? undefined : COUPON_KINDS[CouponType],
    value: CouponValue ?? 0,
    starts: readDate(ValidDateStart),
    ends: readDate(ValidDateEnd),
  };
}

function codeIn({ CouponCode }: Coupon): string {
  const code = typeof CouponCode === 'string' ? CouponCode.trim() : '';
  return code.length <= LONGEST_CODE ? code : '';
}

const onlyOne = <T>(all: readonly T[]): T | undefined => (all.length === 1 ? all[0] : undefined);

function endAfter(now: Date, days: number | undefined): string | undefined {
  return days === undefined ? undefined : new Date(now.getTime() + days * 86_400_000).toISOString();
}

const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/;

/** In UTC, which is assumed where there is no zone. Undefined for what is no date. */
export function readDate(text: string | null | undefined): string | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(text)) return undefined;
  const date = new Date(HAS_ZONE.test(text) ? text : `${text}Z`);
  return Number.isFinite(date.getTime()) ? date.toISOString() : undefined;
}
