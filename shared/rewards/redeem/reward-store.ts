import type { ShopStore } from '../../core/platform/platform.ts';
import type { StoreUnavailable } from '../../core/store/store.ts';
import type { Amount } from '../../store/money.ts';
import type { AnnouncingStore } from '../balances/announce.ts';
import type { CustomerSearch } from '../balances/find-customer.ts';
import type { BalanceStore } from '../balances/point-balance.ts';
import type { RewardCode } from './redemption.ts';

/** A discount code for one customer, to be used once. */
export interface WantedCode extends RewardCode {
  /** The customer's id in the store: no other customer can use it. */
  readonly customerId: string;
  /** What the merchant sees among the discounts. */
  readonly title: string;
  readonly minimum?: number;
  readonly combines: boolean;
  /** The only product that it is for. */
  readonly productId?: string;
}

export type CodeMade =
  | { readonly kind: 'made'; readonly discountId: string }
  /** Another discount of the store has this code. */
  | { readonly kind: 'taken' }
  /** The store refuses this discount. `code` is the store's name of the reason. */
  | { readonly kind: 'refused'; readonly code: string }
  | StoreUnavailable;

export type CodeFound =
  | { readonly kind: 'found'; readonly discountId: string }
  /** The store has no such code, or another discount has it. */
  | { readonly kind: 'absent' }
  | StoreUnavailable;

export type CodeUses =
  /** Of those that the store still has: how often each was used. */
  { readonly kind: 'read'; readonly uses: ReadonlyMap<string, number> } | StoreUnavailable;

export type OrderCodes =
  /** In the orders' own spelling: the store does not distinguish upper and lower case. */
  { readonly kind: 'read'; readonly codes: readonly string[] } | StoreUnavailable;

/** An amount for the store credit account of one customer. */
export interface WantedCredit {
  readonly customerId: string;
  readonly amount: number;
  readonly currency: string;
  /** ISO 8601, to the second. */
  readonly expiresAt: string;
}

export type CreditMade =
  /** `expiresAt`: what the store keeps; null for no end. */
  | {
      readonly kind: 'credited';
      readonly transactionId: string;
      readonly expiresAt: string | null;
    }
  /** The store refuses it, and has changed nothing. `code` is its name of the reason. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Without `notSent` it may have credited, or may still do so. */
  | (StoreUnavailable & { readonly notSent?: boolean });

/** A credit transaction that no order has caused. */
export interface StoreCredit {
  readonly id: string;
  readonly amount: Amount;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; null for no end. */
  readonly expiresAt: string | null;
}

export type CreditsRead =
  | { readonly kind: 'read'; readonly credits: readonly StoreCredit[] }
  | StoreUnavailable;

export type CreditShopRead =
  /** `isEnabled`: the checkout takes store credit. */
  | { readonly kind: 'read'; readonly currency: string; readonly isEnabled: boolean }
  | StoreUnavailable;

export type PricesRead =
  | ({ readonly kind: 'read' } & ProductPrices)
  /** The store does not sell this product. */
  | { readonly kind: 'absent' }
  | StoreUnavailable;

/** Where redeemed rewards become discount codes or store credit. */
export interface RewardStore {
  /** Safe to repeat: the same code of the same customer is made once, and found afterwards. */
  makeCode(shop: string, wanted: WantedCode): Promise<CodeMade>;
  /** Finds what `makeCode` of the same code made. */
  findCode(shop: string, wanted: WantedCode): Promise<CodeFound>;
  /** By the id that `findCode` gave. */
  deleteCode(
    shop: string,
    discountId: string,
  ): Promise<{ readonly kind: 'deleted' } | StoreUnavailable>;
  /** By the ids that `makeCode` returned, at most 50. */
  readUses(shop: string, discountIds: readonly string[]): Promise<CodeUses>;
  /**
   * All codes that the customer's orders since then name, cancelled orders included: the store counts a code as used
   * although its order was cancelled.
   */
  readOrderCodes(shop: string, customerId: string, since: Date): Promise<OrderCodes>;
  /** In the shop's currency. */
  readPrices(shop: string, productId: string): Promise<PricesRead>;
  readCreditShop(shop: string): Promise<CreditShopRead>;
  /** Never safe to repeat. */
  credit(shop: string, wanted: WantedCredit): Promise<CreditMade>;
  /** In the currency, since that moment. None for a customer whom the store does not have. */
  readCredits(
    shop: string,
    account: { readonly customerId: string; readonly currency: string; readonly since: Date },
  ): Promise<CreditsRead>;
}

/** Of all variants of a product. */
export interface ProductPrices {
  readonly lowest: number;
  readonly highest: number;
}

/** All that shoppers need of a store. The settings refuse a storefront where the platform of a shop lacks this. */
export interface ShopperStore extends ShopStore, RewardStore, CustomerSearch, AnnouncingStore {
  /** Writes customers' balances as fields of this namespace. */
  balancesIn(namespace: string): BalanceStore;
  until(signal: AbortSignal): ShopperStore;
}
