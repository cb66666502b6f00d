import type { Changed, StoreEntity, WalkAnswer, WalkedKind, WalkPage } from '../store/store.ts';
import { compareDiscounts } from './compare-discounts.ts';
import {
  compareEntities,
  cursorKey,
  keepState,
  recallState,
  type Seen,
} from './compare-entities.ts';
import {
  type Compared,
  firstPosition,
  healedKindOf,
  nextScan,
  OUT_OF_TIME,
  OVERTAKEN,
  orOutOfTime,
  type Purpose,
  QUEUE_FULL,
  type ReconcileDeps,
  type ReconciledShop,
  type Scan,
  type ScanPosition,
  type Stopped,
  storeDidNotAnswer,
  waitedForStore,
  waitForRoom,
} from './dependencies.ts';
import type { Tally } from './last-reconcile.ts';
import { readOrders } from './read-orders.ts';

type ScanEnd = { readonly kind: 'finished' } | Stopped;

export const positionKey = (shop: string, kind: WalkedKind) => cursorKey(shop, `scan/${kind}`);

/**
 * Compares everything of one kind that the store changed since the last run, page by page. The position
 * is recorded after every page, and only by the run that recorded it last: of two runs at once the
 * older one ends.
 * See docs/decisions/0018-reconcile-compares-whole-snapshots-not-versions.md.
 */
export async function reconcileKind(
  shop: ReconciledShop,
  kind: WalkedKind,
  deps: ReconcileDeps,
  tally: Tally,
): Promise<ScanEnd> {
  const key = positionKey(shop.domain, kind);
  const kept = await recallState<ScanPosition>(deps.ledger, key);
  const position = kept.state ?? firstPosition(deps.now(), deps.everyMinutes);
  const { since } = position;
  let { revision } = kept;

  async function keep(next: ScanPosition): Promise<boolean> {
    const state = { version: next.doneUntil, revision };
    revision = await keepState(deps.ledger, key, next, state);
    return revision !== undefined;
  }

  let scan: Scan = position.scan ?? nextScan(position, deps.now());
  if (!(await keep({ ...position, scan }))) return OVERTAKEN;
  for (;;) {
    if (deps.deadline.aborted) return OUT_OF_TIME;
    if (!(await waitForRoom(kind, deps))) return orOutOfTime(QUEUE_FULL, deps);
    const page = await comparePage(
      shop,
      kind,
      scan,
      { since, isDeep: false, readsOrders: false },
      deps,
    );
    if (page.kind === 'stopped') {
      if (page.sent) tally.add(healedKindOf(kind), page.sent, deps.now());
      if (await waitedForStore(page, deps)) continue;
      return await stop(page);
    }
    const { doneUntil } = page.next ? position : { doneUntil: scan.until };
    const next = { since, doneUntil, ...(page.next && { scan: page.next }) };
    if (!(await keep(next))) return OVERTAKEN;
    tally.add(healedKindOf(kind), page, deps.now());
    if (!page.next) break;
    scan = page.next;
  }
  // The scan of an earlier run is finished: continue with what the store changed since.
  return position.scan ? reconcileKind(shop, kind, deps, tally) : { kind: 'finished' };

  /** A cursor that the store no longer accepts must not stop the scan permanently. */
  async function stop(end: Stopped): Promise<Stopped> {
    if (end.placeRefused) {
      await keep({ ...position, scan: { from: scan.from, until: scan.until } });
    }
    return orOutOfTime(end, deps);
  }
}

type ComparedPage =
  | (Compared & { readonly kind: 'compared'; readonly next: Scan | undefined })
  | Stopped;

/** Compares one page of what the store changed. `next` is undefined at the end of the scan. */
export async function comparePage(
  shop: ReconciledShop,
  kind: WalkedKind,
  scan: Scan,
  purpose: Purpose,
  deps: ReconcileDeps,
): Promise<ComparedPage> {
  const { store, telemetry } = deps;
  switch (kind) {
    case 'order': {
      const page = await store.changedOrders(shop.domain, scan, scan.after);
      return compareAll('order', page, (order) => ({ kind: 'order', order }));
    }
    case 'product': {
      const page = await store.changedProducts(shop.domain, scan, scan.after);
      return compareAll('product', page, (product) => ({ kind: 'product', product }));
    }
    case 'discount': {
      const page = await store.changedDiscounts(shop.domain, scan, scan.after);
      if (page.kind === 'unavailable') return storeDidNotAnswer(page, telemetry);
      const compared = await compareDiscounts(shop, page.value.changed, scan.partly, purpose, deps);
      if (compared.kind === 'stopped') return compared;
      const { partly, ...rest } = compared;
      return { ...rest, next: partly ? { ...scan, partly } : nextPage(scan, page.value.next) };
    }
  }

  async function compareAll<Value>(
    of: 'order' | 'product',
    page: WalkAnswer<WalkPage<Value>>,
    entity: (value: Value) => StoreEntity,
  ): Promise<ComparedPage> {
    if (page.kind === 'unavailable') return storeDidNotAnswer(page, telemetry);
    const seen = page.value.changed.map((changed) => seenIn(changed, entity));
    const { sentOrders, ...compared } = await compareEntities(shop, of, seen, purpose, deps);
    const done = { kind: 'compared', ...compared, next: nextPage(scan, page.value.next) } as const;
    if (!purpose.readsOrders || sentOrders.length === 0) return done;
    const ordersRead = await readOrders(shop.domain, sentOrders, deps);
    if (ordersRead.kind === 'stopped') return { ...ordersRead, sent: { ...compared, lookedAt: 0 } };
    return { ...done, sent: [...compared.sent, ...ordersRead.sentAgain], ordersRead };
  }
}

function seenIn<Value>(
  { id, updatedAt, value }: Changed<Value>,
  entity: (value: Value) => StoreEntity,
): Seen {
  return { id, version: Date.parse(updatedAt), entity: value && entity(value) };
}

function nextPage({ from, until }: Scan, after: string | undefined): Scan | undefined {
  return after === undefined ? undefined : { from, until, after };
}
