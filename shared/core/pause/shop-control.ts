import type { QueueFamily } from '../events/event.ts';
import type { Doubt } from '../ledger/doubt.ts';
import { type Ledger, type LedgerEntry, readEntry } from '../ledger/ledger.ts';
import type { RecordKey } from '../ledger/ledger-key.ts';
import { rememberedForm } from '../ledger/remembered-form.ts';

/**
 * Why no calls are made for a shop, and how far the ledger is trusted. One record of the ledger per shop; moments are
 * epoch milliseconds.
 * See docs/decisions/0056-a-shop-can-be-paused.md.
 */
export interface ShopControl {
  /** The last pause that an answer of the loyalty service began; it may be over. */
  readonly service?: ServicePause;
  /** What operators paused and did not resume: the whole shop, or single queues. */
  readonly operator: Readonly<Partial<Record<PausedPart, OperatorPause>>>;
  /** What they resumed since a message that is still on a queue can have arrived. */
  readonly past: readonly PastPause[];
  /** When an operator last ended waits: every process that sees another moment tries a call at once. */
  readonly wokenAt?: number;
  /** When the program began, where the settings do not say it. A restored ledger still has it. */
  readonly goLive?: number;
  readonly doubt?: Doubt;
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

interface OperatorPause {
  readonly since: number;
  /** Who ran the command. */
  readonly by: string;
}

interface PastPause {
  readonly part: PausedPart;
  readonly since: number;
  readonly until: number;
}

export type Pause =
  | ({ readonly by: 'service' } & ServicePause)
  | { readonly by: 'operator'; readonly part: PausedPart; readonly since: number };

/** Seconds. */
const THROTTLED_LEAST = 1;
const THROTTLED_LONGEST = 3_600;
/** Where the service does not name a time: as long as the series lasts, within these bounds. */
const UNNAMED_LEAST = 10;
const UNNAMED_LONGEST = 120;
const MISCONFIGURED = 300;

/** A pause that begins so soon after the last one continues its series. */
const SERIES_GAP_MS = 60_000;
/** A slightly later end is not worth a write. */
const LATER_MS = 1_000;
/** SQS keeps no message for longer. */
const PAST_KEPT_MS = 14 * 86_400_000;
const PAST_KEPT = 20;

const form = rememberedForm<ShopControl>('control', 1);

const EMPTY: ShopControl = { operator: {}, past: [] };

export function controlKey(shop: string): RecordKey<'control'> {
  return { shop, kind: 'control', id: 'calls' };
}

export function controlIn(entry: LedgerEntry | undefined): ShopControl {
  return form.read(entry?.remembered) ?? EMPTY;
}

/** Undefined: calls may be made. Without a queue only a pause of the whole shop counts. */
export function pauseIn(
  { service, operator }: ShopControl,
  queue: QueueFamily | undefined,
  now: Date,
): Pause | undefined {
  for (const part of partsOf(queue)) {
    const pause = operator[part];
    if (pause) return { by: 'operator', part, since: pause.since };
  }
  return service && service.until > now.getTime() ? { by: 'service', ...service } : undefined;
}

/** Undefined: the pause that is known lasts as long. */
export function withServicePause(
  control: ShopControl,
  { why, seconds }: { readonly why: PauseWhy; readonly seconds?: number | undefined },
  now: Date,
): ShopControl | undefined {
  const { service: last } = control;
  const begins = now.getTime();
  const since = last && begins <= last.until + SERIES_GAP_MS ? last.since : begins;
  const length =
    why === 'misconfigured' ? MISCONFIGURED : throttledFor(seconds, (begins - since) / 1_000);
  const until = begins + length * 1_000;
  if (last && until < last.until + LATER_MS) return undefined;
  return { ...control, service: { why, since, until } };
}

function throttledFor(named: number | undefined, lasted: number): number {
  return named === undefined
    ? Math.min(Math.max(lasted, UNNAMED_LEAST), UNNAMED_LONGEST)
    : Math.min(Math.max(named, THROTTLED_LEAST), THROTTLED_LONGEST);
}

/** The same record if the part is paused already. */
export function withOperatorPause(
  control: ShopControl,
  part: PausedPart,
  by: string,
  now: Date,
): ShopControl {
  if (control.operator[part]) return control;
  const pause = { since: now.getTime(), by };
  return { ...control, operator: { ...control.operator, [part]: pause } };
}

/** Ends the pause of one queue, or with `all` every pause of the shop, the service's too. */
export function resumed(control: ShopControl, part: PausedPart, now: Date): ShopControl {
  const until = now.getTime();
  const ended = Object.entries(control.operator)
    .map(([name, { since }]) => ({ part: name as PausedPart, since, until }))
    .filter((one) => part === 'all' || one.part === part);
  const left = Object.entries(control.operator).filter(
    ([name]) => !ended.some((one) => one.part === name),
  );
  const past = [...control.past, ...ended].filter((one) => one.until > until - PAST_KEPT_MS);
  const { service, ...rest } = control;
  return {
    ...rest,
    ...(service && part !== 'all' && { service }),
    operator: Object.fromEntries(left),
    past: past.slice(-PAST_KEPT),
  };
}

/** Ends the pause that refused credentials began, and lets an open circuit breaker try a call. */
export function woken({ service, ...rest }: ShopControl, now: Date): ShopControl {
  const isKept = service !== undefined && service.why !== 'misconfigured';
  return { ...rest, ...(isKept && { service }), wokenAt: now.getTime() };
}

/** For how long operators paused the queue since then. */
export function pausedMs(
  { operator, past }: ShopControl,
  queue: QueueFamily,
  from: number,
  now: Date,
): number {
  const to = now.getTime();
  const pauses = partsOf(queue).flatMap((part) => [
    ...past.filter((one) => one.part === part),
    ...(operator[part] ? [{ ...operator[part], until: to }] : []),
  ]);
  let [total, counted] = [0, from];
  for (const { since, until } of pauses.toSorted((one, other) => one.since - other.since)) {
    const end = Math.min(until, to);
    total += Math.max(end - Math.max(since, counted), 0);
    counted = Math.max(counted, end);
  }
  return total;
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

/** Other workers, and operators, write it too: after so many conflicts the change is given up. */
const TRIES = 5;

/** Reads, changes and writes the record; `change` returns undefined, or the same, to leave it as it is. */
export async function changeControl(
  ledger: Pick<Ledger, 'readMany' | 'write'>,
  shop: string,
  change: (control: ShopControl) => ShopControl | undefined,
): Promise<ShopControl> {
  const key = controlKey(shop);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const entry = await readEntry(ledger, key);
    const control = controlIn(entry);
    const next = change(control);
    if (!next || next === control) return control;
    const line = { version: 0, uncertain: false, remembered: form.write(next), outcomes: [] };
    const written = await ledger.write(key, line, entry?.revision);
    if (written.kind === 'written') return next;
  }
  throw new Error('the control record of a shop changes too often to be written');
}
