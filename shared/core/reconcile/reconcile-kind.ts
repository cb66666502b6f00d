import { RECONCILE_MINUTES } from '../../config/metrics.ts';
import type { StoreCoupon } from '../../store/store-entities.ts';
import { ledgerKeyText } from '../ledger/ledger.ts';
import type {
  Changed,
  DiscountPage,
  ScanAnswer,
  ScanPage,
  StoreEntity,
  StoreUnavailable,
} from '../store/store.ts';
import { findLostCodes } from '../sync/handle-task.ts';
import { compareEntities, type Purpose } from './compare-entities.ts';
import {
  type Compared,
  type ComparedKind,
  cursorKey,
  OUT_OF_TIME,
  OVERTAKEN,
  openCursor,
  orOutOfTime,
  QUEUE_FULL,
  quietUntil,
  type ReconcileDeps,
  type ReconciledShop,
  type Sent,
  type Stopped,
  sendOnce,
  stateIn,
  storeDidNotAnswer,
  waitedForStore,
  waitForRoom,
} from './dependencies.ts';
import type { Tally } from './last-reconcile.ts';
import { readOrders } from './read-orders.ts';

/** How far the comparison of one kind of one shop has come. Moments are epoch milliseconds. */
export interface ScanPosition {
  /** Where comparing first began; it never changes. */
  readonly since: number;
  /** Everything that the store changed until here was compared. */
  readonly doneUntil: number;
  /** A scan that was begun and not ended. */
  readonly scan?: Scan;
  /** When the shop had its last turn, whatever became of it. */
  readonly turnAt?: number;
}

export interface Scan {
  /** Undefined in a deep scan: from the beginning. */
  readonly from: number | undefined;
  readonly until: number;
  /** The store's cursor of the next page. */
  readonly after?: string;
  /** The part of that page that is done already: a single discount can take longer than a run. */
  readonly partly?: PartOfPage;
}

interface PartOfPage {
  /** Discounts of the page that are done. */
  readonly done: readonly string[];
  /** The discount that is begun, and where its codes continue. */
  readonly begun?: { readonly id: string; readonly from: string };
}

/** Compared twice, so that nothing between two scans is missed. */
const OVERLAP_MS = 15 * 60_000;

export const positionKey = (shop: string, kind: ComparedKind) => cursorKey(shop, `scan/${kind}`);

/**
 * Compares everything of one kind that the store changed since the last run, page by page. The position
 * is recorded after every page, and only by the run that recorded it last: of two runs at once the
 * older one ends.
 * See docs/decisions/0018-reconcile-compares-whole-snapshots-not-versions.md.
 */
export async function reconcileKind(
  shop: ReconciledShop,
  kind: ComparedKind,
  deps: ReconcileDeps,
  tally: Tally,
): Promise<{ readonly kind: 'finished' } | Stopped> {
  const cursor = await openCursor<ScanPosition>(deps.ledger, positionKey(shop.domain, kind));
  const position = cursor.state ?? firstPosition(deps);
  const { since } = position;
  const turnAt = deps.now().getTime();
  const keep = (next: ScanPosition) => cursor.keep({ ...next, turnAt }, next.doneUntil);

  let scan: Scan = position.scan ?? nextScan(position, deps.now());
  if (!(await keep({ ...position, scan }))) return OVERTAKEN;
  for (;;) {
    if (deps.deadline.aborted) return OUT_OF_TIME;
    if (!(await waitForRoom(kind, deps))) return orOutOfTime(QUEUE_FULL, deps);
    const purpose = { since, isDeep: false, readsOrders: false };
    const page = await comparePage(shop, kind, scan, purpose, deps);
    if (page.kind === 'stopped') {
      if (page.sent) tally.add(kind, page.sent);
      if (await waitedForStore(page, deps)) continue;
      // A cursor that the store no longer accepts must not stop the scan permanently.
      if (page.placeRefused) {
        await keep({ ...position, scan: { from: scan.from, until: scan.until } });
      }
      return orOutOfTime(page, deps);
    }
    const { doneUntil } = page.next ? position : { doneUntil: scan.until };
    const next = { since, doneUntil, ...(page.next && { scan: page.next }) };
    if (!(await keep(next))) return OVERTAKEN;
    tally.add(kind, page);
    if (!page.next) break;
    scan = page.next;
  }
  // The scan of an earlier run is finished: continue with what the store changed since.
  return position.scan ? reconcileKind(shop, kind, deps, tally) : { kind: 'finished' };
}

/** The shops that waited longest for a turn come first, so that a run goes on where the last one stopped. */
export async function inOrderOfTurns<Shop extends { readonly domain: string }>(
  shops: readonly Shop[],
  ledger: Pick<ReconcileDeps['ledger'], 'readMany'>,
): Promise<readonly Shop[]> {
  const keyOf = ({ domain }: Shop) => positionKey(domain, 'order');
  const entries = await ledger.readMany(shops.map(keyOf));
  const lastTurn = (shop: Shop) =>
    stateIn<ScanPosition>(entries.get(ledgerKeyText(keyOf(shop))))?.turnAt ?? 0;
  return shops.toSorted((one, other) => lastTurn(one) - lastTurn(other));
}

/** By discount, how the store overrode its own dates in the last run. */
export type Overrides = Readonly<Record<string, { readonly how: string; readonly again?: true }>>;

/**
 * Compares the discounts whose own dates the store began or ceased to override: their last change does not show it.
 * Each again in the next run, because a worker may have used what it had read a minute before.
 */
export async function reconcileOverrides(
  shop: ReconciledShop,
  deps: ReconcileDeps,
  tally: Tally,
): Promise<{ readonly kind: 'finished' } | Stopped> {
  const answer = await deps.store.overriddenDiscounts(shop.domain);
  if (answer.kind === 'unavailable') return storeDidNotAnswer(answer);
  const key = cursorKey(shop.domain, 'overrides');
  const { state: before = {}, keep } = await openCursor<Overrides>(deps.ledger, key);
  const ids = [...new Set([...Object.keys(before), ...answer.value.keys()])];
  if (ids.length === 0) return { kind: 'finished' };
  const howOf = (id: string) => answer.value.get(id) ?? '';
  const isChanged = (id: string) => howOf(id) !== (before[id]?.how ?? '');
  const now = deps.now();
  const changed = ids
    .filter((id) => isChanged(id) || before[id]?.again)
    .map((id) => ({ id, updatedAt: now.toISOString(), value: undefined }));
  const scan = { from: undefined, until: now.getTime() };
  const since = Number.NEGATIVE_INFINITY;
  const purpose = { since, isDeep: true, isNoLoss: true, readsOrders: false } as const;
  const compared = await compareDiscounts(shop, { changed }, scan, purpose, deps);
  if (compared.kind === 'stopped') {
    if (compared.sent) tally.add('discount', compared.sent);
    return orOutOfTime(compared, deps);
  }
  tally.add('discount', compared);
  // The next run begins anew, and finds what was sent applied.
  if (compared.next) return orOutOfTime(QUEUE_FULL, deps);
  const after = ids
    .filter((id) => isChanged(id) || howOf(id) !== '')
    .map((id) => [id, { how: howOf(id), ...(isChanged(id) && { again: true as const }) }] as const);
  await keep(Object.fromEntries(after), now.getTime());
  return { kind: 'finished' };
}

/** Of a new deployment: one interval back. */
function firstPosition({ now }: ReconcileDeps): ScanPosition {
  const doneUntil = quietUntil(now()) - RECONCILE_MINUTES * 60_000;
  return { since: doneUntil - OVERLAP_MS, doneUntil };
}

/**
 * Never past the quiet time. Where `doneUntil` is later than that, a clock was wrong once: starting
 * from it, every run until then would find nothing.
 */
function nextScan({ doneUntil }: ScanPosition, now: Date): Scan {
  const until = quietUntil(now);
  return { from: Math.min(doneUntil, until) - OVERLAP_MS, until };
}

type ComparedPage =
  /** `next` is undefined at the end of the scan. */
  (Compared & { readonly kind: 'compared'; readonly next: Scan | undefined }) | Stopped;

export async function comparePage(
  shop: ReconciledShop,
  kind: ComparedKind,
  scan: Scan,
  purpose: Purpose,
  deps: ReconcileDeps,
): Promise<ComparedPage> {
  const { store } = deps;
  switch (kind) {
    case 'order': {
      // Without a date of change, the spans of a deep scan would each have all that may still change.
      const isDated = !purpose.isDeep || !shop.versionsAreReadings?.includes('order');
      const span = isDated ? scan : ({ ...scan, by: 'creation' } as const);
      const page = await store.changedOrders(shop.domain, span, scan.after);
      return compareAll('order', page, (order) => ({ kind: 'order', order }));
    }
    case 'product': {
      const page = await store.changedProducts(shop.domain, scan, scan.after);
      return compareAll('product', page, (product) => ({ kind: 'product', product }));
    }
    case 'member': {
      const page = await store.changedMembers(shop.domain, scan, scan.after);
      return compareAll('member', page, (member) => ({ kind: 'member', member }));
    }
    case 'discount': {
      const page = await store.changedDiscounts(shop.domain, scan, scan.after);
      if (page.kind === 'unavailable') return storeDidNotAnswer(page);
      return compareDiscounts(shop, page.value, scan, purpose, deps);
    }
  }

  async function compareAll<Value>(
    of: 'order' | 'product' | 'member',
    page: ScanAnswer<ScanPage<Value>>,
    entity: (value: Value) => StoreEntity,
  ): Promise<ComparedPage> {
    if (page.kind === 'unavailable') return storeDidNotAnswer(page);
    const seen = page.value.changed.map(({ id, updatedAt, value }) => ({
      id,
      version: Date.parse(updatedAt),
      entity: value && entity(value),
    }));
    const { sentOrders, ...compared } = await compareEntities(shop, of, seen, purpose, deps);
    const done = { kind: 'compared', ...compared, next: nextPage(scan, page.value.next) } as const;
    if (!purpose.readsOrders || sentOrders.length === 0) return done;
    const ordersRead = await readOrders(shop, sentOrders, deps);
    if (ordersRead.kind === 'stopped') return { ...ordersRead, sent: { ...compared, lookedAt: 0 } };
    return { ...done, sent: [...compared.sent, ...ordersRead.sentAgain], ordersRead };
  }
}

function nextPage({ from, until }: Scan, after: string | undefined): Scan | undefined {
  return after === undefined ? undefined : { from, until, after };
}

/**
 * Compares the codes of each discount, page by page, and then those that the ledger has and the
 * discount has lost. A discount can have thousands: when the time is over, `partly` says what is done
 * of the page.
 */
async function compareDiscounts(
  shop: ReconciledShop,
  { changed, next }: ScanPage<DiscountPage>,
  scan: Scan,
  purpose: Purpose,
  deps: ReconcileDeps,
): Promise<ComparedPage> {
  const { store, deadline } = deps;
  const { partly = { done: [] } } = scan;
  const total = { lookedAt: 0, sent: [] as Sent[] };
  const done = [...partly.done];
  for (const discount of changed) {
    const { id } = discount;
    if (done.includes(id)) continue;
    const begun = partly.begun?.id === id ? partly.begun : undefined;
    const codes = new Set<string>();
    let from = begun?.from;
    // The first codes came with the discount, unless they are done or could not be read.
    let page = begun ? undefined : discount.value;
    for (;;) {
      if (!page) {
        // What was read is compared in any case, so that every run gets at least one page further.
        if (deadline.aborted || !(await waitForRoom('discount', deps))) return stoppedIn(id, from);
        const answer = await store.readDiscount(shop.domain, id, from);
        if (answer.kind === 'unavailable') {
          return total.lookedAt > 0 ? stoppedIn(id, from) : storeDidNotAnswer(answer);
        }
        // Deleted meanwhile: the event of that deletion ends its codes.
        if (answer.kind === 'gone') break;
        page = answer.value;
      }
      const compared = await compareEntities(
        shop,
        'coupon',
        page.coupons.map(seenCode),
        purpose,
        deps,
      );
      total.lookedAt += compared.lookedAt;
      total.sent.push(...compared.sent);
      for (const { code } of page.coupons) codes.add(code);
      from = page.next;
      page = undefined;
      if (from !== undefined) continue;
      const isComplete = begun === undefined;
      const removed = await findRemovedCodes(shop.domain, discount, codes, isComplete, deps);
      total.sent.push(...removed.sent);
      // This page is compared again; what was sent is neither sent nor counted twice.
      if (removed.stopped) {
        const sent = { ...total, lookedAt: 0 };
        return { ...storeDidNotAnswer(removed.stopped), sent };
      }
      break;
    }
    done.push(id);
  }
  return { kind: 'compared', ...total, next: nextPage(scan, next) };

  function stoppedIn(id: string, from: string | undefined): ComparedPage {
    if (total.lookedAt === 0 && from === partly.begun?.from) {
      return orOutOfTime(QUEUE_FULL, deps);
    }
    const begun = from === undefined ? {} : { begun: { id, from } };
    return { kind: 'compared', ...total, next: { ...scan, partly: { done, ...begun } } };
  }
}

const seenCode = (coupon: StoreCoupon) => ({
  id: coupon.code,
  version: Date.parse(coupon.updatedAt),
  entity: { kind: 'coupon', coupon } as const,
});

/**
 * Finds codes that the ledger has and their discount no longer has: a removal without a webhook shows
 * nowhere else. The store is asked for each code before a message is sent. Not `isComplete`: an earlier
 * run has read the first codes.
 */
async function findRemovedCodes(
  shop: string,
  discount: Changed<DiscountPage>,
  shownCodes: ReadonlySet<string>,
  isComplete: boolean,
  deps: ReconcileDeps,
): Promise<{ readonly sent: readonly Sent[]; readonly stopped?: StoreUnavailable }> {
  const { ledger, store } = deps;
  const version = Date.parse(discount.updatedAt);
  const sent: Sent[] = [];
  for await (const { key, entry } of findLostCodes(shop, discount.id, shownCodes, ledger)) {
    // Settled from this state of the discount, so it is among the codes that this run did not read.
    if (!isComplete && entry.version >= version) continue;
    const answer = await store.readCoupon(shop, key.id);
    // What was sent before is returned too: it is counted nowhere else.
    if (answer.kind === 'unavailable') return { sent, stopped: answer };
    if (answer.kind === 'found' && answer.value.code === key.id) continue;
    const removed = { id: key.id, version, why: 'removed' } as const;
    const end = { shop, kind: 'coupon', claim: 'code-removed', state: 'gone' } as const;
    if (await sendOnce({ ...end, ...removed }, deps)) sent.push(removed);
  }
  return { sent };
}
