import { setFlagsFromString } from 'node:v8';
import * as v from 'valibot';
import type { BulkQueue, QueueDepth, StoreEvent } from '../../../shared/core/events/event.ts';
import { type Ledger, type RecordKey, readEntry } from '../../../shared/core/ledger/ledger.ts';
import { encodeSnapshot, idOf, type StoreEntity } from '../../../shared/core/store/store.ts';
import { announce } from '../../../shared/core/sync/fan-out.ts';
import type { BulkState } from '../../../shared/shopify/bulk/bulk-operation.ts';
import {
  type BulkEntity,
  type BulkFile,
  type BulkPlace,
  FILE_START,
  readBulkLines,
  readEntities,
} from '../../../shared/shopify/bulk/read-entities.ts';
import { Problem } from '../terminal/exit.ts';

export interface BackfillDeps {
  readonly ledger: Ledger;
  readonly backfills: Backfills;
  readonly queue: Pick<BulkQueue, 'sendAll'>;
  readonly depth: QueueDepth;
  readonly pace: ReturnType<typeof createPace>;
  /** Nothing is sent while more messages than this wait: live events must not wait behind the backfill. */
  readonly mostWaiting: number;
  readonly now: () => Date;
  /** Ends early when the signal fires. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly signal: AbortSignal;
  readonly onProgress: (state: BackfillState, waitsFor: string | undefined) => void;
}

type Completed = Extract<BulkState, { kind: 'completed' }>;

/** Where the entities come from. */
export interface EntitySource {
  readAt(entity: StoreEntity): Date;
  read(from: BulkPlace): AsyncIterable<BulkEntity>;
}

/** Sends the contents of the store's file, which is of one period. */
export const runBackfill = (
  kept: KeptBackfill,
  { url, readSince }: Completed,
  deps: BackfillDeps,
): Promise<BackfillState> =>
  sendEntities(
    kept,
    {
      readAt: () => readSince,
      async *read(place) {
        if (url === undefined) return;
        const source: BulkFile = { url, signal: deps.signal, pause: deps.pause };
        yield* readEntities(kept.state.kind, readBulkLines(source, place.byte), place);
      },
    },
    deps,
  );

/**
 * Sends all entities from the saved place on. Send, then save: a crash
 * between the two repeats one window with the same ids, which the queue drops within five minutes and the
 * ledger makes `unchanged` later. Returns where it ended: with `finishedAt` after the last period.
 */
export async function sendEntities(
  kept: KeptBackfill,
  source: EntitySource,
  deps: BackfillDeps,
): Promise<BackfillState> {
  let { state, revision } = kept;
  const family = state.kind === 'discounts' ? 'coupons' : state.kind;

  async function save(next: BackfillState): Promise<void> {
    state = { ...next, savedAt: deps.now().toISOString() };
    revision = await deps.backfills.save(state, revision);
    deps.onProgress(state, undefined);
  }

  async function send(window: readonly BulkEntity[]): Promise<void> {
    await waitForRoom(family, deps, () => deps.onProgress(state, 'the workers'));
    await deps.pause(deps.pace.before(window.length, deps.now().getTime()));
    deps.signal.throwIfAborted();
    const usable = window.filter((one) => one.kind !== 'unreadable');
    const entities = usable.flatMap((one) => (one.kind === 'entity' ? [one.entity] : []));
    const coupons = entities.flatMap((one) => (one.kind === 'coupon' ? [one.coupon] : []));
    await announce(state.shop, coupons, deps.ledger);
    const now = deps.now();
    const readAt = (one: BulkEntity) => (one.kind === 'entity' ? source.readAt(one.entity) : now);
    const events = usable.map((one) => toEvent(one, state, { readAt: readAt(one), now }));
    const refused = await deps.queue.sendAll(events);
    if (refused.length > 0) {
      const codes = new Set(refused.map(({ code }) => code));
      throw new Error(`SQS did not take ${refused.length} messages: ${[...codes].join(', ')}`);
    }
    await save({
      ...state,
      place: window.at(-1)?.next ?? state.place,
      sent: state.sent + usable.length,
      unreadable: state.unreadable + window.length - usable.length,
    });
  }

  try {
    let window: BulkEntity[] = [];
    for await (const found of source.read(state.place)) {
      window.push(found);
      if (window.length < deps.pace.window) continue;
      await send(window);
      window = [];
    }
    if (window.length > 0) await send(window);
    await save(afterPeriod(state, deps.now()));
  } catch (error) {
    if (!deps.signal.aborted) throw error;
  }
  return state;
}

function afterPeriod(state: BackfillState, now: Date): BackfillState {
  const { period, operationId: _, ...rest } = state;
  const { until } = period ?? {};
  if (until === undefined || until === state.until) {
    return { ...state, finishedAt: now.toISOString() };
  }
  return { ...rest, doneUntil: until, place: FILE_START };
}

/** The file of a period is lost: its entities are sent again, and the ledger recognises those that were sent. */
export function withPeriodAnew(state: BackfillState): BackfillState {
  const { period, operationId: _, ...rest } = state;
  const { sentBefore: sent, unreadableBefore: unreadable } = period ?? NOTHING_SENT;
  return { ...rest, ...(period && { period }), place: FILE_START, sent, unreadable };
}

const NOTHING_SENT = { sentBefore: 0, unreadableBefore: 0 };

/**
 * The store keeps a file for seven days (Shopify, "bulkOperationRunQuery"). At one order a second this many take 28
 * hours, and where a file is lost, no more are sent again.
 */
export const MOST_IN_FILE = 100_000;

/** Shopify has no older store. */
const EARLIEST_MS = Date.parse('2006-01-01T00:00:00.000Z');

/**
 * The next period, the oldest first: the whole rest if one file can hold it, else a part with a quarter of a file at
 * least, if there is one. Halves the time until it has one.
 */
export async function withNextPeriod(
  state: BackfillState,
  count: (span: Pick<BackfillState, 'since' | 'until'>) => Promise<number>,
  mostInFile: number,
): Promise<BackfillState> {
  const since = state.doneUntil ?? state.since;
  const end = state.until === undefined ? Date.parse(state.startedAt) : Date.parse(state.until);
  const from = since === undefined ? EARLIEST_MS : Date.parse(since);
  // The period may end at `low` and holds too much at `high`.
  let [low, high] = [from, end];
  let total: number | undefined;
  for (let until = end; ; ) {
    // The store's times have whole seconds.
    const moment = until === end ? state.until : new Date(until).toISOString();
    const found = await count(spanOf(since, moment));
    total ??= found;
    if (found > mostInFile) high = until;
    else low = until;
    const isEnough = low === end || (low > from && found * 4 >= mostInFile && found <= mostInFile);
    if (isEnough || high - low <= 1_000) break;
    until = Math.floor((low + high) / 2_000) * 1_000;
    if (until <= low) break;
  }
  const chosen = low > from ? low : high;
  const { sent: sentBefore, unreadable: unreadableBefore } = state;
  const until = chosen === end ? state.until : new Date(chosen).toISOString();
  return {
    ...state,
    // The codes of discounts are counted by their file alone.
    ...(state.kind !== 'discounts' && { total: sentBefore + unreadableBefore + total }),
    period: { ...spanOf(since, until), sentBefore, unreadableBefore },
  };
}

function spanOf(since: string | undefined, until: string | undefined) {
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

const LOOK_AGAIN_MS = 2_000;

export async function waitForRoom(
  family: Parameters<QueueDepth['of']>[0],
  room: Pick<BackfillDeps, 'depth' | 'mostWaiting' | 'pause' | 'signal'>,
  onWait: () => void,
): Promise<void> {
  while (!room.signal.aborted) {
    const { ready, hidden } = await room.depth.of(family);
    if (ready + hidden <= room.mostWaiting) return;
    onWait();
    await room.pause(LOOK_AGAIN_MS);
  }
}

/**
 * The message of one entity. Its delivery id is made from the backfill and the entity, so that sending it
 * again after a crash sends the same message.
 */
export function toEvent(
  found: Exclude<BulkEntity, { kind: 'unreadable' }>,
  { shop, id, run }: Pick<BackfillState, 'shop' | 'id' | 'run'>,
  { readAt, now }: { readonly readAt: Date; readonly now: Date },
): StoreEvent {
  const kind = found.kind === 'entity' ? found.entity.kind : 'order';
  const entityId = found.kind === 'entity' ? idOf(found.entity) : found.id;
  return {
    shop,
    kind,
    id: entityId,
    claim: 'changed',
    origin: 'backfill',
    topic: `backfill/${kind}`,
    deliveryId: `backfill/${id}/${run}/${kind}/${entityId}`,
    receivedAt: now.toISOString(),
    ...(kind === 'order' && { history: true }),
    body: found.kind === 'entity' ? encodeSnapshot(found.entity, readAt) : undefined,
  };
}

/**
 * Keeps V8 from enlarging the space for new objects. It would do so for a stream that waits for its queue,
 * because waiting objects survive: a hundred megabytes for speed that a paced backfill does not need. Without
 * it, the memory use of a backfill becomes flat only after a while.
 */
export function keepMemorySteady(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

const moment = v.pipe(v.string(), v.isoTimestamp());

const backfillState = v.object({
  id: v.string(),
  shop: v.string(),
  kind: v.picklist(['orders', 'products', 'discounts']),
  /** The period, by the store's `created_at`; absent: without that bound. */
  since: v.exactOptional(moment),
  until: v.exactOptional(moment),
  /** Incremented when the backfill is started again. */
  run: v.number(),
  startedAt: moment,
  savedAt: moment,
  /** Everything that was created before it is sent; absent within the first period. */
  doneUntil: v.exactOptional(moment),
  /** What the store's file is of. Absent between two files, and where one file holds all of an earlier release. */
  period: v.exactOptional(
    v.object({
      since: v.exactOptional(moment),
      until: v.exactOptional(moment),
      /** What the periods before it had. */
      sentBefore: v.number(),
      unreadableBefore: v.number(),
    }),
  ),
  /** The bulk operation of the store; absent before it was started. */
  operationId: v.exactOptional(v.string()),
  /** The number that the store counted. */
  total: v.exactOptional(v.number()),
  place: v.object({ byte: v.number(), skip: v.number() }),
  /** Messages that the queue accepted. */
  sent: v.number(),
  unreadable: v.number(),
  finishedAt: v.exactOptional(moment),
});

/** The progress of a backfill: all that is needed to resume it. */
export type BackfillState = v.InferOutput<typeof backfillState>;

/** A backfill in the ledger. */
export interface KeptBackfill {
  readonly state: BackfillState;
  readonly revision: number;
}

/** Another process has saved the same backfill meanwhile. */
export class SavedElsewhere extends Error {
  override readonly name = 'SavedElsewhere';
}

const KEPT_DAYS = 400;
/** The ids, newest last: the ledger cannot be searched by id. */
const INDEX = 'backfill/index';
const MOST_LISTED = 50;

/** Ids are readable, and the same for the same beginning, so that the same command resumes it. */
export function backfillId(kind: BackfillState['kind'], since = 'first'): string {
  const day = since.replace(/T00:00:00\.000Z$/, '').replace(/[:.]/g, '');
  return `${kind}_${day}_now`;
}

/** Kept in the ledger as `cursor`, each write conditional on the revision: two runs cannot both continue. */
export function openBackfills(ledger: Ledger, shop: string, now: () => Date) {
  const keyOf = (id: string): RecordKey<'cursor'> => ({ shop, kind: 'cursor', id });

  const read = (id: string) => readEntry(ledger, keyOf(id));

  async function write(id: string, value: unknown, revision: number | undefined) {
    const at = now().getTime();
    const expiresAt = Math.floor(at / 1000) + KEPT_DAYS * 86_400;
    return ledger.write(
      keyOf(id),
      { version: at, uncertain: false, remembered: JSON.stringify(value), outcomes: [], expiresAt },
      revision,
    );
  }

  return {
    async load(id: string): Promise<KeptBackfill | undefined> {
      const entry = await read(`backfill/${id}`);
      if (!entry) return undefined;
      const state = understand(backfillState, entry.remembered, `the backfill "${id}"`);
      return { state, revision: entry.revision };
    },

    /** Returns the revision of the next save; throws `SavedElsewhere`. */
    async save(state: BackfillState, revision: number | undefined): Promise<number> {
      const written = await write(`backfill/${state.id}`, state, revision);
      if (written.kind === 'conflict') throw new SavedElsewhere();
      return written.revision;
    },

    async list(): Promise<readonly string[]> {
      return namesIn((await read(INDEX))?.remembered);
    },

    async enlist(id: string): Promise<void> {
      for (let tries = 0; tries < 10; tries += 1) {
        const entry = await read(INDEX);
        const names = namesIn(entry?.remembered).filter((name) => name !== id);
        const listed = [...names, id].slice(-MOST_LISTED);
        if ((await write(INDEX, listed, entry?.revision)).kind === 'written') return;
      }
      throw new Error('the list of backfills in the ledger changes too often to be written');
    },
  };
}

export type Backfills = ReturnType<typeof openBackfills>;

function namesIn(text: string | undefined): readonly string[] {
  return text === undefined ? [] : understand(v.array(v.string()), text, 'the list of backfills');
}

/** "There is none" would be a wrong answer about an item that cannot be read. */
function understand<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string | undefined,
  what: string,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  if (parsed.success) return parsed.output;
  throw new Problem(`In the ledger, ${what} is damaged or of a newer release.`);
}

/** The period in the store's search syntax; empty: everything. */
export function searchFor({ since, until }: Pick<BackfillState, 'since' | 'until'>): string {
  return [
    ...(since === undefined ? [] : [`created_at:>='${since}'`]),
    ...(until === undefined ? [] : [`created_at:<'${until}'`]),
  ].join(' ');
}

/** `from 2025-01-01 until 2026-11-17 10:17 UTC` */
export function spanWords({ since, until }: Pick<BackfillState, 'since' | 'until'>): string {
  const words = (moment: string) =>
    moment.replace(/T00:00:00\.000Z$/, '').replace(/T(\d\d:\d\d).*$/, ' $1 UTC');
  const parts = [since && `from ${words(since)}`, until && `until ${words(until)}`];
  return parts.filter(Boolean).join(' ') || 'at any time';
}

/** Low, because the capacity of the loyalty service is unknown: 100 000 orders take three hours. */
export const DEFAULT_RATE = 10;

/** Half a minute of work for a few workers: the longest that a live order may have to wait. */
export const DEFAULT_MOST_WAITING = 500;

/** One second of messages, at most this many: a window may be sent again after a crash. */
const LARGEST_WINDOW = 100;

/** Limits the average rate, never more than one window ahead. */
export function createPace(perSecond: number) {
  let freeAt = Number.NEGATIVE_INFINITY;
  return {
    /** Messages that are sent together. */
    window: Math.min(Math.max(Math.floor(perSecond), 1), LARGEST_WINDOW),
    /** How long to wait before `count` more, in milliseconds. */
    before(count: number, nowMs: number): number {
      const startAt = Math.max(freeAt, nowMs);
      freeAt = startAt + (count / perSecond) * 1000;
      return startAt - nowMs;
    },
  };
}
