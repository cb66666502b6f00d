import { createHash } from 'node:crypto';
import type { MappingRules } from '../../config/mapping-settings.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import type { Amount } from '../../store/money.ts';
import type { CreditMix } from '../../store/store-credit.ts';
import type { StoreOrder } from '../../store/store-entities.ts';
import type { AmountStepKind } from '../../store/storefront-answers.gen.ts';
import type { MappingSkip } from '../events/outcome.ts';
import type { Takeover } from '../ledger/entry.ts';
import {
  type EntityEntry,
  fromThousandths,
  type Ledger,
  ownCount,
  rememberedForm,
  type ServiceOrder,
} from '../ledger/ledger.ts';

type Schemas = components['schemas'];

export type OrderForm = Schemas['Order'];
export type OrderProductForm = Schemas['OrderProduct'];
type CancellationForm = Schemas['OrderCancellation'];
export type CustomerForm = Schemas['Customer'];
type MemberForm = CustomerForm & { readonly OriginalId: string };
export type ProductForm = Schemas['Product'];
export type CategoryForm = Schemas['ProductCategory'];
export type CouponForm = Schemas['Coupon'];
export type ReferenceForm = Schemas['Reference'];
export type MetadataForm = Schemas['Metadata'];

export type WantedOrder = {
  readonly id: string;
  readonly order: OrderForm;
  /** Its products as sold, also those of which nothing is kept: for sending again what was sent. */
  readonly sold: readonly OrderProductForm[];
  /** Something was taken out, paid back or lost since it was placed: the service may have counted more. */
  readonly changed: boolean;
  /** What it counted after each change, in thousandths, the oldest first; undefined unless the store's book was read. */
  readonly past?: readonly PastCount[] | undefined;
  /** The smallest unit of its currency is less than a cent. */
  readonly isFine: boolean;
} & (
  | { readonly kind: 'order' }
  /** `order` is the same in the form of an order, for a service that refuses to cancel it. */
  | { readonly kind: 'cancelled-order'; readonly cancellation: CancellationForm }
);

/** What an order counted since a moment, in thousandths, by the rules that it is counted by now. */
export interface PastCount {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly counts: number;
  /** It may never have counted so: of changes in one moment, their order is not known. */
  readonly isPassing?: boolean | undefined;
  /** Today's: since when is in no book. */
  readonly isUndated?: boolean | undefined;
}

/** What the loyalty service should hold for one entity, in the words of its own contract. */
export type WantedState =
  | WantedOrder
  | { readonly kind: 'product'; readonly id: string; readonly product: ProductForm }
  | { readonly kind: 'coupon'; readonly id: string; readonly coupon: CouponForm }
  /** `id` is the code, in both coupon states. */
  | { readonly kind: 'inactive-coupon'; readonly id: string }
  | { readonly kind: 'member'; readonly id: string; readonly member: MemberForm }
  /** Deleted in the store. No operation of the service deletes a customer: it keeps what it has. */
  | { readonly kind: 'deleted-member'; readonly id: string };

/** Rules of the merchant's that failed for this entity, each in words without any value of it. */
interface Fault {
  readonly kind: 'fault';
  readonly faults: readonly string[];
}

export type Found<T> = { readonly kind: 'value'; readonly value: T } | Fault;

export const faultsIn = (
  found: readonly ({ readonly kind: string } | Fault)[],
): readonly string[] => found.flatMap((one) => ('faults' in one ? one.faults : []));

export type Mapped =
  | {
      readonly kind: 'wanted';
      readonly wanted: WantedState;
      /** Of an order that is not cancelled: the revision of the rules that it was mapped by. */
      readonly rules?: string;
      /** Of an order: the snapshot lacks what only the store can say, and the rules need it. */
      readonly incomplete?: boolean;
      /** Of an order: it carries the history mark. */
      readonly history?: boolean;
      /** Of an order: how its amount came about. */
      readonly steps?: readonly AmountStep[];
      /** What the ledger is to remember once this is applied; undefined means nothing. */
      readonly remember: string | undefined;
    }
  | { readonly kind: 'skip'; readonly why: MappingSkip }
  | Fault;

export type Wanted = Extract<Mapped, { kind: 'wanted' }>;

export const faultText = ({ faults }: Fault): string => `connector.config.ts: ${faults.join('; ')}`;

const RULES_OF_AMOUNTS = ['taxes', 'giftCards', 'storeCredit', 'lostDisputes'] as const;
export type AmountRules = Pick<MappingRules, (typeof RULES_OF_AMOUNTS)[number]>;

export interface AmountStep {
  readonly kind: AmountStepKind;
  readonly amount: Amount;
  /** The money that the step is a part of: the rest of it was for what does not count. */
  readonly of?: Amount;
}

/** What the ledger knows of the entity that is being mapped. */
export interface KnownBefore {
  /** Something was applied, or may have been. */
  readonly known: boolean;
  /** What the mapping gave to remember when it was last applied. */
  readonly remembered: string | undefined;
  /** Of an order: what the service holds of it. */
  readonly service?: ServiceOrder | undefined;
  /** Of an order: it was placed before go-live, or was sent as such. */
  readonly history?: boolean;
  /** Of an order: a backfill asks for it. */
  readonly askedFor?: boolean;
  /** Of an order: it is counted by the rules of today, although it was sent under others. */
  readonly byNewRules?: boolean;
}

/**
 * What the ledger keeps of an applied order: what a later snapshot may no longer say (its customer
 * was deleted) or cannot say (a webhook knows neither disputes, nor the card, nor the names of staff and place).
 */
export interface RememberedOrder {
  /** The rules that its amount was counted by. */
  readonly countedBy?: AmountRules;
  /** What its payment with store credit was made of: its account may be gone later, or the setting another. */
  readonly credit?: CreditMix | undefined;
  /** How it came about; absent where it is just what was paid for the goods. */
  readonly steps?: readonly (readonly [AmountStepKind, string])[] | undefined;
  readonly lostDispute?: boolean | undefined;
  readonly customer?: CustomerForm | undefined;
  readonly card?: StoreOrder['card'];
  readonly branch?: ReferenceForm | undefined;
  readonly salesPerson?: ReferenceForm | undefined;
}

export const orderMemory = rememberedForm<RememberedOrder>('order', 1);

/** The number of the customer whom an order's entry remembers. */
export const customerIn = (entry: Pick<EntityEntry, 'remembered'> | undefined) =>
  orderMemory.read(entry?.remembered)?.customer?.OriginalId;

export function knownFields<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const known: { [K in keyof T]?: T[K] } = {};
  for (const name in fields) if (fields[name] !== undefined) known[name] = fields[name];
  return known as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Computed once for each object: none of them ever changes. */
function once<Given extends object>(compute: (given: Given) => string): (given: Given) => string {
  const known = new WeakMap<Given, string>();
  return (given) => {
    const value = known.get(given) ?? compute(given);
    known.set(given, value);
    return value;
  };
}

/**
 * Names a wanted state: equal keys mean that no call is needed.
 *
 * `UpdatedDate` is left out, because it changes with every event. A cancelled order is named by its
 * id alone: cancelled is cancelled, and the refunds that follow must not cancel it again.
 */
export const idempotencyKey = once((wanted: WantedState): string => {
  const { kind, id } = wanted;
  if (kind === 'cancelled-order') return hash({ kind, id });
  if (kind !== 'order') return hash(wanted);
  const { UpdatedDate: _, ...order } = wanted.order;
  return hash({ kind, id, order });
});

/**
 * Names what a completed order holds besides its amounts. Without `OrderStatus`: it is informative only,
 * and a refund changes it.
 */
export const restKey = once((order: OrderForm): string => {
  const { OrderTotal: _, Products: __, UpdatedDate: ___, OrderStatus: ____, ...rest } = order;
  return hash(rest);
});

/** The same for the same state: keys sorted, undefined left out. */
function hash(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(fields[name])]));
}

/** In an order's `Metadatas`: it is older than the program, so campaigns need not fire. */
export const HISTORY_METADATA = { name: 'history', value: 'true' } as const;

const dated = new WeakMap<MappingRules, MappingRules>();

/**
 * The rules with the moment of go-live: as set, as the shop's control record says, or when the ledger was created. The
 * same object for the same moment, so that `rulesRevision` is computed once.
 */
export async function withGoLive(
  rules: MappingRules,
  recorded: number | undefined,
  ledger: Pick<Ledger, 'createdAt'>,
  takeover?: Pick<Takeover, 'offSince'>,
): Promise<MappingRules> {
  const takesOver = takeover?.offSince !== undefined;
  if (rules.goLive !== undefined && !takesOver) return rules;
  const goLive = rules.goLive ?? new Date(recorded ?? (await ledger.createdAt())).toISOString();
  const known = dated.get(rules);
  const isSame = known?.goLive === goLive && (known.takesOver ?? false) === takesOver;
  const complete = isSame ? known : { ...rules, goLive, ...(takesOver && { takesOver }) };
  dated.set(rules, complete);
  return complete;
}

/** Raised with every change of code that maps the same order differently: a test notices such a change. */
const MAPPING = 1;

const RULES_OF_ORDERS = [
  ...(['completeWhen', ...RULES_OF_AMOUNTS] as const),
  ...(['pendingOrders', 'customersWithoutEmail', 'document', 'birthday'] as const),
  ...(['enrich', 'enrolment', 'metadata'] as const),
];

/**
 * Names the rules by which an order is mapped. A ledger entry keeps that of the state that was applied, so
 * that a difference made by the rules alone does not count as a change in the store.
 */
export const rulesRevision = once((rules: MappingRules): string => {
  const settings = RULES_OF_ORDERS.map((name) => rules[name]);
  const text = JSON.stringify([MAPPING, ...settings], (_, value: unknown) =>
    typeof value === 'function' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
});

/**
 * Of two states with the same version: only the rules make them differ. The version alone does not say so,
 * because the store may change an order twice in a second. But by the rules that it keeps, a completed order
 * counts another amount, or is alive again after its end, only if the store changed it.
 */
export function differsByRulesAlone(
  mapped: Mapped | undefined,
  entry: Pick<EntityEntry, 'rules' | 'service'> | undefined,
): boolean {
  if (mapped?.kind !== 'wanted' || mapped.rules === undefined) return false;
  if (mapped.rules === entry?.rules) return false;
  const { service } = entry ?? {};
  if (mapped.wanted.kind !== 'order' || !service) return true;
  const { OrderTotal, IsCompleted } = mapped.wanted.order;
  // One that was not completed has no points to lose.
  if (service.completedAt === undefined) return !IsCompleted;
  return !service.ended && OrderTotal === fromThousandths(ownCount(service));
}
