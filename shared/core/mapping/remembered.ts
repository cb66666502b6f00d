import type { StoreOrder } from '../../store/store-entities.ts';
import { rememberedForm } from '../ledger/remembered-form.ts';
import type { AmountRules } from './order-amounts.ts';
import type { CustomerForm, OrderForm, ProductForm, ReferenceForm } from './wanted-state.ts';

/** What the ledger knows of the entity that is being mapped. */
export interface KnownBefore {
  /** Something was applied, or may have been. */
  readonly known: boolean;
  /** What the mapping gave to remember when it was last applied. */
  readonly remembered: string | undefined;
  /** Of an order: the completion date that it was sent with. */
  readonly completedAt?: string;
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
  /** What a cancellation in the form of an order needs, once the order itself is deleted. */
  readonly basics?: Pick<OrderForm, 'OrderPlacementDate' | 'OrderCompletedDate' | 'OrderTotal'>;
  /** The rules that its amount was counted by. */
  readonly countedBy?: AmountRules;
  readonly lostDispute?: boolean | undefined;
  readonly customer?: CustomerForm | undefined;
  readonly card?: StoreOrder['card'];
  readonly branch?: ReferenceForm | undefined;
  readonly salesPerson?: ReferenceForm | undefined;
}

const orderForm = rememberedForm<RememberedOrder>('order', 1);
export const rememberOrder = orderForm.write;
export const recallOrder = orderForm.read;

/** A deleted product is sent once more as it last was, so all of it is kept. */
const productForm = rememberedForm<ProductForm>('product', 1);
export const rememberProduct = productForm.write;
export const recallProduct = productForm.read;

interface RememberedCoupon {
  /** It was sent under an id of its shop's own. */
  readonly ofShop: boolean;
}

const couponForm = rememberedForm<RememberedCoupon>('coupon', 1);
export const rememberCoupon = couponForm.write;
export const recallCoupon = couponForm.read;

interface RememberedMember {
  /** Of e-mail address and telephone number: see `contactHash`. */
  readonly contact: string;
}

const memberForm = rememberedForm<RememberedMember>('member', 1);
export const rememberMember = memberForm.write;
export const recallMember = memberForm.read;
