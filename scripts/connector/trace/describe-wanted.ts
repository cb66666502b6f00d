import type { WantedState } from '../../../shared/core/mapping/wanted-state.ts';

/** What the loyalty service should hold, in a few words and nothing about a person. */
export function describeWanted(wanted: WantedState): string {
  switch (wanted.kind) {
    case 'order': {
      const { OrderTotal, IsCompleted, Products } = wanted.order;
      const completed = IsCompleted ? 'completed' : 'not completed';
      return `an order of ${OrderTotal}, ${completed}, ${Products?.length ?? 0} products`;
    }
    case 'cancelled-order':
      return 'a cancelled order';
    case 'product':
      return `a product, ${wanted.product.IsActive ? 'active' : 'not active'}`;
    case 'coupon':
      return 'a coupon, active';
    case 'inactive-coupon':
      return 'a coupon, not active';
  }
}

/** What is sent, in the contract's own words; undefined where the call has no body. */
export function formOf(wanted: WantedState): object | undefined {
  switch (wanted.kind) {
    case 'order':
      return wanted.order;
    case 'cancelled-order':
      return wanted.cancellation;
    case 'product':
      return wanted.product;
    case 'coupon':
      return wanted.coupon;
    case 'inactive-coupon':
      return undefined;
  }
}
