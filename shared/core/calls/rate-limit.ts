import type { Turn } from '../../loyalty/client.ts';

/**
 * Limits the calls to one loyalty account, across all processes of the stack.
 *
 * A token is a moment on a shared timeline, `1 / callsPerSecond` apart. Each belongs to one process, and
 * a call begins at its token or up to `TOKEN_LIFE_MS` later. So in any T seconds at most
 * `callsPerSecond * (T + 1) + 1` calls begin, whatever the processes do, and tokens that are not used are
 * lost rather than saved up.
 *
 *   booked ──┬──┬──┬──┬──┬──┬──┬──▶ later
 *            └ one process ┘└ another
 * See docs/decisions/0011-one-ledger-item-holds-the-rate-limit-of-an-account.md.
 */
export interface SharedRate {
  /**
   * Books the next `lengthMs` of the timeline, from the end of what is booked or from `now`, whichever is
   * later; not if that is after `latest`. Moments are epoch milliseconds.
   */
  book(lengthMs: number, now: number, latest: number): Promise<Booking>;
}

export type Booking =
  | { readonly kind: 'booked'; readonly from: number }
  | { readonly kind: 'full' };

export interface CallRate {
  /** Resolves when the call may begin, or soon with when to try again. */
  take(signal?: AbortSignal): Promise<Turn>;
}

export interface CallRateSettings {
  readonly perSecond: number;
  readonly shared: SharedRate;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** How late a token can be used: a process that is slow to begin loses little. */
const TOKEN_LIFE_MS = 1_000;
/** The time between two bookings of one process. */
const BOOKING_MS = 1_000;
/** Longer than the time between two bookings, so that the timeline has no gap between them. */
const LONGEST_BLOCK_MS = 1_500;
/** A call waits this long at most: other shops need the worker, too. */
const LONGEST_WAIT_MS = 10_000;

interface Waiter {
  readonly since: number;
  readonly end: (turn: Turn) => void;
}

const GO: Turn = { kind: 'go' };

/** For a worker: a call waits for its token a little, or its message waits in the queue. */
export function createCallRate({ perSecond, shared, now, pause }: CallRateSettings): CallRate {
  const stepMs = 1_000 / perSecond;
  const mostTokens = Math.max(1, Math.floor(LONGEST_BLOCK_MS / stepMs));
  const waiters = new Set<Waiter>();
  let tokens: number[] = [];
  let nextBooking = 0;
  let refusedUntil = 0;
  let refusal: Turn = GO;
  let isServing = false;
  /**
   * Calls that came while the last block could serve them: the next block has tokens for as many more,
   * or for twice as many if the last was used up before the next could be booked.
   */
  let block = { from: 0, until: 0, came: 0, isShort: false };

  async function serve(): Promise<void> {
    isServing = true;
    while (waiters.size > 0) {
      const at = now();
      tokens = tokens.filter((token) => token + TOKEN_LIFE_MS > at);
      const [token] = tokens;
      if (token === undefined && at >= nextBooking) await book(at);
      else if (token === undefined || token > at) {
        block.isShort ||= token === undefined;
        await pause((token ?? nextBooking) - at);
      } else {
        tokens.shift();
        const [first] = waiters;
        first?.end(GO);
      }
    }
    // In the same step as the last look at the waiters: a later one must begin it again.
    isServing = false;
  }

  async function book(at: number): Promise<void> {
    const more = at < block.until + TOKEN_LIFE_MS ? block.came * (block.isShort ? 2 : 1) : 0;
    const count = Math.min(waiters.size + more, mostTokens);
    const [first] = waiters;
    const latest = (first?.since ?? at) + LONGEST_WAIT_MS;
    const booking = await shared
      .book(count * stepMs, at, latest)
      .catch((): { kind: 'unavailable' } => ({ kind: 'unavailable' }));
    nextBooking = at + BOOKING_MS;
    if (booking.kind === 'booked') {
      const { from } = booking;
      tokens = Array.from({ length: count }, (_, index) => from + index * stepMs);
      block = { from, until: from + (count - 1) * stepMs + TOKEN_LIFE_MS, came: 0, isShort: false };
      return;
    }
    const why = booking.kind === 'full' ? 'out-of-tokens' : 'tokens-unreachable';
    refusal = { kind: 'wait', why, afterSeconds: LONGEST_WAIT_MS / 1_000 };
    refusedUntil = nextBooking;
    for (const { end } of waiters) end(refusal);
  }

  return {
    take(signal) {
      const at = now();
      if (signal?.aborted) return Promise.resolve({ kind: 'aborted' });
      // What was true a moment ago needs no second write.
      if (at < refusedUntil) return Promise.resolve(refusal);
      if (at >= block.from && at < block.until) block.came += 1;
      return new Promise((resolve) => {
        const abort = () => waiter.end({ kind: 'aborted' });
        const waiter: Waiter = {
          since: at,
          end(turn) {
            waiters.delete(waiter);
            signal?.removeEventListener('abort', abort);
            resolve(turn);
          },
        };
        signal?.addEventListener('abort', abort, { once: true });
        waiters.add(waiter);
        if (!isServing) void serve();
      });
    },
  };
}

/** A shopper's call takes one of two tokens, at most so far ahead: the others are the workers'. */
const SHOPPERS_AHEAD_MS = 4_000;
/** Of a high limit several are booked at once: DynamoDB lets an item be written 1,000 times a second. */
const SHOPPER_BOOKINGS_A_SECOND = 100;
const SHOPPERS_WAIT_SECONDS = 5;

export interface ShopperRateSettings extends Omit<CallRateSettings, 'pause'> {
  /** Beside `shared`, the timeline of shoppers alone. */
  readonly shoppers: SharedRate;
}

/**
 * For a shopper's request: it never waits. It takes a token that is free now. Behind a backlog it is booked after what
 * is booked already, so that the workers make room for it; but anyone can be a shopper, so only at half of the rate,
 * which `shoppers` counts. What is more is refused, without a call. Without the ledger a process makes the calls of one
 * moment, and no more for a second.
 */
export function createShopperRate({
  perSecond,
  shared,
  shoppers,
  now,
}: ShopperRateSettings): CallRate {
  const count = Math.max(1, Math.floor(perSecond / SHOPPER_BOOKINGS_A_SECOND));
  const lengthMs = (count * 1_000) / perSecond;
  let tokens = { left: 0, until: 0 };
  let refusedUntil = 0;

  async function book(at: number): Promise<Booking> {
    const free = await shared.book(lengthMs, at, at);
    if (free.kind === 'booked') return free;
    const own = await shoppers.book(lengthMs * 2, at, at + SHOPPERS_AHEAD_MS);
    if (own.kind === 'full') return own;
    return shared.book(lengthMs, at, Number.POSITIVE_INFINITY);
  }

  return {
    async take() {
      const at = now();
      if (at < refusedUntil) return REFUSED;
      if (tokens.left > 0 && at < tokens.until) {
        tokens.left -= 1;
        return GO;
      }
      const booking = await book(at).catch(() => undefined);
      if (booking?.kind === 'booked') {
        tokens = { left: count - 1, until: at + TOKEN_LIFE_MS };
        return GO;
      }
      refusedUntil = at + BOOKING_MS;
      return booking ? REFUSED : GO;
    },
  };
}

const REFUSED: Turn = {
  kind: 'wait',
  why: 'out-of-tokens',
  afterSeconds: SHOPPERS_WAIT_SECONDS,
};
