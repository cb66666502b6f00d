import { setTimeout as sleep } from 'node:timers/promises';
import type { Shop } from '../../../../shared/config/connector-config.ts';
import type {
  BulkQueue,
  QueueDepth,
  QueueFamily,
  StoreEvent,
} from '../../../../shared/core/events/event.ts';
import type { StoreScan } from '../../../../shared/core/store/store.ts';
import type { Deployment } from '../session/deployment.ts';
import { openSourceQueues } from '../session/queues.ts';
import { storeUnread } from '../session/services.ts';
import { Problem } from '../terminal/exit.ts';

const LOOK_AGAIN_MS = 2_000;

/** What is sent together, before its place is kept. */
export interface Portion<Place> {
  readonly family: QueueFamily;
  readonly count: number;
  /** Those from here to there; made when they are sent. */
  readonly events: (from: number, to: number) => Promise<readonly StoreEvent[]>;
  /** Where reading goes on; undefined after the last. */
  readonly next: Place | undefined;
}

export interface Progress<Place> {
  readonly place: Place;
  readonly sent: number;
  /** ISO 8601. */
  readonly savedAt: string;
  readonly finishedAt?: string;
}

export interface Kept<State> {
  readonly state: State;
  /** Of its record: two processes cannot both go on. */
  readonly revision: number;
}

export interface SendDeps<State> {
  /** Returns the revision of the next save; throws `SavedElsewhere`. */
  readonly save: (state: State, revision: number) => Promise<number>;
  readonly queue: Pick<BulkQueue, 'sendAll'>;
  readonly depth: QueueDepth;
  readonly pace: ReturnType<typeof createPace>;
  /** Nothing is sent while more messages than this wait: live events must not wait behind it. */
  readonly mostWaiting: number;
  readonly now: () => Date;
  /** Ends early when the signal fires. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly signal: AbortSignal;
  readonly onProgress: (state: State, waitsFor: 'the workers' | 'the store' | undefined) => void;
}

export class SavedElsewhere extends Error {
  override readonly name = 'SavedElsewhere';
}

/**
 * The engine of all that a command sends: reads portion by portion, each from the place where the last one ended, and
 * gives them to the workers at a pace that leaves room for live events.
 *
 *   read ─▶ sent ─▶ place kept ─▶ read …
 *       │       └ killed here: the portion is sent once more, with the same ids. The queue drops it within five
 *       │         minutes, and later the worker finds it unchanged
 *       └ killed here: it is read once more
 *
 * Were the place kept first, a portion could be left out, and nothing would say so. Returns where it ended: with
 * `finishedAt` after the last portion, without it after an interruption.
 */
export async function sendPortions<Place, State extends Progress<Place>>(
  kept: Kept<State>,
  read: (state: State, onWait: () => void) => AsyncIterable<Portion<Place>>,
  deps: SendDeps<State>,
): Promise<State> {
  const { save, now, signal, onProgress } = deps;
  let { state, revision } = kept;

  async function keep(done: Partial<Progress<Place>>): Promise<void> {
    state = { ...state, ...done, savedAt: now().toISOString() };
    revision = await save(state, revision);
    onProgress(state, undefined);
  }

  const finished = () => ({ finishedAt: now().toISOString() });
  try {
    for await (const portion of read(state, () => onProgress(state, 'the store'))) {
      await sendPortion(portion, state, deps);
      const { count, next } = portion;
      await keep({ sent: state.sent + count, ...(next ? { place: next } : finished()) });
    }
    if (state.finishedAt === undefined) await keep(finished());
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return state;
}

/** Window by window, each when the pace and the queue allow it; throws where it is interrupted. */
async function sendPortion<State extends Progress<unknown>>(
  { family, count, events }: Portion<unknown>,
  state: State,
  { queue, depth, pace, mostWaiting, now, pause, signal, onProgress }: SendDeps<State>,
): Promise<void> {
  for (let sent = 0; sent < count; ) {
    signal.throwIfAborted();
    const { ready, hidden } = await depth.of(family);
    const isFull = ready + hidden > mostWaiting;
    onProgress({ ...state, sent: state.sent + sent }, isFull ? 'the workers' : undefined);
    if (isFull) {
      await pause(LOOK_AGAIN_MS);
      continue;
    }
    const until = Math.min(sent + pace.window, count);
    await pause(pace.before(until - sent, now().getTime()));
    signal.throwIfAborted();
    const refused = await queue.sendAll(await events(sent, until));
    if (refused.length > 0) {
      const codes = [...new Set(refused.map(({ code }) => code))].join(', ');
      throw new Problem(
        `SQS did not take ${refused.length} of ${until - sent} messages (${codes}).`,
        'Repeat the command: it continues where it stopped.',
      );
    }
    sent = until;
  }
  signal.throwIfAborted();
}

export function openSending(
  deployment: Deployment,
  families: readonly QueueFamily[],
  signal: AbortSignal,
  perSecond = DEFAULT_RATE,
) {
  return {
    ...openSourceQueues(deployment, families, { requestsAtOnce: 4 }),
    ...{ pace: createPace(perSecond), mostWaiting: MOST_WAITING, signal },
    now: () => new Date(),
    pause: (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined),
  };
}

/** Low, because the capacity of the loyalty service is unknown: 100 000 orders take three hours. */
export const DEFAULT_RATE = 10;

/** Half a minute of work for a few workers: the longest that a live order may have to wait. */
const MOST_WAITING = 500;

/** One second of messages, at most this many: a window may be sent again after a crash. */
const LARGEST_WINDOW = 100;

/** Limits the average rate, never more than one window ahead. */
export function createPace(perSecond: number) {
  let freeAt = Number.NEGATIVE_INFINITY;
  return {
    window: Math.min(Math.max(Math.floor(perSecond), 1), LARGEST_WINDOW),
    /** How long to wait before `count` more, in milliseconds. */
    before(count: number, nowMs: number): number {
      const startAt = Math.max(freeAt, nowMs);
      freeAt = startAt + (count / perSecond) * 1000;
      return startAt - nowMs;
    },
  };
}

const SIXTY_DAYS_MS = 60 * 86_400_000;

/** Without `read_all_orders` the store leaves out older orders: the backfill would only look complete. */
export async function checkVisibility(
  { kind, since }: { readonly kind: string; readonly since?: string | undefined },
  {
    store,
    shop,
  }: { readonly store: Pick<StoreScan, 'seesAllOrders'>; readonly shop: Pick<Shop, 'domain'> },
  now: Date,
): Promise<void> {
  const oldest = now.getTime() - SIXTY_DAYS_MS;
  if (kind !== 'orders' || (since !== undefined && Date.parse(since) >= oldest)) return;
  const seesAll = await store.seesAllOrders(shop.domain);
  if (seesAll.kind === 'unavailable') throw storeUnread(seesAll);
  if (seesAll.value) return;
  const day = new Date(Math.ceil(oldest / 86_400_000) * 86_400_000).toISOString().slice(0, 10);
  throw new Problem(
    'The app can read only the orders of the last 60 days: it lacks the access scope read_all_orders, and the store would leave out older orders.',
    `Ask for that scope in the app's API access requests, or start later: --since ${day}`,
  );
}
