import type { Value } from '../../loyalty/operations.ts';
import { DROPPED } from '../batch/dead-letter.ts';
import { type Doubt, isInDoubt, isKnown } from '../ledger/entry.ts';
import type { EntityEntry } from '../ledger/ledger.ts';
import { countsOf, toThousandths } from '../ledger/ledger.ts';
import {
  type CouponForm,
  differsByRulesAlone,
  idempotencyKey,
  type Mapped,
  type OrderForm,
  type ProductForm,
  type WantedState,
} from '../mapping/wanted-state.ts';
import type { HeldOrder } from '../sync/dependencies.ts';
import { CANCELLED_STATE, COMPLETED_STATE } from '../sync/held-order.ts';
import type { ReadingAssumptions } from './dependencies.ts';

type Fields<Form, Name extends keyof Form> = { readonly [Field in Name]?: Form[Field] | null };
type SentOrder = { readonly kind: 'order'; readonly order: OrderForm & Pick<HeldOrder, 'State'> };
type CouponFields = Fields<CouponForm, 'IsUsed' | 'CouponValue' | 'CouponType'>;
type ProductFields = Fields<ProductForm, 'Title' | 'ProductPrice' | 'IsActive' | 'Url'>;

/** What the loyalty service says of the entity. */
export type Held =
  | { readonly kind: 'order'; readonly order: HeldOrder }
  | { readonly kind: 'coupon'; readonly coupon: CouponFields }
  | { readonly kind: 'customer'; readonly customer: Value<'getCustomer'> }
  /** No operation reads one: only a sandbox shows it. */
  | { readonly kind: 'product'; readonly product: ProductFields }
  | { readonly kind: 'absent' }
  /** It has no operation for this. */
  | { readonly kind: 'cannot-be-read' }
  | { readonly kind: 'not-read' }
  /** `isRefused`: by credentials, account or address, so that every call gets this answer. */
  | { readonly kind: 'unknown'; readonly why: string; readonly isRefused?: boolean };

export interface Sides {
  /** What the service should hold by the store's word. Undefined where the store was not read, or does not say. */
  readonly mapped: Mapped | undefined;
  /** When the store changed it, epoch milliseconds. Undefined where it does not say so. */
  readonly changedAt?: number | undefined;
  readonly entry: EntityEntry | undefined;
  readonly held: Held;
  /** The ledger was lost or restored, and what it says may be out of date. */
  readonly doubt?: Doubt | undefined;
  readonly assumptions: Pick<ReadingAssumptions, 'readTotals'>;
}

/**
 * What a side says of an entity. Undefined: it does not say; null: it has none. Amounts are in thousandths. Of an order
 * that is cancelled and a coupon that is over, nothing but the state counts.
 */
export interface Figures {
  /** `over`: a coupon that is used or inactive. The service does not distinguish them. */
  readonly state?: 'pending' | 'completed' | 'cancelled' | 'usable' | 'over' | undefined;
  /** Of an order: what counts for points, less what was taken back. */
  readonly amount?: number | undefined;
  readonly coupon?: string | null | undefined;
  readonly value?: number | undefined;
  /** The service's number of the kind of discount. */
  readonly type?: number | undefined;
  /** In small letters. */
  readonly email?: string | undefined;
  readonly title?: string | null | undefined;
  readonly price?: number | null | undefined;
  readonly isActive?: boolean | null | undefined;
  readonly url?: string | null | undefined;
}

type Difference = keyof Figures | 'absent';

/** What the ledger says was sent of the state that the store has now. */
type Sent = 'as-it-is' | 'by-other-rules' | 'an-earlier-state' | 'nothing';

/** `given-up` and `dropped`: it is not sent by itself. */
type NotSent = 'not-sent' | 'given-up' | 'dropped';

export type Finding =
  /** Both sides were read, and say the same. */
  | 'agree'
  | 'store-not-read'
  | 'rules-fail'
  | 'service-not-read'
  | 'service-refuses'
  | 'service-cannot-be-read'
  /** Not sent, by rule, and the service does not have it. */
  | 'skipped'
  | 'skipped-but-held'
  | 'exchange'
  /** Another integration sent it before go-live: as it is there, it stays. */
  | 'theirs'
  /** What became of a call is not known. */
  | 'call-open'
  | 'taken-not-known'
  /** They differ, because the store's state was not sent. */
  | NotSent
  /** They differ, although it was sent. */
  | 'cancelled-there'
  | 'absent'
  | 'different'
  /** The amounts agree, but the points do not follow from them since a change in the service. */
  | 'changed-there'
  /** A customer whom the store no longer has. */
  | 'still-held';

export interface Compared {
  readonly finding: Finding;
  readonly sent: Sent;
  /** What became of a state that was not sent. */
  readonly notSent: NotSent;
  readonly figures: Readonly<Record<'store' | 'ledger' | 'service', Figures | undefined>>;
  readonly differences: readonly Difference[];
  /** The service has cancelled a live order, and takes it no more. */
  readonly isCancelledThere: boolean;
}

/**
 * Do both sides agree? The one answer to that question; whoever asks reads the sides before, and prints or repairs
 * afterwards. Where the store was not read, the ledger says what the service should hold: that shows differences, but
 * never that both agree.
 */
export function compareSides(sides: Sides): Compared {
  const { mapped, entry, held } = sides;
  const figures = {
    store: mapped?.kind === 'wanted' ? figuresOfStore(mapped.wanted) : undefined,
    ledger: figuresOfLedger(entry),
    service: figuresOfService(sides),
  };
  const expected = mapped ? figures.store : figures.ledger;
  const isLive = expected !== undefined && !isOver(expected);
  const compared = {
    figures,
    sent: sentOf(sides),
    notSent: whyNotSent(sides),
    differences:
      held.kind === 'absent' && isLive
        ? (['absent'] as const)
        : differencesOf(expected, figures.service),
    isCancelledThere: isLive && figures.service?.state === 'cancelled',
  };
  return { ...compared, finding: findingOf(sides, compared) };
}

function findingOf(sides: Sides, compared: Omit<Compared, 'finding'>): Finding {
  const { mapped, entry, held } = sides;
  if (!mapped) return 'store-not-read';
  if (mapped.kind === 'fault') return 'rules-fail';
  if (held.kind === 'unknown') return held.isRefused ? 'service-refuses' : 'service-not-read';
  if (held.kind === 'not-read') return 'service-not-read';
  if (mapped.kind === 'skip') {
    if (mapped.why === 'exchange') return 'exchange';
    return held.kind === 'absent' ? 'skipped' : 'skipped-but-held';
  }
  const isTheirs = entry?.service && entry.outcomes.at(-1)?.outcome === 'skipped';
  if (entry?.uncertain && entry.appliedKey === undefined && isTheirs) {
    return compared.isCancelledThere ? 'cancelled-there' : 'theirs';
  }
  if (entry?.uncertain) return 'call-open';
  if (held.kind === 'cannot-be-read') return 'service-cannot-be-read';
  if (isTakenUnknown(sides, mapped.wanted)) return 'taken-not-known';
  if (compared.differences.length > 0) {
    if (!isApplied(compared)) return compared.notSent;
    if (compared.isCancelledThere) return 'cancelled-there';
    return compared.differences.includes('absent') ? 'absent' : 'different';
  }
  if (isChangedThere(sides, compared)) return 'changed-there';
  const isStillHeld = mapped.wanted.kind === 'deleted-member' && held.kind !== 'absent';
  return isStillHeld ? 'still-held' : 'agree';
}

/** Perhaps by rules that were changed since: an order keeps its rules. */
export const isApplied = ({ sent }: Pick<Compared, 'sent'>): boolean =>
  sent === 'as-it-is' || sent === 'by-other-rules';

export function sentOf(
  { mapped, entry, changedAt }: Pick<Sides, 'mapped' | 'entry' | 'changedAt'>,
  wantedKey = wantedKeyOf(mapped),
): Sent {
  if (entry?.appliedKey === undefined) return 'nothing';
  if (entry.uncertain) return 'an-earlier-state';
  if (entry.appliedKey === wantedKey) return 'as-it-is';
  const isSameState = (changedAt ?? entry.version) === entry.version;
  return isSameState && differsByRulesAlone(mapped, entry) ? 'by-other-rules' : 'an-earlier-state';
}

export const wantedKeyOf = (mapped: Mapped | undefined): string | undefined =>
  mapped?.kind === 'wanted' ? idempotencyKey(mapped.wanted) : undefined;

function whyNotSent({ entry, changedAt = 0 }: Sides): NotSent {
  const last = entry?.outcomes.at(-1);
  // Versions are missing where the body could not be read.
  if (!last || (last.version > 0 && last.version < changedAt)) return 'not-sent';
  if (last.outcome === DROPPED) return 'dropped';
  return last.outcome === 'rejected' ? 'given-up' : 'not-sent';
}

/** The service shows the amount that was sent, and the ledger may know too little of what was taken from it. */
function isTakenUnknown({ entry, held, doubt, assumptions }: Sides, wanted: WantedState): boolean {
  if (held.kind !== 'order' || assumptions.readTotals !== 'as-sent') return false;
  if (wanted.kind !== 'order' || !wanted.changed || !wanted.order.IsCompleted) return false;
  return entry?.service?.completedAt === undefined || isInDoubt(entry, doubt);
}

/** The answer to a call and its record are a moment apart, on two clocks. */
const SKEW_MS = 5_000;

/**
 * The total is shown as it was sent, so what a person takes back in the service shows only in its date and points. How
 * many a program gives for an amount cannot be read: other points alone prove nothing.
 */
function isChangedThere({ held, entry }: Sides, { figures }: Pick<Compared, 'figures'>): boolean {
  const { state, amount = 0 } = figures.store ?? {};
  if (held.kind !== 'order' || state !== 'completed') return false;
  const calledAt = entry?.outcomes.findLast(({ outcome }) => outcome === 'applied')?.at ?? '';
  const isLater = Date.parse(held.order.UpdatedDate ?? '') > Date.parse(calledAt) + SKEW_MS;
  const { EstimatedPoints: points } = held.order.EstimatedBonus ?? {};
  return isLater && points !== undefined && Math.abs(toThousandths(points) - amount) >= 1_000;
}

/** By today's rules. */
export function figuresOfStore(wanted: WantedState): Figures | undefined {
  switch (wanted.kind) {
    case 'order':
      return { ...figuresOf(wanted), coupon: wanted.order.Coupon ?? null };
    case 'cancelled-order':
      return { state: 'cancelled' };
    case 'inactive-coupon':
      return { state: 'over' };
    case 'coupon':
      return wanted.coupon.IsUsed ? { state: 'over' } : figuresOf(wanted);
    case 'member':
      return figuresOf({ kind: 'customer', customer: wanted.member });
    case 'product':
      return figuresOf(wanted);
    case 'deleted-member':
      return undefined;
  }
}

function figuresOfLedger(entry: EntityEntry | undefined): Figures | undefined {
  if (!isKnown(entry)) return undefined;
  const { service } = entry;
  // What is not completed counts nothing: whether it is pending there, the record does not say.
  const live = service?.completedAt === undefined ? undefined : 'completed';
  const counts = service && countsOf(service);
  const amount = counts === undefined ? undefined : counts - (service?.theirs ?? 0);
  return { state: service?.ended ? 'cancelled' : live, amount };
}

export function figuresOfService({ held, entry, assumptions }: Omit<Sides, 'mapped'>) {
  const { taken = 0, theirs = 0 } = entry?.service ?? {};
  // What another integration counted otherwise is no difference.
  return figuresOf(held, theirs + (assumptions.readTotals === 'as-sent' ? taken : 0));
}

/** `apart`: what of an order's total is not compared. */
function figuresOf(side: Held | SentOrder, apart = 0): Figures | undefined {
  switch (side.kind) {
    case 'order': {
      const { State, IsCancelledOrReturned, IsCompleted, OrderTotal, Coupon } = side.order;
      // State 4, ignored, is none of its own: the service has the order, and its program decided not to count it.
      const live = State === COMPLETED_STATE || IsCompleted ? 'completed' : 'pending';
      const isCancelled = State === CANCELLED_STATE || IsCancelledOrReturned === true;
      return {
        state: isCancelled ? 'cancelled' : live,
        amount: OrderTotal === undefined ? undefined : toThousandths(OrderTotal) - apart,
        ...(Coupon !== undefined && { coupon: Coupon }),
      };
    }
    case 'coupon': {
      const { IsUsed, CouponValue, CouponType } = side.coupon;
      const value = CouponValue == null ? undefined : toThousandths(CouponValue);
      return { state: IsUsed ? 'over' : 'usable', value, type: CouponType ?? undefined };
    }
    case 'customer':
      return { email: (side.customer.Email ?? '').toLowerCase() };
    case 'product': {
      const { Title, ProductPrice, IsActive, Url } = side.product;
      return { title: Title, price: ProductPrice, isActive: IsActive, url: Url };
    }
    default:
      return undefined;
  }
}

const isOver = ({ state }: Figures): boolean => state === 'cancelled' || state === 'over';

/** What one side does not say is no difference. */
function differencesOf(
  expected: Figures | undefined,
  found: Figures | undefined,
): readonly Difference[] {
  if (!expected || !found) return [];
  const fields = Object.keys(isOver(expected) ? { state: '' } : expected) as (keyof Figures)[];
  return fields.filter((field) => isOther(field, expected[field], found[field]));
}

function isOther(field: keyof Figures, one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return false;
  if (field === 'amount') return isOtherAmount(Number(one), Number(other));
  if (field !== 'coupon') return one !== other;
  // Codes are the same in either case.
  return String(one ?? '').toLowerCase() !== String(other ?? '').toLowerCase();
}

/** Less than a cent: the service may round. */
const ROUNDING = 10;

export const isOtherAmount = (one: number, other: number): boolean =>
  Math.abs(one - other) >= ROUNDING;
