import type { components } from '../../loyalty/contract.gen.ts';

type Schemas = components['schemas'];

export type OrderForm = Schemas['Order'];
/** What an order counts, in all and by product. */
export type CountedForm = Pick<OrderForm, 'OrderTotal' | 'Products'>;
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
  /** Something of it was taken back in the store. */
  readonly isRefunded: boolean;
  /** The amounts that the service may still hold: before each refund, and before a payment was lost. The oldest first. */
  readonly earlier: readonly CountedForm[];
} & (
  | { readonly kind: 'order' }
  /** `order` is the same in the form of an order, for a service that refuses to cancel it. */
  | { readonly kind: 'cancelled-order'; readonly cancellation: CancellationForm }
);

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

/** Why an entity is not sent. */
export type MappingSkip =
  | 'guest'
  /** Nor with a document: the service could not tell who it is. */
  | 'customer-without-email'
  | 'test-order'
  /** It is not completed yet, and earns nothing. */
  | 'pending'
  /** Placed before the program went live, and not in the ledger: only a backfill sends it. */
  | 'before-go-live'
  /** Nothing of it is kept, and its money was not refunded: what replaces it is not there yet. */
  | 'exchange'
  /** Its customer was redacted, and a live order needs one. */
  | 'redacted'
  /** It is gone, and the service never knew it. */
  | 'never-sent'
  /** The connector made the code itself, for a redeemed reward. */
  | 'reward-coupon'
  /** The settings send customers as part of their orders only. */
  | 'customers-with-orders'
  | 'coupon-kind-not-mirrored'
  | 'coupon-for-everyone'
  | 'coupon-for-several-customers';

/** A rule of the merchant's that failed for this entity, in words without any value of it. */
export interface MappingFault {
  /** The setting: `rules.document`. */
  readonly path: string;
  readonly problem: string;
}

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
      /** What the ledger is to remember once this is applied; undefined: nothing. */
      readonly remember: string | undefined;
    }
  | { readonly kind: 'skip'; readonly why: MappingSkip }
  | { readonly kind: 'fault'; readonly faults: readonly MappingFault[] };

/** Which rules failed, and how. */
export function faultText({ faults }: Extract<Mapped, { kind: 'fault' }>): string {
  return `connector.config.ts: ${faults.map(({ path, problem }) => `${path} ${problem}`).join('; ')}`;
}
