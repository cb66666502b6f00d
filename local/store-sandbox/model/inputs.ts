import * as v from 'valibot';

/**
 * The inputs of the actions, in code and over HTTP. Amounts are decimals of the shop's currency
 * (`'12.50'` or 12.5), ids are texts, times are ISO 8601.
 */
export const amount = v.union([
  v.pipe(v.string(), v.regex(/^\d{1,11}(\.\d{1,3})?$/)),
  v.pipe(v.number(), v.minValue(0), v.maxValue(1e11)),
]);
export const id = v.pipe(v.string(), v.regex(/^\d{1,30}$/));
export const text = v.pipe(v.string(), v.maxLength(5_000));
export const moment = v.pipe(
  v.string(),
  v.check((value) => !Number.isNaN(Date.parse(value)), 'is not a moment'),
);
export const pieces = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000));
export const currency = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/));
export const percentage = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
export const taxRates = v.array(
  v.strictObject({ title: text, rate: v.pipe(v.number(), v.minValue(0), v.maxValue(1)) }),
);

export const address = v.strictObject({
  firstName: text,
  lastName: text,
  address1: v.optional(text, '1 Example Street'),
  city: v.optional(text, 'Exampleton'),
  zip: v.optional(text, '00000'),
  province: v.optional(v.nullable(text), null),
  provinceCode: v.optional(v.nullable(text), null),
  country: v.optional(text, 'Germany'),
  countryCode: v.optional(text, 'DE'),
  phone: v.optional(v.nullable(text), null),
});

export const nothing = v.strictObject({});

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
  /** If only the price is given, the product has one variant. */
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
  /** For every variant. */
  price: v.optional(amount),
  variantPrices: v.optional(v.array(v.strictObject({ variantId: id, price: amount })), []),
});

export const productReference = v.strictObject({ productId: id });

export const inventoryChange = v.strictObject({
  productId: id,
  by: v.pipe(v.number(), v.integer()),
});

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

const customerFields = {
  firstName: v.optional(v.nullable(text)),
  lastName: v.optional(v.nullable(text)),
  email: v.optional(v.nullable(text)),
  phone: v.optional(v.nullable(text)),
  note: v.optional(v.nullable(text)),
  tags: v.optional(v.array(text)),
  address: v.optional(v.nullable(address)),
};

export const customerDraft = v.strictObject(customerFields);
export const customerChange = v.strictObject({ customerId: id, ...customerFields });
export const customerMerge = v.strictObject({ keptId: id, deletedId: id });
export const customerReference = v.strictObject({ customerId: id });

export const metafieldReference = v.strictObject({
  /** `gid://shopify/Customer/…` */
  ownerGid: v.pipe(v.string(), v.regex(/^gid:\/\/shopify\/\w+\/\d+$/)),
  namespace: text,
  key: text,
});

export const metafieldDraft = v.strictObject({
  ...metafieldReference.entries,
  type: v.optional(text, 'single_line_text_field'),
  value: v.pipe(v.string(), v.maxLength(100_000)),
});

export const metafieldDefinition = v.strictObject({
  ownerType: text,
  namespace: text,
  key: text,
  name: text,
  type: text,
  pinned: v.boolean(),
  storefront: v.picklist(['NONE', 'PUBLIC_READ']),
  customerAccount: v.picklist(['NONE', 'READ', 'READ_WRITE']),
});
