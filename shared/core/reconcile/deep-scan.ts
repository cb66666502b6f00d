import { type Ledger, ledgerKeyText } from '../ledger/ledger.ts';
import type { ScannedKind } from '../store/store.ts';
import {
  type Compared,
  cursorKey,
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
  stateIn,
  waitedForStore,
  waitForRoom,
} from './dependencies.ts';
import type { Tally } from './last-reconcile.ts';
import { comparePage, positionKey, type Scan, type ScanPosition } from './reconcile-kind.ts';
import { LEDGER_POSITION_KEY, type LedgerScan } from './scan-ledger.ts';

/**
 * How far the comparison of everything has come.
 *
 *   ledger ──▶ product ──▶ discount ──▶ order ──▶ done
 *     ▲        recent orders ──▶ a turn of the older ones
 *     └──────────────────────────────────────────────┘ asked for again meanwhile
 *
 * The ledger comes first, because only it shows deletions. Orders take longest: a large shop's turn of the older ones
 * lasts for several deep scans, each of which reads the recent ones first.
 */
export interface DeepPosition {
  /** Epoch milliseconds. */
  readonly began: number;
  readonly phase: ScannedKind | 'ledger' | 'done';
  /** Within the phases that scan the store. */
  readonly scan?: Scan;
  /** When this scan began to read the older orders, and up to where, both epoch milliseconds. */
  readonly olderSince?: number;
  readonly olderUntil?: number;
  /** The earliest version that an order can have and be in the ledger, or be missing there; absent if not known. */
  readonly oldestOrder?: number;
  /** The turn of the older orders that an earlier scan began: its oldest order, if known, and where it continues. */
  readonly turn?: {
    readonly began: number;
    readonly from?: number | undefined;
    readonly scan: Scan;
  };
  /** Asked for again while it was under way: the rules may have changed since it began. */
  readonly again?: boolean;
  readonly ordersRead?: OrderCounts;
  /** Of which orders the service held another state when they were read last: the first of them. */
  readonly differing?: readonly DifferingOrder[];
  /** Epoch milliseconds: since then no page of orders could be read from the loyalty service. */
  readonly unreadSince?: number;
}

interface OrderCounts {
  readonly read: number;
  /** The service did not give them. */
  readonly unread: number;
}

export interface DifferingOrder {
  readonly id: string;
  /** Epoch milliseconds: when it was read. */
  readonly at: number;
  /** A call for it was so late that the service may not show it yet; otherwise a person must look. */
  readonly lately?: true;
}

/** Enough to see what they have in common; the log has all. */
const DIFFERING_KEPT = 100;
/** After it the scan goes on without reading: it has other things to find. */
const PATIENCE_MS = 86_400_000;

const DAY_MS = 86_400_000;
/** Orders that changed since then are read in every deep scan, as far as half of its time allows. */
const RECENT_MS = 30 * DAY_MS;
/** Where the store no longer accepts a cursor, a span begins anew. */
const LONGEST_SPAN_MS = 30 * DAY_MS;

const AFTER = { product: 'discount', discount: 'order' } as const;
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
    const hasCompared = isUnderWay && state.phase !== 'ledger';
    const next = hasCompared ? { ...state, again: true } : begin(now(), state, state?.turn);
    if (await keep(next, next.began)) return;
  }
}

/** Of these shops, those whose deep scan waits for the scan of the ledger, with the moment when it began. */
export async function readAwaitingLedger(
  ledger: Pick<Ledger, 'readMany'>,
  shops: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const entries = await ledger.readMany(shops.map(deepKey));
  const awaiting = new Map<string, number>();
  for (const shop of shops) {
    const state = stateIn<DeepPosition>(entries.get(ledgerKeyText(deepKey(shop))));
    if (state?.phase === 'ledger') awaiting.set(shop, state.began);
  }
  return awaiting;
}

/** What the deep scans found by reading orders from the loyalty service. */
export interface FoundByReading {
  readonly ordersRead: OrderCounts;
  readonly differing: readonly DifferingOrder[];
}

const NONE_READ: OrderCounts = { read: 0, unread: 0 };

export async function readFoundByReading(
  ledger: Pick<Ledger, 'readMany'>,
  shop: string,
): Promise<FoundByReading> {
  const state = await recallState<DeepPosition>(ledger, deepKey(shop));
  const { ordersRead = NONE_READ, differing = [] } = state ?? {};
  return { ordersRead, differing };
}

export async function isDeepScanUnderWay(
  ledger: Pick<Ledger, 'readMany'>,
  shop: string,
): Promise<boolean> {
  const { phase = 'done' } = (await recallState<DeepPosition>(ledger, deepKey(shop))) ?? {};
  return phase !== 'done';
}

/** Equal at two moments between which no run got further, although each began anew to compare the last changes. */
export async function readPositions(
  ledger: Pick<Ledger, 'readMany'>,
  shops: readonly string[],
): Promise<string> {
  const deep = [LEDGER_POSITION_KEY, ...shops.map(deepKey)];
  const scans = shops.flatMap((shop) => KINDS.map((kind) => positionKey(shop, kind)));
  const entries = await ledger.readMany([...deep, ...scans]);
  const stateOf = (key: (typeof deep)[number]) => stateIn<object>(entries.get(ledgerKeyText(key)));
  // One that has ended says only until when: that follows from the clock.
  const open = scans.map((key) => (stateOf(key) as ScanPosition | undefined)?.scan);
  return JSON.stringify([deep.map(stateOf), open]);
}

/** See docs/decisions/0019-the-deep-scan-reads-the-service-and-takes-no-points.md. */
export async function scanDeeply(
  shop: ReconciledShop,
  deps: ReconcileDeps,
  tally: Tally,
  ledgerScan: LedgerScan,
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
    const { why, refused = false } = orOutOfTime(end, deps);
    const { began, phase } = position;
    return { kind: 'stopped', why, refused, began, phase };
  };

  const sinces = await recallSinces(shop, deps);
  if (!(await keep(position))) return stopped(OVERTAKEN);
  while (position.phase !== 'done') {
    if (deps.deadline.aborted) return stopped(OUT_OF_TIME);
    const { phase } = position;
    if (phase === 'ledger') {
      const end = await ledgerScan.cover(shop.domain, position.began);
      for (const [kind, found] of ledgerScan.take(shop.domain)) tally.add(kind, found);
      if (end.kind === 'stopped') return stopped(end);
      const oldestOrder = Math.min(end.oldestOrder, earliestMissing(sinces, deps));
      const known = !shop.doubt && Number.isFinite(oldestOrder) && { oldestOrder };
      if (!(await keep({ ...position, phase: 'product', ...known }))) return stopped(OVERTAKEN);
      continue;
    }
    if (isToBeginAnew(shop, position, deps.now())) {
      if (!(await keep(beginAnew(position, deps.now())))) return stopped(OVERTAKEN);
      continue;
    }
    if (!(await waitForRoom(phase, deps))) return stopped(QUEUE_FULL);
    const step = await takeStep(shop, { ...position, phase }, sinces, deps);
    if (step.kind === 'stopped') {
      // Sent before the page was done.
      if (step.sent) tally.add(phase, step.sent);
      if (step.readingStopped && position.unreadSince === undefined) {
        const unreadSince = deps.now().getTime();
        if (!(await keep({ ...position, unreadSince }))) return stopped(OVERTAKEN);
      }
      if (await waitedForStore(step, deps)) continue;
      // A cursor that the store no longer accepts must not stop the scan permanently.
      if (step.placeRefused && position.scan) {
        const { from, until } = position.scan;
        await keep({ ...position, scan: { from, until } });
      }
      return stopped(step);
    }
    if (!(await keep(step.next))) return stopped(OVERTAKEN);
    tally.add(phase, step.compared);
  }
  return { kind: 'finished', began: position.began };
}

/** Later than the one before, whatever the clock says: what was scanned for that one does not count. */
function begin(
  now: Date,
  last: DeepPosition | undefined,
  turn: DeepPosition['turn'] | undefined,
): DeepPosition {
  const { began = 0, differing } = last ?? {};
  return {
    began: Math.max(now.getTime(), began + 1),
    phase: 'ledger',
    ...(turn && { turn }),
    ...(differing && { differing }),
  };
}

/**
 * Asked for again, it does not wait until all older orders were read: these get as much time as all before them, and
 * continue in the next scan. What was compared before a ledger was restored must be compared again in any case.
 */
function isToBeginAnew({ doubt }: ReconciledShop, position: DeepPosition, now: Date): boolean {
  const { began, olderSince, again } = position;
  if (!again) return false;
  if (doubt && began < doubt.until) return true;
  return olderSince !== undefined && now.getTime() - olderSince >= olderSince - began;
}

/** The turn of the older orders continues where it is. */
function beginAnew(position: DeepPosition, now: Date): DeepPosition {
  const { turn, olderSince, scan } = position;
  const isUnderWay = turn !== undefined && olderSince !== undefined && scan !== undefined;
  return begin(now, position, isUnderWay ? { ...turn, scan } : turn);
}

type Step =
  | { readonly kind: 'taken'; readonly compared: Compared; readonly next: DeepPosition }
  | Stopped;

async function takeStep(
  shop: ReconciledShop,
  position: DeepPosition & { readonly phase: ScannedKind },
  sinces: ReadonlyMap<ScannedKind, number>,
  deps: ReconcileDeps,
): Promise<Step> {
  const { scan: _, unreadSince, ...same } = position;
  const { phase } = same;
  const now = deps.now();
  // From the beginning of this phase: the scan may have begun long ago. And what a ledger in doubt forgot of
  // the last minutes has no webhook any more.
  const until = shop.doubt ? now.getTime() : quietUntil(now);
  const whole = { from: undefined, until };
  const scan = position.scan ?? (phase === 'order' ? recentSpan(until, now) : whole);
  // What was never settled and is older than the connector is left to a backfill.
  const since = sinces.get(phase) ?? Number.POSITIVE_INFINITY;
  const waitedMs = unreadSince === undefined ? 0 : now.getTime() - unreadSince;
  const purpose = { since, isDeep: true, readsOrders: waitedMs < PATIENCE_MS };
  const page = await comparePage(shop, phase, scan, purpose, deps);
  if (page.kind === 'stopped') return page;
  const next = {
    ...same,
    ...(page.ordersRead && withRead(same, page.ordersRead, now)),
    ...(unreadSince !== undefined && !page.ordersRead && { unreadSince }),
  };
  const taken = { kind: 'taken', compared: page } as const;
  if (phase === 'order') return { ...taken, next: afterOrders(shop, scan, page.next, next, deps) };
  const after = page.next ? { scan: page.next } : { phase: AFTER[phase] };
  return { ...taken, next: { ...next, ...after } };
}

/** The newest come first. A span is as long as it is old, but a day at least. */
function recentSpan(until: number, now: Date): Scan {
  const ageMs = now.getTime() - until;
  return { from: until - Math.max(ageMs, DAY_MS), until };
}

/** Where orders continue after a page. `page`: the next one of the same span, if there is one. */
function afterOrders(
  { doubt }: ReconciledShop,
  { from = 0, until }: Scan,
  page: Scan | undefined,
  position: DeepPosition,
  deps: ReconcileDeps,
): DeepPosition {
  const { began, olderUntil, turn, oldestOrder } = position;
  const now = deps.now();
  if (olderUntil !== undefined) {
    if (!page && until >= olderUntil) return finish(position, now);
    // Versions are whole seconds: no order is between the two.
    const next = { from: until + 1, until: Math.min(until + LONGEST_SPAN_MS, olderUntil) };
    return { ...position, scan: page ?? next };
  }
  const last = page ? until : from - 1;
  const halfMs = ((deps.deepEveryDays || Number.POSITIVE_INFINITY) * DAY_MS) / 2;
  if (now.getTime() - last < RECENT_MS && now.getTime() - began < halfMs) {
    return { ...position, scan: page ?? recentSpan(last, now) };
  }
  const isOfUse = turn !== undefined && (!doubt || turn.began >= doubt.until);
  const resumed = isOfUse ? turn : { began, from: oldestOrder, scan: firstOlder(position, last) };
  const older = { olderSince: now.getTime(), olderUntil: last, turn: resumed };
  return { ...position, ...older, scan: resumed.scan };
}

/** The oldest come first: while a turn lasts, orders get older, and so meet the next one earlier. */
function firstOlder({ oldestOrder }: DeepPosition, last: number): Scan {
  const until = Math.min((oldestOrder ?? last) + LONGEST_SPAN_MS, last);
  return { from: oldestOrder, until };
}

/** Every order that the ledger knows was read since the turn began. */
function finish(position: DeepPosition, now: Date): DeepPosition {
  const { began, again, turn, ordersRead, differing = [] } = position;
  const known = differing.filter(({ at }) => at >= (turn?.began ?? began));
  const last = {
    began,
    ...(ordersRead && { ordersRead }),
    ...(known.length > 0 && { differing: known }),
  };
  return again ? begin(now, { ...last, phase: 'done' }, undefined) : { ...last, phase: 'done' };
}

function withRead(
  { ordersRead = NONE_READ, differing = [] }: DeepPosition,
  page: OrdersRead,
  now: Date,
): Required<Pick<DeepPosition, 'ordersRead' | 'differing'>> {
  const { read, unread } = ordersRead;
  const at = now.getTime();
  return {
    ordersRead: { read: read + page.read.length, unread: unread + page.unread },
    differing: [
      ...differing.filter(({ id }) => !page.read.includes(id)),
      ...page.differing.map((id) => ({ id, at })),
      ...page.lately.map((id) => ({ id, at, lately: true as const })),
    ].slice(0, DIFFERING_KEPT),
  };
}

/** An order that is older and not in the ledger is left to a backfill. */
function earliestMissing(
  sinces: ReadonlyMap<ScannedKind, number>,
  { now, orderRetentionDays }: ReconcileDeps,
): number {
  const since = sinces.get('order') ?? Number.POSITIVE_INFINITY;
  return Math.max(since, now().getTime() - orderRetentionDays * DAY_MS);
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
