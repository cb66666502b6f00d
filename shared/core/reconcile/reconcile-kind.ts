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
  nextWalk,
  OUT_OF_TIME,
  OVERTAKEN,
  orOutOfTime,
  type Purpose,
  QUEUE_FULL,
  type ReconciledShop,
  type ReconcileWorld,
  type Stopped,
  storeDidNotAnswer,
  type Walk,
  type WalkPosition,
  waitedForStore,
  waitForRoom,
} from './dependencies.ts';
import type { Tally } from './last-reconcile.ts';
import { readOrders } from './read-orders.ts';

type WalkEnd = { readonly kind: 'finished' } | Stopped;

export const positionKey = (shop: string, kind: WalkedKind) => cursorKey(shop, `walk/${kind}`);

/**
 * Compares everything of one kind that the store changed since the last run, page by page. The position
 * is recorded after every page, and only by the run that recorded it last: of two runs at once the
 * older one ends.
 * See docs/decisions/0018-a-walk-that-can-be-killed.md.
 */
export async function reconcileKind(
  shop: ReconciledShop,
  kind: WalkedKind,
  world: ReconcileWorld,
  tally: Tally,
): Promise<WalkEnd> {
  const key = positionKey(shop.domain, kind);
  const kept = await recallState<WalkPosition>(world.ledger, key);
  const position = kept.state ?? firstPosition(world.now(), world.everyMinutes);
  const { since } = position;
  let { revision } = kept;

  async function keep(next: WalkPosition): Promise<boolean> {
    const state = { version: next.doneUntil, revision };
    revision = await keepState(world.ledger, key, next, state);
    return revision !== undefined;
  }

  let walk: Walk = position.walk ?? nextWalk(position, world.now());
  if (!(await keep({ ...position, walk }))) return OVERTAKEN;
  for (;;) {
    if (world.deadline.aborted) return OUT_OF_TIME;
    if (!(await waitForRoom(kind, world))) return orOutOfTime(QUEUE_FULL, world);
    const page = await comparePage(
      shop,
      kind,
      walk,
      { since, isDeep: false, readsOrders: false },
      world,
    );
    if (page.kind === 'stopped') {
      if (page.sent) tally.add(healedKindOf(kind), page.sent, world.now());
      if (await waitedForStore(page, world)) continue;
      return await stop(page);
    }
    const { doneUntil } = page.next ? position : { doneUntil: walk.until };
    const next = { since, doneUntil, ...(page.next && { walk: page.next }) };
    if (!(await keep(next))) return OVERTAKEN;
    tally.add(healedKindOf(kind), page, world.now());
    if (!page.next) break;
    walk = page.next;
  }
  // The walk of an earlier run is finished: continue with what the store changed since.
  return position.walk ? reconcileKind(shop, kind, world, tally) : { kind: 'finished' };

  /** A cursor that the store no longer accepts must not stop the walk permanently. */
  async function stop(end: Stopped): Promise<Stopped> {
    if (end.placeRefused) {
      await keep({ ...position, walk: { from: walk.from, until: walk.until } });
    }
    return orOutOfTime(end, world);
  }
}

type ComparedPage =
  | (Compared & { readonly kind: 'compared'; readonly next: Walk | undefined })
  | Stopped;

/** Compares one page of what the store changed. `next` is undefined at the end of the walk. */
export async function comparePage(
  shop: ReconciledShop,
  kind: WalkedKind,
  walk: Walk,
  purpose: Purpose,
  world: ReconcileWorld,
): Promise<ComparedPage> {
  const { store, telemetry } = world;
  switch (kind) {
    case 'order': {
      const page = await store.changedOrders(shop.domain, walk, walk.after);
      return compareAll('order', page, (order) => ({ kind: 'order', order }));
    }
    case 'product': {
      const page = await store.changedProducts(shop.domain, walk, walk.after);
      return compareAll('product', page, (product) => ({ kind: 'product', product }));
    }
    case 'discount': {
      const page = await store.changedDiscounts(shop.domain, walk, walk.after);
      if (page.kind === 'unavailable') return storeDidNotAnswer(page, telemetry);
      const compared = await compareDiscounts(
        shop,
        page.value.changed,
        walk.partly,
        purpose,
        world,
      );
      if (compared.kind === 'stopped') return compared;
      const { partly, ...rest } = compared;
      return { ...rest, next: partly ? { ...walk, partly } : nextPage(walk, page.value.next) };
    }
  }

  async function compareAll<Value>(
    of: 'order' | 'product',
    page: WalkAnswer<WalkPage<Value>>,
    entity: (value: Value) => StoreEntity,
  ): Promise<ComparedPage> {
    if (page.kind === 'unavailable') return storeDidNotAnswer(page, telemetry);
    const seen = page.value.changed.map((changed) => seenIn(changed, entity));
    const { sentOrders, ...compared } = await compareEntities(shop, of, seen, purpose, world);
    const done = { kind: 'compared', ...compared, next: nextPage(walk, page.value.next) } as const;
    if (!purpose.readsOrders || sentOrders.length === 0) return done;
    const ordersRead = await readOrders(shop.domain, sentOrders, world);
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

function nextPage({ from, until }: Walk, after: string | undefined): Walk | undefined {
  return after === undefined ? undefined : { from, until, after };
}
