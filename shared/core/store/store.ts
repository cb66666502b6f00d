import type {
  StoreCoupon,
  StoreMember,
  StoreOrder,
  StoreProduct,
} from '../../store/store-entities.ts';
import type { EntityKey, StoreEvent } from '../events/event.ts';
import type { Outcome, SkipReason } from '../events/outcome.ts';

/** A snapshot of one entity of the store, from any source. */
export type StoreEntity =
  | { readonly kind: 'order'; readonly order: StoreOrder }
  | { readonly kind: 'product'; readonly product: StoreProduct }
  | { readonly kind: 'coupon'; readonly coupon: StoreCoupon }
  | { readonly kind: 'member'; readonly member: StoreMember };

/** What an event's own body says. Reading it asks no other system. */
export type EventReading =
  | {
      readonly kind: 'snapshot';
      readonly entity: StoreEntity;
      readonly version: number;
      /** The body leaves something out: the store is asked before any call. */
      readonly partial?: boolean;
      /** When a feeder read it from the store, in epoch milliseconds; no webhook says so. */
      readonly readAt?: number;
    }
  /** The body only names the entity, or claims that it is gone: the store is asked. */
  | {
      readonly kind: 'ask-store';
      /** When the entity changed, in epoch milliseconds, where the body says so. */
      readonly changedAt?: number;
      readonly isCurrent?: IsCurrent;
    }
  /** Not about one entity. */
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'unreadable'; readonly why: string };

/** The store never lags behind its events: what it does not show is gone. */
type IsCurrent = true;

/** Work that events other than those of an entity ask for. */
export type Task =
  /** A discount changed or was deleted: each of its codes is an entity of its own. */
  | { readonly kind: 'fan-out'; readonly discountId: string; readonly isCurrent?: IsCurrent }
  | { readonly kind: 'sync-code'; readonly code: string }
  | { readonly kind: 'skip'; readonly why: SkipReason }
  | { readonly kind: 'redact'; readonly customerId: string; readonly orderIds: readonly string[] }
  /** Two customers became one in the store. */
  | { readonly kind: 'merge'; readonly keptId: string; readonly deletedId: string }
  /** Something a person must see, and the connector must not act on. */
  | { readonly kind: 'notify'; readonly notice: Notice; readonly id: string; readonly why: string };

type Notice = 'data-request' | 'shop-redact' | 'app-uninstalled';

export type ReadEvent = (event: StoreEvent) => EventReading;

/** What an operator asks for on every platform: these orders of the customer are erased with them. */
export const encodeErasure = (orderIds: readonly string[]): Uint8Array =>
  new TextEncoder().encode(orderIds.join('\n'));

/** Of an event that claims a redaction. No sender can write one of this origin: what is received is a `webhook`. */
export function readErasureAsked({ origin, id, body }: StoreEvent): EventReading | undefined {
  if (origin !== 'backfill' || !body) return undefined;
  const orderIds = new TextDecoder().decode(body).split('\n').filter(Boolean);
  return { kind: 'task', task: { kind: 'redact', customerId: id, orderIds } };
}

export type StoreAnswer<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  | { readonly kind: 'gone' }
  | StoreUnavailable;

export interface StoreUnavailable {
  readonly kind: 'unavailable';
  /** A name for logs and metrics. */
  readonly why: string;
  readonly afterSeconds?: number;
  /** Of a change: the store may still make it. */
  readonly mayHaveHappened?: boolean;
  /** Credentials or scopes: nothing will pass until a person acts. */
  readonly misconfigured?: boolean;
  /** The scope or permission that is missing, where the store names it. */
  readonly lacks?: string;
  /** The store may have the entity, and does not show it to this app. */
  readonly hidden?: boolean;
  /** The store refused the query: a cursor that was kept for long may have expired. */
  readonly queryRefused?: boolean;
}

type Retry = Extract<Outcome, { kind: 'retry' }>;

export function retryStore(unavailable: StoreUnavailable): Retry {
  const { why, afterSeconds, mayHaveHappened, misconfigured } = unavailable;
  return {
    ...askStoreLater(why),
    ...(afterSeconds !== undefined && { afterSeconds }),
    ...(mayHaveHappened && { mayHaveHappened }),
    ...(misconfigured && { misconfigured }),
  };
}

export function askStoreLater(why: string): Retry {
  return { kind: 'retry', why: `store-${why}`, unanswered: true };
}

/** One page of a discount's codes, as the coupons they are. */
export interface DiscountPage {
  readonly automatic: boolean;
  readonly coupons: readonly StoreCoupon[];
  /** Where the next page begins; undefined on the last one. */
  readonly next?: string;
}

export interface OrderQuestion {
  /** The store announced the deletion in a signed body. Absence alone may be a lack of scope. */
  readonly deletionAnnounced?: boolean;
  /** With the order's book: `if-changed`, where something was taken out or paid back; `always`, in any case. */
  readonly book?: 'if-changed' | 'always';
}

/** The store, asked directly. Never used while a webhook is being received. */
export interface Store {
  readOrder(shop: string, id: string, question?: OrderQuestion): Promise<StoreAnswer<StoreOrder>>;
  readProduct(shop: string, id: string): Promise<StoreAnswer<StoreProduct>>;
  readCoupon(shop: string, code: string): Promise<StoreAnswer<StoreCoupon>>;
  readMember(shop: string, id: string): Promise<StoreAnswer<StoreMember>>;
  /** A discount's codes in pages: a discount can have thousands. */
  readDiscount(shop: string, id: string, from?: string): Promise<StoreAnswer<DiscountPage>>;
  /** The same store, giving up when the signal fires. */
  until(signal: AbortSignal): Store;
}

export async function askStore(
  store: Store,
  { shop, kind, id }: EntityKey,
  question?: OrderQuestion,
): Promise<StoreAnswer<StoreEntity>> {
  const found = <Value>(answer: StoreAnswer<Value>, entity: (value: Value) => StoreEntity) =>
    answer.kind === 'found' ? ({ kind: 'found', value: entity(answer.value) } as const) : answer;
  switch (kind) {
    case 'order':
      return found(await store.readOrder(shop, id, question), (order) => ({ kind, order }));
    case 'product':
      return found(await store.readProduct(shop, id), (product) => ({ kind, product }));
    case 'coupon':
      return found(await store.readCoupon(shop, id), (coupon) => ({ kind, coupon }));
    case 'member':
      return found(await store.readMember(shop, id), (member) => ({ kind, member }));
  }
}

function contentOf(entity: StoreEntity) {
  switch (entity.kind) {
    case 'order':
      return entity.order;
    case 'product':
      return entity.product;
    case 'coupon':
      return entity.coupon;
    case 'member':
      return entity.member;
  }
}

/** Sources write different offsets, so moments are compared as numbers. */
export const versionOf = (entity: StoreEntity): number => Date.parse(contentOf(entity).updatedAt);

function keyOf(entity: StoreEntity): string {
  const value = contentOf(entity);
  return 'code' in value ? value.code : value.id;
}

/** What is known of an entity at one moment. Only the store can say that it is `gone`. */
export interface Snapshot {
  readonly kind: 'snapshot';
  readonly entity: StoreEntity | { readonly kind: 'gone' };
  readonly version: number;
  readonly source: SnapshotSource;
  readonly partial?: boolean;
  /** Of a code that is gone: the store has it in this other spelling. */
  readonly respelled?: string;
  /** A backfill asks for it, although it may be older than go-live. */
  readonly history?: boolean;
  /** An operator wants it counted by the rules of today. */
  readonly newRules?: boolean;
  /** Of an order: its customer was redacted then, as their own record says, and it is from before. */
  readonly redactedAt?: number;
}

/**
 * Where a snapshot comes from decides how far it is trusted: `event` may be late or a captured body,
 * `feeder` was read from the store some time ago, `store` a moment ago.
 */
type SnapshotSource = 'event' | 'feeder' | 'store';

/** Moments in epoch milliseconds, both included. Versions have whole seconds. */
export interface Span {
  /** Undefined means from the beginning of what the store shows. */
  readonly from: number | undefined;
  readonly until: number;
  /** The date that selects and sorts: that of the creation, which never changes. Default: of the last change. */
  readonly by?: 'creation';
}

export interface Changed<Value> {
  readonly id: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** Undefined when it could not be read, and only its version is known. */
  readonly value: Value | undefined;
}

export interface ScanPage<Value> {
  readonly changed: readonly Changed<Value>[];
  /** Where the next page begins; undefined on the last one. */
  readonly next?: string;
}

export type ScanAnswer<Value> = Exclude<StoreAnswer<Value>, { kind: 'gone' }>;

type ReadPage<Value> = (
  shop: string,
  span: Span,
  after?: string,
) => Promise<ScanAnswer<ScanPage<Value>>>;

export type ScannedKind = 'order' | 'product' | 'discount';

/**
 * What the store changed within a span, in the order of its last change. An entity that changes during
 * the scan leaves the span, so no other is skipped. By creation, none leaves it: one that changes while it
 * is read comes without its value.
 */
export interface StoreScan {
  readonly changedOrders: ReadPage<StoreOrder>;
  readonly changedProducts: ReadPage<StoreProduct>;
  /** Discounts with codes, each with the first page of them; others only where they may have had some. */
  readonly changedDiscounts: ReadPage<DiscountPage>;
  /** Their date may move with other things, too. */
  readonly changedMembers: ReadPage<StoreMember>;

  /**
   * Discounts that the store now gives or withholds whatever their own dates say, with a text that is equal while
   * nothing of that changes. Their last change does not show it.
   */
  overriddenDiscounts(shop: string): Promise<ScanAnswer<ReadonlyMap<string, string>>>;

  /** Those of these ids that the store does not show. At most `MOST_ASKED_FOR`. */
  findAbsent(
    shop: string,
    kind: ScannedKind,
    ids: readonly string[],
  ): Promise<ScanAnswer<ReadonlySet<string>>>;

  /** False: only the orders of the last sixty days are shown, and an older one looks deleted. */
  seesAllOrders(shop: string): Promise<ScanAnswer<boolean>>;
}

/** The store answers for at most this many ids at once. */
export const MOST_ASKED_FOR = 250;

// What the connector itself read from the store, as a message body.

/** The form of the entities. For a message in another form the store is asked instead. */
const FORM = 1;

/** An entity that a feeder read, and when it read it. */
export function encodeSnapshot(entity: StoreEntity, readAt: Date): Uint8Array {
  return encode({ form: FORM, readAt: readAt.toISOString(), entity });
}

/** One code of a discount. Without a date: it counts as an event's body. */
export function encodeCoupon(coupon: StoreCoupon): Uint8Array {
  return encode({ form: FORM, coupon });
}

interface SnapshotBody {
  readonly entity: StoreEntity;
  /** Epoch milliseconds; undefined for a code of a discount. */
  readonly readAt?: number;
}

/** Undefined for another form, and for another entity than the one the message is about. */
export function decodeSnapshot(
  { kind, id }: { readonly kind: string; readonly id: string },
  body: Uint8Array,
): SnapshotBody | undefined {
  try {
    const message = JSON.parse(new TextDecoder().decode(body));
    if (message.form !== FORM) return undefined;
    const { coupon } = message;
    const entity: StoreEntity = coupon ? { kind: 'coupon', coupon } : message.entity;
    const readAt = Date.parse(message.readAt);
    const isWhole = coupon !== undefined || Number.isFinite(readAt);
    if (!isWhole || entity.kind !== kind || keyOf(entity) !== id) return undefined;
    return coupon ? { entity } : { entity, readAt };
  } catch {
    return undefined;
  }
}

function encode(message: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}
