import type { Ledger } from '../ledger/ledger.ts';
import type { WalkedKind } from '../store/store.ts';
import { cursorKey, keepState, recallState } from './compare-entities.ts';
import {
  type Compared,
  type HealedKind,
  healedKindOf,
  type OrdersRead,
  OUT_OF_TIME,
  OVERTAKEN,
  orOutOfTime,
  QUEUE_FULL,
  quietUntil,
  type ReconcileDeps,
  type ReconciledShop,
  type Scan,
  type ScanPosition,
  type Stopped,
  storeDidNotAnswer,
  waitedForStore,
  waitForRoom,
} from './dependencies.ts';
import { findDeletions } from './find-deletions.ts';
import type { Tally } from './last-reconcile.ts';
import { comparePage, positionKey } from './reconcile-kind.ts';

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
  readonly phase: WalkedKind | 'ledger' | 'done';
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

/** What reading orders from the loyalty service has found. */
export interface FoundByReading {
  readonly read: number;
  readonly unread: number;
  /** How many a person must look at, and the first of them. */
  readonly differing: number;
  readonly ids: readonly string[];
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

/**
 * Recorded before all other work: it is asked for once a week, and a run that fails must not forget it.
 */
export async function askForDeepScan(
  shop: string,
  { ledger, now }: Pick<ReconcileDeps, 'ledger' | 'now'>,
  /** One that began since is enough. */
  notBefore = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { state, revision } = await recallState<DeepPosition>(ledger, deepKey(shop));
    if (state && state.began >= notBefore) return;
    const isUnderWay = state !== undefined && state.phase !== 'done';
    if (isUnderWay && state.phase === 'order' && state.scan === undefined) return;
    const next = isUnderWay ? { ...state, again: true } : begin(now(), state?.ordersRead);
    const kept = { version: next.began, revision };
    if ((await keepState(ledger, deepKey(shop), next, kept)) !== undefined) return;
  }
}

/** What the newest scan found by reading, and the one before while it is under way. */
export async function readFindings(
  ledger: Pick<Ledger, 'readMany'>,
  shop: string,
): Promise<readonly FoundByReading[]> {
  const { state } = await recallState<DeepPosition>(ledger, deepKey(shop));
  return [state?.ordersRead, state?.readBefore].filter((found) => found !== undefined);
}

/**
 * Continues the deep scan of a shop until its end or the end of this run.
 * See docs/decisions/0019-the-deep-scan-reads-the-service-and-takes-no-points.md.
 */
export async function scanDeeply(
  shop: ReconciledShop,
  deps: ReconcileDeps,
  tally: Tally,
): Promise<DeepEnd> {
  const key = deepKey(shop.domain);
  const kept = await recallState<DeepPosition>(deps.ledger, key);
  if (kept.state === undefined || kept.state.phase === 'done') {
    return { kind: 'idle', began: kept.state?.began };
  }
  let position = kept.state;
  let { revision } = kept;
  const keep = async (next: DeepPosition): Promise<boolean> => {
    revision = await keepState(deps.ledger, key, next, { version: next.began, revision });
    position = next;
    return revision !== undefined;
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
        tally.add(healedKindOf(position.phase), step.sent, deps.now());
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

type Step =
  | {
      readonly kind: 'taken';
      readonly compared: ReadonlyMap<HealedKind, Compared>;
      readonly next: DeepPosition;
    }
  | Stopped;

async function takeStep(
  shop: ReconciledShop,
  position: DeepPosition,
  sinces: ReadonlyMap<WalkedKind, number>,
  deps: ReconcileDeps,
): Promise<Step> {
  const { scan: _, from: __, unreadSince, ...same } = position;
  const { began, phase, again, ordersRead } = same;
  if (phase === 'done') throw new Error('a deep scan that has ended was taken a step further');
  if (phase === 'ledger') {
    const { entries, next } = await deps.ledger.scanEntities(position.from);
    const found = await findDeletions(shop, entries, began, deps);
    if (found.kind === 'unavailable') return storeDidNotAnswer(found, deps.telemetry);
    if (next !== undefined) return taken(found.value, { ...same, phase, from: next });
    const read = ordersRead && { ordersRead };
    return taken(
      found.value,
      again ? begin(deps.now(), ordersRead) : { began, phase: 'done', ...read },
    );
  }
  // From the beginning of this phase: the scan may have begun long ago.
  const now = deps.now();
  // What a ledger in doubt forgot of the last minutes has no webhook any more.
  const until = shop.doubt ? now.getTime() : quietUntil(now);
  const scan = position.scan ?? { from: undefined, until };
  // What was never settled and is older than the connector is left to a backfill.
  const since = sinces.get(phase) ?? Number.POSITIVE_INFINITY;
  const waitedMs = unreadSince === undefined ? 0 : deps.now().getTime() - unreadSince;
  const purpose = { since, isDeep: true, readsOrders: waitedMs < PATIENCE_MS };
  const page = await comparePage(shop, phase, scan, purpose, deps);
  if (page.kind === 'stopped') return page;
  const compared = new Map([[healedKindOf(phase), page] as const]);
  const next = {
    ...same,
    ...(page.ordersRead && { ordersRead: add(ordersRead ?? NONE_READ, page.ordersRead) }),
    ...(unreadSince !== undefined && !page.ordersRead && { unreadSince }),
  };
  if (page.next) return taken(compared, { ...next, phase, scan: page.next });
  return taken(compared, { ...next, phase: AFTER[phase] });
}

function add(before: FoundByReading, page: OrdersRead): FoundByReading {
  return {
    read: before.read + page.read,
    unread: before.unread + page.unread,
    differing: before.differing + page.differing.length,
    ids: [...before.ids, ...page.differing].slice(0, IDS_KEPT),
  };
}

const taken = (compared: ReadonlyMap<HealedKind, Compared>, next: DeepPosition): Step => ({
  kind: 'taken',
  compared,
  next,
});

/** Where comparing began, by kind: the scheduled scan knows it. */
async function recallSinces(
  { domain, doubt }: ReconciledShop,
  { ledger }: ReconcileDeps,
): Promise<ReadonlyMap<WalkedKind, number>> {
  const sinces = new Map<WalkedKind, number>();
  for (const kind of KINDS) {
    const { state } = await recallState<ScanPosition>(ledger, positionKey(domain, kind));
    // A ledger that was lost began anew, but not the connector.
    const known = [state?.since, doubt?.since].filter((since) => since !== undefined);
    if (known.length > 0) sinces.set(kind, Math.min(...known));
  }
  return sinces;
}
