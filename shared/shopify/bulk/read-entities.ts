import type { StoreEntity } from '../../core/sync/store-reader.ts';
import type { BulkLine } from './bulk-lines.ts';
import type { BulkKind } from './bulk-query.ts';
import { couponFromBulk } from './coupon-from-bulk.ts';
import { type Fields, readEntries, readGroups } from './group-lines.ts';
import { orderFromBulk } from './order-from-bulk.ts';
import { productFromBulk } from './product-from-bulk.ts';

/** Where reading goes on. */
export interface BulkPlace {
  /** Always the beginning of an owner's line. */
  readonly byte: number;
  /** How many of that owner's entries have been read: a discount has any number of codes. */
  readonly skip: number;
}

export const FILE_START: BulkPlace = { byte: 0, skip: 0 };

/** What a bulk file says, entity by entity; `next` is the place behind it. */
export type BulkEntity =
  | { readonly kind: 'entity'; readonly entity: StoreEntity; readonly next: BulkPlace }
  /** An order that the file cannot tell all of. */
  | { readonly kind: 'ask'; readonly id: string; readonly next: BulkPlace }
  /** Lacks what every such entity has. */
  | { readonly kind: 'unreadable'; readonly next: BulkPlace };

/** The lines must begin at the place's byte. */
export function readEntities(
  kind: BulkKind,
  lines: AsyncIterable<BulkLine>,
  place: BulkPlace,
): AsyncGenerator<BulkEntity> {
  switch (kind) {
    case 'orders':
      return readOrders(lines);
    case 'products':
      return readProducts(lines);
    case 'discounts':
      return readCoupons(lines, place);
  }
}

async function* readOrders(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkEntity> {
  for await (const group of readGroups(lines)) {
    const next = { byte: group.end, skip: 0 };
    const read = orderFromBulk(group);
    if (read.kind === 'order') yield { kind: 'entity', entity: read, next };
    else yield { ...read, next };
  }
}

async function* readProducts(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkEntity> {
  for await (const group of readGroups(lines)) {
    const product = productFromBulk(group);
    const next = { byte: group.end, skip: 0 };
    if (product) yield { kind: 'entity', entity: { kind: 'product', product }, next };
    else yield { kind: 'unreadable', next };
  }
}

/** Each code by itself: a discount may have more of them than a memory should hold. */
async function* readCoupons(
  lines: AsyncIterable<BulkLine>,
  place: BulkPlace,
): AsyncGenerator<BulkEntity> {
  let discount: { readonly fields: Fields; readonly byte: number } | undefined;
  let end = place.byte;
  let read = 0;
  let skip = place.skip;
  for await (const entry of readEntries(lines)) {
    if (entry.kind === 'owner') {
      if (discount) skip = 0;
      discount = { fields: entry.fields, byte: end };
      read = 0;
    } else if (discount) {
      read += 1;
      if (read > skip)
        yield couponOf(discount.fields, entry.fields, { byte: discount.byte, skip: read });
    }
    end = entry.end;
  }
}

function couponOf(discount: Fields, code: Fields, next: BulkPlace): BulkEntity {
  const coupon = couponFromBulk(discount, code);
  return coupon
    ? { kind: 'entity', entity: { kind: 'coupon', coupon }, next }
    : { kind: 'unreadable', next };
}
