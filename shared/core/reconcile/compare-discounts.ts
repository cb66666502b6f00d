import type { StoreCoupon } from '../../store/store-entities.ts';
import type { DiscountPage } from '../sync/store-reader.ts';
import type { Changed } from '../sync/store-walk.ts';
import { compareEntities } from './compare-entities.ts';
import { findRemovedCodes } from './find-removed-codes.ts';
import {
  type Compared,
  orOutOfTime,
  type Purpose,
  QUEUE_FULL,
  type ReconciledShop,
  type ReconcileWorld,
  type Sent,
  type Stopped,
} from './reconcile-world.ts';
import { storeDidNotAnswer, waitForRoom } from './wait-for-room.ts';
import type { PartOfPage } from './walk-position.ts';

type ComparedDiscounts =
  | (Compared & { readonly kind: 'compared'; readonly partly: PartOfPage | undefined })
  | Stopped;

/**
 * Compares the codes of each discount, page by page, and then those that the ledger has and the
 * discount has lost. A discount can have thousands: when the time is over, `partly` says what is done
 * of the page.
 */
export async function compareDiscounts(
  shop: ReconciledShop,
  changed: readonly Changed<DiscountPage>[],
  partly: PartOfPage = { done: [] },
  purpose: Purpose,
  world: ReconcileWorld,
): Promise<ComparedDiscounts> {
  const { store, telemetry, deadline } = world;
  const total = { lookedAt: 0, sent: [] as Sent[] };
  const add = ({ lookedAt, sent }: Compared) => {
    total.lookedAt += lookedAt;
    total.sent.push(...sent);
  };
  const done = [...partly.done];
  for (const { id, updatedAt, value } of changed) {
    if (done.includes(id)) continue;
    const version = Date.parse(updatedAt);
    const begun = partly.begun?.id === id ? partly.begun : undefined;
    const codes = new Set<string>();
    let from = begun?.from;
    // The first codes came with the discount, unless they are done or could not be read.
    let page = begun ? undefined : value;
    for (;;) {
      if (!page) {
        // What was read is compared in any case, so that every run gets at least one page further.
        if (deadline.aborted || !(await waitForRoom('discount', world))) return stoppedIn(id, from);
        const answer = await store.readDiscount(shop.domain, id, from);
        if (answer.kind === 'unavailable') {
          return total.lookedAt > 0 ? stoppedIn(id, from) : storeDidNotAnswer(answer, telemetry);
        }
        // Deleted meanwhile: the event of that deletion ends its codes.
        if (answer.kind === 'gone') break;
        page = answer.value;
      }
      add(await compareCodes(shop, page.coupons, purpose, world));
      for (const { code } of page.coupons) codes.add(code);
      from = page.next;
      page = undefined;
      if (from !== undefined) continue;
      const found = { id, version, codes, isComplete: begun === undefined };
      const removed = await findRemovedCodes(shop.domain, found, world);
      add({ lookedAt: 0, sent: removed.sent });
      // This page is compared again; what was sent is neither sent nor counted twice.
      if (removed.stopped) {
        const sent = { ...total, lookedAt: 0 };
        return { ...storeDidNotAnswer(removed.stopped, telemetry), sent };
      }
      break;
    }
    done.push(id);
  }
  return { kind: 'compared', ...total, partly: undefined };

  function stoppedIn(id: string, from: string | undefined): ComparedDiscounts {
    if (total.lookedAt === 0 && from === partly.begun?.from) {
      return orOutOfTime(QUEUE_FULL, world);
    }
    const begun = from === undefined ? {} : { begun: { id, from } };
    return { kind: 'compared', ...total, partly: { done, ...begun } };
  }
}

async function compareCodes(
  shop: ReconciledShop,
  coupons: readonly StoreCoupon[],
  purpose: Purpose,
  world: ReconcileWorld,
): Promise<Compared> {
  const seen = coupons.map((coupon) => ({
    id: coupon.code,
    version: Date.parse(coupon.updatedAt),
    entity: { kind: 'coupon', coupon } as const,
  }));
  return compareEntities(shop, 'coupon', seen, purpose, world);
}
