import { inBatches } from '../batch/run-batch.ts';
import { wasSettledSince } from '../ledger/entry.ts';
import type { EntityEntry, Ledger } from '../ledger/ledger.ts';
import { mapSnapshot } from '../mapping/map-snapshot.ts';
import { idempotencyKey, recallOrder } from '../mapping/wanted-state.ts';
import { MOST_ASKED_FOR, type WalkAnswer, type WalkedKind } from '../store/store.ts';
import {
  type Compared,
  deletionMessage,
  type HealedKind,
  healedKindOf,
  quietUntil,
  type ReconcileDeps,
  type ReconciledShop,
  sendOnce,
} from './dependencies.ts';

type ScannedEntry = Awaited<ReturnType<Ledger['scanEntities']>>['entries'][number];

/** The ledger's view of one thing that the store may have deleted. */
interface Suspect {
  /** Of the order, the product, or the discount whose code it is. */
  readonly id: string;
  /** Of the ledger's entry. */
  readonly entityId: string;
  readonly version: number;
}

/**
 * The store shows an app without the scope for all orders those of sixty days; a day less, for clocks.
 */
const VISIBLE_MS = 59 * 86_400_000;
/** When at least so many are absent, and more than half, the store's answer is doubted. */
const ENOUGH_TO_DOUBT = 5;

/**
 * Finds entries that the store has deleted without a webhook, and sends a message for each. Absence
 * counts only where the store must show the entity: the message ends it in the loyalty service, and
 * ending an order takes its points.
 */
export async function findDeletions(
  shop: ReconciledShop,
  entries: readonly ScannedEntry[],
  began: number,
  deps: ReconcileDeps,
): Promise<WalkAnswer<ReadonlyMap<HealedKind, Compared>>> {
  const now = deps.now();
  const alive = entries.filter(
    ({ key, entry }) =>
      key.shop === shop.domain &&
      entry.version <= quietUntil(now) &&
      isAlive(shop, key, entry, now),
  );
  const orders = alive.filter(({ key }) => key.kind === 'order');
  const visible = await visibleOrders(shop.domain, orders, deps);
  if (visible.kind === 'unavailable') return visible;
  const products = alive.filter(({ key }) => key.kind === 'product').map(suspect);
  const codes = alive.flatMap(({ key, entry: { version, discountId } }) =>
    key.kind === 'coupon' && discountId !== undefined
      ? [{ id: discountId, entityId: key.id, version }]
      : [],
  );
  const found = new Map<HealedKind, Compared>();
  for (const [kind, suspects] of [
    ['order', visible.value.orders.map(suspect)],
    ['product', products],
    ['discount', codes],
  ] as const) {
    const byScope = kind === 'order' && visible.value.byScope;
    const compared = await endAbsent(shop.domain, kind, { suspects, byScope }, began, deps);
    if (compared.kind === 'unavailable') return compared;
    found.set(healedKindOf(kind), compared.value);
  }
  return { kind: 'found', value: found };
}

const suspect = ({ key, entry }: ScannedEntry): Suspect => ({
  id: key.id,
  entityId: key.id,
  version: entry.version,
});

/** The service holds it, or may, and it is not ended there. */
function isAlive(
  { rules, doubt }: ReconciledShop,
  key: ScannedEntry['key'],
  entry: EntityEntry,
  now: Date,
): boolean {
  if (entry.uncertain) return true;
  if (entry.appliedKey === undefined) {
    // It may have been sent since the moment that the ledger was restored to.
    return key.kind === 'order' && doubt !== undefined && !wasSettledSince(entry, doubt.until);
  }
  const gone = { kind: 'snapshot', entity: { kind: 'gone' }, version: 0, source: 'store' } as const;
  const mapped = mapSnapshot(key, gone, entry, rules, now);
  return mapped.kind === 'wanted' && idempotencyKey(mapped.wanted) !== entry.appliedKey;
}

/**
 * Orders that the store would show if it had them. An import may be dated back, never ahead, so an
 * order that was placed within the last sixty days was created within them.
 */
async function visibleOrders(
  shop: string,
  orders: readonly ScannedEntry[],
  { store, now }: ReconcileDeps,
): Promise<WalkAnswer<{ readonly orders: readonly ScannedEntry[]; readonly byScope: boolean }>> {
  if (orders.length === 0) return { kind: 'found', value: { orders, byScope: false } };
  const all = await store.seesAllOrders(shop);
  if (all.kind === 'unavailable') return all;
  const visible = orders.filter(({ entry }) => {
    const placed = Date.parse(recallOrder(entry.remembered)?.basics?.OrderPlacementDate ?? '');
    return now().getTime() - placed < VISIBLE_MS;
  });
  const value = all.value ? { orders, byScope: true } : { orders: visible, byScope: false };
  return { kind: 'found', value };
}

async function endAbsent(
  shop: string,
  kind: WalkedKind,
  { suspects, byScope }: { readonly suspects: readonly Suspect[]; readonly byScope: boolean },
  began: number,
  deps: ReconcileDeps,
): Promise<WalkAnswer<Compared>> {
  const { store, now, telemetry } = deps;
  const nothingEnded = { lookedAt: suspects.length, sent: [] };
  const ids = [...new Set(suspects.map(({ id }) => id))];
  const absent = new Set<string>();
  for (let start = 0; start < ids.length; start += MOST_ASKED_FOR) {
    const page = ids.slice(start, start + MOST_ASKED_FOR);
    const answer = await store.findAbsent(shop, kind, page);
    if (answer.kind === 'unavailable') return answer;
    for (const id of answer.value) absent.add(id);
  }
  if (absent.size >= ENOUGH_TO_DOUBT && absent.size > ids.length / 2) {
    telemetry.count('misconfigured', { why: 'store-lacks-most-of-the-ledger' });
    telemetry.log(
      'error',
      'the store shows less than half of what the ledger has: nothing was ended',
      {
        shop,
        kind,
        asked: ids.length,
        absent: absent.size,
      },
    );
    return { kind: 'found', value: nothingEnded };
  }
  if (byScope && absent.size > 0) {
    // If the scope was revoked meanwhile, older orders are absent for that reason alone, and the worker
    // could not find out: it trusts this message as the announcement of a deletion.
    const still = await store.seesAllOrders(shop);
    if (still.kind === 'unavailable') return still;
    if (!still.value) return { kind: 'found', value: nothingEnded };
  }
  await inBatches([...absent], async (id) => {
    // The same id during the whole scan: the codes of one discount are on many pages.
    const message = deletionMessage(kind, { shop, id, version: began, now: now() });
    if (!(await sendOnce(message, deps))) return;
    telemetry.log('info', 'sent by reconciling', { shop, kind, id, why: 'deleted' });
  });
  const sent = suspects
    .filter(({ id }) => absent.has(id))
    .map(({ entityId, version }) => ({ id: entityId, version, why: 'deleted' as const }));
  return { kind: 'found', value: { lookedAt: suspects.length, sent } };
}
