import type { Shop } from '../../../shared/config/connector-config.ts';
import { DROPPED } from '../../../shared/core/batch/dead-letter.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import type { EntityKey } from '../../../shared/core/events/event.ts';
import type { MappingSkip } from '../../../shared/core/events/outcome.ts';
import { type Doubt, isInDoubt, isKnown } from '../../../shared/core/ledger/entry.ts';
import { type EntityEntry, readEntry } from '../../../shared/core/ledger/ledger.ts';
import { fromThousandths } from '../../../shared/core/ledger/service-order.ts';
import { mapSnapshot } from '../../../shared/core/mapping/map-snapshot.ts';
import {
  differsByRulesAlone,
  faultText,
  idempotencyKey,
  type Mapped,
  type WantedState,
} from '../../../shared/core/mapping/wanted-state.ts';
import type { PlatformHealing } from '../../../shared/core/platform/platform.ts';
import {
  type CouponSide,
  couponDifferences,
  couponOfService,
  couponOfStore,
  differencesOf,
  type OrderSide,
  sideOfLedger,
  sideOfService,
  sideOfStore,
} from '../../../shared/core/reconcile/compare-order.ts';
import type { ReadingAssumptions } from '../../../shared/core/reconcile/dependencies.ts';
import { withRewardCodeFirst } from '../../../shared/core/redemptions/reward-codes.ts';
import type { StoreAnswer, StoreEntity } from '../../../shared/core/store/store.ts';
import {
  type HeldOrder,
  isHeldLive,
  isSameOrder,
  otherIds,
} from '../../../shared/core/sync/held-order.ts';
import { type ObservedPlan, planKey, recallPlan } from '../../../shared/core/sync/preview-sync.ts';
import { askStore, otherSpelling, versionOf } from '../../../shared/core/sync/read-snapshot.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { Value } from '../../../shared/loyalty/operations.ts';
import { HEALING } from '../../../shared/services/platforms.ts';
import { minorDigits } from '../../../shared/store/money.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { type Deployment, openLedger, rulesOf } from '../deployment/deployment.ts';
import type { ShopServices } from '../deployment/services.ts';
import type { Verdict, VerdictKind } from '../document/document.ts';
import { utcText } from '../terminal/text.ts';

/** What the loyalty service answers about the entity. */
export type Held =
  | { readonly kind: 'order'; readonly order: HeldOrder }
  | { readonly kind: 'coupon'; readonly coupon: Parameters<typeof couponOfService>[0] }
  | { readonly kind: 'customer'; readonly customer: Value<'getCustomer'> }
  | { readonly kind: 'absent' }
  /** It has no operation for this. */
  | { readonly kind: 'cannot-be-read' }
  /** `isRefused`: by credentials, account or address, so that every call gets this answer. */
  | { readonly kind: 'unknown'; readonly why: string; readonly isRefused?: boolean };

/** One entity as each side has it now. */
export interface Sides {
  readonly key: EntityKey;
  readonly entry: EntityEntry | undefined;
  readonly store: StoreAnswer<StoreEntity>;
  /** What the loyalty service should hold; undefined when unknown. */
  readonly mapped: Mapped | undefined;
  readonly held: Held;
  /** Of an order: every id under which the service has it, first the one that `held` is. */
  readonly copies: readonly HeldCopy[];
  /** Of a shop for which nothing is sent before `go-live`: what would be, once an event of it was worked on. */
  readonly observed: { readonly plan: ObservedPlan | undefined } | undefined;
  /** The ledger was lost or restored, and what it says may be out of date. */
  readonly doubt: Doubt | undefined;
  readonly assumptions: Pick<ReadingAssumptions, 'readTotals'>;
  /** What its platform says of changes. Absent: that it names the moment of each. */
  readonly healing?: Pick<PlatformHealing, 'versionsAreReadings'>;
}

/** When the store changed it. Undefined where it does not say so, or is not found. */
export function changedAt({ key, store, healing }: Pick<Sides, 'key' | 'store' | 'healing'>) {
  const isRead = healing?.versionsAreReadings.includes(key.kind);
  return store.kind === 'found' && !isRead ? versionOf(store.value) : undefined;
}

interface HeldCopy {
  readonly id: string;
  readonly order: HeldOrder;
}

/** Reads the three sides, and changes nothing. */
export async function readSides(
  deployment: Deployment,
  services: ShopServices,
  shop: Shop,
  key: EntityKey,
): Promise<Sides> {
  const ledger = openLedger(deployment);
  const [entry, read, control] = await Promise.all([
    readEntry(ledger, key),
    askStore(services.store, key, { book: 'if-changed' }),
    readControl(ledger, key.shop),
  ]);
  const isObserved = shop.mode === 'observe' || control.observing !== undefined;
  const { until = 0 } = control.takeover ?? {};
  const mayBeElsewhere = Date.now() < until || (until > 0 && !isKnown(entry));
  const order = read.kind === 'found' && read.value.kind === 'order' ? read.value.order : undefined;
  const asked = { key, entry, order: isObserved || mayBeElsewhere ? order : undefined };
  const found = await askUnderAllIds(services.loyalty(shop), asked, shop.otherOrderIds);
  const store =
    read.kind === 'found'
      ? { ...read, value: await withRewardCodeFirst(key.shop, read.value, ledger) }
      : read;
  const mapped = mapNow(key, store, entry, await rulesOf(shop, ledger));
  const { assumptions } = deployment.connector.loyalty;
  const plan = isObserved ? await readEntry(ledger, planKey(key)) : undefined;
  const observed = isObserved ? { plan: recallPlan(plan?.remembered) } : undefined;
  const healing = HEALING[shop.platform];
  const known = { key, entry, store, mapped, observed, healing };
  return { ...known, ...found, doubt: control.doubt, assumptions };
}

interface AskedEntity extends Pick<Sides, 'key' | 'entry'> {
  /** Of an order that another integration may have sent. */
  readonly order: StoreOrder | undefined;
}

/** By the id that it is known under; after another integration, also by those that it may have used. */
async function askUnderAllIds(
  loyalty: LoyaltyClient,
  { key, entry, order }: AskedEntity,
  forms: Shop['otherOrderIds'],
): Promise<Pick<Sides, 'held' | 'copies'>> {
  const heldAs = entry?.service?.id ?? key.id;
  const ids = new Set([heldAs, ...(order ? [key.id, ...otherIds(order, forms)] : [])]);
  const copies: HeldCopy[] = [];
  let first: Held | undefined;
  for (const id of ids) {
    const answer = await askService(loyalty, { ...key, id });
    if (answer.kind === 'unknown') return { held: answer, copies: [] };
    first ??= answer;
    if (answer.kind !== 'order') continue;
    const isOwn = id === heldAs || id === key.id;
    if (isOwn || !order || isSameOrder(answer.order, order))
      copies.push({ id, order: answer.order });
  }
  // One that was cancelled there counts for nothing.
  const [best] = copies.toSorted((one, other) => cancelledLast(one) - cancelledLast(other));
  const others = copies.filter((one) => one !== best);
  if (!best) return { held: first ?? { kind: 'absent' }, copies };
  return { held: { kind: 'order', order: best.order }, copies: [best, ...others] };
}

const cancelledLast = ({ order }: HeldCopy) => Number(!isHeldLive(order));

/** The codes by which the service says that it does not have it. */
const NOT_FOUND = { order: 37, coupon: 57, customer: 59 } as const;

async function askService(loyalty: LoyaltyClient, { kind, id }: EntityKey): Promise<Held> {
  switch (kind) {
    case 'order':
      return heldIn(await loyalty.getOrder(id), NOT_FOUND.order, (order) => ({ kind, order }));
    case 'coupon':
      return heldIn(await loyalty.getCoupon(id), NOT_FOUND.coupon, ({ Items: [coupon] }) =>
        coupon ? { kind, coupon } : { kind: 'absent' },
      );
    case 'member':
      return heldIn(await loyalty.getCustomer(id), NOT_FOUND.customer, (customer) => ({
        ...{ kind: 'customer', customer },
      }));
    case 'product':
      return { kind: 'cannot-be-read' };
  }
}

type Result = Awaited<ReturnType<LoyaltyClient['getOrder' | 'getCoupon' | 'getCustomer']>>;

export function heldIn<Answer extends Result>(
  result: Answer,
  notFound: number,
  found: (value: Extract<Answer, { value: unknown }>['value']) => Held,
): Held {
  if (result.kind === 'business-error' || result.kind === 'transport-failure') {
    const isAbsent =
      result.kind === 'business-error' ? result.code === notFound : result.reason === 'not-found';
    const isRefused = result.class === 'misconfigured';
    return isAbsent ? { kind: 'absent' } : { kind: 'unknown', why: result.message, isRefused };
  }
  return found(result.value);
}

function mapNow(
  key: EntityKey,
  store: StoreAnswer<StoreEntity>,
  entry: EntityEntry | undefined,
  rules: Shop['rules'],
): Mapped | undefined {
  // An entity that neither side knows may never have existed.
  if (store.kind === 'unavailable' || (store.kind === 'gone' && !entry)) return undefined;
  const now = new Date();
  // Under another spelling the store has it as another code, if the ledger knows this one.
  const isOther = store.kind === 'found' && entry && otherSpelling(key, store.value) !== undefined;
  const found = store.kind === 'found' && !isOther ? store.value : undefined;
  const entity = found ?? ({ kind: 'gone' } as const);
  const version = found ? versionOf(found) : now.getTime();
  return mapSnapshot(
    key,
    { kind: 'snapshot', entity, version, source: 'store' },
    entry,
    rules,
    now,
  );
}

/** The state of the store was applied, perhaps by rules that were changed since: an order keeps its rules. */
export function isApplied(sides: Sides): boolean {
  const { store, entry, mapped } = sides;
  if (mapped?.kind !== 'wanted' || entry?.appliedKey === undefined || entry.uncertain) return false;
  if (entry.appliedKey === idempotencyKey(mapped.wanted)) return true;
  const isSameState = (changedAt(sides) ?? entry.version) === entry.version;
  return store.kind === 'found' && isSameState && differsByRulesAlone(mapped, entry);
}

export interface Compared extends Verdict {
  /** What each side says, in words. */
  readonly rows: readonly {
    readonly field: string;
    readonly store: string;
    readonly ledger: string;
    readonly service: string;
    readonly differs: boolean;
  }[];
}

/** Compares the three sides of one entity. `well` only where both were read and agree. */
export function compareSides(sides: Sides): Compared {
  const { mapped, entry, held, doubt, assumptions } = sides;
  const { differences, rows } = rowsOf(sides);
  const say = (kind: VerdictKind, what: string) => ({ kind, what, rows });
  if (!mapped) return say('not known', 'The store does not say what the service should hold.');
  if (mapped.kind === 'fault') {
    return say('action required', `The rules in the settings fail for it: ${faultText(mapped)}.`);
  }
  if (held.kind === 'unknown') {
    return held.isRefused
      ? say('action required', `${REFUSED}: ${held.why}`)
      : say('not known', `The loyalty service could not be read: ${held.why}`);
  }
  if (mapped.kind === 'skip') {
    const what = `It is not sent, by rule: ${SKIPS[mapped.why]}.`;
    if (mapped.why === 'exchange') return say('waits', what);
    if (held.kind !== 'absent') return say('not known', what);
    const isReward = mapped.why === 'reward-coupon';
    const there = isReward ? 'has no coupon of this code' : 'does not have it';
    return say('well', `${what} The loyalty service ${there}.`);
  }
  if (entry?.uncertain) return say('waits', `${CALL_UNKNOWN}.`);
  if (held.kind === 'cannot-be-read') return say('not known', NOT_READABLE);
  const isHeld = held.kind === 'order' && assumptions.readTotals === 'as-sent';
  if (isHeld && isTakenUnknown(mapped.wanted, entry, doubt)) return say('not known', TAKEN_UNKNOWN);
  if (differences.length > 0) {
    if (!isApplied(sides)) return { ...judgeMissing(sides), rows };
    if (isCancelledThere(sides)) return say('action required', CANCELLED_THERE);
    const what = differences.includes('absent')
      ? 'The loyalty service does not have it, though it was sent.'
      : `The loyalty service differs: ${rows
          .filter(({ differs }) => differs)
          .map(bothIn)
          .join(', ')}.`;
    return say('action required', what);
  }
  const changed = changedThere(sides);
  if (changed !== undefined) return say('action required', changed);
  if (mapped.wanted.kind === 'deleted-member' && held.kind !== 'absent') {
    return say('not known', STILL_HELD);
  }
  // More of a customer is not compared, and orders bring customers without an entry of their own.
  if (mapped.wanted.kind === 'member') {
    return say('well', 'Both sides were read just now and have the same e-mail address.');
  }
  const agree = 'Both sides were read just now and agree.';
  return say('well', isApplied(sides) ? agree : `${agree} ${unsentText(sides)}`);
}

/** The amounts agree, though the ledger says that this state was not applied. */
function unsentText(sides: Sides): string {
  const { entry } = sides;
  const last = entry?.outcomes.at(-1)?.outcome;
  return entry?.appliedKey === undefined || last === 'rejected' || last === DROPPED
    ? judgeMissing(sides).what
    : 'More of it changed since it was sent, such as its customer: the next event or comparison sends that.';
}

/** What the ledger says became of the store's current state, which was not applied. */
export function judgeMissing(sides: Sides): Verdict {
  const { entry } = sides;
  const before = entry?.appliedKey === undefined ? 'nothing of it' : 'an earlier state';
  const what = `It was not sent as the store has it now: ${before} was sent.`;
  const last = entry?.outcomes.at(-1);
  // Versions are missing where the body could not be read.
  if (!last || (last.version > 0 && last.version < (changedAt(sides) ?? 0))) {
    return { kind: 'waits', what };
  }
  const why = last.why === undefined ? '' : ` ${last.why}`;
  const at = `${utcText(last.at)} UTC`;
  if (last.outcome === DROPPED) {
    const dropped = `Its dead letter was dropped${why} at ${at}: it is not sent until it changes in the store.`;
    return { kind: 'action required', what: `${what} ${dropped}` };
  }
  if (last.outcome !== 'rejected') return { kind: 'waits', what };
  return { kind: 'action required', what: `${what} It was given up at ${at}:${why}` };
}

const bothIn = ({ field, store, service }: Compared['rows'][number]) =>
  `${field} (store: ${store}, service: ${service})`;

export const REFUSED = 'The loyalty service refuses the credentials, the account or the address';

export const CALL_UNKNOWN = 'What became of a call to the loyalty service is not known';

const NOT_READABLE =
  'The loyalty service has no way to read a product, so nothing more can be checked.';

const STILL_HELD =
  'The store no longer has this customer. The loyalty service still does, and offers no way to delete one: whether it may stay there, a person must decide.';

const TAKEN_UNKNOWN =
  'What was taken back of it is not known: the ledger was lost or restored, and the service shows only what was sent. Its next event finds out, or "recover".';

const CANCELLED_THERE =
  'The order is cancelled in the loyalty service, which takes no cancelled order again. If the store is right, give the customer the points by hand there.';

/** After "It is not sent, by rule:". */
export const SKIPS: Readonly<Record<MappingSkip, string>> = {
  guest: 'it was ordered as a guest, without a customer who could have points',
  'customer-without-email':
    'the customer has no e-mail address, so the service cannot tell who it is',
  'test-order': 'it is a test order',
  'other-currency': 'it is in another currency than the one that the settings name for its shop',
  pending: 'it is not complete, and earns points by itself as soon as it is',
  'before-go-live': 'it was placed before the loyalty program began',
  exchange: 'an exchange of its items is under way, and its next change decides what is sent',
  redacted: "the customer's data was erased",
  'never-sent': 'it ended before anything of it was sent',
  'reward-coupon': 'the connector made this code for a reward: a redemption, not a coupon',
  'customers-with-orders': 'the settings send customers as part of their orders only',
  'coupon-kind-not-mirrored': 'the settings leave out this kind of coupon',
  'coupon-for-everyone': 'it is for everyone, not for one customer',
  'coupon-for-some-buyers': 'a Rollout of the store gives it to a share of all buyers only',
  'coupon-for-several-customers': 'it is for several customers',
};

/** The service takes a cancellation for final. */
export function isCancelledThere({ mapped, held, entry, assumptions }: Sides): boolean {
  if (held.kind !== 'order' || mapped?.kind !== 'wanted') return false;
  const service = sideOfService(held.order, entry?.service, assumptions);
  return mapped.wanted.kind === 'order' && service?.state === 'cancelled';
}

/** The answer to a call and its record are a moment apart, on two clocks. */
const SKEW_MS = 5_000;

/**
 * The total is shown as it was sent, so what a person takes back in the service shows only in its date and points. How
 * many a program gives for an amount cannot be read: other points alone prove nothing.
 */
function changedThere({ held, entry, mapped }: Sides): string | undefined {
  const wanted = mapped?.kind === 'wanted' && mapped.wanted.kind === 'order' && mapped.wanted.order;
  if (held.kind !== 'order' || !wanted || !wanted.IsCompleted) return undefined;
  const calledAt = entry?.outcomes.findLast(({ outcome }) => outcome === 'applied')?.at ?? '';
  const changedAt = held.order.UpdatedDate ?? '';
  const isLater = Date.parse(changedAt) > Date.parse(calledAt) + SKEW_MS;
  const { EstimatedPoints: points } = held.order.EstimatedBonus ?? {};
  const total = wanted.OrderTotal ?? 0;
  if (!isLater || points === undefined || Math.abs(points - total) < 1) return undefined;
  return `The points differ from the amount: the loyalty service gives ${points} for ${total}, and the order was changed there at ${utcText(changedAt)} UTC, after the last call of the connector. Look in its panel whether a person did that.`;
}

/** The service shows the amount that was sent, and the ledger may know too little of what was taken from it. */
function isTakenUnknown(
  wanted: WantedState,
  entry: EntityEntry | undefined,
  doubt: Doubt | undefined,
): boolean {
  if (wanted.kind !== 'order' || !wanted.changed || !wanted.order.IsCompleted) return false;
  return entry?.service?.completedAt === undefined || isInDoubt(entry, doubt);
}

/** A side that is undefined says in every field only that it has it or not. */
interface SidesInWords {
  readonly store: Readonly<Record<string, string>>;
  readonly ledger?: Readonly<Record<string, string>> | undefined;
  readonly service?: Readonly<Record<string, string>> | undefined;
  /** Fields, or `absent`. */
  readonly differences: readonly string[];
}

function rowsOf(sides: Sides): Pick<Compared, 'rows'> & Pick<SidesInWords, 'differences'> {
  const { entry, held } = sides;
  const isRefused = held.kind === 'unknown' && held.isRefused;
  const absent = {
    ledger: isApplied(sides) ? 'sent' : isKnown(entry) ? 'an earlier state was sent' : 'not sent',
    service: isRefused ? 'refuses to answer' : (SERVICE[held.kind] ?? 'has it'),
  };
  const { store, ledger, service, ...found } = inWords(sides);
  const differences = held.kind === 'unknown' ? [] : found.differences;
  const rows = Object.entries(store).map(([field, words]) => ({
    ...{ field, store: words },
    ledger: ledger?.[field] ?? absent.ledger,
    service: service?.[field] ?? absent.service,
    differs: differences.includes(field) || differences.includes('absent'),
  }));
  const says = (one: (typeof rows)[number]) => one.store !== 'none' || one.service !== 'none';
  return { differences, rows: rows.filter(says) };
}

const AMOUNT = 'amount that counts';
/** By the number of the loyalty service. */
const COUPON_TYPES = ['fixed value', 'percent', 'free shipping', 'discount on shipping', 'other'];

function inWords({ key, mapped, entry, held, store: read, assumptions }: Sides): SidesInWords {
  const wanted = mapped?.kind === 'wanted' ? mapped.wanted : undefined;
  const said = <Value>(value: Value | null | undefined, words = (one: Value) => String(one)) =>
    value === undefined ? 'not recorded' : value === null ? 'none' : words(value);
  const amountIn = (currency?: string) => (thousandths: number) =>
    amountText(fromThousandths(thousandths), currency);
  const have = key.kind === 'member' ? 'customer' : key.kind;
  const nothing = { store: { [have]: STORE[read.kind] }, differences: [] };
  switch (wanted?.kind) {
    case 'order':
    case 'cancelled-order': {
      const order = read.kind === 'found' && read.value.kind === 'order' ? read.value.order : null;
      const amount = amountIn(order?.currency);
      const [store, ledger] = [sideOfStore(wanted), sideOfLedger(entry)];
      const heldOrder = held.kind === 'order' ? held.order : undefined;
      const service = sideOfService(heldOrder, entry?.service, assumptions);
      const taken = assumptions.readTotals === 'as-sent' ? (entry?.service?.taken ?? 0) : 0;
      const computed = taken > 0 ? ` (as sent, less ${amount(taken)} taken back)` : '';
      const words = (side: OrderSide, how = '') => ({
        state: said(side.state),
        // Of a cancelled order nothing but its state counts.
        ...(wanted.kind === 'order' && {
          [AMOUNT]: `${said(side.amount, amount)}${how}`,
          coupon: said(side.coupon),
        }),
      });
      return {
        ...{ store: words(store), ledger: ledger && words(ledger) },
        service: service && words(service, computed),
        differences: differencesOf(store, service).map((one) => (one === 'amount' ? AMOUNT : one)),
      };
    }
    case 'coupon':
    case 'inactive-coupon': {
      const store = couponOfStore(wanted);
      const service = held.kind === 'coupon' ? couponOfService(held.coupon) : undefined;
      const words = ({ state, value, type }: CouponSide) => ({
        ...{ state, value: said(value, amountIn()) },
        type: said(type, (one) => COUPON_TYPES[one] ?? String(one)),
      });
      const differences = couponDifferences(store, service);
      return { store: words(store), service: service && words(service), differences };
    }
    case 'member': {
      const email = wanted.member.Email ?? '';
      const found = held.kind === 'customer' ? (held.customer.Email ?? '') : undefined;
      const isOther = found !== undefined && email.toLowerCase() !== found.toLowerCase();
      const field = 'e-mail address';
      // Whose it is stays hidden: only whether both have the same one is shown.
      const service = { [field]: isOther ? 'another one' : 'the same' };
      return {
        ...{ store: { [field]: email ? 'has one' : 'none' } },
        service: found === undefined ? undefined : service,
        differences: isOther ? [field] : held.kind === 'absent' ? ['absent'] : [],
      };
    }
    case 'product': {
      if (read.kind !== 'found') return nothing;
      const { Title, ProductPrice } = wanted.product;
      return { ...nothing, store: { title: said(Title), price: said(ProductPrice) } };
    }
    case 'deleted-member':
    case undefined:
      return nothing;
  }
}

const STORE: Readonly<Record<StoreAnswer<unknown>['kind'], string>> = {
  found: 'has it',
  gone: 'does not have it',
  unavailable: 'did not answer',
};

const SERVICE: Readonly<Partial<Record<Held['kind'], string>>> = {
  absent: 'does not have it',
  'cannot-be-read': 'not readable',
  unknown: 'did not answer',
};

/** Without a currency, as in a coupon that may be a percentage, an amount has the decimals that it needs. */
export function amountText(amount: number, currency: string | undefined): string {
  const text = currency === undefined ? String(amount) : amount.toFixed(minorDigits(currency));
  return text.replace('-', '−');
}
