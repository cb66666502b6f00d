import type {
  StoreCoupon,
  StoreMember,
  StoreOrder,
  StoreProduct,
} from '../../store/store-entities.ts';
import type { Outcome, SkipReason } from '../batch/outcome.ts';
import type { StoreEvent } from '../events/event.ts';

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
    }
  /** Not about one entity. */
  | { readonly kind: 'task'; readonly task: Task }
  | {
      readonly kind: 'unreadable';
      readonly why: string;
      /** Undefined: the body itself. */
      readonly fault?: 'shop-not-configured';
    };

/** Work that events other than those of an entity ask for. */
export type Task =
  /** A discount changed or was deleted: each of its codes is an entity of its own. */
  | { readonly kind: 'fan-out'; readonly discountId: string }
  | { readonly kind: 'sync-code'; readonly code: string }
  | { readonly kind: 'skip'; readonly why: SkipReason }
  | { readonly kind: 'redact'; readonly customerId: string; readonly orderIds: readonly string[] }
  /** Two customers became one in the store. */
  | { readonly kind: 'merge'; readonly keptId: string; readonly deletedId: string }
  /** Something a person must see, and the connector must not act on. */
  | { readonly kind: 'notify'; readonly notice: Notice; readonly id: string; readonly why: string };

type Notice = 'data-request' | 'shop-redact' | 'app-uninstalled';

export type ReadEvent = (event: StoreEvent) => EventReading;

/** What the store says of one thing when asked. */
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

/** The store, asked directly. Never used while a webhook is being received. */
export interface Store {
  readOrder(
    shop: string,
    id: string,
    evidence?: {
      /** The store announced the deletion in a signed body. Absence alone may be a lack of scope. */
      readonly deletionAnnounced?: boolean;
    },
  ): Promise<StoreAnswer<StoreOrder>>;
  readProduct(shop: string, id: string): Promise<StoreAnswer<StoreProduct>>;
  /** The coupon of one code. */
  readCoupon(shop: string, code: string): Promise<StoreAnswer<StoreCoupon>>;
  readMember(shop: string, id: string): Promise<StoreAnswer<StoreMember>>;
  /** A discount's codes in pages: a discount can have thousands. */
  readDiscount(shop: string, id: string, from?: string): Promise<StoreAnswer<DiscountPage>>;
  /** The same store, giving up when the signal fires. */
  until(signal: AbortSignal): Store;
}
