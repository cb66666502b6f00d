import * as v from 'valibot';
import type { StoreEvent } from '../../../shared/core/events/event.ts';
import {
  expiresAfter,
  type Ledger,
  type RecordKey,
  readEntry,
} from '../../../shared/core/ledger/ledger.ts';
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
import type { StoreCoupon } from '../../../shared/store/store-entities.ts';
import { type Kept, type Portion, SavedElsewhere, type SendDeps } from '../ground/compare/send.ts';
import { storeUnread } from '../ground/session/services.ts';
import { Problem } from '../ground/terminal/exit.ts';

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

interface Page {
  readonly found: readonly Found[];
  /** Nothing in it is older. */
  readonly readAt: Date;
  readonly next: BackfillPlace | undefined;
}

/** The store from the place on, as what is to be sent. */
export async function* readPast(
  state: BackfillState,
  deps: ReadDeps,
  onWait: () => void,
): AsyncGenerator<Portion<BackfillPlace>> {
  const family = state.kind === 'discounts' ? 'coupons' : state.kind;
  for await (const { found, readAt, next } of readStore(state, deps, onWait)) {
    yield {
      ...{ family, count: found.length, next },
      async events(from, to) {
        const window = found.slice(from, to);
        const coupons = window.flatMap(({ entity }) =>
          entity?.kind === 'coupon' ? [entity.coupon] : [],
        );
        await announce(state.shop, coupons, deps.ledger);
        return window.map((one) => toEvent(one, state, { readAt, now: deps.now() }));
      },
    };
  }
}

/**
 * By creation, which no change moves: an order from before go-live that left the span would never be sent.
 * See docs/decisions/0017-only-a-backfill-sends-orders-from-before-go-live.md.
 */
function readStore(
  { shop, kind, place, ...state }: BackfillState,
  deps: ReadDeps,
  onWait: () => void,
): AsyncGenerator<Page> {
  const { store, now } = deps;
  const span = spanOf(state);
  switch (kind) {
    case 'orders':
      return readEntities(
        (after) => store.changedOrders(shop, span, after),
        (id, order) => ({ kind: 'order', id, entity: order && { kind: 'order', order } }),
      );
    case 'products':
      return readEntities(
        (after) => store.changedProducts(shop, span, after),
        (id, product) => ({ kind: 'product', id, entity: product && { kind: 'product', product } }),
      );
    case 'discounts':
      return readDiscounts();
  }

  async function* readEntities<Value>(
    scan: (after: string | undefined) => Promise<ScanAnswer<ScanPage<Value>>>,
    toFound: (id: string, value: Value | undefined) => Found,
  ): AsyncGenerator<Page> {
    for (let here: BackfillPlace | undefined = place; here; ) {
      const { after }: BackfillPlace = here;
      const readAt = now();
      const page = await askStore(() => scan(after), deps, onWait);
      const found = page.changed.map(({ id, value }) => toFound(id, value));
      const next = placeAfter(page);
      yield { found, readAt, next };
      here = next;
    }
  }

  /** A discount comes with its first codes; a single one can have any number. */
  async function* readDiscounts(): AsyncGenerator<Page> {
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
          yield {
            found: codes?.coupons.map(toCode) ?? [{ kind: 'discount', id }],
            readAt,
            next: { ...here, discount: { id, ...(from !== undefined && { from }) } },
          };
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

/**
 * Its delivery id is made from the backfill and the entity, so that sending it again after a crash sends the same
 * message.
 */
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

const moment = v.pipe(v.string(), v.isoTimestamp());

const backfillPlace = v.object({
  /** The store's cursor of the page; absent: the first page. */
  after: v.exactOptional(v.string()),
  /** The discount of that page that is begun, and where its codes continue; without `from` it is done. */
  discount: v.exactOptional(v.object({ id: v.string(), from: v.exactOptional(v.string()) })),
});

type BackfillPlace = v.InferOutput<typeof backfillPlace>;

export const BACKFILL_KINDS = ['orders', 'products', 'discounts'] as const;

const backfillState = v.object({
  shop: v.string(),
  kind: v.picklist(BACKFILL_KINDS),
  /** By the store's `created_at`, until `startedAt`: what is created later arrives as webhooks. Absent: all. */
  since: v.exactOptional(moment),
  /** Incremented when the backfill is started again. */
  run: v.number(),
  startedAt: moment,
  savedAt: moment,
  /** The number that the store counted; absent: of discounts, whose codes it does not count. */
  total: v.exactOptional(v.number()),
  place: backfillPlace,
  sent: v.number(),
  finishedAt: v.exactOptional(moment),
});

/** The progress of the last backfill of a kind: all that is needed to resume it. */
export type BackfillState = v.InferOutput<typeof backfillState>;

const KEPT_DAYS = 400;

/** Kept in the ledger as `cursor`, each write conditional on the revision: two runs cannot both continue. */
export function openBackfills(ledger: Ledger, shop: string, now: () => Date) {
  const keyOf = (kind: BackfillState['kind']): RecordKey<'cursor'> => ({
    ...{ shop, kind: 'cursor', id: `backfill/${kind}` },
  });
  return {
    /** The last of its kind; throws where it cannot be read: "there is none" would be a wrong answer. */
    async load(kind: BackfillState['kind']): Promise<Kept<BackfillState> | undefined> {
      const entry = await readEntry(ledger, keyOf(kind));
      if (!entry) return undefined;
      const schema = v.pipe(v.string(), v.parseJson(), backfillState);
      const parsed = v.safeParse(schema, entry.remembered);
      if (parsed.success) return { state: parsed.output, revision: entry.revision };
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

export function spanOf({ since, startedAt }: Pick<BackfillState, 'since' | 'startedAt'>): Span {
  const from = since === undefined ? undefined : Date.parse(since);
  return { by: 'creation', from, until: Date.parse(startedAt) };
}

/** `from 2025-01-01 until 2026-11-17 10:17 UTC` */
export function spanWords({ since, startedAt }: BackfillState): string {
  const words = (moment: string) =>
    moment.replace(/T00:00:00\.000Z$/, '').replace(/T(\d\d:\d\d).*$/, ' $1 UTC');
  return [since && `from ${words(since)}`, `until ${words(startedAt)}`].filter(Boolean).join(' ');
}
