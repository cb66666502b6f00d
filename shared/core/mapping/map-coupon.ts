import type { MappingRules } from '../../config/mapping-settings.ts';
import { toJsonNumber, ZERO } from '../../store/money.ts';
import type { StoreCoupon } from '../../store/store-entities.ts';
import type { MappingSkip } from '../events/outcome.ts';
import { rememberedForm } from '../ledger/ledger.ts';
import { buyerIn, isIdentified, plainCustomerForm } from './customer-form.ts';
import { type CouponForm, type KnownBefore, knownFields, type Mapped } from './wanted-state.ts';

/** `ofShop`: it was sent under an id of its shop's own. */
export const couponMemory = rememberedForm<{ readonly ofShop: boolean }>('coupon', 1);

const COUPON_TYPE = {
  'fixed-amount': 0,
  percentage: 1,
  'free-shipping': 2,
  'buy-x-get-y': 4,
  app: 4,
} as const satisfies Record<StoreCoupon['kind'], CouponForm['CouponType']>;

export function mapCoupon(
  coupon: StoreCoupon,
  rules: MappingRules,
  before: KnownBefore & { readonly now: Date },
  shop: string,
): Mapped {
  const { code } = coupon;
  if (coupon.madeByConnector) return { kind: 'skip', why: 'reward-coupon' };
  if (!coupon.onlyForSome && isOver(coupon, before.now)) {
    return mapRemovedCoupon(code, before, rules);
  }
  const skipped = skipReason(coupon, rules);
  if (skipped !== undefined) {
    // The service holds it from before a rule or its buyers changed: it must not stay as it was.
    return before.known ? mapRemovedCoupon(code, before, rules) : { kind: 'skip', why: skipped };
  }
  const ofShop = isOfShop(rules, before);
  const form = couponForm(coupon, ofShop ? `${code}@${shop}` : code);
  const remember = ofShop ? couponMemory.write({ ofShop }) : undefined;
  return { kind: 'wanted', wanted: { kind: 'coupon', id: code, coupon: form }, remember };
}

/**
 * A code removed, or its discount deleted. Also for a code that was never recorded: a worker may have
 * died between sending and recording it, and the service accepts an unknown code. But not if it may be
 * the coupon of another shop, because the service finds a coupon by its code alone.
 */
export function mapRemovedCoupon(
  code: string,
  { known, remembered }: KnownBefore,
  { sharedAccount }: Pick<MappingRules, 'sharedAccount'>,
): Mapped {
  if (sharedAccount && !known) return { kind: 'skip', why: 'never-sent' };
  return { kind: 'wanted', wanted: { kind: 'inactive-coupon', id: code }, remember: remembered };
}

/**
 * Under an id of its shop's own, so that it does not replace another shop's coupon. What was sent by its
 * code alone keeps that id: the service would refuse a second coupon with the same code.
 * See docs/decisions/0016-shops-on-one-account-share-a-currency-not-coupon-ids.md.
 */
function isOfShop({ sharedAccount }: MappingRules, { known, remembered }: KnownBefore): boolean {
  return known ? couponMemory.read(remembered)?.ofShop === true : sharedAccount;
}

function couponForm(coupon: StoreCoupon, id: string): CouponForm {
  const customer = buyerIn({ kind: 'coupon', coupon });
  return knownFields({
    // Not the store's id of the code: a code removed and added again has another, and the service would
    // refuse it as the code of another coupon.
    OriginalId: id,
    CouponCode: coupon.code,
    CreatedDate: coupon.createdAt,
    CouponType: COUPON_TYPE[coupon.kind],
    IsUsed: isUsedUp(coupon),
    CouponValue: toJsonNumber(coupon.value ?? ZERO),
    ValidDateStart: coupon.startsAt,
    ValidDateEnd: coupon.endsAt,
    CustomerId: customer?.id,
    Customer: customer && plainCustomerForm(customer),
  });
}

/** Decided by the code's own dates: the store's status follows them with a delay. */
function isOver({ status, endsAt }: StoreCoupon, now: Date): boolean {
  return status === 'expired' || (endsAt !== undefined && endsAt <= now.toISOString());
}

function skipReason(coupon: StoreCoupon, rules: MappingRules): MappingSkip | undefined {
  if (coupon.onlyForSome) return 'coupon-for-some-buyers';
  const customer = buyerIn({ kind: 'coupon', coupon });
  if (customer && !isIdentified(plainCustomerForm(customer), rules))
    return 'customer-without-email';
  if (!rules.couponKinds.includes(coupon.kind)) return 'coupon-kind-not-mirrored';
  const isForEveryone = coupon.audience.kind === 'everyone';
  return isForEveryone && rules.couponForEveryone === 'skip' ? 'coupon-for-everyone' : undefined;
}

/** No purchase can use it any more. One use of a code that many may use does not use it up. */
function isUsedUp({ timesUsed, useLimit, oncePerCustomer, audience }: StoreCoupon): boolean {
  if (useLimit !== undefined && timesUsed >= useLimit) return true;
  if (!oncePerCustomer || audience.kind !== 'customers') return false;
  return audience.customers.length > 0 && timesUsed >= audience.customers.length;
}
