import { inBatches } from '../events/event.ts';
import { wasSettledSince } from '../ledger/entry.ts';
import type { EntityEntry, Ledger } from '../ledger/ledger.ts';
import { mapSnapshot } from '../mapping/map-snapshot.ts';
import { idempotencyKey, recallOrder } from '../mapping/wanted-state.ts';
import { MOST_ASKED_FOR, type ScanAnswer, type ScannedKind } from '../store/store.ts';
import {
  type Compared,
  cursorKey,
  healedKindOf,
  type OrdersRead,
  OUT_OF_TIME,
  OVERTAKEN,
  openCursor,
  orOutOfTime,
  QUEUE_FULL,
  quietUntil,
  type ReconcileDeps,
  type ReconciledShop,
  recallState,
  type Stopped,
  sendOnce,
  storeDidNotAnswer,
  waitedForStore,
  waitForRoom,
} from './dependencies.ts';
import type { Tally } from './last-reconcile.ts';
import { comparePage, positionKey, type Scan, type ScanPosition } from './reconcile-kind.ts';

/**
 * How far the comparison of everything has come.
 *
 *   order ──▶ product ──▶ discount ──▶ ledger ──▶ done
 *     ▲                                             │ asked for again meanwhile
 *     └─────────────────────────────────────────────┘
 */
interface DeepPosition {
  /** Epoch milliseconds. */
  readonly began: number;
  readonly phase: ScannedKind | 'ledger' | 'done';
  /** Within the phases that scan the store. */
  readonly scan?: Scan;
  /** Within the phase that scans the ledger. */
  readonly from?: string;
  /** Asked for again while it was under way: the rules may have changed since it began. */
  readonly again?: boolean;
  /** Orders that this scan has read from the loyalty service. */
  readonly ordersRead?: FoundByReading;
  /** The same of the scan before, until this one has ended. */
  readonly readBefore?: FoundByReading;
  /** Epoch milliseconds: since then no page of orders could be read from the loyalty service. */
  readonly unreadSince?: number;
}

export interface FoundByReading {
  readonly read: number;
  readonly unread: number;
  /** How many a person must look at, and the first of them. */
  readonly differing: number;
  readonly ids: readonly string[];
  /** The first of those that may only be shown late. Absent where there are none. */
  readonly lately?: readonly string[];
}

/** Of how many orders the loyalty service is known to hold another state. Of each scan only the first ids are kept. */
export function differingIn(found: readonly FoundByReading[]): number {
  const ids = new Set(found.flatMap((one) => one.ids));
  return Math.max(ids.size, ...found.map((one) => one.differing));
}

const NONE_READ: FoundByReading = { read: 0, unread: 0, differing: 0, ids: [] };
/** Enough to see what they have in common; the log has all. */
const IDS_KEPT = 20;
/** After it the scan goes on without reading: it has other things to find. */
const PATIENCE_MS = 86_400_000;

const AFTER = { order: 'product', product: 'discount', discount: 'ledger' } as const;
const KINDS = ['order', 'product', 'discount'] as const;

/** Another run writes once per page, so one of these attempts succeeds between two pages. */
const MOST_TRIES = 5;

const deepKey = (shop: string) => cursorKey(shop, 'deep');

export type DeepEnd =
  /** None was asked for, and none is under way. The last one has ended, if there was any. */
  | { readonly kind: 'idle'; readonly began?: number | undefined }
  | { readonly kind: 'finished'; readonly began: number }
  | (Stopped & { readonly began: number; readonly phase: DeepPosition['phase'] });

/** Recorded before all other work: it is asked for once a week, and a run that fails must not forget it. */
export async function askForDeepScan(
  shop: string,
  { ledger, now }: Pick<ReconcileDeps, 'ledger' | 'now'>,
  /** One that began since is enough. */
  notBefore = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { state, keep } = await openCursor<DeepPosition>(ledger, deepKey(shop));
    if (state && state.began >= notBefore) return;
    const isUnderWay = state !== undefined && state.phase !== 'done';
    if (isUnderWay && state.phase === 'order' && state.scan === undefined) return;
    const next = isUnderWay ? { ...state, again: true } : begin(now(), state?.ordersRead);
    if (await keep(next, next.began)) return;
  }
}

/** What the newest scan found by reading, and the one before while it is under way. */
export async function readFindings(
  ledger: Pick<Ledger, 'readMany'>,
  shop: string,
): Promise<readonly FoundByReading[]> {
  const state = await recallState<DeepPosition>(ledger, deepKey(shop));
  return [state?.ordersRead, state?.readBefore].filter((found) => found !== undefined);
}

/** See docs/decisions/0019-the-deep-scan-reads-the-service-and-takes-no-points.md. */
export async function scanDeeply(
  shop: ReconciledShop,
  deps: ReconcileDeps,
  tally: Tally,
): Promise<DeepEnd> {
  const cursor = await openCursor<DeepPosition>(deps.ledger, deepKey(shop.domain));
  if (cursor.state === undefined || cursor.state.phase === 'done') {
    return { kind: 'idle', began: cursor.state?.began };
  }
  let position = cursor.state;
  const keep = (next: DeepPosition): Promise<boolean> => {
    position = next;
    return cursor.keep(next, next.began);
  };
  const stopped = (end: Stopped): DeepEnd => {
    const { why } = orOutOfTime(end, deps);
    const { began, phase } = position;
    return { kind: 'stopped', why, began, phase };
  };

  const sinces = await recallSinces(shop, deps);
  if (!(await keep(position))) return stopped(OVERTAKEN);
  while (position.phase !== 'done') {
    if (deps.deadline.aborted) return stopped(OUT_OF_TIME);
    const families = position.phase === 'ledger' ? KINDS : [position.phase];
    for (const kind of families) {
      if (!(await waitForRoom(kind, deps))) return stopped(QUEUE_FULL);
    }
    const step = await takeStep(shop, position, sinces, deps);
    if (step.kind === 'stopped') {
      // Sent before the page was done.
      if (step.sent && position.phase !== 'ledger') {
        tally.add(position.phase, step.sent, deps.now());
      }
      if (step.readingStopped && position.unreadSince === undefined) {
        const unreadSince = deps.now().getTime();
        if (!(await keep({ ...position, unreadSince }))) return stopped(OVERTAKEN);
      }
      if (await waitedForStore(step, deps)) continue;
      // A cursor that the store no longer accepts must not stop the scan permanently.
      if (step.placeRefused) {
        const { scan: _, ...phaseAnew } = position;
        await keep(phaseAnew);
      }
      return stopped(step);
    }
    if (!(await keep(step.next))) return stopped(OVERTAKEN);
    for (const [kind, compared] of step.compared) tally.add(kind, compared, deps.now());
  }
  return { kind: 'finished', began: position.began };
}

const begin = (now: Date, readBefore: FoundByReading | undefined): DeepPosition => ({
  began: now.getTime(),
  phase: 'order',
  ...(readBefore && { readBefore }),
});

type ComparedKinds = ReadonlyMap<ScannedKind, Compared>;
type Step =
  | { readonly kind: 'taken'; readonly compared: ComparedKinds; readonly next: DeepPosition }
  | Stopped;

async function takeStep(
  shop: ReconciledShop,
  position: DeepPosition,
  sinces: ReadonlyMap<ScannedKind, number>,
  deps: ReconcileDeps,
): Promise<Step> {
  const { scan: _, from: __, unreadSince, ...same } = position;
  const { began, phase, again, ordersRead } = same;
  const now = deps.now();
  if (phase === 'done') throw new Error('a deep scan that has ended was taken a step further');
  if (phase === 'ledger') {
    const { entries, next } = await deps.ledger.scanEntities(position.from);
    const found = await findDeletions(shop, entries, began, deps);
    if (found.kind === 'unavailable') return storeDidNotAnswer(found, deps.telemetry);
    const taken = { kind: 'taken', compared: found.value } as const;
    if (next !== undefined) return { ...taken, next: { ...same, from: next } };
    if (again) return { ...taken, next: begin(deps.now(), ordersRead) };
    return { ...taken, next: { began, phase: 'done', ...(ordersRead && { ordersRead }) } };
  }
  // From the beginning of this phase: the scan may have begun long ago. And what a ledger in doubt forgot of
  // the last minutes has no webhook any more.
  const until = shop.doubt ? now.getTime() : quietUntil(now);
  const scan = position.scan ?? { from: undefined, until };
  // What was never settled and is older than the connector is left to a backfill.
  const since = sinces.get(phase) ?? Number.POSITIVE_INFINITY;
  const waitedMs = unreadSince === undefined ? 0 : now.getTime() - unreadSince;
  const purpose = { since, isDeep: true, readsOrders: waitedMs < PATIENCE_MS };
  const page = await comparePage(shop, phase, scan, purpose, deps);
  if (page.kind === 'stopped') return page;
  const next = {
    ...same,
    ...(page.ordersRead && { ordersRead: add(ordersRead ?? NONE_READ, page.ordersRead) }),
    ...(unreadSince !== undefined && !page.ordersRead && { unreadSince }),
  };
  return {
    kind: 'taken',
    compared: new Map([[phase, page]]),
    next: page.next ? { ...next, scan: page.next } : { ...next, phase: AFTER[phase] },
  };
}

function add(before: FoundByReading, page: OrdersRead): FoundByReading {
  const lately = [...(before.lately ?? []), ...page.lately].slice(0, IDS_KEPT);
  return {
    read: before.read + page.read,
    unread: before.unread + page.unread,
    differing: before.differing + page.differing.length,
    ids: [...before.ids, ...page.differing].slice(0, IDS_KEPT),
    ...(lately.length > 0 && { lately }),
  };
}

/** Where comparing began, by kind: the scheduled scan knows it. */
async function recallSinces(
  { domain, doubt }: ReconciledShop,
  { ledger }: ReconcileDeps,
): Promise<ReadonlyMap<ScannedKind, number>> {
  const sinces = new Map<ScannedKind, number>();
  for (const kind of KINDS) {
    const state = await recallState<ScanPosition>(ledger, positionKey(domain, kind));
    // A ledger that was lost began anew, but not the connector.
    const known = [state?.since, doubt?.since].filter((since) => since !== undefined);
    if (known.length > 0) sinces.set(kind, Math.min(...known));
  }
  return sinces;
}

type ScannedEntry = Awaited<ReturnType<Ledger['scanEntities']>>['entries'][number];

/** The store shows an app without the scope for all orders those of sixty days; a day less, for clocks. */
const VISIBLE_MS = 59 * 86_400_000;
/** When at least so many are absent, and more than half, the store's answer is doubted. */
const ENOUGH_TO_DOUBT = 5;

/**
 * Finds entries that the store has deleted without a webhook, and sends a message for each. Absence
 * counts only where the store must show the entity: the message ends it in the loyalty service, and
 * ending an order takes its points.
 */
async function findDeletions(
  shop: ReconciledShop,
  entries: readonly ScannedEntry[],
  began: number,
  deps: ReconcileDeps,
): Promise<ScanAnswer<ComparedKinds>> {
  const now = deps.now();
  const alive = entries.filter(
    ({ key, entry }) =>
      key.shop === shop.domain &&
      entry.version <= quietUntil(now) &&
      isAlive(shop, key, entry, now),
  );
  const found = new Map<ScannedKind, Compared>();
  for (const kind of KINDS) {
    const ofKind = alive.filter(({ key }) => key.kind === healedKindOf(kind));
    const compared = await endAbsent(shop.domain, kind, ofKind, began, deps);
    if (compared.kind === 'unavailable') return compared;
    found.set(kind, compared.value);
  }
  return { kind: 'found', value: found };
}

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

async function endAbsent(
  shop: string,
  kind: ScannedKind,
  alive: readonly ScannedEntry[],
  began: number,
  deps: ReconcileDeps,
): Promise<ScanAnswer<Compared>> {
  const { store, telemetry } = deps;
  const isAboutOrders = kind === 'order' && alive.length > 0;
  const seesAll = isAboutOrders ? await store.seesAllOrders(shop) : undefined;
  if (seesAll?.kind === 'unavailable') return seesAll;
  const visible = !seesAll || seesAll.value ? alive : alive.filter(isRecent);
  const suspects = visible.flatMap(({ key, entry }) => {
    // A code shows by its discount.
    const id = key.kind === 'coupon' ? entry.discountId : key.id;
    return id === undefined ? [] : [{ id, entityId: key.id, version: entry.version }];
  });
  const nothingEnded = { kind: 'found', value: { lookedAt: suspects.length, sent: [] } } as const;
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
    const text = 'the store shows less than half of what the ledger has: nothing was ended';
    telemetry.log('error', text, { shop, kind, asked: ids.length, absent: absent.size });
    return nothingEnded;
  }
  if (seesAll?.value && absent.size > 0) {
    // If the scope was revoked meanwhile, older orders are absent for that reason alone, and the worker
    // could not find out: it trusts this message as the announcement of a deletion.
    const still = await store.seesAllOrders(shop);
    if (still.kind === 'unavailable') return still;
    if (!still.value) return nothingEnded;
  }
  await inBatches([...absent], async (id) => {
    // The same version during the whole scan: the codes of one discount are on many pages.
    const end = { claim: 'deleted', state: 'gone', why: 'deleted' } as const;
    await sendOnce({ shop, kind, id, version: began, ...end }, deps);
  });
  const sent = suspects
    .filter(({ id }) => absent.has(id))
    .map(({ entityId, version }) => ({ id: entityId, version, why: 'deleted' as const }));
  return { kind: 'found', value: { lookedAt: suspects.length, sent } };

  /**
   * The store would show it if it had it. An import may be dated back, never ahead, so an order that was
   * placed within the last sixty days was created within them.
   */
  function isRecent({ entry }: ScannedEntry): boolean {
    const placed = Date.parse(recallOrder(entry.remembered)?.basics?.OrderPlacementDate ?? '');
    return deps.now().getTime() - placed < VISIBLE_MS;
  }
}
