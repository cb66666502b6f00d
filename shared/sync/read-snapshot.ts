import type { EntityKey } from './entity.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Outcome } from './outcome.ts';
import type { SnapshotSource } from './plan.ts';
import type { StoreEvent } from './store-event.ts';
import type { Store, StoreAnswer, StoreEntity } from './store-reader.ts';
import type { Telemetry } from './telemetry.ts';

/** What is known of an entity at one moment; `gone` is knowledge too, but only the store's word. */
export interface Snapshot {
  readonly kind: 'snapshot';
  readonly entity: StoreEntity | { readonly kind: 'gone' };
  readonly version: number;
  readonly source: SnapshotSource;
  readonly partial?: boolean;
}

/** Asks the store what the entity is now. */
export async function readSnapshot(
  key: EntityKey,
  event: StoreEvent,
  entry: LedgerEntry | undefined,
  { store, telemetry }: { readonly store: Store; readonly telemetry: Telemetry },
): Promise<Snapshot | Extract<Outcome, { kind: 'retry' }>> {
  telemetry.count('store-read', { kind: key.kind });
  const answer = await ask(store, key);
  switch (answer.kind) {
    case 'found':
      return snapshot(answer.value, versionOf(answer.value));
    case 'gone':
      // Nothing dates a disappearance but our hearing of it; it must count as newer than all before.
      return snapshot(answer, Math.max(Date.parse(event.receivedAt), entry?.version ?? 0));
    case 'unavailable': {
      const { kind: _, why, ...rest } = answer;
      return { kind: 'retry', why: `store-${why}`, ...rest };
    }
  }
}

function snapshot(entity: Snapshot['entity'], version: number): Snapshot {
  return { kind: 'snapshot', entity, version, source: 'store' };
}

async function ask(store: Store, { shop, kind, id }: EntityKey): Promise<StoreAnswer<StoreEntity>> {
  switch (kind) {
    case 'order':
      return wrap(await store.readOrder(shop, id), (order) => ({ kind: 'order', order }));
    case 'product':
      return wrap(await store.readProduct(shop, id), (product) => ({ kind: 'product', product }));
    case 'coupon':
      return wrap(await store.readCoupon(shop, id), (coupon) => ({ kind: 'coupon', coupon }));
    case 'notice':
      return { kind: 'gone' };
  }
}

function wrap<Value>(
  answer: StoreAnswer<Value>,
  entity: (value: Value) => StoreEntity,
): StoreAnswer<StoreEntity> {
  return answer.kind === 'found' ? { kind: 'found', value: entity(answer.value) } : answer;
}

/** Offsets vary between sources: a moment is compared as a number. */
export function versionOf(entity: StoreEntity): number {
  switch (entity.kind) {
    case 'order':
      return Date.parse(entity.order.updatedAt);
    case 'product':
      return Date.parse(entity.product.updatedAt);
    case 'coupon':
      return Date.parse(entity.coupon.updatedAt);
  }
}
