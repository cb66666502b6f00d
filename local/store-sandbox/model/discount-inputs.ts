import * as v from 'valibot';
import { amount, id, moment, percentage, text } from './input-fields.ts';

const discountFields = {
  title: v.optional(text),
  percentage: v.optional(percentage),
  amount: v.optional(amount),
  each: v.optional(v.boolean()),
  startsAt: v.optional(moment),
  endsAt: v.optional(v.nullable(moment)),
  usageLimit: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1)))),
  oncePerCustomer: v.optional(v.boolean()),
  minimumSubtotal: v.optional(v.nullable(amount)),
  customerIds: v.optional(v.array(id)),
  segments: v.optional(v.array(text)),
  productIds: v.optional(v.nullable(v.array(id))),
  tags: v.optional(v.array(text)),
  combinesWith: v.optional(v.array(v.picklist(['order', 'product', 'shipping']))),
};

export const discountDraft = v.strictObject({
  ...discountFields,
  kind: v.optional(v.picklist(['basic', 'bxgy', 'free-shipping', 'app']), 'basic'),
  automatic: v.optional(v.boolean(), false),
  codes: v.optional(v.pipe(v.array(v.pipe(text, v.minLength(1))), v.maxLength(100_000)), []),
});

export const discountChange = v.strictObject({ discountId: id, ...discountFields });

export const discountReference = v.strictObject({ discountId: id });

export const codesChange = v.strictObject({
  discountId: id,
  codes: v.pipe(v.array(v.pipe(text, v.minLength(1))), v.minLength(1), v.maxLength(100_000)),
});
