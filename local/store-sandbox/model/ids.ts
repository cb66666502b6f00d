import type { Table } from '../../sandbox-kit/tables.ts';

/** The first id of each kind: far apart, so that an id of one kind never exists as another kind. */
const firsts = {
  Order: 5_512_300_000_000n,
  LineItem: 14_087_600_000_000n,
  ShippingLine: 4_561_700_000_000n,
  Refund: 919_400_000_000n,
  RefundLineItem: 611_900_000_000n,
  RefundShippingLine: 312_500_000_000n,
  OrderAdjustment: 281_700_000_000n,
  SalesAgreement: 2_741_300_000_000n,
  Sale: 19_976_100_000_000n,
  Fee: 7_204_600_000n,
  OrderTransaction: 6_821_900_000_000n,
  ShopifyPaymentsDispute: 9_330_100_000n,
  Fulfillment: 4_988_100_000_000n,
  Return: 11_570_000_000_000n,
  OrderEdit: 88_200_000_000n,
  Product: 8_012_300_000_000n,
  ProductVariant: 44_310_200_000_000n,
  ProductImage: 37_410_900_000_000n,
  Customer: 6_940_000_000_000n,
  DiscountCodeNode: 1_688_800_000_000n,
  DiscountAutomaticNode: 1_712_300_000_000n,
  DiscountRedeemCode: 20_453_200_000_000n,
  Rollout: 71_300_000_000n,
  StoreCreditAccount: 51_900_000_000n,
  StoreCreditAccountTransaction: 61_700_000_000n,
  Metafield: 32_118_700_000_000n,
  MetafieldDefinition: 41_225_300_000n,
  WebhookSubscription: 1_420_500_000_000n,
  DataRequest: 771_900_000_000n,
};

type IdKind = keyof typeof firsts;

/** An odd step, so that every last digit occurs. */
const step = 32_771n;

/** Raises every id above 2^53, where a JavaScript number is no longer exact. */
const beyondSafe = 820_000_000_000_000_000n;

export interface Ids {
  next(kind: IdKind): string;
}

/**
 * Counts in a table, so that no id is used twice, even after a restart. Stores with another place, below the
 * step, have other ids.
 */
export function createIds(counters: Table<number>, size: 'usual' | 'beyond-2^53', place = 0): Ids {
  const lift = (size === 'usual' ? 0n : beyondSafe) + BigInt(place);
  return {
    next(kind) {
      const count = (counters.get(kind) ?? 0) + 1;
      counters.put(kind, count);
      return String(firsts[kind] + lift + step * BigInt(count));
    },
  };
}

export const gid = (type: string, id: string): string => `gid://shopify/${type}/${id}`;
