import * as v from 'valibot';

/**
 * The inputs of the actions, in code and over HTTP. Amounts are decimals of the shop's currency
 * (`'12.50'` or 12.5), ids are texts, times are ISO 8601.
 */
const amount = v.union([
  v.pipe(v.string(), v.regex(/^\d{1,11}(\.\d{1,3})?$/)),
  v.pipe(v.number(), v.minValue(0), v.maxValue(1e11)),
]);
const id = v.pipe(v.string(), v.regex(/^\d{1,30}$/));
const text = v.pipe(v.string(), v.maxLength(5_000));
const moment = v.pipe(
  v.string(),
  v.check((value) => !Number.isNaN(Date.parse(value)), 'is not a moment'),
);
const pieces = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000));
const currency = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/));
const percentage = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
const taxRates = v.array(
  v.strictObject({ title: text, rate: v.pipe(v.number(), v.minValue(0), v.maxValue(1)) }),
);

export const address = v.strictObject({
  firstName: text,
  lastName: text,
  address1: v.optional(text, '1 Example Street'),
  city: v.optional(text, 'Exampleton'),
  zip: v.optional(text, '00000'),
  country: v.optional(text, 'Germany'),
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

/** Served from now on. */
export const rolloutDraft = v.strictObject({
  name: text,
  /** The effective traffic allocation. */
  allocation: v.optional(percentage, 100),
  concludeAt: v.optional(v.nullable(moment), null),
  treatments: v.array(
    v.strictObject({
      split: v.optional(percentage, 100),
      activate: v.optional(v.array(id), []),
      expire: v.optional(v.array(id), []),
    }),
  ),
});

export const rolloutReference = v.strictObject({ rolloutId: id });

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

export const creditChange = v.strictObject({
  customerId: id,
  amount,
  /** Absent: the shop's. */
  currency: v.optional(currency),
  /** Of a credit; absent: it never ends. */
  expiresAt: v.optional(v.nullable(moment)),
});

export const failedCheckout = v.strictObject({ customerId: id, amount });

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

const line = v.strictObject({
  /** A variant of the store; without it the line is custom and needs a title and a price. */
  variantId: v.optional(id),
  title: v.optional(text),
  price: v.optional(amount),
  quantity: v.optional(pieces, 1),
  giftCard: v.optional(v.boolean(), false),
  taxable: v.optional(v.boolean(), true),
});

const orderDiscount = v.strictObject({
  /** A code. If the store knows it, its discount decides the value, unless an amount is given here. */
  code: v.optional(text),
  /** For an automatic or manual discount. */
  title: v.optional(text),
  automatic: v.optional(v.boolean(), false),
  percentage: v.optional(percentage),
  amount: v.optional(amount),
  /** The amount is deducted from every single item. */
  each: v.optional(v.boolean(), false),
  shipping: v.optional(v.boolean(), false),
  /** Indexes of the entitled lines; absent: all. */
  lines: v.optional(v.array(v.pipe(v.number(), v.integer(), v.minValue(0)))),
});

export const card = v.strictObject({
  company: text,
  methodName: v.optional(text, 'Card'),
  last4: v.optional(v.pipe(v.string(), v.regex(/^\d{4}$/)), '4242'),
});

export const orderDraft = v.strictObject({
  lines: v.pipe(v.array(line), v.minLength(1), v.maxLength(500)),
  /** Absent: a guest. */
  customerId: v.optional(v.nullable(id), null),
  email: v.optional(v.nullable(text)),
  phone: v.optional(v.nullable(text)),
  address: v.optional(v.nullable(address)),
  discounts: v.optional(v.array(orderDiscount), []),
  taxesIncluded: v.optional(v.boolean()),
  taxes: v.optional(taxRates),
  shipping: v.optional(
    v.array(v.strictObject({ title: v.optional(text, 'Standard'), price: amount })),
    [],
  ),
  tip: v.optional(amount),
  duties: v.optional(amount),
  /** Charged on top, such as one for delivery. */
  additionalFee: v.optional(amount),
  pos: v.optional(v.strictObject({ locationId: id, staffId: v.optional(id) })),
  sourceName: v.optional(text),
  test: v.optional(v.boolean(), false),
  presentment: v.optional(
    v.strictObject({ currency, rate: v.pipe(v.number(), v.gtValue(0), v.maxValue(1e6)) }),
  ),
  /** `pending`: the customer promised it, in cash on delivery or by bank transfer. */
  payment: v.optional(v.picklist(['none', 'pending', 'authorized', 'paid']), 'none'),
  gateway: v.optional(text, 'shopify_payments'),
  /** What the customer's store credit pays: an amount, or as much as there is. `payment` is about the rest. */
  storeCredit: v.optional(v.union([v.literal('all'), amount])),
  card: v.optional(card),
  note: v.optional(v.nullable(text), null),
  noteAttributes: v.optional(v.array(v.strictObject({ name: text, value: text })), []),
  localizedFields: v.optional(
    v.array(v.strictObject({ key: v.pipe(v.string(), v.regex(/^[A-Z_]+$/)), value: text })),
    [],
  ),
  tags: v.optional(v.array(text), []),
  /** Absent: now. */
  createdAt: v.optional(moment),
});

const orderId = { orderId: id };
const lines = v.array(
  v.strictObject({ lineId: id, quantity: pieces, restock: v.optional(v.boolean(), true) }),
);

/** Where the money of a refund goes. */
const creditedTo = {
  to: v.optional(v.picklist(['original-payments', 'store-credit']), 'original-payments'),
  /** Of the credit; absent: it never ends. */
  creditExpiresAt: v.optional(v.nullable(moment), null),
};

export const payment = v.strictObject({
  ...orderId,
  amount: v.optional(amount),
  gateway: v.optional(text),
  card: v.optional(card),
});

export const fulfilment = v.strictObject({
  ...orderId,
  /** Absent: everything that is left. */
  lines: v.optional(v.array(v.strictObject({ lineId: id, quantity: pieces }))),
});

export const edit = v.strictObject({
  ...orderId,
  add: v.optional(v.array(line), []),
  /** The new quantity of a line. */
  set: v.optional(
    v.array(
      v.strictObject({
        lineId: id,
        quantity: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100_000)),
      }),
    ),
    [],
  ),
  /** What an edit takes off a line altogether; 0 removes an earlier discount of an edit. */
  discount: v.optional(v.array(v.strictObject({ lineId: id, amount })), []),
  removeShipping: v.optional(v.boolean(), false),
});

export const refund = v.strictObject({
  ...orderId,
  lines: v.optional(lines, []),
  /** Everything that is left, or this amount of the first shipping line. */
  shipping: v.optional(v.union([v.literal('all'), amount])),
  duties: v.optional(v.boolean(), false),
  /** Pays back this amount instead of the value of the lines. */
  amount: v.optional(amount),
  /** To payments of this gateway first; absent: to the latest payment first. */
  gateway: v.optional(text),
  ...creditedTo,
  /**
   * The money is on its way until `settleRefund`. Which discrepancies the store writes until then is recorded in
   * tables without their order only, so a test can have each: one that takes the money out again, the same with its
   * counterpart ("Pending refund discrepancy"), or one that looks like a rise.
   */
  pending: v.optional(v.picklist(['balanced', 'paired', 'rise'])),
  returnId: v.optional(id),
});

export const settlement = v.strictObject({
  ...orderId,
  /** Absent: the oldest refund with pending money. */
  refundId: v.optional(id),
  outcome: v.optional(v.picklist(['success', 'failure']), 'success'),
});

export const dispute = v.strictObject({
  ...orderId,
  type: v.optional(v.picklist(['inquiry', 'chargeback']), 'chargeback'),
  /** Absent: everything that was paid. */
  amount: v.optional(amount),
});

export const disputeChange = v.strictObject({
  ...orderId,
  /** Absent: the latest. */
  disputeId: v.optional(id),
  status: v.optional(
    v.picklist(['needs_response', 'under_review', 'won', 'lost', 'accepted', 'prevented']),
  ),
  /** An inquiry becomes a chargeback. */
  type: v.optional(v.literal('chargeback')),
});

/** The return is processed at once. */
export const returning = v.strictObject({
  ...orderId,
  lines: v.pipe(lines, v.minLength(1)),
  /** What the customer gets instead. */
  exchange: v.optional(v.array(line), []),
  /** For restocking or for sending it back; its refund is lower by it. */
  fee: v.optional(amount),
});

export const cancellation = v.strictObject({
  ...orderId,
  refund: v.optional(v.boolean(), true),
  ...creditedTo,
  restock: v.optional(v.boolean(), true),
});

export const orderReference = v.strictObject(orderId);

export const tagging = v.strictObject({ ...orderId, tags: v.array(text) });
