import type { StoreEntity } from '../sync/store-reader.ts';
import type { Changed, WalkAnswer, WalkedKind, WalkPage } from '../sync/store-walk.ts';
import { compareDiscounts } from './compare-discounts.ts';
import { compareEntities, type Seen } from './compare-entities.ts';
import { readOrders } from './read-orders.ts';
import type {
  Compared,
  Purpose,
  ReconciledShop,
  ReconcileWorld,
  Stopped,
} from './reconcile-world.ts';
import { storeDidNotAnswer } from './wait-for-room.ts';
import type { Walk } from './walk-position.ts';

export type ComparedPage =
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
