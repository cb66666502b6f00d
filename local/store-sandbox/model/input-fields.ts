import * as v from 'valibot';

/**
 * What the actions take, from code and over HTTP alike. Amounts are decimals of the shop's currency
 * (`'12.50'` or 12.5), ids are texts, moments ISO 8601.
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
