import type { Shop } from '../../../../shared/config/connector-config.ts';
import type {
  BulkQueue,
  QueueDepth,
  QueueFamily,
  StoreEvent,
} from '../../../../shared/core/events/event.ts';
import type { StoreScan } from '../../../../shared/core/store/store.ts';
import { storeUnread } from '../session/services.ts';
import { Problem } from '../terminal/exit.ts';

const LOOK_AGAIN_MS = 2_000;

/** What is sent leaves room for live events. */
export interface Room {
  readonly depth: QueueDepth;
  /** Nothing is sent while more messages than this wait: live events must not wait behind it. */
  readonly mostWaiting: number;
  /** Ends early when the signal fires. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly signal: AbortSignal;
}

interface Sending extends Room {
  readonly queue: Pick<BulkQueue, 'sendAll'>;
  readonly pace: ReturnType<typeof createPace>;
  readonly now: () => Date;
  /** `waits`: for the workers, which have enough to do. */
  readonly onProgress: (sent: number, waits: boolean) => void;
}

/**
 * Sends window by window, each when the pace and the queue allow it, and returns how many the queue took: not all after
 * an interruption.
 */
export async function sendAtPace<Item>(
  items: readonly Item[],
  family: QueueFamily,
  toEvents: (window: readonly Item[]) => Promise<readonly StoreEvent[]>,
  { queue, depth, pace, mostWaiting, now, pause, signal, onProgress }: Sending,
): Promise<number> {
  let sent = 0;
  while (sent < items.length && !signal.aborted) {
    const { ready, hidden } = await depth.of(family);
    const isFull = ready + hidden > mostWaiting;
    onProgress(sent, isFull);
    if (isFull) {
      await pause(LOOK_AGAIN_MS);
      continue;
    }
    const window = items.slice(sent, sent + pace.window);
    await pause(pace.before(window.length, now().getTime()));
    if (signal.aborted) break;
    const refused = await queue.sendAll(await toEvents(window));
    if (refused.length > 0) {
      const codes = [...new Set(refused.map(({ code }) => code))].join(', ');
      throw new Problem(
        `SQS did not take ${refused.length} of ${window.length} messages (${codes}).`,
        'Repeat the command: it goes on where it was.',
      );
    }
    sent += window.length;
    onProgress(sent, false);
  }
  return sent;
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

const SIXTY_DAYS_MS = 60 * 86_400_000;

/**
 * Without `read_all_orders` the store silently leaves out older orders (Shopify, "Order"): a
 * backfill that looks complete and is not would be worse than none.
 */
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
