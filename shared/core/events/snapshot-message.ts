import type { StoreEntity } from '../sync/store-reader.ts';

/**
 * An entity that a feeder read from the store itself, on its way through the queue, with the moment it
 * was read. Its topics are not of the store: no webhook can be queued under one, so nobody outside can
 * pass a captured body off as a fresh answer of the store.
 */
export const FEEDER_TOPIC = 'backfill/';

/** Names the form of the entities: a message of another one is not misread, the store is asked. */
const FORM = 1;

export function encodeSnapshot(entity: StoreEntity, readAt: Date): Uint8Array {
  const message = { form: FORM, readAt: readAt.toISOString(), entity };
  return new TextEncoder().encode(JSON.stringify(message));
}

export interface FeederSnapshot {
  readonly entity: StoreEntity;
  /** Epoch milliseconds. */
  readonly readAt: number;
}

export function decodeSnapshot(
  { kind, id }: { readonly kind: string; readonly id: string },
  body: Uint8Array,
): FeederSnapshot | undefined {
  try {
    const message = JSON.parse(new TextDecoder().decode(body));
    const readAt = Date.parse(message?.readAt);
    const entity: StoreEntity | undefined = message?.entity;
    const usable =
      message?.form === FORM &&
      Number.isFinite(readAt) &&
      entity?.kind === kind &&
      idOf(entity) === id;
    return usable ? { entity, readAt } : undefined;
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
  }
}
