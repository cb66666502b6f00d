import type { StoreCoupon } from '../../store/store-entities.ts';
import type { StoreEntity } from '../sync/store-reader.ts';

// What the connector itself read from the store, as a message body.

/** The form of the entities. For a message in another form the store is asked instead. */
const FORM = 1;

/** An entity that a feeder read, and when it read it. */
export function encodeSnapshot(entity: StoreEntity, readAt: Date): Uint8Array {
  return encode({ form: FORM, readAt: readAt.toISOString(), entity });
}

/** One code of a discount. Without a date: it counts as an event's body. */
export function encodeCoupon(coupon: StoreCoupon): Uint8Array {
  return encode({ form: FORM, coupon });
}

export interface SnapshotBody {
  readonly entity: StoreEntity;
  /** Epoch milliseconds; undefined for a code of a discount. */
  readonly readAt?: number;
}

/** Undefined for another form, and for another entity than the one the message is about. */
export function decodeSnapshot(
  { kind, id }: { readonly kind: string; readonly id: string },
  body: Uint8Array,
): SnapshotBody | undefined {
  try {
    const message = JSON.parse(new TextDecoder().decode(body));
    if (message.form !== FORM) return undefined;
    const { coupon } = message;
    const entity: StoreEntity = coupon ? { kind: 'coupon', coupon } : message.entity;
    const readAt = Date.parse(message.readAt);
    const isWhole = coupon !== undefined || Number.isFinite(readAt);
    if (!isWhole || entity.kind !== kind || idOf(entity) !== id) return undefined;
    return coupon ? { entity } : { entity, readAt };
  } catch {
    return undefined;
  }
}

export function idOf(entity: StoreEntity): string {
  switch (entity.kind) {
    case 'order':
      return entity.order.id;
    case 'product':
      return entity.product.id;
    case 'coupon':
      return entity.coupon.code;
    case 'member':
      return entity.member.id;
  }
}

function encode(message: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}
