import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call, Fault } from '../call.ts';
import { findCashbackReward } from './available-rewards.ts';
import type { Context } from './context.ts';
import type { SavedProduct } from './envelopes.ts';
import { fromHundredths, productInHundredths, scaleUp } from './hundredths.ts';
import { describeFaults, done, type Outcome, refuse } from './outcome.ts';
import { type Fields, knownFields, readBody, readFields } from './read-fields.ts';
import type { ProductRow } from './rows.ts';

/** The depth is not shown. A tree that a person made is far below this. */
const deepestCategory = 100;

const allowed: readonly string[] = [
  'OriginalId',
  'Title',
  'Url',
  'ImageUrl',
  'IsActive',
  'ProductPrice',
  'ProductBrand',
  'ProductCategory',
];

/**
 * An upsert: that an unknown product is created is an assumption. 39 no OriginalId; 38 a body that
 * cannot be read, has further properties or is for another product than the path, a price below zero.
 */
export function updateProduct({ tables }: Context, call: Call): Outcome<SavedProduct> {
  const { faults, fields } = readBody(call);
  if (!fields) return refuse(38, describeFaults(faults));
  const id = fields.key('OriginalId');
  if (id === null) return refuse(39, 'OriginalId must be given.');
  const foreign = Object.keys(call.body as object).find((name) => !allowed.includes(name));
  if (foreign !== undefined) {
    faults.push({ path: foreign, problem: 'is not a property of the contract' });
  }
  const brand = fields.object('ProductBrand');
  const row: ProductRow = {
    OriginalId: id,
    Title: fields.text('Title'),
    Url: fields.text('Url'),
    ImageUrl: fields.text('ImageUrl'),
    IsActive: fields.flag('IsActive'),
    ProductPrice: fields.amount('ProductPrice'),
    brand: brand && { OriginalId: brand.text('OriginalId'), Name: brand.text('Name') },
    categories: readCategories(fields.object('ProductCategory'), faults),
  };
  if (faults.length > 0) return refuse(38, describeFaults(faults));
  if (id !== call.path.id) return refuse(38, 'OriginalId is not the id in the path.');
  if (row.ProductPrice !== null && row.ProductPrice < 0) {
    return refuse(38, 'ProductPrice must not be below zero.');
  }
  const was = tables.products.get(id) ? 'updated' : 'created';
  tables.products.put(id, row);
  const { OriginalId, Title, Url, ImageUrl, IsActive, ProductPrice } = row;
  return done({
    was,
    product: { ...knownFields({ OriginalId, Title, IsActive }), Url, ImageUrl, ProductPrice },
  });
}

/** Names from the root down. A loop, because the tree may be as deep as the sender likes. */
function readCategories(own: Fields | null, faults: Fault[]): string[] {
  const names: string[] = [];
  let category = own;
  while (category) {
    if (names.length === deepestCategory) {
      faults.push({ path: 'ProductCategory', problem: `is deeper than ${deepestCategory}` });
      break;
    }
    category.text('OriginalId');
    category.text('Description');
    names.push(category.text('Name') ?? '');
    category = category.object('ParentCategory');
  }
  return names.reverse();
}

type ErrorDescription = Required<Schemas['ErrorDescription']>;

type ProductPointsOutcome =
  | { readonly kind: 'done'; readonly result: Schemas['ProductPoints'][] }
  | { readonly kind: 'refused'; readonly errors: ErrorDescription[] };

/** Enough to repair a request by; a list can be wrong in a million places. */
const mostErrors = 20;

/**
 * What each product would earn at its price, as an order of it would. The faults are reported
 * together, up to a bound: 7 for what is missing or cannot be read, 9 for a price that is not above
 * zero. The currency is taken as that of the program: conversion is not shown.
 */
export function calculateProductPoints(context: Context, call: Call): ProductPointsOutcome {
  const { settings } = context;
  const { body } = call;
  const hasCashback = findCashbackReward(context) !== undefined;
  const faults: Fault[] = [...call.faults];
  const errors: ErrorDescription[] = [];
  const result: Schemas['ProductPoints'][] = [];
  if (!Array.isArray(body)) faults.push({ path: '', problem: 'must be an array' });
  for (const [i, item] of (Array.isArray(body) ? body : []).entries()) {
    if (errors.length + faults.length >= mostErrors) break;
    const path = `[${i}]`;
    const fields = readFields(item, faults, path);
    if (!fields) continue;
    const Id = fields.key('Id');
    const price = fields.amount('Price');
    fields.text('PriceCurrency');
    fields.text('Name');
    if (Id === null) errors.push(describe(7, `${path}.Id`, 'must be given'));
    if (price === null) errors.push(describe(7, `${path}.Price`, 'must be given'));
    else if (price <= 0) errors.push(describe(9, `${path}.Price`, 'must be above zero'));
    else if (Id !== null) {
      const points = productInHundredths(price, settings.pointsPerUnit);
      result.push({
        Id,
        Points: fromHundredths(points),
        Cashback: hasCashback ? fromHundredths(scaleUp(points, settings.cashbackPerPoint)) : null,
      });
    }
  }
  const named = new Set(errors.map(({ Field }) => Field));
  for (const { path, problem } of faults) {
    if (!named.has(path)) errors.push(describe(7, path, problem));
    named.add(path);
  }
  return errors.length > 0
    ? { kind: 'refused', errors: errors.slice(0, mostErrors) }
    : { kind: 'done', result };
}

function describe(
  Description: ErrorDescription['Description'],
  Field: string,
  FieldText: string,
): ErrorDescription {
  return { Description, Field, FieldText };
}
