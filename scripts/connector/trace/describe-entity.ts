import type { StoreEntity } from '../../../shared/core/sync/store-reader.ts';

/** What the store says of a thing, in a line without anything about a person. */
export function describeEntity(entity: StoreEntity): string {
  switch (entity.kind) {
    case 'order': {
      const { order } = entity;
      return list([
        order.name,
        order.test && 'test order',
        order.cancelledAt ? 'cancelled' : undefined,
        order.paymentStatus,
        order.fulfillmentStatus ?? 'not fulfilled',
        `${order.subtotal} ${order.currency} without shipping`,
        order.customer ? `customer ${order.customer.id}` : 'guest',
      ]);
    }
    case 'product': {
      const { product } = entity;
      return list([product.title, product.status, product.price && `from ${product.price}`]);
    }
    case 'coupon': {
      const { coupon } = entity;
      return list([
        coupon.kind,
        coupon.value && `${coupon.value}`,
        coupon.status,
        `discount ${coupon.discountId}`,
        `for ${coupon.audience.kind}`,
        `used ${coupon.timesUsed} times`,
      ]);
    }
  }
}

const list = (words: readonly (string | false | undefined)[]) => words.filter(Boolean).join(', ');
