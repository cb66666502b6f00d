import type { WalkedKind } from '../sync/store-walk.ts';
import { comparePage } from './compare-page.ts';
import { healedKindOf } from './healing-message.ts';
import { cursorKey, keepState, recallState } from './kept-state.ts';
import type { Tally } from './last-reconcile.ts';
import {
  OUT_OF_TIME,
  OVERTAKEN,
  orOutOfTime,
  QUEUE_FULL,
  type ReconciledShop,
  type ReconcileWorld,
  type Stopped,
} from './reconcile-world.ts';
import { waitedForStore, waitForRoom } from './wait-for-room.ts';
import { firstPosition, nextWalk, type Walk, type WalkPosition } from './walk-position.ts';

export type WalkEnd = { readonly kind: 'finished' } | Stopped;

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
