import * as v from 'valibot';
import type { CouponKind, StoreCoupon } from '../../../store/coupon.ts';
import { type Amount, multiply, readAmount } from '../../../store/money.ts';
import { idFromGid } from '../../entity-id.ts';
import {
  flag,
  id,
  moment,
  optional,
  quantity,
  readPayload,
  text,
} from '../../webhooks/payload-fields.ts';
import { REWARD_TAG } from '../storefront/reward-tag.ts';
import { couponAudience } from './coupon-audience.ts';
import type { CodeDiscount, RedeemCode } from './discount-node.ts';

const couponFields = v.object({
  code: text,
  codeId: id,
  discountId: id,
  status: text,
  createdAt: moment,
  startsAt: moment,
  endsAt: optional(moment),
  updatedAt: moment,
  timesUsed: quantity,
  useLimit: optional(quantity),
  oncePerCustomer: flag,
});

/** One code of a discount; undefined when the answer lacks what every code has. */
export function couponFromNode(
  discountGid: string,
  discount: CodeDiscount,
  redeem: RedeemCode,
): StoreCoupon | undefined {
  const read = readPayload(couponFields, {
    code: redeem.code,
    codeId: idFromGid(redeem.id, 'DiscountRedeemCode'),
    discountId: idFromGid(discountGid, 'DiscountCodeNode'),
    status: discount.status,
    createdAt: discount.createdAt,
    startsAt: discount.startsAt,
    endsAt: discount.endsAt,
    updatedAt: discount.updatedAt,
    timesUsed: redeem.asyncUsageCount,
    // Each code of the discount may be used this often.
    useLimit: discount.usageLimit,
    oncePerCustomer: discount.appliesOncePerCustomer,
  });
  const audience = couponAudience(discount.context);
  if (read.kind !== 'read' || !audience) return undefined;
  const { value: fields } = read;
  return {
    ...fields,
    status: fields.status.toLowerCase(),
    endsAt: fields.endsAt ?? undefined,
    useLimit: fields.useLimit ?? undefined,
    ...kindAndValue(discount),
    audience,
    madeByConnector: discount.tags.includes(REWARD_TAG),
  };
}

function kindAndValue(discount: CodeDiscount): {
  readonly kind: CouponKind;
  readonly value: Amount | undefined;
} {
  switch (discount.__typename) {
    case 'DiscountCodeBasic':
      return basicValue(discount.customerGets.value);
    case 'DiscountCodeBxgy':
      return { kind: 'buy-x-get-y', value: undefined };
    case 'DiscountCodeFreeShipping':
      return { kind: 'free-shipping', value: undefined };
    case 'DiscountCodeApp':
      return { kind: 'app', value: undefined };
  }
}

type BasicValue = Extract<
  CodeDiscount,
  { __typename: 'DiscountCodeBasic' }
>['customerGets']['value'];

function basicValue(value: BasicValue): ReturnType<typeof kindAndValue> {
  switch (value.__typename) {
    case 'DiscountPercentage': {
      const fraction = readAmount(value.percentage);
      return { kind: 'percentage', value: fraction && multiply(fraction, 100) };
    }
    case 'DiscountAmount':
      return { kind: 'fixed-amount', value: readAmount(value.amount.amount) };
    case 'DiscountOnQuantity':
      return { kind: 'buy-x-get-y', value: undefined };
  }
}
