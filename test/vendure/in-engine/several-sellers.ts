import {
  DefaultOrderSellerStrategy,
  type Order,
  type OrderSellerStrategy,
  type RequestContext,
} from '@vendure/core';

/** The server, on which an order is split where it has goods of several sellers: each line has its own. */
const strategy: OrderSellerStrategy = DefaultOrderSellerStrategy.prototype;
strategy.splitOrder = ({ channelId }: RequestContext, { lines, shippingLines }: Order) => {
  const ofSellers = lines.filter(({ productVariant }) => productVariant.sku.startsWith('SELLER-'));
  return ofSellers.map((line, index) => ({
    channelId,
    state: 'PaymentSettled' as const,
    lines: [line],
    shippingLines: index === 0 ? shippingLines : [],
  }));
};
await import('../../../local/vendure-engine/server/server.ts');
