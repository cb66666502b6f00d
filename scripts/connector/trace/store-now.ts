import type { Shop } from '../../../shared/config/connector-config.ts';
import type { EntityKey, EntityKind } from '../../../shared/core/events/event.ts';
import type { EntityEntry } from '../../../shared/core/ledger/ledger.ts';
import { mapSnapshot } from '../../../shared/core/mapping/map-snapshot.ts';
import type { Mapped } from '../../../shared/core/mapping/wanted-state.ts';
import type { Store, StoreAnswer, StoreEntity } from '../../../shared/core/store/store.ts';
import { otherSpelling, versionOf } from '../../../shared/core/sync/read-snapshot.ts';

export async function askStore(
  store: Store,
  { shop, kind, id }: { shop: string; kind: EntityKind; id: string },
): Promise<StoreAnswer<StoreEntity>> {
  switch (kind) {
    case 'order': {
      const answer = await store.readOrder(shop, id);
      return answer.kind === 'found'
        ? { kind: 'found', value: { kind: 'order', order: answer.value } }
        : answer;
    }
    case 'product': {
      const answer = await store.readProduct(shop, id);
      return answer.kind === 'found'
        ? { kind: 'found', value: { kind: 'product', product: answer.value } }
        : answer;
    }
    case 'coupon': {
      const answer = await store.readCoupon(shop, id);
      return answer.kind === 'found'
        ? { kind: 'found', value: { kind: 'coupon', coupon: answer.value } }
        : answer;
    }
    case 'member': {
      const answer = await store.readMember(shop, id);
      return answer.kind === 'found'
        ? { kind: 'found', value: { kind: 'member', member: answer.value } }
        : answer;
    }
  }
}

export function mapNow(
  key: EntityKey,
  store: StoreAnswer<StoreEntity>,
  entry: EntityEntry | undefined,
  rules: Shop['rules'],
): Mapped | undefined {
  // An entity that neither side knows may never have existed.
  if (store.kind === 'unavailable' || (store.kind === 'gone' && !entry)) return undefined;
  const now = new Date();
  // Under another spelling the store has it as another code, if the ledger knows this one.
  const isOther = store.kind === 'found' && entry && otherSpelling(key, store.value) !== undefined;
  const found = store.kind === 'found' && !isOther ? store.value : undefined;
  const entity = found ?? ({ kind: 'gone' } as const);
  const version = found ? versionOf(found) : now.getTime();
  return mapSnapshot(
    key,
    { kind: 'snapshot', entity, version, source: 'store' },
    entry,
    rules,
    now,
  );
}
