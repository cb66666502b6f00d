import type { Context } from './context.ts';

/**
 * An order that names a coupon has used it, whoever it belongs to and whether or not it was valid:
 * the store has let it pass. A use stays when the order is cancelled or later names another code. A
 * code that the sandbox does not know is left alone: not every discount of a store is mirrored.
 */
export function useCoupon({ tables }: Context, code: string, orderId: string): void {
  const id = tables.couponCodes.get(code);
  const coupon = id === undefined ? undefined : tables.coupons.get(id);
  if (!coupon || coupon.IsUsed) return;
  tables.coupons.put(coupon.OriginalId, { ...coupon, IsUsed: true, usedByOrderId: orderId });
}
