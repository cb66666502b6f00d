import type { Call, Fault } from '../call.ts';
import type { Context } from './context.ts';
import type { SavedProduct } from './envelopes.ts';
import { knownFields } from './known-fields.ts';
import { describeFaults, done, type Outcome, refuse } from './outcome.ts';
import { type Fields, readFields } from './read-fields.ts';
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
  const faults = [...call.faults];
  const fields = readFields(call.body, faults);
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
