import type { EntityKey } from './entity.ts';
import { cancelledOrderKey } from './idempotency-key.ts';
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

/** What made us ask. */
export interface Question {
  readonly event: StoreEvent;
  readonly entry: LedgerEntry | undefined;
  /** The version of the snapshot that the event itself carried. */
  readonly carried: number | undefined;
}

/**
 * Asks the store what the entity is now. Its word is the last, but not when it lags behind what it has
 * told us already.
 */
export async function readSnapshot(
  key: EntityKey,
  { event, entry, carried }: Question,
  { store, telemetry }: { readonly store: Store; readonly telemetry: Telemetry },
): Promise<Snapshot | Extract<Outcome, { kind: 'retry' | 'superseded' }>> {
  telemetry.count('store-read', { kind: key.kind });
  const evidence = { deletionAnnounced: event.topic === 'orders/delete' };
  const answer = await ask(store, key, evidence);
  switch (answer.kind) {
    case 'found': {
      const version = versionOf(answer.value);
      const lags = carried !== undefined && version < carried;
      return lags ? { kind: 'retry', why: 'store-lags' } : snapshot(answer.value, version);
    }
    case 'gone':
      return judgeGone(key, event, entry);
    case 'unavailable': {
      const { kind: _, why, ...rest } = answer;
      return { kind: 'retry', why: `store-${why}`, ...rest };
    }
  }
}

/**
 * Gone is believed where a deletion was announced, and for a code, whose removal says no more than
 * that it changed. Anything else about a thing that is not there waits for its deletion to arrive.
 */
function judgeGone(
  { kind, id }: EntityKey,
  { topic, receivedAt }: StoreEvent,
  entry: LedgerEntry | undefined,
): Snapshot | Extract<Outcome, { kind: 'retry' | 'superseded' }> {
  // Nothing dates a disappearance but our hearing of it; it must count as newer than all before.
  const heardAt = Date.parse(receivedAt);
  if (topic.endsWith('/delete') || kind === 'coupon') {
    return snapshot({ kind: 'gone' }, Math.max(heardAt, entry?.version ?? 0));
  }
  const settled = entry !== undefined && entry.version >= heardAt;
  const cancelled = kind === 'order' && entry?.appliedKey === cancelledOrderKey(id);
  if (!entry?.uncertain && (settled || cancelled)) return { kind: 'superseded' };
  return { kind: 'retry', why: 'store-says-gone' };
}

function snapshot(entity: Snapshot['entity'], version: number): Snapshot {
  return { kind: 'snapshot', entity, version, source: 'store' };
}

async function ask(
  store: Store,
  { shop, kind, id }: EntityKey,
  evidence: { readonly deletionAnnounced: boolean },
): Promise<StoreAnswer<StoreEntity>> {
  switch (kind) {
    case 'order':
      return wrap(await store.readOrder(shop, id, evidence), (order) => ({ kind: 'order', order }));
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
