import type { Shop } from '../../../shared/config/connector-config.ts';
import type { EntityKey, EntityKind } from '../../../shared/core/events/event.ts';
import { type Doubt, isDoubtful, isKnown } from '../../../shared/core/ledger/entry.ts';
import type { EntityEntry } from '../../../shared/core/ledger/ledger.ts';
import { fromThousandths } from '../../../shared/core/ledger/sent-amounts.ts';
import { mapSnapshot } from '../../../shared/core/mapping/map-snapshot.ts';
import {
  faultText,
  idempotencyKey,
  type Mapped,
  type WantedState,
} from '../../../shared/core/mapping/wanted-state.ts';
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
import type { Store, StoreAnswer, StoreEntity } from '../../../shared/core/store/store.ts';
import type { HeldOrder } from '../../../shared/core/sync/change-service.ts';
import { otherSpelling, versionOf } from '../../../shared/core/sync/read-snapshot.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import { minorDigits } from '../../../shared/store/money.ts';

type Result<Name extends 'getOrder' | 'getCoupon'> = Awaited<ReturnType<LoyaltyClient[Name]>>;
type HeldCoupon = Parameters<typeof couponOfService>[0];

/** What the loyalty service answers about the entity. */
export type Held =
  | { readonly kind: 'order'; readonly order: HeldOrder }
  | { readonly kind: 'coupon'; readonly coupon: HeldCoupon }
  | { readonly kind: 'absent' }
  /** It has no operation for this. */
  | { readonly kind: 'cannot-be-read' }
  | { readonly kind: 'unknown'; readonly why: string };

export interface Compared {
  readonly verdict: 'same' | 'different' | 'unknown';
  readonly what: string;
  /** What each side says, in words. */
  readonly rows: readonly {
    readonly field: string;
    readonly store: string;
    readonly ledger: string;
    readonly service: string;
    readonly differs: boolean;
  }[];
}

const NOT_FOUND: Readonly<Record<'getOrder' | 'getCoupon', number>> = {
  getOrder: 37,
  getCoupon: 57,
};

export function heldIn(
  read: { getOrder: Result<'getOrder'> } | { getCoupon: Result<'getCoupon'> },
): Held {
  const operation = 'getOrder' in read ? 'getOrder' : 'getCoupon';
  const result = 'getOrder' in read ? read.getOrder : read.getCoupon;
  const isAbsent =
    result.kind === 'business-error'
      ? result.code === NOT_FOUND[operation]
      : result.kind === 'transport-failure' && result.reason === 'not-found';
  if (isAbsent) return { kind: 'absent' };
  if (result.kind === 'business-error' || result.kind === 'transport-failure') {
    return { kind: 'unknown', why: result.message };
  }
  if (!('Items' in result.value)) return { kind: 'order', order: result.value };
  const [coupon] = result.value.Items;
  return coupon ? { kind: 'coupon', coupon } : { kind: 'absent' };
}

/** Compares the three sides of one entity. */
export function compareSides(
  id: string,
  mapped: Mapped | undefined,
  entry: EntityEntry | undefined,
  held: Held,
  assumptions: Pick<ReadingAssumptions, 'readTotals'>,
  {
    currency,
    doubt,
  }: { readonly currency?: string | undefined; readonly doubt?: Doubt | undefined },
): Compared {
  const wanted = mapped?.kind === 'wanted' ? mapped.wanted : undefined;
  const { differences, rows } = rowsOf(id, wanted, entry, held, assumptions, currency);
  const say = (verdict: Compared['verdict'], what: string) => ({ verdict, what, rows });
  if (!mapped) return say('unknown', 'The store does not say what the service should hold.');
  if (mapped.kind === 'fault')
    return say('unknown', `The rules cannot map it: ${faultText(mapped)}.`);
  if (held.kind === 'unknown') {
    return say('unknown', `The loyalty service could not be read: ${held.why}`);
  }
  if (mapped.kind === 'skip') {
    if (held.kind === 'absent') {
      return say('same', `The service does not have it, and it is not sent: ${mapped.why}.`);
    }
    return say('unknown', `It is not sent at the moment: ${mapped.why}.`);
  }
  const isApplied = entry?.appliedKey === idempotencyKey(mapped.wanted) && !entry?.uncertain;
  if (held.kind === 'cannot-be-read') {
    return isApplied
      ? say('unknown', 'It was sent as the store has it, but the service cannot be asked for it.')
      : say('different', 'What the store says now was not sent yet.');
  }
  if (entry?.uncertain) {
    return say('unknown', 'A call is open, and what became of it is not known: compare it later.');
  }
  const isHeld = held.kind === 'order' && assumptions.readTotals === 'as-sent';
  if (wanted && isHeld && isTakenUnknown(wanted, entry, doubt))
    return say('unknown', TAKEN_UNKNOWN);
  if (differences.length > 0) {
    return say('different', `The loyalty service differs: ${differences.join(', ')}.`);
  }
  const sent = isApplied ? '' : ' The ledger has another state: an event of it may be on its way.';
  return say('same', `Both sides were read and agree.${sent}`);
}

export const TAKEN_UNKNOWN =
  'What was taken back of it is not known: the ledger was lost or restored, and the service shows only what was sent. Its next event finds out, or "recover".';

/** The service shows the amount that was sent, and the ledger may know too little of what was taken from it. */
export function isTakenUnknown(
  wanted: WantedState,
  entry: EntityEntry | undefined,
  doubt: Doubt | undefined,
): boolean {
  if (wanted.kind !== 'order' || !wanted.isRefunded || !wanted.order.IsCompleted) return false;
  return !entry?.amounts || isDoubtful(entry, doubt);
}

function rowsOf(
  id: string,
  wanted: WantedState | undefined,
  entry: EntityEntry | undefined,
  held: Held,
  assumptions: Pick<ReadingAssumptions, 'readTotals'>,
  currency: string | undefined,
): { readonly differences: readonly string[]; readonly rows: Compared['rows'] } {
  const service = serviceText(held);
  const ledger = isKnown(entry) ? 'sent' : 'not sent';
  switch (wanted?.kind) {
    case 'order':
    case 'cancelled-order': {
      const store = sideOfStore(wanted);
      const order = held.kind === 'order' ? held.order : undefined;
      const found = sideOfService(order, entry?.amounts, assumptions);
      const differences = held.kind === 'unknown' ? [] : differencesOf(store, found);
      const rest = { ledger, service, currency };
      const line = lines(store, sideOfLedger(id, entry), found, differences, rest);
      return { differences, rows: [line('state'), line('amount'), line('coupon')] };
    }
    case 'coupon':
    case 'inactive-coupon': {
      const store = couponOfStore(wanted);
      const found = held.kind === 'coupon' ? couponOfService(held.coupon) : undefined;
      const differences = held.kind === 'unknown' ? [] : couponDifferences(store, found);
      const line = lines<CouponSide>(store, undefined, found, differences, { ledger, service });
      return { differences, rows: [line('state'), line('value'), line('type')] };
    }
    default: {
      const store = wanted ? 'is sent' : 'is not sent';
      return { differences: [], rows: [{ field: 'it', store, ledger, service, differs: false }] };
    }
  }
}

function serviceText(held: Held): string {
  switch (held.kind) {
    case 'order':
    case 'coupon':
      return 'has it';
    case 'absent':
      return 'does not have it';
    case 'cannot-be-read':
      return 'cannot be asked';
    case 'unknown':
      return 'did not answer';
  }
}

/** A side that is absent says so in every line: in these words. */
function lines<Side extends OrderSide | CouponSide>(
  store: Side,
  ledger: Side | undefined,
  service: Side | undefined,
  differences: readonly string[],
  absent: {
    readonly ledger: string;
    readonly service: string;
    readonly currency?: string | undefined;
  },
) {
  const words = (field: string, value: unknown) => wordsOf(field, value, absent.currency);
  return (field: keyof Side & string) => ({
    field,
    store: words(field, store[field]),
    ledger: ledger ? words(field, ledger[field]) : absent.ledger,
    service: service ? words(field, service[field]) : absent.service,
    differs: differences.includes(field) || differences.includes('absent'),
  });
}

const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'value']);

/** Without a currency, as in a coupon that may be a percentage, an amount has the decimals that it needs. */
function wordsOf(field: string, value: unknown, currency: string | undefined): string {
  if (value === undefined) return 'not known';
  if (value === null) return 'none';
  if (!AMOUNTS.has(field)) return String(value);
  const amount = fromThousandths(Number(value));
  return currency === undefined ? String(amount) : amount.toFixed(minorDigits(currency));
}

export async function askStore(
  store: Store,
  { shop, kind, id }: { shop: string; kind: EntityKind; id: string },
): Promise<StoreAnswer<StoreEntity>> {
  switch (kind) {
    case 'order': {
      const answer = await store.readOrder(shop, id);
      return answer.kind === 'found'
        ? { kind: 'found', value: { kind: 'order', order: answer.value } }
        : answer;
    }
    case 'product': {
      const answer = await store.readProduct(shop, id);
      return answer.kind === 'found'
        ? { kind: 'found', value: { kind: 'product', product: answer.value } }
        : answer;
    }
    case 'coupon': {
      const answer = await store.readCoupon(shop, id);
      return answer.kind === 'found'
        ? { kind: 'found', value: { kind: 'coupon', coupon: answer.value } }
        : answer;
    }
    case 'member': {
      const answer = await store.readMember(shop, id);
      return answer.kind === 'found'
        ? { kind: 'found', value: { kind: 'member', member: answer.value } }
        : answer;
    }
  }
}

export function mapNow(
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
