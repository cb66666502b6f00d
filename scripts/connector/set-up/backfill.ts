import { queueFamilyOf, type StoreEvent } from '../../../shared/core/events/event.ts';
import { expiresAfter, type Ledger, readEntry } from '../../../shared/core/ledger/ledger.ts';
import { cursorKey } from '../../../shared/core/reconcile/dependencies.ts';
import {
  type DiscountPage,
  encodeSnapshot,
  type ScanAnswer,
  type ScanPage,
  type Span,
  type Store,
  type StoreEntity,
  type StoreScan,
} from '../../../shared/core/store/store.ts';
import { announce } from '../../../shared/core/sync/handle-task.ts';
import { RESERVE } from '../../../shared/services/configured-store.ts';
import type { StoreCoupon } from '../../../shared/store/store-entities.ts';
import {
  checkVisibility,
  DEFAULT_RATE,
  type Kept,
  openSending,
  type Portion,
  type Progress,
  SavedElsewhere,
  type SendDeps,
  sendPortions,
} from '../ground/compare/send.ts';
import { findShop, shopsOf } from '../ground/session/arguments.ts';
import { nextCommand, openLedger } from '../ground/session/deployment.ts';
import { openShopServices, storeUnread } from '../ground/session/services.ts';
import { type CommonOptions, carryOut, type Session } from '../ground/session/session.ts';
import {
  type Cell,
  type Document,
  facts,
  right,
  STATUS,
  type Suggestion,
  table,
  text,
} from '../ground/terminal/document.ts';
import { BadArguments, type ExitCode, Problem } from '../ground/terminal/exit.ts';
import { type Line, line, lineText, type Options } from '../ground/terminal/line.ts';
import { counted, relativeTime, spanText } from '../ground/terminal/text.ts';

export interface StartOptions extends CommonOptions {
  readonly rate?: number;
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly again?: boolean;
}

const SCANNED = { orders: 'order', products: 'product', discounts: 'discount' } as const;
const familyOf = (kind: BackfillState['kind']) => queueFamilyOf(SCANNED[kind]);

/** Begin, or go on where it stopped: estimate → ask → send portion by portion. */
export async function startBackfill(
  session: Session,
  kind: BackfillState['kind'],
  options: StartOptions,
): Promise<Document | ExitCode> {
  const now = new Date();
  if (options.since !== undefined && options.since >= now.getTime()) {
    throw new BadArguments('--since is in the future.');
  }
  const since = options.since === undefined ? undefined : new Date(options.since).toISOString();
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, options.shop);
  const services = openShopServices(deployment, RESERVE);
  const ledger = openLedger(deployment);
  const backfills = openBackfills(ledger, shop.domain, () => new Date());
  const kept = await backfills.load(kind);
  const before = options.again ? undefined : kept?.state;
  const begun = before?.since === since ? before : undefined;
  if (before && !begun && before.finishedAt === undefined) {
    throw new Problem(
      `The backfill of ${kind} created ${spanWords(before)} has not finished.`,
      `Go on with it: ${lineText(startLine(before, {}), deployment)}; or give it up: --again.`,
    );
  }
  const state: BackfillState = begun ?? {
    ...{ shop: shop.domain, kind },
    ...(since !== undefined && { since }),
    run: (kept?.state.run ?? 0) + 1,
    ...{ startedAt: now.toISOString(), savedAt: now.toISOString(), place: {}, sent: 0 },
  };
  await checkVisibility(state, { store: services.store, shop }, now);
  if (state.finishedAt !== undefined) return endDocument(state, true);
  const count = await services.asked(shop).count(SCANNED[kind], spanOf(state));
  if (count.kind === 'unavailable') throw storeUnread(count);
  const { sent: sentBefore } = state;
  // The codes of discounts are not counted.
  const total = begun || kind === 'discounts' ? state.total : count.value;
  const left = state.total === undefined ? count.value : Math.max(state.total - sentBefore, 0);
  const many = counted(left, kind.slice(0, -1));
  return carryOut(session, deployment, options.yes, {
    preview: () => previewOf(state, count.value, left, options),
    // A stopped one has its end to record, even where nothing is left.
    question: left > 0 || begun || options.yes ? `Send ${many}?` : undefined,
    async act(change) {
      const { terminal } = session;
      const signal = session.interruption();
      terminal.note(
        begun
          ? `Resuming the backfill of ${kind}: ${sentBefore} were sent.`
          : `Starting the backfill of ${kind}. Ctrl-C stops it; the same command continues it.`,
      );
      const begins = { ...state, ...(total !== undefined && { total }) };
      const doing = sentBefore === 0 ? `sent ${kind}` : `sent ${kind} of those left:`;
      const progress = terminal.progress(doing, total && total - sentBefore);
      const sending = openSending(deployment, [familyOf(kind)], signal, options.rate);
      const reading = { ...sending, ledger, store: services.store.until(signal) };
      const read = (from: BackfillState, onWait: () => void) => readPast(from, reading, onWait);
      try {
        const revision = begun ? kept?.revision : await backfills.save(begins, kept?.revision);
        const ended = await sendPortions({ state: begins, revision: revision ?? 0 }, read, {
          ...{ ...sending, save: backfills.save },
          onProgress({ sent: sofar }, waitsFor) {
            change.count({ sent: sofar - sentBefore });
            progress.report(sofar - sentBefore, waitsFor && `waiting for ${waitsFor}`);
          },
        });
        return endDocument(ended);
      } catch (error) {
        if (!(error instanceof SavedElsewhere)) throw error;
        // Begun while this one asked, or beside it.
        throw new Problem(
          'Another process is running the same backfill, so this one stopped.',
          `To see its progress: ${nextCommand(deployment, 'backfill status')}`,
        );
      }
    },
  });
}

function previewOf(
  state: BackfillState,
  count: number,
  left: number,
  { rate = DEFAULT_RATE, again }: StartOptions,
): Document {
  const { kind, sent } = state;
  const time = `about ${spanText((left / rate) * 1000)} at ${rate}/s (--rate), longer where the store's plan does not let it be read that fast`;
  const send = {
    label: `Send ${counted(left, kind.slice(0, -1))}`,
    line: startLine(state, { rate, again, yes: true }),
  };
  return {
    title: titleOf(state),
    blocks: [
      facts([
        ['Found', counted(count, kind.slice(0, -1))],
        ['Created', spanWords(state)],
        ['Codes', kind === 'discounts' ? 'any number in each discount' : undefined],
        ['Sent before', sent > 0 ? `${sent}; it continues after them` : undefined],
        ['Marked as', kind === 'orders' ? 'history, if placed before go-live' : undefined],
        ['Time', time],
      ]),
    ],
    next: left === 0 && sent === 0 ? [] : [send],
    data: { dryRun: true, ...state, count: left, rate },
  };
}

const titleOf = ({ kind, shop }: BackfillState) => `Backfill of ${kind} of ${shop}`;

/** Starts the same backfill, or goes on with it. Names the shop: shops may have backfills of the same period. */
const startLine = ({ shop, kind, since }: BackfillState, options: Options): Line =>
  line(`backfill ${kind}`, [], { shop, since, ...options });

const resuming = (state: BackfillState): Suggestion => ({
  label: `Resume the backfill of ${state.kind}`,
  line: startLine(state, {}),
});

/** Where it ended, now or before. Of what is on the queue only the workers know the outcome. */
function endDocument(state: BackfillState, wasDone = false): Document {
  const { kind, sent, total, finishedAt } = state;
  const base = { title: titleOf(state), data: state };
  if (finishedAt === undefined) {
    const what = `Stopped after ${sent}${total === undefined ? '' : ` of ${total}`}. Resume it to continue.`;
    const verdict = { kind: 'action required', what } as const;
    return { ...base, verdict, blocks: [], next: [resuming(state)] };
  }
  if (wasDone) {
    const when = relativeTime(Date.parse(finishedAt), new Date());
    const again = { label: 'Start it again', line: startLine(state, { again: true }) };
    const done = `Nothing was sent: this backfill finished ${when}, with ${sent} sent.`;
    return { ...base, blocks: [text(done)], next: [again] };
  }
  const things = kind === 'discounts' ? 'code' : kind.slice(0, -1);
  const queued = `${counted(sent, things)} ${sent === 1 ? 'is' : 'are'} on the queue`;
  return {
    ...base,
    blocks: [text(`${queued}, and the workers go on.`)],
    next: [STATUS, { label: 'See dead letters', line: line('dead-letters list') }],
  };
}

/** Only the process that runs it knows whether it still does. */
const UNFINISHED: Cell = { text: 'stopped or running', tone: 'pending' };
const FINISHED: Cell = { text: 'finished', tone: 'ok' };

/** Older orders are visible only with a scope of their own. */
const VISIBLE_DAYS = 59;

/** Of all shops, or of one; the newest first. */
export async function showBackfills(
  { findDeployment }: Session,
  { shop: named }: CommonOptions,
): Promise<Document> {
  const deployment = await findDeployment();
  const { stack, connector } = deployment;
  const shops = shopsOf(connector, named);
  const ledger = openLedger(deployment);
  const found = await Promise.all(
    shops.map(async ({ domain }) => {
      const backfills = openBackfills(ledger, domain, () => new Date());
      return Promise.all(BACKFILL_KINDS.map(backfills.load));
    }),
  );
  const states = found
    .flat()
    .flatMap((kept) => (kept ? [kept.state] : []))
    .toSorted((one, other) => other.startedAt.localeCompare(one.startedAt));
  const day = new Date(Date.now() - VISIBLE_DAYS * 86_400_000).toISOString().slice(0, 10);
  return {
    title: `Backfills of ${shops.map(({ domain }) => domain).join(', ')}`,
    blocks: [
      table(
        [
          ...['Of', { title: 'Shop', shrinks: true }, 'State', 'Since'],
          ...[right('Sent'), right('Found'), 'Last progress'],
        ],
        states.map((state) => [
          ...[state.kind, state.shop, state.finishedAt === undefined ? UNFINISHED : FINISHED],
          ...[
            state.since?.slice(0, 10) ?? '',
            state.sent,
            state.total ?? '',
            { at: state.savedAt },
          ],
        ]),
        { empty: 'No backfill yet.' },
      ),
    ],
    next: [
      ...states.filter(({ finishedAt }) => finishedAt === undefined).map(resuming),
      ...shops.map(({ domain: shop }) => ({
        label: `Estimate older orders of ${shop}`,
        line: line('backfill orders', [], { shop, since: day }),
        asks: [{ name: 'since', label: 'Created since', value: day, type: 'date' as const }],
      })),
    ],
    data: { stack, backfills: states },
  };
}

export interface ReadDeps extends Pick<SendDeps<never>, 'now' | 'pause' | 'signal'> {
  readonly store: StoreScan & Pick<Store, 'readDiscount'>;
  readonly ledger: Ledger;
}

/** An entity, or the id of one that changed while it was read or cannot be read: the worker reads the store. */
interface Found {
  readonly kind: 'order' | 'product' | 'coupon' | 'discount';
  readonly id: string;
  readonly entity?: StoreEntity | undefined;
}

/**
 * The store from the place on, as what is to be sent. By creation, which no change moves: an order from before go-live
 * that left the span would never be sent.
 * See docs/decisions/0017-only-a-backfill-sends-orders-from-before-go-live.md.
 */
export function readPast(
  state: BackfillState,
  deps: ReadDeps,
  onWait: () => void,
): AsyncGenerator<Portion<BackfillPlace>> {
  const { store, now } = deps;
  const { shop, kind, place } = state;
  const span = spanOf(state);
  switch (kind) {
    case 'orders':
      return readEntities(store.changedOrders, (id, order) => {
        return { kind: 'order', id, entity: order && { kind: 'order', order } };
      });
    case 'products':
      return readEntities(store.changedProducts, (id, product) => {
        return { kind: 'product', id, entity: product && { kind: 'product', product } };
      });
    case 'discounts':
      return readDiscounts();
  }

  /** `readAt`: nothing in it is older. */
  function portionOf(
    found: readonly Found[],
    readAt: Date,
    next: BackfillPlace | undefined,
  ): Portion<BackfillPlace> {
    return {
      ...{ family: familyOf(kind), count: found.length, next },
      async events(from, to) {
        const window = found.slice(from, to);
        const coupons = window.flatMap(({ entity }) =>
          entity?.kind === 'coupon' ? [entity.coupon] : [],
        );
        await announce(shop, coupons, deps.ledger);
        return window.map((one) => toEvent(one, state, { readAt, now: now() }));
      },
    };
  }

  async function* readEntities<Value>(
    scan: (shop: string, span: Span, after?: string) => Promise<ScanAnswer<ScanPage<Value>>>,
    toFound: (id: string, value: Value | undefined) => Found,
  ): AsyncGenerator<Portion<BackfillPlace>> {
    for (let here: BackfillPlace | undefined = place; here; ) {
      const { after }: BackfillPlace = here;
      const readAt = now();
      const page = await askStore(() => scan(shop, span, after), deps, onWait);
      here = placeAfter(page);
      yield portionOf(
        page.changed.map(({ id, value }) => toFound(id, value)),
        readAt,
        here,
      );
    }
  }

  /** A discount comes with its first codes; a single one can have any number. */
  async function* readDiscounts(): AsyncGenerator<Portion<BackfillPlace>> {
    for (let here: BackfillPlace | undefined = place; here; ) {
      const { after, discount: begun }: BackfillPlace = here;
      const scannedAt = now();
      const scan = () => store.changedDiscounts(shop, span, after);
      const page = await askStore(scan, deps, onWait);
      // Where it was deleted meanwhile, the whole page is sent again.
      const index = page.changed.findIndex(({ id }) => id === begun?.id);
      const isDone = index >= 0 && begun?.from === undefined;
      for (const { id, value } of page.changed.slice(Math.max(0, isDone ? index + 1 : index))) {
        let from = id === begun?.id ? begun.from : undefined;
        do {
          const readAt = from === undefined ? scannedAt : now();
          const codes = from === undefined ? value : await readCodes(id, from);
          from = codes?.next;
          const found = codes?.coupons.map(toCode) ?? [{ kind: 'discount', id } as const];
          const discount = { id, ...(from !== undefined && { from }) };
          yield portionOf(found, readAt, { ...here, discount });
        } while (from !== undefined);
      }
      here = placeAfter(page);
    }
  }

  async function readCodes(id: string, from: string): Promise<DiscountPage> {
    const read = async (): Promise<ScanAnswer<DiscountPage>> => {
      const answer = await store.readDiscount(shop, id, from);
      // Deleted meanwhile: the event of that deletion ends its codes.
      return answer.kind === 'gone' ? { kind: 'found', value: NO_CODES } : answer;
    };
    return askStore(read, deps, onWait);
  }
}

const NO_CODES: DiscountPage = { automatic: false, coupons: [] };

const toCode = (coupon: StoreCoupon): Found => ({
  kind: 'coupon',
  id: coupon.code,
  entity: { kind: 'coupon', coupon },
});

const placeAfter = ({ next }: ScanPage<unknown>): BackfillPlace | undefined =>
  next === undefined ? undefined : { after: next };

/** With the pauses between them at least three minutes without an answer. */
const MOST_TRIES = 8;
const LONGEST_PAUSE_SECONDS = 60;

/** Waits while the store is busy or does not answer. */
async function askStore<Value>(
  ask: () => Promise<ScanAnswer<Value>>,
  { signal, pause }: ReadDeps,
  onWait: () => void,
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    signal.throwIfAborted();
    if (answer.kind === 'found') return answer.value;
    const { afterSeconds = 2 ** tries, misconfigured, queryRefused } = answer;
    if (queryRefused) {
      const next = 'Start it again with --again: the workers recognise what was sent.';
      throw new Problem('The store refuses the place where this backfill stopped.', next);
    }
    if (misconfigured || tries === MOST_TRIES) throw storeUnread(answer);
    onWait();
    await pause(Math.min(Math.max(afterSeconds, 1), LONGEST_PAUSE_SECONDS) * 1000);
  }
}

/** Its delivery id is made from the backfill and the entity: a crash and a second try send the same message. */
export function toEvent(
  { kind, id: entityId, entity }: Found,
  state: Pick<BackfillState, 'shop' | 'kind' | 'run'>,
  { readAt, now }: { readonly readAt: Date; readonly now: Date },
): StoreEvent {
  return {
    shop: state.shop,
    kind,
    id: entityId,
    claim: 'changed',
    origin: 'backfill',
    topic: `backfill/${kind}`,
    deliveryId: `backfill/${state.kind}/${state.run}/${kind}/${entityId}`,
    receivedAt: now.toISOString(),
    ...(kind === 'order' && { history: true }),
    body: entity && encodeSnapshot(entity, readAt),
  };
}

interface BackfillPlace {
  /** The store's cursor of the page; absent: the first page. */
  readonly after?: string;
  /** The discount of that page that is begun, and where its codes continue; without `from` it is done. */
  readonly discount?: { readonly id: string; readonly from?: string };
}

const BACKFILL_KINDS = ['orders', 'products', 'discounts'] as const;

/** Of the last backfill of a kind: all that is needed to resume it. Moments are ISO 8601. */
export interface BackfillState extends Progress<BackfillPlace> {
  readonly shop: string;
  readonly kind: (typeof BACKFILL_KINDS)[number];
  /** By the store's `created_at`, until `startedAt`: what is created later arrives as webhooks. Absent: all. */
  readonly since?: string;
  /** Incremented when the backfill is started again. */
  readonly run: number;
  readonly startedAt: string;
  /** The number that the store counted; absent: of discounts, whose codes it does not count. */
  readonly total?: number;
}

const KEPT_DAYS = 400;

/** Kept in the ledger as `cursor`, each write conditional on the revision: two runs cannot both continue. */
export function openBackfills(ledger: Ledger, shop: string, now: () => Date) {
  const keyOf = (kind: BackfillState['kind']) => cursorKey(shop, `backfill/${kind}`);
  return {
    /** The last of its kind; throws where it cannot be read: "there is none" would be a wrong answer. */
    async load(kind: BackfillState['kind']): Promise<Kept<BackfillState> | undefined> {
      const entry = await readEntry(ledger, keyOf(kind));
      if (!entry) return undefined;
      const state = parseState(entry.remembered);
      if (state) return { state, revision: entry.revision };
      throw new Problem(`In the ledger, the backfill of ${kind} is damaged or of a newer release.`);
    },

    /** Returns the revision of the next save; throws `SavedElsewhere`. */
    async save(state: BackfillState, revision: number | undefined): Promise<number> {
      const at = now();
      const plain = { version: at.getTime(), uncertain: false, outcomes: [] };
      const entry = { ...plain, remembered: JSON.stringify(state), ...expiresAfter(KEPT_DAYS, at) };
      const written = await ledger.write(keyOf(state.kind), entry, revision);
      if (written.kind === 'conflict') throw new SavedElsewhere();
      return written.revision;
    },
  };
}

function parseState(text = ''): BackfillState | undefined {
  try {
    const state: BackfillState = JSON.parse(text);
    return Number.isInteger(state.run) && typeof state.place === 'object' ? state : undefined;
  } catch {
    return undefined;
  }
}

function spanOf({ since, startedAt }: Pick<BackfillState, 'since' | 'startedAt'>): Span {
  const from = since === undefined ? undefined : Date.parse(since);
  return { by: 'creation', from, until: Date.parse(startedAt) };
}

/** `from 2025-01-01 until 2026-11-17 10:17 UTC` */
function spanWords({ since, startedAt }: BackfillState): string {
  const words = (moment: string) =>
    moment.replace(/T00:00:00\.000Z$/, '').replace(/T(\d\d:\d\d).*$/, ' $1 UTC');
  return [since && `from ${words(since)}`, `until ${words(startedAt)}`].filter(Boolean).join(' ');
}
