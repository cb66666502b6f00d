import { type EntityKey, inBatches } from '../events/event.ts';
import { customerItems, redactedMeanwhile, wasSettledSince } from '../ledger/entry.ts';
import {
  type EntityEntry,
  expiresAfter,
  type Ledger,
  NewerItem,
  readRecently,
} from '../ledger/ledger.ts';
import { mapSnapshot } from '../mapping/map-snapshot.ts';
import { customerIn, idempotencyKey } from '../mapping/wanted-state.ts';
import { MOST_ASKED_FOR, type ScanAnswer, type ScannedKind } from '../store/store.ts';
import {
  type Compared,
  cursorKey,
  entityKindOf,
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

/** A shop whose deep scan waits until the ledger was scanned for deletions. */
export interface AwaitingShop {
  readonly domain: string;
  /** Of its deep scan, epoch milliseconds. */
  readonly began: number;
  /** Undefined while the shop is paused: its messages would only wait. */
  readonly open: (() => Promise<ReconciledShop>) | undefined;
}

export interface LedgerScan {
  /** Scans on until it has covered the shop, or the run must stop; callers at the same time share one scan. */
  cover(shop: string, began: number): Promise<Covered | Stopped>;
  /** What was found for the shop since the last call. */
  take(shop: string): readonly Found[];
  /** Where no shop waits for a scan, or it is late: goes on with the last one, or begins the next if it is time to erase. */
  erase(): Promise<true>;
}

interface Covered {
  readonly kind: 'covered';
  /** Of all orders in the ledger; infinite where there is none. */
  readonly oldestOrder: number;
}

type Found = readonly [kind: ScannedKind, compared: Compared];

/**
 * How far the scan of the ledger has come: one for all shops, because DynamoDB can only scan a whole table. A shop
 * whose deep scan begins while it is under way takes part in the next one.
 */
export interface LedgerPosition {
  /** Epoch milliseconds, as `ended`, which is absent while it is under way. */
  readonly began: number;
  readonly ended?: number;
  readonly from?: string;
  /** Shops that a part of it could not be compared for. */
  readonly missed: readonly string[];
  /** The earliest version of an order, by shop. */
  readonly oldest: Readonly<Record<string, number>>;
}

/** No shop has this name. */
export const LEDGER_POSITION_KEY = cursorKey('*', 'ledger');
const KINDS = ['order', 'product', 'discount'] as const;

/** A scan for shops that missed the last one waits so many times as long as it took: a store may be gone for weeks. */
const REST_FACTOR = 10;

/** Also where all shops are paused or no deep scan is asked for: what a redaction did not name is erased in this time. */
const ERASE_EVERY_MS = 7 * 86_400_000;
/** A shop that waits for a scan may never come so far: it fails, or its changes use up every run. */
const ERASE_LATE_MS = ERASE_EVERY_MS + 43_200_000;

/**
 * The store is asked when one shop has so many suspects, or all together: with hundreds of shops a page of the ledger
 * has few of each, and a question is for 250. As many as a run can ask for in any case, and at most some 20 MB.
 */
const MOST_OF_SHOP = 1_000;
const MOST_IN_ALL = 50_000;

/** The store did not answer in an earlier run; the next scan of the ledger includes the shop. */
const MISSED: Stopped = { kind: 'stopped', why: 'ledger-scan-missed' };

/** See docs/decisions/0019-the-deep-scan-reads-the-service-and-takes-no-points.md. */
export function openLedgerScan(
  readAwaiting: () => Promise<readonly AwaitingShop[]>,
  deps: ReconcileDeps,
): LedgerScan {
  const found = new Map<string, Found[]>();
  const whyMissed = new Map<string, Stopped>();
  let running: ReturnType<typeof scan> | undefined;

  /** Ends the scan that is under way, and one more that begins now. */
  async function scan() {
    const cursor = await openCursor<LedgerPosition>(deps.ledger, LEDGER_POSITION_KEY);
    const awaiting = await readAwaiting();
    let position = cursor.state;
    for (let begun = 0; ; ) {
      if (!position || position.ended !== undefined) {
        const began = begun === 0 ? beginFor(awaiting, position, deps.now()) : undefined;
        if (began === undefined) return { position };
        position = { began, missed: [], oldest: {} };
        begun += 1;
      }
      const step = await takeStep(position, awaiting, whyMissed, deps);
      if (step.kind === 'stopped') return { position, stopped: orOutOfTime(step, deps) };
      if (!(await cursor.keep(step.next, step.next.began))) return { position, stopped: OVERTAKEN };
      position = step.next;
      for (const [shop, compared] of step.found) {
        found.set(shop, [...(found.get(shop) ?? []), ...compared]);
      }
    }
  }

  function run() {
    running ??= scan().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function cover(shop: string, began: number): Promise<Covered | Stopped> {
    const isNew = running === undefined;
    const { position, stopped } = await run();
    if (isCovered(position, shop, began)) {
      const { [shop]: oldestOrder = Number.POSITIVE_INFINITY } = position.oldest;
      return { kind: 'covered', oldestOrder };
    }
    const why = stopped ?? whyMissed.get(shop);
    // One that was running may have begun before this shop waited for it.
    return why ?? (isNew ? MISSED : cover(shop, began));
  }

  return {
    cover,
    async erase() {
      const awaiting = await readAwaiting();
      const last = await recallState<LedgerPosition>(deps.ledger, LEDGER_POSITION_KEY);
      const isLate = last !== undefined && deps.now().getTime() - last.began >= ERASE_LATE_MS;
      if (isLate || !awaiting.some(({ open }) => open)) await run();
      return true;
    },
    take(shop) {
      const taken = found.get(shop) ?? [];
      found.delete(shop);
      return taken;
    },
  };
}

function isCovered(
  position: LedgerPosition | undefined,
  shop: string,
  began: number,
): position is LedgerPosition {
  if (position?.ended === undefined || position.began < began) return false;
  return !position.missed.includes(shop);
}

/** When a new scan begins; undefined where none is needed, or not yet. */
function beginFor(
  awaiting: readonly AwaitingShop[],
  last: LedgerPosition | undefined,
  now: Date,
): number | undefined {
  const { began = 0, ended = 0 } = last ?? {};
  const isRested = now.getTime() - ended >= REST_FACTOR * (ended - began);
  const wants = (one: AwaitingShop) =>
    one.began > began || (isRested && !isCovered(last, one.domain, one.began));
  const present = awaiting.filter(({ open }) => open !== undefined);
  if (present.some(wants)) {
    return Math.max(now.getTime(), began + 1, ...present.map((one) => one.began));
  }
  // A moment ago: it does not cover a shop whose deep scan begins now.
  return now.getTime() - began >= ERASE_EVERY_MS ? now.getTime() - 1 : undefined;
}

type Step =
  | { readonly kind: 'taken'; readonly next: LedgerPosition; readonly found: FoundByShop }
  | Stopped;
type FoundByShop = ReadonlyMap<string, readonly Found[]>;

async function takeStep(
  position: LedgerPosition,
  awaiting: readonly AwaitingShop[],
  whyMissed: Map<string, Stopped>,
  deps: ReconcileDeps,
): Promise<Step> {
  const { began } = position;
  const missed = new Set(position.missed);
  const shops = new Map<string, ReconciledShop>();
  for (const one of awaiting) {
    if (one.began > began || missed.has(one.domain)) continue;
    if (one.open) shops.set(one.domain, await one.open());
    else missed.add(one.domain);
  }
  if (deps.deadline.aborted) return OUT_OF_TIME;
  for (const kind of KINDS) {
    if (shops.size > 0 && !(await waitForRoom(kind, deps))) return QUEUE_FULL;
  }
  const { suspects, oldest, next } = await collectSuspects(shops, position, deps);
  const found = new Map<string, readonly Found[]>();
  const end = async ([shop, ofShop]: readonly [string, readonly Suspect[]]) => {
    const ended = await endDeleted(shop, ofShop, began, deps);
    if (ended.kind === 'ended') return found.set(shop, ended.found);
    whyMissed.set(shop, ended);
    return missed.add(shop);
  };
  // Each is another host, and a connection.
  await inBatches([...suspects], end, 50);
  // The end of the time is no fault of a store: the next run repeats this step.
  if (deps.deadline.aborted && missed.size > position.missed.length) return OUT_OF_TIME;
  const place = next === undefined ? { ended: deps.now().getTime() } : { from: next };
  return { kind: 'taken', next: { began, ...place, missed: [...missed], oldest }, found };
}

/** What the ledger says the service holds, and the store must therefore show. */
interface Suspect {
  readonly kind: ScannedKind;
  /** Of a coupon, its discount: a code shows by it. */
  readonly id: string;
  readonly entityId: string;
  readonly version: number;
  /** Epoch milliseconds; NaN where it is not known. */
  readonly placed: number;
}

interface Collected extends Pick<LedgerPosition, 'oldest'> {
  readonly suspects: ReadonlyMap<string, readonly Suspect[]>;
  readonly next?: string;
}

/** At least one page, so that every run gets further. */
async function collectSuspects(
  shops: ReadonlyMap<string, ReconciledShop>,
  { from, oldest: oldestBefore }: LedgerPosition,
  deps: ReconcileDeps,
): Promise<Collected> {
  const { ledger, now, deadline } = deps;
  const suspects = new Map<string, Suspect[]>();
  const oldest = { ...oldestBefore };
  let [inAll, mostOfShop] = [0, 0];
  let place = from;
  do {
    const { entries, next } = await ledger.scanEntities(place);
    await eraseRedacted(entries, deps);
    for (const { key, entry } of entries) {
      const shop = shops.get(key.shop);
      if (!shop) continue;
      // A redaction alone has version 0, and an order of which only a call is known.
      if (key.kind === 'order' && (entry.version > 0 || entry.uncertain)) {
        const isRead = shop.versionsAreReadings?.includes('order');
        const first = (isRead && placedIn(entry)) || entry.version;
        oldest[key.shop] = Math.min(oldest[key.shop] ?? first, first);
      }
      const suspect = suspectOf(shop, key, entry, now());
      if (!suspect) continue;
      const ofShop = suspects.get(key.shop) ?? [];
      ofShop.push(suspect);
      suspects.set(key.shop, ofShop);
      inAll += 1;
      mostOfShop = Math.max(mostOfShop, ofShop.length);
    }
    place = next;
  } while (
    place !== undefined &&
    mostOfShop < MOST_OF_SHOP &&
    inAll < MOST_IN_ALL &&
    !deadline.aborted
  );
  return { suspects, oldest, ...(place !== undefined && { next: place }) };
}

/**
 * Erases what remembers a customer who was redacted since, in any shop: a request names only some of their orders.
 * See docs/personal-data.md.
 */
async function eraseRedacted(
  entries: Awaited<ReturnType<Ledger['scanEntities']>>['entries'],
  { ledger, now, orderRetentionDays, telemetry }: ReconcileDeps,
): Promise<void> {
  const named = entries.flatMap(({ key, entry }) => {
    const isMember = key.kind === 'member' && entry.remembered !== undefined;
    const id = isMember ? key.id : customerIn(entry);
    return id === undefined ? [] : [{ key, entry, customer: { shop: key.shop, id } }];
  });
  const keys = named.map(({ customer }) => customerItems(customer).record);
  const read = { keys, entries: await ledger.readMany(keys), readAt: now() };
  const customers = readRecently(read, { ledger, now });
  await inBatches(named, async ({ key, entry, customer }) => {
    const redactedAt = await redactedMeanwhile(customer, entry, customers).catch(leaveNewer);
    if (redactedAt === undefined) return;
    await ledger.redact([key], { redactedAt, ...expiresAfter(orderRetentionDays, now()) });
    telemetry.log('info', 'erased what a redaction did not name', { ...key });
  });
}

function leaveNewer(error: unknown): undefined {
  if (!(error instanceof NewerItem)) throw error;
}

function suspectOf(
  shop: ReconciledShop,
  key: EntityKey,
  entry: EntityEntry,
  now: Date,
): Suspect | undefined {
  const kind = KINDS.find((one) => entityKindOf(one) === key.kind);
  const id = key.kind === 'coupon' ? entry.discountId : key.id;
  if (kind === undefined || id === undefined) return undefined;
  if (entry.version > quietUntil(now) || !isAlive(shop, key, entry, now)) return undefined;
  return { kind, id, entityId: key.id, version: entry.version, placed: placedIn(entry) };
}

/** NaN where it is not known. */
const placedIn = ({ service }: EntityEntry): number => Date.parse(service?.placedAt ?? '');

/** The service holds it, or may, and it is not ended there. */
function isAlive(
  { rules, doubt }: ReconciledShop,
  key: EntityKey,
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

/**
 * Finds what the store has deleted without a webhook, and sends a message for each. Absence counts only where the
 * store must show the entity: the message ends it in the loyalty service, and ending an order takes its points.
 */
async function endDeleted(
  shop: string,
  suspects: readonly Suspect[],
  began: number,
  deps: ReconcileDeps,
): Promise<{ readonly kind: 'ended'; readonly found: readonly Found[] } | Stopped> {
  const found: Found[] = [];
  for (const kind of KINDS) {
    const ofKind = suspects.filter((one) => one.kind === kind);
    for (;;) {
      const compared = await endAbsent(shop, kind, ofKind, began, deps);
      if (compared.kind === 'found') {
        found.push([kind, compared.value]);
        break;
      }
      const stopped = storeDidNotAnswer(compared);
      if (!(await waitedForStore(stopped, deps))) return stopped;
    }
  }
  return { kind: 'ended', found };
}

/** The store shows an app without the scope for all orders those of sixty days; a day less, for clocks. */
const VISIBLE_MS = 59 * 86_400_000;
/** When at least so many are absent, and more than half, the store's answer is doubted. */
const ENOUGH_TO_DOUBT = 5;

async function endAbsent(
  shop: string,
  kind: ScannedKind,
  alive: readonly Suspect[],
  began: number,
  deps: ReconcileDeps,
): Promise<ScanAnswer<Compared>> {
  const { store, telemetry } = deps;
  const isAboutOrders = kind === 'order' && alive.length > 0;
  const seesAll = isAboutOrders ? await store.seesAllOrders(shop) : undefined;
  if (seesAll?.kind === 'unavailable') return seesAll;
  // An import may be dated back, never ahead: an order placed within the last sixty days was created within them.
  const isRecent = ({ placed }: Suspect) => deps.now().getTime() - placed < VISIBLE_MS;
  const suspects = !seesAll || seesAll.value ? alive : alive.filter(isRecent);
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
    .map(({ entityId: id }) => ({ id, why: 'deleted' as const }));
  return { kind: 'found', value: { lookedAt: suspects.length, sent } };
}
