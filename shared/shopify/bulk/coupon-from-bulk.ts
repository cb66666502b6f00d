import type { StoreCoupon } from '../../store/coupon.ts';
import { couponFromNode } from '../admin/discounts/coupon-from-node.ts';
import type { CodeDiscount, RedeemCode } from '../admin/discounts/discount-node.ts';
import type { Fields } from './group-lines.ts';

/** One code of a discount's; undefined when it cannot be read. */
export function couponFromBulk(discount: Fields, code: Fields): StoreCoupon | undefined {
  if (typeof discount.id !== 'string' || typeof discount.codeDiscount !== 'object')
    return undefined;
  return couponFromNode(
    discount.id,
    discount.codeDiscount as CodeDiscount,
    code as unknown as RedeemCode,
  );
}
