import type { StoreCoupon } from '../../store/coupon.ts';
import type { EntityKey } from '../events/event.ts';
import { type EntityEntry, isNewer, ledgerKeyText } from '../ledger/ledger.ts';
import { idempotencyKey } from '../mapping/wanted-state.ts';
import type { Changed, DiscountPage, WalkAnswer } from '../store/store.ts';
import { compareEntities } from './compare-entities.ts';
import {
  type Compared,
  deletionMessage,
  orOutOfTime,
  type PartOfPage,
  type Purpose,
  QUEUE_FULL,
  type ReconcileDeps,
  type ReconciledShop,
  type Sent,
  type Stopped,
  sendOnce,
  storeDidNotAnswer,
  waitForRoom,
} from './dependencies.ts';

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
  deps: ReconcileDeps,
): Promise<ComparedDiscounts> {
  const { store, telemetry, deadline } = deps;
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
        if (deadline.aborted || !(await waitForRoom('discount', deps))) return stoppedIn(id, from);
        const answer = await store.readDiscount(shop.domain, id, from);
        if (answer.kind === 'unavailable') {
          return total.lookedAt > 0 ? stoppedIn(id, from) : storeDidNotAnswer(answer, telemetry);
        }
        // Deleted meanwhile: the event of that deletion ends its codes.
        if (answer.kind === 'gone') break;
        page = answer.value;
      }
      add(await compareCodes(shop, page.coupons, purpose, deps));
      for (const { code } of page.coupons) codes.add(code);
      from = page.next;
      page = undefined;
      if (from !== undefined) continue;
      const found = { id, version, codes, isComplete: begun === undefined };
      const removed = await findRemovedCodes(shop.domain, found, deps);
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
      return orOutOfTime(QUEUE_FULL, deps);
    }
    const begun = from === undefined ? {} : { begun: { id, from } };
    return { kind: 'compared', ...total, partly: { done, ...begun } };
  }
}

async function compareCodes(
  shop: ReconciledShop,
  coupons: readonly StoreCoupon[],
  purpose: Purpose,
  deps: ReconcileDeps,
): Promise<Compared> {
  const seen = coupons.map((coupon) => ({
    id: coupon.code,
    version: Date.parse(coupon.updatedAt),
    entity: { kind: 'coupon', coupon } as const,
  }));
  return compareEntities(shop, 'coupon', seen, purpose, deps);
}

type Unavailable = Extract<WalkAnswer<never>, { kind: 'unavailable' }>;

interface ScannedDiscount {
  readonly id: string;
  readonly version: number;
  /** The codes that the store showed. */
  readonly codes: ReadonlySet<string>;
  /** False: the first ones were read by an earlier run. */
  readonly isComplete: boolean;
}

/**
 * Finds codes that the ledger has and their discount no longer has: a removal without a webhook shows
 * nowhere else. The store is asked for each code before a message is sent.
 */
async function findRemovedCodes(
  shop: string,
  { id: discountId, version, codes, isComplete }: ScannedDiscount,
  deps: ReconcileDeps,
): Promise<{ readonly sent: readonly Sent[]; readonly stopped?: Unavailable }> {
  const { ledger, store, now, telemetry } = deps;
  const sent: Sent[] = [];
  let from: string | undefined;
  do {
    const page = await ledger.listCodes(shop, discountId, from);
    const unseen = page.codes.filter((code) => !codes.has(code));
    const keys = unseen.map((id): EntityKey => ({ shop, kind: 'coupon', id }));
    const entries = await ledger.readMany(keys);
    for (const key of keys) {
      if (isNewer(entries, ledgerKeyText(key))) continue;
      const entry = entries.get(ledgerKeyText(key));
      if (!entry || !isActive(key.id, entry)) continue;
      // Settled from this state of the discount, so it is among the codes that this run did not read.
      if (!isComplete && entry.version >= version) continue;
      const answer = await store.readCoupon(shop, key.id);
      // What was sent before is returned too: it is counted nowhere else.
      if (answer.kind === 'unavailable') return { sent, stopped: answer };
      if (answer.kind === 'found' && answer.value.code === key.id) continue;
      const message = deletionMessage('coupon', { shop, id: key.id, version, now: now() });
      if (!(await sendOnce(message, deps))) continue;
      sent.push({ id: key.id, version, why: 'removed' });
      telemetry.log('info', 'sent by reconciling', { ...key, why: 'removed' });
    }
    from = page.next;
  } while (from !== undefined);
  return { sent };
}

/** The service holds it, or may. A skipped or inactive code needs no end. */
function isActive(code: string, { appliedKey, uncertain }: EntityEntry): boolean {
  const ended = idempotencyKey({ kind: 'inactive-coupon', id: code });
  return uncertain || (appliedKey !== undefined && appliedKey !== ended);
}
