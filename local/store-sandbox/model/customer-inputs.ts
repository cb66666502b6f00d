import * as v from 'valibot';
import { address, id, text } from './input-fields.ts';

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
