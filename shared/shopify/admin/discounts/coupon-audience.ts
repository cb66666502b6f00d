import type { StoreCoupon } from '../../../store/coupon.ts';
import { readCustomer } from '../orders/customer-from-node.ts';
import type { CodeDiscount } from './discount-node.ts';

/**
 * Who may use a code. Markets are a rule like segments: who is meant cannot be listed. So is any
 * context that a later version adds, since it surely is not everyone.
 */
export function couponAudience(
  context: CodeDiscount['context'],
): StoreCoupon['audience'] | undefined {
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
