import { type Ledger, ledgerKeyText } from '../ledger/ledger.ts';
import type { ScannedKind } from '../store/store.ts';
import {
  cursorKey,
  type OrdersRead,
  OUT_OF_TIME,
  OVERTAKEN,
  openCursor,
  quietUntil,
  type ReconcileDeps,
  type ReconciledShop,
  recallState,
  type Stopped,
  stateIn,
} from './dependencies.ts';
import type { Tally } from './last-reconcile.ts';
import { comparePages, positionKey, type Scan, type ScanPosition } from './reconcile-kind.ts';
import { coveredBy, LEDGER_POSITION_KEY, type LedgerScanned } from './scan-ledger.ts';

/**
 * How far the comparison of everything has come.
 *
 *   ledger ──▶ product ──▶ discount ──▶ order ──▶ done
 *
 * The ledger comes first, because only it shows deletions. Asked for again, it begins again at once; orders, which take
 * longest, then go on where they were.
 */
export interface DeepPosition {
  /** Epoch milliseconds. */
  readonly began: number;
  readonly phase: ScannedKind | 'ledger' | 'done';
  /** Within the phases of products and discounts. */
  readonly scan?: Scan;
  /** The reading of the orders, the newest first. */
  readonly orders?: OrdersPosition;
  /** The earliest version that an order can have and be in the ledger, or be missing there; absent if not known. */
  readonly oldestOrder?: number;
  /** What the last reading of all orders found. */
  readonly found?: FoundByReading;
}

/** Moments are epoch milliseconds. */
interface OrdersPosition {
  readonly began: number;
  readonly scan: Scan;
  readonly found?: FoundByReading;
  /** Since then no page could be read from the loyalty service. */
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

/** Enough to see what they have in common; the log has all. */
const IDS_KEPT = 20;
/** After it the scan goes on without reading: it has other things to find. */
const PATIENCE_MS = 86_400_000;

/** Where the store no longer accepts a cursor, a span begins anew. */
const LONGEST_SPAN_MS = 30 * 86_400_000;

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
    const { began = 0, orders, found } = state ?? {};
    const next: DeepPosition = {
      // Later than the one before, whatever the clock says: what was scanned for that one does not count.
      began: Math.max(now().getTime(), began + 1),
      phase: 'ledger',
      ...(orders && { orders }),
      ...(found && { found }),
    };
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

export interface DeepScan {
  /** What the newest reading of the orders found, and the one before while it is under way. */
  readonly ordersRead: readonly FoundByReading[];
  /** Absent while none is under way. */
  readonly course?: DeepCourse;
}

/** How far a deep scan is. Moments are epoch milliseconds. */
export interface DeepCourse {
  readonly began: number;
  readonly phase: Exclude<DeepPosition['phase'], 'done'>;
  /** Since when orders are read, and those that changed last after `from` were. */
  readonly orders?: { readonly began: number; readonly from: number };
}

export async function readDeepScan(
  ledger: Pick<Ledger, 'readMany'>,
  shop: string,
): Promise<DeepScan> {
  const state = await recallState<DeepPosition>(ledger, deepKey(shop));
  if (!state) return { ordersRead: [] };
  const { began, phase, orders, found } = state;
  const read = orders && { began: orders.began, from: orders.scan.until };
  return {
    ordersRead: [orders?.found, found].filter((one) => one !== undefined),
    ...(phase !== 'done' && { course: { began, phase, ...(read && { orders: read }) } }),
  };
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
  ledgerScan: Promise<LedgerScanned>,
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
    const { why, refused = false } = deps.deadline.aborted ? OUT_OF_TIME : end;
    const { began, phase } = position;
    return { kind: 'stopped', why, refused, began, phase };
  };

  const sinces = await recallSinces(shop, deps);
  if (!(await keep(position))) return stopped(OVERTAKEN);
  if (position.phase === 'ledger') {
    const scanned = await ledgerScan;
    for (const [kind, found] of scanned.found.get(shop.domain) ?? []) tally.add(kind, found);
    const covered = coveredBy(scanned, shop.domain, position.began);
    if (covered.kind === 'stopped') return stopped(covered);
    const oldestOrder = Math.min(covered.oldestOrder, earliestMissing(sinces, deps));
    const known = !shop.doubt && Number.isFinite(oldestOrder) && { oldestOrder };
    if (!(await keep({ ...position, phase: 'product', ...known }))) return stopped(OVERTAKEN);
  }
  while (position.phase !== 'done' && position.phase !== 'ledger') {
    const { phase, orders } = position;
    const scan = phase === 'order' ? orders?.scan : position.scan;
    const whole = { from: undefined, until: latest(shop, deps.now()) };
    // What was never settled and is older than the connector is left to a backfill.
    const since = sinces.get(phase) ?? Number.POSITIVE_INFINITY;
    const waitedMs = deps.now().getTime() - (orders?.unreadSince ?? deps.now().getTime());
    const purpose = { since, isDeep: true, readsOrders: waitedMs < PATIENCE_MS };
    const course = { shop, kind: phase, scan: scan ?? whole, purpose };
    const end = await comparePages(
      course,
      (next, read) => keep(afterPage(shop, { ...position, phase }, next, read, deps.now())),
      deps,
      tally,
    );
    if (end.kind === 'finished') continue;
    const { orders: reached } = position;
    if (end.readingStopped && reached && reached.unreadSince === undefined) {
      await keep({ ...position, orders: { ...reached, unreadSince: deps.now().getTime() } });
    }
    return stopped(end);
  }
  return { kind: 'finished', began: position.began };
}

/**
 * From the beginning of a phase: the scan may have begun long ago. And what a ledger in doubt forgot of the last minutes
 * has no webhook any more.
 */
const latest = ({ doubt }: ReconciledShop, now: Date): number =>
  doubt ? now.getTime() : quietUntil(now);

/** `next`: of the same scan, if it goes on. */
function afterPage(
  shop: ReconciledShop,
  { scan: _, orders, ...same }: DeepPosition & { readonly phase: ScannedKind },
  next: Scan | undefined,
  read: OrdersRead | undefined,
  now: Date,
): DeepPosition {
  const { began, phase, oldestOrder } = same;
  if (phase === 'product' || phase === 'discount') {
    const kept = orders && { orders };
    if (next) return { ...same, ...kept, scan: next };
    if (phase === 'product') return { ...same, ...kept, phase: 'discount' };
    const isOfUse = orders !== undefined && orders.began >= (shop.doubt?.until ?? 0);
    const { unreadSince: __, ...resumed } = isOfUse
      ? orders
      : { began, scan: spanUntil(latest(shop, now), oldestOrder), unreadSince: undefined };
    return { ...same, phase: 'order', orders: resumed };
  }
  if (!orders) throw new Error('orders are read from no place');
  const { from = 0 } = orders.scan;
  const found = read ? withRead(orders.found, read) : orders.found;
  const isOver = oldestOrder === undefined || from <= oldestOrder;
  if (!next && isOver) return { began, phase: 'done', ...(found && { found }) };
  return {
    ...same,
    orders: {
      began: orders.began,
      // Versions are whole seconds: no order is between the two.
      scan: next ?? spanUntil(from - 1, oldestOrder),
      ...(found && { found }),
      ...(!read && orders.unreadSince !== undefined && { unreadSince: orders.unreadSince }),
    },
  };
}

/** Where nothing says how old the oldest order is, one span has all. */
function spanUntil(until: number, oldestOrder: number | undefined): Scan {
  if (oldestOrder === undefined) return { from: undefined, until };
  return { from: Math.max(until - LONGEST_SPAN_MS, oldestOrder), until };
}

function withRead(
  before: FoundByReading | undefined,
  { read, unread, differing, lately }: OrdersRead,
): FoundByReading {
  const late = [...(before?.lately ?? []), ...lately].slice(0, IDS_KEPT);
  return {
    read: (before?.read ?? 0) + read,
    unread: (before?.unread ?? 0) + unread,
    differing: (before?.differing ?? 0) + differing.length,
    ids: [...(before?.ids ?? []), ...differing].slice(0, IDS_KEPT),
    ...(late.length > 0 && { lately: late }),
  };
}

/** An order that is older and not in the ledger is left to a backfill. */
function earliestMissing(
  sinces: ReadonlyMap<ScannedKind, number>,
  { now, orderRetentionDays }: ReconcileDeps,
): number {
  const since = sinces.get('order') ?? Number.POSITIVE_INFINITY;
  return Math.max(since, now().getTime() - orderRetentionDays * 86_400_000);
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
