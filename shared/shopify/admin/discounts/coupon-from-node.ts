import * as v from 'valibot';
import type { CouponKind, StoreCoupon } from '../../../store/coupon.ts';
import { type Amount, readAmount, readPercentage } from '../../../store/money.ts';
import type { StoreCustomer } from '../../../store/order.ts';
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
import type { DataOf } from '../client/admin-client.ts';
import type { couponDocument } from '../documents.gen.ts';
import type { CustomerNode } from '../orders/order-as-payload.ts';
import { REWARD_TAG } from '../storefront/make-reward-code.ts';

export type CodeDiscountNode = NonNullable<DataOf<typeof couponDocument>['codeDiscountNodeByCode']>;
export type CodeDiscount = CodeDiscountNode['codeDiscount'];
export type RedeemCode = CodeDiscount['codes']['nodes'][number];

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

/** Undefined when a required field is missing. */
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
    // The limit holds for each code of the discount.
    useLimit: discount.usageLimit,
    oncePerCustomer: discount.appliesOncePerCustomer,
  });
  const audience = couponAudience(discount.context);
  const worth = kindAndValue(discount);
  if (read.kind !== 'read' || !audience || !worth) return undefined;
  const { value: fields } = read;
  return {
    ...fields,
    status: fields.status.toLowerCase(),
    endsAt: fields.endsAt ?? undefined,
    useLimit: fields.useLimit ?? undefined,
    ...worth,
    audience,
    madeByConnector: discount.tags.includes(REWARD_TAG),
  };
}

interface Worth {
  readonly kind: CouponKind;
  readonly value: Amount | undefined;
}

/** Undefined for a value that cannot be read: it must not become 0. */
function kindAndValue(discount: CodeDiscount): Worth | undefined {
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

function basicValue(value: BasicValue): Worth | undefined {
  switch (value.__typename) {
    case 'DiscountPercentage':
      return ifKnown('percentage', readPercentage(value.percentage));
    case 'DiscountAmount':
      return ifKnown('fixed-amount', readAmount(value.amount.amount));
    case 'DiscountOnQuantity':
      return { kind: 'buy-x-get-y', value: undefined };
  }
}

function ifKnown(kind: CouponKind, value: Amount | undefined): Worth | undefined {
  return value === undefined ? undefined : { kind, value };
}

/**
 * Markets count as a segment: their customers cannot be listed. So does any context that a later API
 * version adds, since it surely is not everyone.
 */
function couponAudience(context: CodeDiscount['context']): StoreCoupon['audience'] | undefined {
  switch (context.__typename) {
    case 'DiscountBuyerSelectionAll':
      return { kind: 'everyone' };
    case 'DiscountCustomers': {
      const customers = context.customers
        .map(readCustomer)
        .filter((customer) => customer !== undefined);
      if (customers.length < context.customers.length) return undefined;
      return { kind: 'customers', customers };
    }
    default:
      return { kind: 'segment' };
  }
}

const customerFields = v.object({ id, createdAt: moment });

/** Undefined when a required field is missing. */
function readCustomer(customer: Omit<CustomerNode, 'metafields'>): StoreCustomer | undefined {
  const read = readPayload(customerFields, {
    id: idFromGid(customer.id, 'Customer'),
    createdAt: customer.createdAt,
  });
  if (read.kind !== 'read') return undefined;
  const { firstName, lastName, defaultEmailAddress, defaultPhoneNumber, defaultAddress } = customer;
  const name = [firstName, lastName]
    .map(filled)
    .filter((part) => part !== undefined)
    .join(' ');
  return {
    id: read.value.id,
    name: filled(name) ?? filled(defaultAddress?.name),
    email: filled(defaultEmailAddress?.emailAddress),
    phone: filled(defaultPhoneNumber?.phoneNumber) ?? filled(defaultAddress?.phone),
    createdAt: read.value.createdAt,
  };
}

function filled(text: string | null | undefined): string | undefined {
  return text?.trim() || undefined;
}
