import { ask, type CircuitBreaker, callService } from '../../core/calls/call-loyalty.ts';
import { type Doubt, mergedInto } from '../../core/ledger/entry.ts';
import { isNewer, type LedgerEntry, ledgerKeyText } from '../../core/ledger/ledger.ts';
import {
  cursorKey,
  OUT_OF_TIME,
  OVERTAKEN,
  openCursor,
  orOutOfTime,
  QUEUE_FULL,
  quietUntil,
  type ReconcileDeps,
  type Stopped,
  waitForRoom,
} from '../../core/reconcile/dependencies.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import { isLastPage, type OperationId, type Value } from '../../loyalty/operations.ts';
import { balanceIn, isStoreId, recallBalance } from './point-balance.ts';

interface RepairDeps<Operation extends OperationId = 'listCustomersReport'>
  extends Pick<
    ReconcileDeps,
    'ledger' | 'queue' | 'depth' | 'telemetry' | 'now' | 'pause' | 'deadline' | 'othersWait'
  > {
  readonly loyalty: Pick<LoyaltyClient, Operation>;
  readonly breaker: CircuitBreaker;
  /** Around all that holds a page of a report in memory. */
  readonly takeTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

interface Repaired {
  readonly compared: number;
  /** Customers whose balance the worker was asked to read. */
  readonly asked: number;
  /** Absent where everything was compared. */
  readonly stopped?: string;
}

/** How far the comparison of balances has come. Moments are epoch milliseconds. */
export interface RepairPosition {
  /** Points that moved until here were compared. */
  readonly doneUntil: number;
  readonly began: number;
  /** A comparison that was begun and not ended. */
  readonly scan?: RepairScan;
}

interface RepairScan {
  readonly from: number;
  readonly until: number;
  /** The report lists either those who take part in the program or the others. */
  readonly isEnrolled: boolean;
  /** From 1. */
  readonly page: number;
  /** A page of the usual size could not be read. */
  readonly small?: true;
}

const DAY_MS = 86_400_000;
/** 3:00 UTC: night in Europe and the Americas. */
const NIGHT_MS = 3 * 3_600_000;
/** Pages shift while points move, so every movement is compared on two nights. */
const OVERLAP_MS = DAY_MS;

/** The service's maximum is 500. Each customer comes with a history, so an answer may be too large: then a smaller one is tried. */
const PAGE_SIZE = 100;
const SMALL_PAGE_SIZE = 20;
/** A million customers in a night: a report without an end must not occupy every run. */
const MOST_CUSTOMERS = 1_000_000;
/** Between two pages: the service's limit is not documented. */
const PAUSE_MS = 1_000;
/** A report takes longer than the call for one customer. */
const TIMEOUT = { timeoutMs: 30_000 };

const nightOf = (moment: number): number => Math.floor((moment - NIGHT_MS) / DAY_MS);

/** All that a scheduled run does for the balances of a shop. `flow`: where customers are told of points that expire. */
export async function scanBalances(
  shop: string,
  { flow, doubt }: { readonly flow: ExpiryNotice | undefined; readonly doubt: Doubt | undefined },
  deps: RepairDeps<'listCustomersReport' | 'listExpiringPoints'>,
): Promise<void> {
  const repaired = await repairBalances(shop, deps, doubt);
  if (flow) await noticeExpiring(shop, flow, deps);
  if (!repaired) return;
  const level = repaired.stopped === undefined ? 'info' : 'warn';
  deps.telemetry.log(level, 'compared balances with the report', { shop, ...repaired });
}

/**
 * Compares, once in a night, the balances of all customers whose points moved with the ledger, and asks
 * the worker to read those that differ. The position is recorded after every page, so that a killed
 * run costs one page. Undefined when this night's comparison is done.
 * See docs/decisions/0022-a-balance-is-what-a-reading-says.md.
 */
export async function repairBalances(
  shop: string,
  deps: RepairDeps,
  doubt?: Doubt,
): Promise<Repaired | undefined> {
  const cursor = await openCursor<RepairPosition>(deps.ledger, cursorKey(shop, 'balances'));
  const now = deps.now().getTime();
  const until = quietUntil(deps.now());
  const last = cursor.state ?? { doneUntil: until - DAY_MS, began: 0 };
  // A ledger in doubt is compared at once, and not in the next night.
  const position =
    doubt && last.began < doubt.until
      ? { doneUntil: Math.min(last.doneUntil, doubt.since), began: 0 }
      : last;
  if (!position.scan && nightOf(position.began) === nightOf(now)) return undefined;
  let [compared, asked] = [0, 0];
  const stop = ({ why }: Stopped): Repaired => ({ compared, asked, stopped: why });

  const began = position.scan ? position.began : now;
  // A `doneUntil` later than `until` comes from a clock that was wrong once.
  const from = Math.min(position.doneUntil, until) - OVERLAP_MS;
  const firstPage = { from, until, isEnrolled: true, page: 1 };
  let scan: RepairScan | undefined = position.scan ?? firstPage;
  if (!(await cursor.keep({ ...position, began, scan }, began))) return stop(OVERTAKEN);
  while (scan) {
    if (deps.deadline.aborted) return stop(OUT_OF_TIME);
    if (!(await waitForRoom('balance', deps))) return stop(orOutOfTime(QUEUE_FULL, deps));
    const place: RepairScan = scan;
    const page = await deps.takeTurn(() => comparePage(shop, place, deps));
    if (page.kind === 'stopped') return stop(orOutOfTime(page, deps));
    if (page.kind === 'refused') {
      // Asked for again in the next night, from the same moment on.
      await cursor.keep({ doneUntil: position.doneUntil, began }, began);
      return stop({ kind: 'stopped', why: page.why });
    }
    compared += page.compared;
    asked += page.asked;
    const doneUntil: number = page.next ? position.doneUntil : scan.until;
    scan = page.next;
    const next = { doneUntil, began, ...(scan && { scan }) };
    if (!(await cursor.keep(next, began))) return stop(OVERTAKEN);
    if (scan) await deps.pause(PAUSE_MS);
  }
  return { compared, asked };
}

type ComparedPage =
  | {
      readonly kind: 'compared';
      readonly compared: number;
      readonly asked: number;
      /** Undefined after the last page. */
      readonly next: RepairScan | undefined;
    }
  /** The service does not give the report: another try in the same night gains nothing. */
  | { readonly kind: 'refused'; readonly why: string }
  | Stopped;

async function comparePage(
  shop: string,
  scan: RepairScan,
  deps: RepairDeps,
): Promise<ComparedPage> {
  const { from, until, isEnrolled, page, small } = scan;
  const pageSize = small ? SMALL_PAGE_SIZE : PAGE_SIZE;
  const query = {
    isEnrolled,
    pageNumber: page,
    pageSize,
    pointDateFrom: new Date(from).toISOString(),
    pointDateTo: new Date(until).toISOString(),
  };
  const { result, outcome } = await callService('listCustomersReport', [query], deps, TIMEOUT);
  if (!result) return { kind: 'stopped', why: outcome.why };
  if (result.kind === 'success' || result.kind === 'warning') {
    const upTo = page * pageSize;
    const isLast = isLastPage(result.value, upTo) || upTo >= MOST_CUSTOMERS;
    const sent = await askForDifferences(shop, result.value.Items, until, deps);
    return {
      kind: 'compared',
      ...sent,
      next: isLast ? nextList(scan) : { ...scan, page: page + 1 },
    };
  }
  // What too large an answer is, too.
  if (result.kind === 'transport-failure' && result.reason === 'not-the-contract' && !small) {
    const first = ((page - 1) * PAGE_SIZE) / SMALL_PAGE_SIZE + 1;
    return { kind: 'compared', compared: 0, asked: 0, next: { ...scan, page: first, small: true } };
  }
  if (outcome.kind === 'retry') {
    if (outcome.misconfigured) deps.telemetry.count('misconfigured');
    if (outcome.throttled) deps.telemetry.count('throttled');
    return { kind: 'stopped', why: outcome.why };
  }
  const why = result.kind === 'business-error' ? (result.name ?? 'unnamed-error') : result.reason;
  return { kind: 'refused', why };
}

function nextList(scan: RepairScan): RepairScan | undefined {
  return scan.isEnrolled ? { ...scan, isEnrolled: false, page: 1 } : undefined;
}

type Reported = Value<'listCustomersReport'>['Items'][number];

/** Asks the worker to read the balance of each customer of whom report and ledger differ. */
export async function askForDifferences(
  shop: string,
  customers: readonly Reported[],
  until: number,
  deps: AskDeps,
): Promise<{ readonly compared: number; readonly asked: number }> {
  const known = await readKnown(shop, customers, deps);
  const now = deps.now().getTime();
  const differing = known.filter(({ row, entry }) => differs(row, entry, now));
  await askToRead(shop, differing, `repair/${until}`, deps);
  return { compared: known.length, asked: differing.length };
}

type AskDeps = Pick<ReconcileDeps, 'ledger' | 'queue' | 'now'>;

interface Known<Row> {
  readonly id: string;
  readonly row: Row;
  readonly entry: LedgerEntry | undefined;
}

/** A customer without an account in the store, or known by an e-mail address, has no metafields. */
async function readKnown<Row extends { readonly OriginalId?: unknown }>(
  shop: string,
  rows: readonly Row[],
  { ledger }: AskDeps,
): Promise<readonly Known<Row>[]> {
  const byId = new Map(
    rows.flatMap((row) => {
      const { OriginalId: id } = row;
      return typeof id === 'string' && isStoreId(id) ? [[id, row] as const] : [];
    }),
  );
  const keyOf = (id: string) => ({ shop, kind: 'customer', id }) as const;
  const entries = await ledger.readMany([...byId.keys()].map(keyOf));
  return [...byId].flatMap(([id, row]) => {
    const text = ledgerKeyText(keyOf(id));
    return isNewer(entries, text) ? [] : [{ id, row, entry: entries.get(text) }];
  });
}

/** `name`: of this question to all of them. */
async function askToRead(
  shop: string,
  customers: readonly { readonly id: string }[],
  name: string,
  { queue, now }: AskDeps,
): Promise<void> {
  for (const { id } of customers) {
    const head = { shop, kind: 'balance', id, topic: 'repair' } as const;
    const receivedAt = now().toISOString();
    await queue.send({ ...head, deliveryId: `${name}/${id}`, receivedAt });
  }
}

/**
 * True also for a customer whom the ledger does not know, and for a report that names no balance. Never for
 * one who was merged into another: the store does not have them any more.
 */
function differs(reported: Reported, entry: LedgerEntry | undefined, now: number): boolean {
  if (mergedInto(entry) !== undefined) return false;
  const known = recallBalance(entry?.remembered);
  if (!known) return entry?.redactedAt === undefined;
  const balance = balanceIn(reported, now);
  if (!balance || entry?.uncertain) return true;
  if (balance.points !== known.points || balance.cashback !== known.cashback) return true;
  if (reported.PointsToExpire === undefined) return false;
  const { expiring } = balance;
  return expiring?.points !== known.expiring?.points || expiring?.at !== known.expiring?.at;
}

interface ExpiryNotice {
  readonly expiryNoticeDays: number;
}

/** Fifty thousand customers whose points expire within days. */
const MOST_PAGES = 500;

/**
 * Has the worker read, once in a night, the customers whose points are about to expire and who were not told: their
 * balance does not change, so nothing else does. What a run does not reach is for the next night: there are as many as
 * the notice has days. Which points expire, and when, is the worker's to read and to tell.
 */
export async function noticeExpiring(
  shop: string,
  { expiryNoticeDays }: ExpiryNotice,
  deps: RepairDeps<'listExpiringPoints'>,
): Promise<void> {
  const { ledger, telemetry, deadline } = deps;
  const cursor = await openCursor<{ readonly began: number }>(ledger, cursorKey(shop, 'expiring'));
  const began = deps.now().getTime();
  if (nightOf(cursor.state?.began ?? 0) === nightOf(began)) return;
  if (!(await cursor.keep({ began }, began))) return;
  const from = new Date(began).toISOString();
  const to = new Date(began + expiryNoticeDays * DAY_MS).toISOString();
  let asked = 0;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    if (deadline.aborted || !(await waitForRoom('balance', deps))) break;
    const query = { from, to, pageNumber: page, pageSize: PAGE_SIZE };
    const { untold, hasNext } = await deps.takeTurn(async () => {
      const answer = await ask('listExpiringPoints', [query], deps, TIMEOUT);
      const report = answer.kind === 'asked' ? answer.value : undefined;
      if (!report) telemetry.log('warn', 'no report of points that expire', { shop, page });
      const known = await readKnown(shop, report?.Items ?? [], deps);
      return { untold: known.filter((one) => !wasTold(one, began)), hasNext: report?.HasNextPage };
    });
    await askToRead(shop, untold, `expiring/${began}`, deps);
    asked += untold.length;
    if (!hasNext) break;
    await deps.pause(PAUSE_MS);
  }
  telemetry.log('info', 'looked for points that expire', { shop, asked });
}

function wasTold({ entry }: Pick<Known<unknown>, 'entry'>, now: number): boolean {
  const { told } = recallBalance(entry?.remembered) ?? {};
  return told?.expiries.some((at) => Date.parse(at) > now) ?? false;
}
