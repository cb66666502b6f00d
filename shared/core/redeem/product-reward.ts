import type { AvailableReward } from './available-rewards.ts';

/** What a reward takes off one unit of one product. */
export interface ProductDiscount {
  readonly product: { readonly id: string; readonly name: string };
  /** A free product is one with 100 percent off. */
  readonly kind: 'percent' | 'fixed';
  readonly value: number;
}

/** `ProductDiscountMode`. 1, a fixed final price, is none of them: no discount of a store sets a price. */
const PERCENT = 0;
const FREE = 2;
const AMOUNT_OFF = 3;

/** Undefined for what a discount of the store cannot express. */
export function productDiscount(reward: AvailableReward): ProductDiscount | undefined {
  const { ExternalProductId: id = null, ProductDiscountMode: mode } = reward;
  if (id === null || !/^\d{1,19}$/.test(id)) return undefined;
  const product = { id, name: reward.ProductDisplayName?.trim() || reward.Title?.trim() || '' };
  const value = reward.ProductDiscountValue ?? 0;
  switch (mode) {
    case PERCENT:
      return value > 0 && value <= 100 ? { product, kind: 'percent', value } : undefined;
    case FREE:
      return { product, kind: 'percent', value: 100 };
    case AMOUNT_OFF:
      return value > 0 ? { product, kind: 'fixed', value } : undefined;
    default:
      return undefined;
  }
}

/** Of all variants of a product. */
export interface ProductPrices {
  readonly lowest: number;
  readonly highest: number;
}

/**
 * As an amount, because a percentage of a product would apply to every unit in the order, and the reward
 * is for one. A part of the price is known only where all variants have the same.
 */
export function takeOff(
  { kind, value }: ProductDiscount,
  { lowest, highest }: ProductPrices,
): number | undefined {
  if (kind === 'fixed') return Math.min(value, lowest);
  return lowest === highest ? Math.round(lowest * value) / 100 : undefined;
}
