import type * as v from 'valibot';
import { minorDigits } from '../../../shared/store/money.ts';
import { parseMinor } from './minor-units.ts';
import type { orderDraft } from './order-inputs.ts';
import type { LineRow } from './order-row.ts';
import { type Refused, refused, type World } from './world.ts';

type LineDraft = v.InferOutput<typeof orderDraft>['lines'][number];

/** Before taxes and discounts, which depend on all lines. */
export type PlainLine = Omit<LineRow, 'taxes' | 'allocations'> & { readonly taxable: boolean };

export function draftLine(
  { rows, shop, ids }: World,
  draft: LineDraft,
  staffId: string | null,
): PlainLine | Refused {
  const price =
    draft.price === undefined ? undefined : parseMinor(draft.price, minorDigits(shop.currency));
  if (draft.price !== undefined && price === undefined) {
    return refused(`${draft.price} is not an amount of ${shop.currency}.`);
  }
  const common = { quantity: draft.quantity, staffId };
  if (draft.variantId === undefined) {
    if (price === undefined || draft.title === undefined) {
      return refused('A line without a variant needs a title and a price.');
    }
    return {
      ...common,
      id: ids.next('LineItem'),
      kind: draft.giftCard ? 'gift-card' : 'custom',
      productId: null,
      variantId: null,
      title: draft.title,
      variantTitle: null,
      sku: null,
      vendor: null,
      unitMinor: price,
      taxable: draft.taxable && !draft.giftCard,
    };
  }
  for (const product of rows.products.values()) {
    const variant = product.variants.find((one) => one.id === draft.variantId);
    if (!variant) continue;
    return {
      ...common,
      id: ids.next('LineItem'),
      kind: draft.giftCard ? 'gift-card' : 'product',
      productId: product.id,
      variantId: variant.id,
      title: draft.title ?? product.title,
      variantTitle: product.variants.length > 1 ? variant.title : null,
      sku: variant.sku,
      vendor: product.vendor,
      unitMinor: price ?? variant.priceMinor,
      taxable: draft.taxable && !draft.giftCard,
    };
  }
  return refused(`There is no variant ${draft.variantId}.`);
}
