import type { Shop } from '../../../../shared/config/connector-config.ts';
import type { QueueDepth } from '../../../../shared/core/events/event.ts';
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

export async function waitForRoom(
  family: Parameters<QueueDepth['of']>[0],
  room: Room,
  onWait: () => void,
): Promise<void> {
  while (!room.signal.aborted) {
    const { ready, hidden } = await room.depth.of(family);
    if (ready + hidden <= room.mostWaiting) return;
    onWait();
    await room.pause(LOOK_AGAIN_MS);
  }
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
