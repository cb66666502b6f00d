import type { Shop } from '../../../shared/config/connector-config.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import type { EntityKey } from '../../../shared/core/events/event.ts';
import { type Doubt, isDoubtful, isKnown } from '../../../shared/core/ledger/entry.ts';
import {
  type EntityEntry,
  fromThousandths,
  readEntry,
} from '../../../shared/core/ledger/ledger.ts';
import { mapSnapshot } from '../../../shared/core/mapping/map-snapshot.ts';
import {
  differsByRulesAlone,
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
import { withRewardCodeFirst } from '../../../shared/core/redemptions/reward-codes.ts';
import type { StoreAnswer, StoreEntity } from '../../../shared/core/store/store.ts';
import type { HeldOrder } from '../../../shared/core/sync/change-service.ts';
import { askStore, otherSpelling, versionOf } from '../../../shared/core/sync/read-snapshot.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { Value } from '../../../shared/loyalty/operations.ts';
import { minorDigits } from '../../../shared/store/money.ts';
import { type Deployment, openLedger, rulesOf } from '../deployment/deployment.ts';
import type { ShopServices } from '../deployment/services.ts';
import type { Verdict, VerdictKind } from '../document/document.ts';

/** What the loyalty service answers about the entity. */
export type Held =
  | { readonly kind: 'order'; readonly order: HeldOrder }
  | { readonly kind: 'coupon'; readonly coupon: Parameters<typeof couponOfService>[0] }
  | { readonly kind: 'customer'; readonly customer: Value<'getCustomer'> }
  | { readonly kind: 'absent' }
  /** It has no operation for this. */
  | { readonly kind: 'cannot-be-read' }
  | { readonly kind: 'unknown'; readonly why: string };

/** One entity as each side has it now. */
export interface Sides {
  readonly key: EntityKey;
  readonly entry: EntityEntry | undefined;
  readonly store: StoreAnswer<StoreEntity>;
  /** What the loyalty service should hold; undefined when unknown. */
  readonly mapped: Mapped | undefined;
  readonly held: Held;
  /** The ledger was lost or restored, and what it says may be out of date. */
  readonly doubt: Doubt | undefined;
  readonly assumptions: Pick<ReadingAssumptions, 'readTotals'>;
}

/** Reads the three sides, and changes nothing. */
export async function readSides(
  deployment: Deployment,
  services: ShopServices,
  shop: Shop,
  key: EntityKey,
): Promise<Sides> {
  const ledger = openLedger(deployment);
  const [entry, read, held] = await Promise.all([
    readEntry(ledger, key),
    askStore(services.store, key),
    askService(services.loyalty(shop), key),
  ]);
  const store =
    read.kind === 'found'
      ? { ...read, value: await withRewardCodeFirst(key.shop, read.value, ledger) }
      : read;
  const mapped = mapNow(key, store, entry, await rulesOf(shop, ledger));
  const { doubt } = await readControl(ledger, key.shop);
  const { assumptions } = deployment.connector.loyalty;
  return { key, entry, store, mapped, held, doubt, assumptions };
}

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
    return isAbsent ? { kind: 'absent' } : { kind: 'unknown', why: result.message };
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
export function isApplied({ store, entry, mapped }: Sides): boolean {
  if (mapped?.kind !== 'wanted' || entry?.appliedKey === undefined || entry.uncertain) return false;
  if (entry.appliedKey === idempotencyKey(mapped.wanted)) return true;
  const isSameState = store.kind === 'found' && versionOf(store.value) === entry.version;
  return isSameState && differsByRulesAlone(mapped, entry);
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
    return say('action required', `The rules cannot map it: ${faultText(mapped)}.`);
  }
  if (held.kind === 'unknown') {
    return say('not known', `The loyalty service could not be read: ${held.why}`);
  }
  if (mapped.kind === 'skip') {
    return held.kind === 'absent'
      ? say('well', `It is not sent, by rule: ${mapped.why}. The loyalty service does not have it.`)
      : say('not known', `It is not sent at the moment, by rule: ${mapped.why}.`);
  }
  if (entry?.uncertain) {
    return say('not known', 'A call is open, and what became of it is not known yet.');
  }
  if (held.kind === 'cannot-be-read') return say('not known', SENT_AND_NOT_READABLE);
  const isHeld = held.kind === 'order' && assumptions.readTotals === 'as-sent';
  if (isHeld && isTakenUnknown(mapped.wanted, entry, doubt)) return say('not known', TAKEN_UNKNOWN);
  if (differences.length > 0) {
    const what = differences.includes('absent')
      ? 'The loyalty service does not have it.'
      : `The loyalty service differs: ${rows
          .filter(({ differs }) => differs)
          .map(bothIn)
          .join(', ')}.`;
    return say('action required', what);
  }
  if (mapped.wanted.kind === 'deleted-member' && held.kind !== 'absent') {
    return say('not known', STILL_HELD);
  }
  // More of a customer is not compared, and orders bring customers without an entry of their own.
  if (mapped.wanted.kind === 'member') {
    return say('well', 'Both sides were read just now and have the same e-mail address.');
  }
  const sent = isApplied(sides)
    ? ''
    : ' The ledger has another state: an event of it may be on its way.';
  return say('well', `Both sides were read just now and agree.${sent}`);
}

const bothIn = ({ field, store, service }: Compared['rows'][number]) =>
  `${field} (store: ${store}, service: ${service})`;

/** Only said of a state that was applied. */
const SENT_AND_NOT_READABLE =
  'It was sent as the store has it now. The loyalty service has no way to read a product, so nothing more can be checked.';

const STILL_HELD =
  'The store no longer has this customer. The loyalty service still does, and offers no way to delete one: whether it may stay there, a person must decide.';

const TAKEN_UNKNOWN =
  'What was taken back of it is not known: the ledger was lost or restored, and the service shows only what was sent. Its next event finds out, or "recover".';

/** The service shows the amount that was sent, and the ledger may know too little of what was taken from it. */
function isTakenUnknown(
  wanted: WantedState,
  entry: EntityEntry | undefined,
  doubt: Doubt | undefined,
): boolean {
  if (wanted.kind !== 'order' || !wanted.isRefunded || !wanted.order.IsCompleted) return false;
  return !entry?.amounts || isDoubtful(entry, doubt);
}

type Rows = Pick<Compared, 'rows'> & { readonly differences: readonly string[] };

function rowsOf({ key, mapped, entry, held, store: read, assumptions }: Sides): Rows {
  const wanted = mapped?.kind === 'wanted' ? mapped.wanted : undefined;
  const absent = { ledger: isKnown(entry) ? 'sent' : 'not sent', service: SERVICE[held.kind] };
  const isRead = held.kind !== 'unknown';
  switch (wanted?.kind) {
    case 'order':
    case 'cancelled-order': {
      const order = read.kind === 'found' && read.value.kind === 'order' ? read.value.order : null;
      const store = sideOfStore(wanted);
      const heldOrder = held.kind === 'order' ? held.order : undefined;
      const service = sideOfService(heldOrder, entry?.amounts, assumptions);
      const differences = isRead ? differencesOf(store, service) : [];
      const sides = { store, ledger: sideOfLedger(key.id, entry), service };
      // Of a cancelled order nothing but its state counts.
      const compared = wanted.kind === 'order' ? (['amount', 'coupon'] as const) : [];
      const fields = ['state', ...compared] as const;
      const rows = fields.map((one) => rowOf(one, sides, differences, absent, order?.currency));
      return { differences, rows };
    }
    case 'coupon':
    case 'inactive-coupon': {
      const store = couponOfStore(wanted);
      const service = held.kind === 'coupon' ? couponOfService(held.coupon) : undefined;
      const differences = isRead ? couponDifferences(store, service) : [];
      const sides = { store, ledger: undefined, service };
      const fields = ['state', 'value', 'type'] as const;
      return { differences, rows: fields.map((one) => rowOf(one, sides, differences, absent)) };
    }
    case 'member': {
      const email = wanted.member.Email ?? '';
      const found = held.kind === 'customer' ? (held.customer.Email ?? '') : email;
      const isOther = email.toLowerCase() !== found.toLowerCase();
      const field = 'e-mail address';
      const differences = isOther ? [field] : held.kind === 'absent' ? ['absent'] : [];
      // Whose it is stays hidden: only whether both have the same one is shown.
      const same = isOther ? 'another one' : 'the same';
      const service = held.kind === 'customer' ? same : absent.service;
      const store = email ? 'has one' : 'none';
      const differs = differences.length > 0;
      return { differences, rows: [{ field, store, ledger: absent.ledger, service, differs }] };
    }
    case 'product':
    case 'deleted-member':
    case undefined: {
      const field = key.kind === 'member' ? 'customer' : key.kind;
      const store = STORE[read.kind];
      return { differences: [], rows: [{ field, store, ...absent, differs: false }] };
    }
  }
}

const STORE: Readonly<Record<StoreAnswer<unknown>['kind'], string>> = {
  found: 'has it',
  gone: 'does not have it',
  unavailable: 'did not answer',
};

const SERVICE: Readonly<Record<Held['kind'], string>> = {
  order: 'has it',
  coupon: 'has it',
  customer: 'has it',
  absent: 'does not have it',
  'cannot-be-read': 'not readable',
  unknown: 'did not answer',
};

/** A side that is absent says so in every row, in these words. */
function rowOf<Of extends OrderSide | CouponSide>(
  name: keyof Of & string,
  { store, ledger, service }: { store: Of; ledger: Of | undefined; service: Of | undefined },
  differences: readonly string[],
  absent: Readonly<Record<'ledger' | 'service', string>>,
  currency?: string,
) {
  const words = (side: Of) => wordsOf(name, side[name], currency);
  return {
    field: name === 'amount' ? 'amount that counts' : name,
    store: words(store),
    ledger: ledger ? words(ledger) : absent.ledger,
    service: service ? words(service) : absent.service,
    differs: differences.includes(name) || differences.includes('absent'),
  };
}

const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'value']);

function wordsOf(field: string, value: unknown, currency: string | undefined): string {
  if (value === undefined) return 'not known';
  if (value === null) return 'none';
  return AMOUNTS.has(field) ? amountText(fromThousandths(Number(value)), currency) : String(value);
}

/** Without a currency, as in a coupon that may be a percentage, an amount has the decimals that it needs. */
export function amountText(amount: number, currency: string | undefined): string {
  const text = currency === undefined ? String(amount) : amount.toFixed(minorDigits(currency));
  return text.replace('-', '−');
}
