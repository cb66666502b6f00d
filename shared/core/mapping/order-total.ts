import { type Amount, atLeastZero, subtract, sum } from '../../store/money.ts';
import type { StoreOrder } from '../../store/order.ts';
import type { OrderRules } from './mapping-rules.ts';

/** The amount the program counts with. Shipping is in neither. */
export function orderTotal(order: StoreOrder, rules: Pick<OrderRules, 'orderTotal'>): Amount {
  switch (rules.orderTotal) {
    case 'subtotal':
      return atLeastZero(order.subtotal);
    case 'total-less-shipping':
      return atLeastZero(
        subtract(order.total, sum([order.shipping.price, order.shipping.taxOnTop])),
      );
  }
}
