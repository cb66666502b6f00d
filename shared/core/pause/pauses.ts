import type { RetryReason } from '../batch/outcome.ts';
import type { PausedTime } from '../batch/retry-policy.ts';
import { errorFields, type Telemetry } from '../batch/telemetry.ts';
import type { QueueFamily } from '../events/event.ts';
import type { LedgerPast } from '../ledger/doubt.ts';
import type { Ledger, LedgerEntry } from '../ledger/ledger.ts';
import { type LedgerKey, ledgerKeyText } from '../ledger/ledger-key.ts';
import type { CircuitBreaker, LocalBreaker, PauseRequest } from '../sync/circuit-breaker.ts';
import {
  changeControl,
  controlIn,
  controlKey,
  type Pause,
  pausedMs,
  pauseIn,
  type ShopControl,
  withServicePause,
} from './shop-control.ts';

export interface PausesWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  /** The queue that the process works for; undefined: none, and it stops only with the whole shop. */
  readonly queue?: QueueFamily | undefined;
}

/** What one process knows of its shops' control records. */
export interface Pauses extends PausedTime, LedgerPast {
  keyOf(shop: string): LedgerKey;
  /** Takes the shops' records from what was read for the batch. */
  learn(shops: Iterable<string>, entries: ReadonlyMap<string, LedgerEntry>, now: Date): void;
  /** Undefined: calls may be made. */
  of(shop: string, now: Date): Pause | undefined;
  /** Reads the record, unless it was read a moment ago. */
  refresh(shop: string, now: Date): Promise<void>;
  /** The circuit breaker of a shop, which makes no call while the shop is paused, and one when it is woken. */
  guard(shop: string, breaker: LocalBreaker): CircuitBreaker;
}

/** Of a batch that takes long, and of functions without batches: so much later they learn of a pause. */
const STALE_MS = 10_000;
/** Longer than a batch lasts: the record that was read with it is true until its end. */
const FRESH_MS = 300_000;
/** Longer than a message waits after a pause: the first call after it may be the one that probes. */
const RECENT_MS = 3_600_000;
/** A worker writes no more often. */
const WRITE_MS = 1_000;

export function createPauses({ ledger, telemetry, queue }: PausesWorld): Pauses {
  const known = new Map<string, { readonly control: ShopControl; readonly readAt: number }>();
  const triedAt = new Map<string, number>();
  const reading = new Map<string, Promise<void>>();
  const writtenAt = new Map<string, number>();
  const controlOf = (shop: string) => known.get(shop)?.control ?? controlIn(undefined);

  function learn(shop: string, entry: LedgerEntry | undefined, now: Date): void {
    known.set(shop, { control: controlIn(entry), readAt: now.getTime() });
    triedAt.set(shop, now.getTime());
  }

  async function refresh(shop: string, now: Date): Promise<void> {
    const last = triedAt.get(shop) ?? Number.NEGATIVE_INFINITY;
    if (now.getTime() - last >= STALE_MS) {
      triedAt.set(shop, now.getTime());
      reading.set(shop, read(shop, now));
    }
    // Calls side by side wait for the one read: none may begin on what was known before it.
    await reading.get(shop);
  }

  async function read(shop: string, now: Date): Promise<void> {
    const key = controlKey(shop);
    const before = known.get(shop);
    try {
      const entry = (await ledger.readMany([key])).get(ledgerKeyText(key));
      // A pause that began meanwhile is newer than what was read.
      if (known.get(shop) === before) learn(shop, entry, now);
    } catch (error) {
      // What is known stays true for most shops: a ledger that fails must not stop shoppers, too.
      telemetry.log('warn', 'the control record could not be read', errorFields(error));
      // A process that knows nothing yet asks again with its next call: the shop may be paused.
      if (!before) triedAt.delete(shop);
    }
  }

  async function begin(shop: string, asked: PauseRequest, now: Date): Promise<void> {
    const next = withServicePause(controlOf(shop), asked, now);
    if (!next) return;
    // This process stops at once, even if the others cannot be informed.
    known.set(shop, { control: next, readAt: known.get(shop)?.readAt ?? 0 });
    const last = writtenAt.get(shop) ?? Number.NEGATIVE_INFINITY;
    if (now.getTime() - last < WRITE_MS) return;
    writtenAt.set(shop, now.getTime());
    const { why } = asked;
    const until = new Date(next.service?.until ?? 0).toISOString();
    telemetry.log('warn', 'the calls of a shop pause', { shop, why, until });
    try {
      await changeControl(ledger, shop, (control) => withServicePause(control, asked, now));
    } catch (error) {
      telemetry.log('warn', 'a pause could not be recorded', errorFields(error));
    }
  }

  const of = (shop: string, now: Date) => pauseIn(controlOf(shop), queue, now);

  return {
    keyOf: controlKey,
    learn(shops, entries, now) {
      for (const shop of shops) learn(shop, entries.get(ledgerKeyText(controlKey(shop))), now);
    },
    of,
    doubtOf: (shop) => controlOf(shop).doubt,
    goLiveOf: (shop) => controlOf(shop).goLive,
    pausedMs(shop, from, now) {
      const { control, readAt } = known.get(shop) ?? {};
      const isKnown = control && readAt !== undefined && now.getTime() - readAt < FRESH_MS;
      return isKnown && queue ? pausedMs(control, queue, from, now) : Number.POSITIVE_INFINITY;
    },
    refresh,
    guard(shop, breaker) {
      let lastEntered = Number.NEGATIVE_INFINITY;
      let lastWoken: number | undefined;
      return {
        async enter(now) {
          await refresh(shop, now);
          const pause = of(shop, now);
          if (pause) return { kind: 'stay-away', retry: waitFor(pause, now) };
          const { service, wokenAt } = controlOf(shop);
          const { until = Number.NEGATIVE_INFINITY } = service ?? {};
          const isFirstAfter = until > lastEntered && now.getTime() - until < RECENT_MS;
          if (isFirstAfter) breaker.returnGently();
          // Not compared with a time of this process: the clock of the operator may be wrong.
          if (wokenAt !== lastWoken) breaker.probeNow();
          lastWoken = wokenAt;
          const entered = await breaker.enter(now);
          if (entered.kind === 'stay-away') return entered;
          // The answer that it waited for may have begun one.
          const begun = of(shop, now);
          if (begun) {
            entered.settle('unused', now);
            return { kind: 'stay-away', retry: waitFor(begun, now) };
          }
          lastEntered = now.getTime();
          return {
            kind: 'permit',
            async settle(how, at) {
              entered.settle(how, at);
              if (typeof how === 'object') await begin(shop, how, at);
            },
          };
        },
      };
    },
  };
}

/** How a message waits for the end of the pause. */
export function waitFor(pause: Pause, now: Date): RetryReason & { readonly afterSeconds: number } {
  if (pause.by === 'operator') return { why: 'shop-paused', pausedBy: 'operator', afterSeconds: 0 };
  const afterSeconds = Math.ceil((pause.until - now.getTime()) / 1_000);
  return { why: 'shop-paused', pausedBy: 'service', [pause.why]: true, afterSeconds };
}
