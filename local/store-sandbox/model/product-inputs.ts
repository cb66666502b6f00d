import * as v from 'valibot';
import { amount, id, text } from './input-fields.ts';

const productFields = {
  title: text,
  vendor: text,
  productType: text,
  category: v.nullable(v.strictObject({ id: text, fullName: text })),
  status: v.picklist(['active', 'draft', 'archived']),
  description: text,
  tags: v.array(text),
  imageUrl: v.nullable(v.pipe(v.string(), v.url())),
};

export const productDraft = v.strictObject({
  ...v.partial(v.object(productFields)).entries,
  title: text,
  /** One variant where only the price is given. */
  price: v.optional(amount),
  variants: v.optional(
    v.array(
      v.strictObject({
        title: text,
        price: amount,
        sku: v.optional(text),
        inventory: v.optional(v.number()),
      }),
    ),
  ),
});

export const productChange = v.strictObject({
  productId: id,
  ...v.partial(v.object(productFields)).entries,
  /** Of every variant. */
  price: v.optional(amount),
  variantPrices: v.optional(v.array(v.strictObject({ variantId: id, price: amount })), []),
});

export const productReference = v.strictObject({ productId: id });

export const inventoryChange = v.strictObject({
  productId: id,
  by: v.pipe(v.number(), v.integer()),
});
