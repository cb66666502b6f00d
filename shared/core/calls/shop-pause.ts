import type { QueueFamily } from '../events/event.ts';
import type { RetryReason, RetryWindows } from '../events/outcome.ts';
import { errorFields, LOG_LINES, type Telemetry } from '../events/telemetry.ts';
import type { Doubt, Takeover } from '../ledger/entry.ts';
import {
  changeEntry,
  type Ledger,
  type LedgerEntry,
  type LedgerKey,
  ledgerKeyText,
  type RecordKey,
  readEntry,
  rememberedForm,
} from '../ledger/ledger.ts';
import type { CircuitBreaker, LocalBreaker, PauseRequest } from './call-loyalty.ts';

/**
 * Why no calls are made for a shop, and how far the ledger is trusted. One record of the ledger per shop; moments are
 * epoch milliseconds.
 * See docs/decisions/0010-a-refusing-account-pauses-its-whole-shop.md.
 */
export interface ShopControl {
  /** The last pause that an answer of the loyalty service began; it may be over. */
  readonly service?: ServicePause;
  /** What operators paused and did not resume: the whole shop, or single queues. */
  readonly operator: Readonly<Partial<Record<PausedPart, OperatorPause>>>;
  /** When the last pause of each ended: the retry window of what had waited begins anew. */
  readonly ended: Readonly<Partial<Record<PausedPart, number>>>;
  /** When an operator last ended waits: every process that sees another moment tries a call at once. */
  readonly wokenAt?: number;
  /** When the program began, where the settings do not say it. A restored ledger still has it. */
  readonly goLive?: number;
  readonly doubt?: Doubt;
  /** Since when the shop is only observed. Once its settings say `live`, its calls wait for `go-live`. */
  readonly observing?: number;
  readonly takeover?: Takeover;
  /** Orders that the service perhaps had under an unknown id when the shop went live. */
  readonly unmatched?: readonly string[];
}

export type PausedPart = QueueFamily | 'all';

/** What the service says about the whole account: too many calls, or refused credentials. */
export type PauseWhy = 'throttled' | 'misconfigured';

interface ServicePause {
  readonly why: PauseWhy;
  /** When the first of an unbroken series began. */
  readonly since: number;
  readonly until: number;
}

export interface OperatorPause {
  readonly since: number;
  /** Who ran the command. */
  readonly by: string;
  /** Their words for those who find the shop paused. */
  readonly because?: string;
  /** It ends by itself then; undefined: with `resume` only. It may be over. */
  readonly until?: number;
}

export type Pause =
  | ({ readonly by: 'service' } & ServicePause)
  | ({ readonly by: 'operator'; readonly part: PausedPart } & Pick<
      OperatorPause,
      'since' | 'until'
    >);

const THROTTLED_LEAST_SECONDS = 1;
const THROTTLED_LONGEST_SECONDS = 3_600;
/** Where the service does not name a time: as long as the series lasts, within these bounds. */
const UNNAMED_LEAST_SECONDS = 10;
const UNNAMED_LONGEST_SECONDS = 120;
const MISCONFIGURED_SECONDS = 300;

/** A pause that begins so soon after the last one continues its series. */
const SERIES_GAP_MS = 60_000;
/** A slightly later end is not worth a write. */
const LATER_MS = 1_000;

const form = rememberedForm<ShopControl>('control', 1);

const EMPTY: ShopControl = { operator: {}, ended: {} };

export function controlKey(shop: string): RecordKey<'control'> {
  return { shop, kind: 'control', id: 'calls' };
}

export function controlIn(entry: LedgerEntry | undefined): ShopControl {
  return form.read(entry?.remembered) ?? EMPTY;
}

/** Undefined when calls may be made. Without a queue only a pause of the whole shop counts. */
export function pauseIn(
  { service, operator, observing }: ShopControl,
  queue: QueueFamily | undefined,
  now: Date,
): Pause | undefined {
  if (observing !== undefined) return { by: 'operator', part: 'all', since: observing };
  for (const part of partsOf(queue)) {
    const pause = operator[part];
    if (pause && !isOver(pause, now)) {
      const { since, until } = pause;
      return { by: 'operator', part, since, ...(until !== undefined && { until }) };
    }
  }
  return service && service.until > now.getTime() ? { by: 'service', ...service } : undefined;
}

export function isOver({ until }: Pick<OperatorPause, 'until'>, now: Date): boolean {
  return until !== undefined && until <= now.getTime();
}

/** Undefined when the pause that is known lasts as long. */
export function withServicePause(
  control: ShopControl,
  { why, seconds }: { readonly why: PauseWhy; readonly seconds?: number | undefined },
  now: Date,
): ShopControl | undefined {
  const { service: last } = control;
  const begins = now.getTime();
  const since = last && begins <= last.until + SERIES_GAP_MS ? last.since : begins;
  const length =
    why === 'misconfigured'
      ? MISCONFIGURED_SECONDS
      : throttledFor(seconds, (begins - since) / 1_000);
  const until = begins + length * 1_000;
  if (last && until < last.until + LATER_MS) return undefined;
  return { ...control, service: { why, since, until } };
}

function throttledFor(named: number | undefined, lasted: number): number {
  return named === undefined
    ? Math.min(Math.max(lasted, UNNAMED_LEAST_SECONDS), UNNAMED_LONGEST_SECONDS)
    : Math.min(Math.max(named, THROTTLED_LEAST_SECONDS), THROTTLED_LONGEST_SECONDS);
}

/** In place of the pause that the part may have, which it goes on with. Without an end it lasts until it is resumed. */
export function withOperatorPause(
  control: ShopControl,
  part: PausedPart,
  by: string,
  now: Date,
  more: Pick<OperatorPause, 'because' | 'until'> = {},
): ShopControl {
  const last = control.operator[part];
  const lasts = last && !isOver(last, now) ? last : undefined;
  const { operator, ended } = lasts ? control : withEnd(control, (one) => one === part, now);
  const pause = { since: lasts?.since ?? now.getTime(), by, ...more };
  return { ...control, ended, operator: { ...operator, [part]: pause } };
}

/** Ends the pause of one queue, or with `all` every pause of the shop, the service's too. */
export function resumed(control: ShopControl, part: PausedPart, now: Date): ShopControl {
  const { service, ...rest } = control;
  return {
    ...rest,
    ...(service && part !== 'all' && { service }),
    ...withEnd(control, (one) => part === 'all' || one === part, now),
  };
}

/** A pause that was over before keeps its own end. */
function withEnd(
  { operator, ended }: ShopControl,
  isMeant: (part: PausedPart) => boolean,
  now: Date,
): Pick<ShopControl, 'operator' | 'ended'> {
  const at = now.getTime();
  const all = Object.entries(operator) as [PausedPart, OperatorPause][];
  const over = all.filter(([part]) => isMeant(part));
  const ends = over.map(([part, { until = at }]) => [part, Math.min(until, at)] as const);
  return {
    operator: Object.fromEntries(all.filter((one) => !over.includes(one))),
    ended: { ...ended, ...Object.fromEntries(ends) },
  };
}

/** Ends the pause that refused credentials began, and lets an open circuit breaker try a call. */
export function woken({ service, ...rest }: ShopControl, now: Date): ShopControl {
  const isKept = service !== undefined && service.why !== 'misconfigured';
  return { ...rest, ...(isKept && { service }), wokenAt: now.getTime() };
}

/** Whatever we were told, another integration may still be on: within a week somebody notices. */
const TAKEOVER_MS = 7 * 86_400_000;

/**
 * Orders placed since `from` are sent from now on. What was settled before is compared with the loyalty service
 * first: another integration may have changed it meanwhile.
 */
export function wentLive(
  control: ShopControl,
  from: number,
  now: Date,
  other?: Omit<Takeover, 'until'>,
): ShopControl {
  const until = now.getTime();
  const { observing = until, ended, doubt, ...rest } = control;
  const earlier = doubt && doubt.comparedAt === undefined ? doubt.since : from;
  return {
    ...rest,
    ended: { ...ended, all: until },
    goLive: from,
    doubt: { since: Math.min(observing, from, earlier), until },
    takeover: { ...control.takeover, until: until + TAKEOVER_MS, ...other },
  };
}

/**
 * The ledger was lost, or restored to that moment. What is not in it may have said that another integration was there
 * before: orders are looked for under its ids, too.
 */
export function inDoubt(control: ShopControl, since: number, now: Date): ShopControl {
  const until = now.getTime();
  return { ...control, doubt: { since, until }, takeover: control.takeover ?? { until } };
}

/** From when the retry window counts of what was put on the queue then: not before the end of a pause by an operator. */
export function windowFrom(
  { operator, ended, observing }: ShopControl,
  queue: QueueFamily,
  queuedAt: number,
  now: Date,
): number {
  const at = now.getTime();
  if (observing !== undefined) return at;
  const ends = partsOf(queue).flatMap((part) => {
    const pause = operator[part];
    return [ended[part] ?? 0, pause ? Math.min(pause.until ?? at, at) : 0];
  });
  return Math.max(queuedAt, ...ends);
}

/** For those who have no batch that reads the record. */
export async function readControl(
  ledger: Pick<Ledger, 'readMany'>,
  shop: string,
): Promise<ShopControl> {
  return controlIn(await readEntry(ledger, controlKey(shop)));
}

function partsOf(queue: QueueFamily | undefined): readonly PausedPart[] {
  return queue === undefined ? ['all'] : ['all', queue];
}

/** Reads, changes and writes the record; `change` returns undefined, or the same, to leave it as it is. */
export async function changeControl(
  ledger: Pick<Ledger, 'readMany' | 'write'>,
  shop: string,
  change: (control: ShopControl) => ShopControl | undefined,
): Promise<ShopControl> {
  const changed = await changeEntry(ledger, controlKey(shop), (entry) => {
    const control = controlIn(entry);
    const next = change(control);
    return !next || next === control ? { value: control } : { next: form.entry(next), value: next };
  });
  if (!changed) throw new Error(`the control record of ${shop} changes too often to be written`);
  return changed.value;
}

interface PausesDeps {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  /** The queue that the process works for; undefined means none, and it stops only with the whole shop. */
  readonly queue?: QueueFamily | undefined;
  /** The process only observes the shop: it needs no `go-live`. Default: none. */
  readonly observes?: (shop: string) => boolean;
  /**
   * The process calls for shoppers: a 429 stops its own calls only. Anyone can be a shopper, and must not be able to
   * stop the workers; they find out with a call of theirs if the service refuses them, too.
   */
  readonly forShoppers?: boolean;
}

/** What one process knows of its shops' control records. */
export interface Pauses extends RetryWindows {
  /** Undefined when the ledger can be trusted. */
  doubtOf(shop: string): Doubt | undefined;
  /** When the shop's program began, as far as the ledger says it. */
  goLiveOf(shop: string): number | undefined;
  /** Undefined where no other integration was there before. */
  takeoverOf(shop: string): Takeover | undefined;
  keyOf(shop: string): LedgerKey;
  /** Takes the shops' records from what was read for the batch. */
  learn(shops: Iterable<string>, entries: ReadonlyMap<string, LedgerEntry>, now: Date): void;
  /** Undefined when calls may be made. */
  of(shop: string, now: Date): Pause | undefined;
  /** Reads the record, unless it was read a moment ago. */
  refresh(shop: string, now: Date): Promise<void>;
  /** Records that the shop is observed, so that it cannot go on as if all had been sent. */
  noteObserving(shop: string, now: Date): Promise<void>;
  /** The circuit breaker of a shop, which makes no call while the shop is paused, and one when it is woken. */
  guard(shop: string, breaker: LocalBreaker): CircuitBreaker;
}

/** How old what is known of a pause may be: in a batch that takes long, and in functions without batches. */
const STALE_MS = 10_000;
/** Longer than a batch lasts: the record that was read with it is true until its end. */
const FRESH_MS = 300_000;
/** Longer than a message waits after a pause: the first call after it may be the one that probes. */
const RECENT_MS = 3_600_000;
/** A worker writes no more often. */
const WRITE_MS = 1_000;

export function createPauses({
  ledger,
  telemetry,
  queue,
  observes,
  forShoppers = false,
}: PausesDeps): Pauses {
  const known = new Map<string, { readonly control: ShopControl; readonly readAt: number }>();
  const triedAt = new Map<string, number>();
  const reading = new Map<string, Promise<void>>();
  const writtenAt = new Map<string, number>();
  /** Not in the ledger. */
  const ownPauses = new Map<string, ServicePause>();

  function controlOf(shop: string): ShopControl {
    const control = known.get(shop)?.control ?? EMPTY;
    const own = ownPauses.get(shop);
    return own && own.until > (control.service?.until ?? 0)
      ? { ...control, service: own }
      : control;
  }

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
    if (!next?.service) return;
    const isOwn = forShoppers && asked.why === 'throttled';
    // This process stops at once, even if the others cannot be informed.
    if (isOwn) ownPauses.set(shop, next.service);
    else known.set(shop, { control: next, readAt: known.get(shop)?.readAt ?? 0 });
    const last = writtenAt.get(shop) ?? Number.NEGATIVE_INFINITY;
    if (now.getTime() - last < WRITE_MS) return;
    writtenAt.set(shop, now.getTime());
    const { why } = asked;
    const until = new Date(next.service.until).toISOString();
    const of = isOwn ? 'shoppers' : 'all';
    telemetry.log('warn', LOG_LINES.paused, { shop, why, until, of });
    if (isOwn) return;
    try {
      await changeControl(ledger, shop, (control) => withServicePause(control, asked, now));
    } catch (error) {
      telemetry.log('warn', 'a pause could not be recorded', errorFields(error));
    }
  }

  function of(shop: string, now: Date): Pause | undefined {
    const { observing, ...control } = controlOf(shop);
    const waits = observing !== undefined && !observes?.(shop);
    return pauseIn(waits ? { ...control, observing } : control, queue, now);
  }

  return {
    keyOf: controlKey,
    learn(shops, entries, now) {
      for (const shop of shops) learn(shop, entries.get(ledgerKeyText(controlKey(shop))), now);
    },
    of,
    doubtOf: (shop) => controlOf(shop).doubt,
    goLiveOf: (shop) => controlOf(shop).goLive,
    takeoverOf: (shop) => controlOf(shop).takeover,
    async noteObserving(shop, now) {
      if (controlOf(shop).observing !== undefined) return;
      const control = await changeControl(ledger, shop, (one) =>
        one.observing === undefined ? { ...one, observing: now.getTime() } : one,
      );
      known.set(shop, { control, readAt: now.getTime() });
    },
    windowFrom(shop, queuedAt, now) {
      const { control, readAt } = known.get(shop) ?? {};
      const isKnown = control && readAt !== undefined && now.getTime() - readAt < FRESH_MS;
      return isKnown && queue ? windowFrom(control, queue, queuedAt, now) : now.getTime();
    },
    refresh,
    guard(shop, breaker) {
      let lastEntered = Number.NEGATIVE_INFINITY;
      let lastWoken: number | undefined;
      return {
        async enter(now) {
          await refresh(shop, now);
          const pause = of(shop, now);
          if (pause) return { kind: 'call-refused', retry: waitFor(pause, now) };
          const { service, wokenAt } = controlOf(shop);
          const { until = Number.NEGATIVE_INFINITY } = service ?? {};
          const isFirstAfter = until > lastEntered && now.getTime() - until < RECENT_MS;
          if (isFirstAfter) breaker.enterHalfOpen();
          // Not compared with a time of this process: the clock of the operator may be wrong.
          if (wokenAt !== lastWoken) breaker.probeNow();
          lastWoken = wokenAt;
          const entered = await breaker.enter(now);
          if (entered.kind === 'call-refused') return entered;
          // The answer that it waited for may have begun one.
          const begun = of(shop, now);
          if (begun) {
            entered.settle('unused', now);
            return { kind: 'call-refused', retry: waitFor(begun, now) };
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
  const { by: pausedBy, until = now.getTime() } = pause;
  const afterSeconds = Math.ceil((until - now.getTime()) / 1_000);
  const why = pausedBy === 'service' && { [pause.why]: true };
  return { why: 'shop-paused', pausedBy, ...why, afterSeconds };
}
