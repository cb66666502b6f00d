import { askLoyalty } from '../../core/calls/call-loyalty.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import { decimalOf, minorDigits, readAmount, toJsonNumber } from '../../store/money.ts';
import type { CannotUse } from '../../store/storefront-answers.gen.ts';
import {
  type AvailableDeps,
  type AvailableReward,
  type AvailableRewards,
  type CartLine,
  cannotUse,
  cashbackRange,
  isAnyPurchase,
  readAvailable,
  totalOf,
} from './available-rewards.ts';
import type { RewardTerms } from './redemption.ts';
import type { RewardStore } from './reward-store.ts';

export interface OfferRequest {
  readonly shop: string;
  readonly customerId: string;
  readonly rewardId: number;
  /** The cashback that the customer chose. */
  readonly value?: number;
  readonly cart: readonly CartLine[];
}

export type OfferRefusal =
  | CannotUse
  /** The service does not list it for this customer, not even as one that cannot be used. */
  | 'unknown-reward'
  /** A discount of the store cannot express the reward. */
  | 'not-online'
  /** Not an amount that the service allows. */
  | 'value-not-allowed'
  /** Another amount of this cashback is being redeemed. */
  | 'pending';

type Offer =
  | {
      readonly kind: 'on-offer';
      readonly terms: RewardTerms;
      /** Of store credit. */
      readonly currency?: string;
      /** The customer's id in the request that redeems. */
      readonly programId: string;
      /** At a till the customer must first answer a challenge. */
      readonly needsChallenge: boolean;
    }
  | { readonly kind: 'refused'; readonly why: OfferRefusal }
  | { readonly kind: 'unavailable' };

interface OfferDeps extends AvailableDeps {
  readonly loyalty: Pick<LoyaltyClient, 'listAvailableRewards' | 'getRewardConfiguration'>;
  readonly store: Pick<RewardStore, 'readPrices' | 'readCreditShop'>;
  readonly rewardTypes: RewardTypes;
}

/**
 * Before anything is spent: what the service offers, and whether the store can give it.
 * See docs/decisions/0024-the-service-decides-and-one-read-shows-it.md.
 */
export async function findOffer(request: OfferRequest, deps: OfferDeps): Promise<Offer> {
  const { rewardId } = request;
  const [offered, alone] = await Promise.all([
    readAvailable(request.customerId, request.cart, deps),
    allowedAlone(request, deps),
  ]);
  if (offered.kind === 'unavailable' || alone === 'unavailable') return UNAVAILABLE;
  if (offered.kind !== 'answered') return refused(offered.kind);
  const reward = offered.value.Rewards.find(({ Id }) => Id === rewardId);
  if (!reward) return refused('unknown-reward');
  const why = cannotUse(reward);
  if (why) return refused(why);
  // Not sooner: with numbers that the service does not know, a shopper could make it fail, and the circuit
  // breaker would stop the calls of every other shopper.
  const configured = await askLoyalty('getRewardConfiguration', [rewardId], deps);
  if (configured.kind === 'unavailable') return UNAVAILABLE;
  if (configured.kind === 'refused') return refused('not-available');
  const discount = await findDiscount(reward, offered.value, request, alone, deps);
  if (discount.kind === 'refused' || discount.kind === 'unavailable') return discount;
  const terms = readTerms(reward, configured.value, discount);
  if (!terms) return refused('not-online');
  if (terms.points > (offered.value.AvailablePoints ?? terms.points)) {
    return refused('too-few-points');
  }
  const needsChallenge = offered.value.ShouldValidateCustomer === true;
  const offer = { kind: 'on-offer', terms, programId: offered.programId, needsChallenge } as const;
  if (terms.kind !== 'store-credit') return offer;
  const shop = await deps.store.readCreditShop(request.shop);
  if (shop.kind === 'unavailable') return UNAVAILABLE;
  const { currency, isEnabled } = shop;
  if (!isEnabled) return refused('not-available');
  // Rounded, the credit would be another amount than was taken from the service.
  const isExact = decimalOf(terms.value).digits <= minorDigits(currency);
  return isExact ? { ...offer, currency } : refused('value-not-allowed');
}

const UNAVAILABLE = { kind: 'unavailable' } as const;

const refused = (why: OfferRefusal) => ({ kind: 'refused', why }) as const;

type Found = Discount | Exclude<Offer, { kind: 'on-offer' }>;

async function findDiscount(
  reward: AvailableReward,
  offered: AvailableRewards,
  request: OfferRequest,
  alone: number | undefined,
  deps: OfferDeps,
): Promise<Found> {
  const meaning = meaningOf(reward.RewardType, deps.rewardTypes);
  if (meaning === 'cashback' || meaning === 'store-credit') {
    return cashbackDiscount(reward, offered, request, alone, meaning);
  }
  if (request.value !== undefined) return refused('value-not-allowed');
  switch (meaning) {
    case 'percent':
      return { kind: 'percent', value: reward.Value ?? 0 };
    case 'fixed': {
      const value = reward.Value ?? 0;
      // Only for a real purchase can the service say that a reward exceeds it. A code for any purchase needs one
      // that the reward does not exceed, or the customer would lose the rest of it.
      return { kind: 'fixed', value, ...(isAnyPurchase(request.cart) && { minimum: value }) };
    }
    case 'free-shipping':
      return { kind: 'free-shipping', value: 0 };
    case 'product':
      return priceProduct(productDiscount(reward), request.shop, deps);
    case 'custom':
      return refused('not-online');
  }
}

/**
 * For the cart, what the customer has may be the limit: of that, a code would need an order as large as the
 * cart. For a purchase of just the chosen amount only the program's rule is.
 */
async function allowedAlone(
  { customerId, rewardId, value, cart }: OfferRequest,
  deps: OfferDeps,
): Promise<number | 'unavailable' | undefined> {
  const price = readAmount(value);
  const [line] = cart;
  if (price === undefined || !line) return undefined;
  const asked = await readAvailable(customerId, [{ ...line, price, quantity: 1 }], deps);
  if (asked.kind === 'unavailable') return asked.kind;
  if (asked.kind !== 'answered') return undefined;
  const reward = asked.value.Rewards.find(({ Id }) => Id === rewardId);
  return reward && cashbackRange(reward, asked.value)?.most;
}

/**
 * The service allows an amount for this cart, often as a part of it. The code needs an order of which the
 * amount is no larger part. `alone`: what it allows for a purchase of just that amount, if anything.
 */
function cashbackDiscount(
  reward: AvailableReward,
  offered: AvailableRewards,
  { value, cart }: OfferRequest,
  alone: number | undefined,
  meaning: 'cashback' | 'store-credit',
): Found {
  const range = cashbackRange(reward, offered);
  if (!range) return refused('no-cashback');
  const { least, most } = range;
  const isAllowed =
    value !== undefined &&
    value >= least &&
    value <= most &&
    Math.round(value * 100) / 100 === value;
  if (!isAllowed) return refused('value-not-allowed');
  if (meaning === 'store-credit') {
    // It pays for any order, all of it: the program must not limit what cashback pays of a purchase.
    const isLimited = alone === undefined || alone < value;
    return isLimited ? refused('not-online') : { kind: meaning, value, cashback: true };
  }
  // The amount of such a cart means nothing: a code from it would need an order that does not exist.
  if (alone === undefined && isAnyPurchase(cart)) return refused('below-minimum');
  const orderPerUnit = alone === undefined ? toJsonNumber(totalOf(cart)) / most : value / alone;
  const part = Math.ceil(Math.round(value * orderPerUnit * 1e4) / 100) / 100;
  return { kind: 'fixed', value, minimum: Math.max(part, value), cashback: true };
}

/**
 * As an amount, because a percentage of a product would apply to every unit in the order, and the reward
 * is for one. A part of the price is known only where all variants have the same.
 */
async function priceProduct(
  wanted: ProductDiscount | undefined,
  shop: string,
  { store }: OfferDeps,
): Promise<Found> {
  if (!wanted) return refused('not-online');
  const { kind, value, product } = wanted;
  const read = await store.readPrices(shop, product.id);
  if (read.kind === 'unavailable') return UNAVAILABLE;
  if (read.kind === 'absent') return refused('not-online');
  const { lowest, highest } = read;
  if (kind === 'fixed') return { kind: 'fixed', value: Math.min(value, lowest), product };
  if (lowest !== highest) return refused('not-online');
  return { kind: 'fixed', value: Math.round(lowest * value) / 100, product };
}

type RewardConfiguration = components['schemas']['RewardConfiguration'];

/** What a reward's `RewardType` can mean. `custom`: shown, and redeemed elsewhere. */
type RewardMeaning =
  | 'percent'
  | 'fixed'
  | 'free-shipping'
  | 'cashback'
  /** Cashback, where the settings say so. */
  | 'store-credit'
  | 'product'
  | 'custom';

export type RewardTypes = Readonly<Record<number, RewardMeaning>>;

/** A number that the settings do not know is shown, and cannot be redeemed. */
export function meaningOf(type: number | undefined, rewardTypes: RewardTypes): RewardMeaning {
  return rewardTypes[type ?? -1] ?? 'custom';
}

/** What the code of a reward takes off in the store. */
export type Discount = Pick<RewardTerms, 'kind' | 'value' | 'minimum' | 'product' | 'cashback'>;

const LONGEST_TITLE = 120;
const LONGEST_PREFIX = 20;
/** Ten years: a longer time counts as no end. */
const MOST_DAYS = 3650;

/**
 * What the customer is offered, or undefined when it cannot become a discount of the store: no customer
 * must pay points for a code that can never be made.
 */
export function readTerms(
  reward: AvailableReward,
  configuration: RewardConfiguration,
  discount: Discount,
): RewardTerms | undefined {
  const { Points, RewardCanBeCumulative } = reward;
  const { MinimalValue, CumulativeDiscount } = configuration;
  const validDays = validDaysOf(configuration);
  const points = discount.cashback ? 0 : Points;
  if (points === undefined || !(points >= 0)) return undefined;
  if (!canBeDiscount(discount) || hasOtherLimits(configuration)) return undefined;
  const minimum = Math.max(discount.minimum ?? 0, MinimalValue ?? 0);
  // The store counts the minimum of a product's discount over that product alone.
  if (discount.product && minimum > 0) return undefined;
  if (discount.kind === 'store-credit' && limitsCredit(configuration)) return undefined;
  return {
    ...discount,
    title: reward.Title?.trim().slice(0, LONGEST_TITLE) || `Reward ${reward.Id}`,
    points,
    ...(minimum > 0 && { minimum }),
    combines: (RewardCanBeCumulative ?? CumulativeDiscount) === true,
    ...(validDays !== undefined && { validDays }),
    codePrefix: prefixOf(configuration),
    limited:
      configuration.HasSameCustomerUsageLimit === true ||
      configuration.HasGlobalUsageLimit === true,
  };
}

function canBeDiscount({ kind, value }: Discount): boolean {
  switch (kind) {
    case 'fixed':
    case 'store-credit':
      return value > 0 && Number.isFinite(value);
    case 'percent':
      return value > 0 && value <= 100;
    case 'free-shipping':
      return true;
  }
}

/** A condition that the store's discount cannot have: the code would give more than the reward. */
function hasOtherLimits(configuration: RewardConfiguration): boolean {
  return (
    configuration.HasProductCollection === true ||
    (configuration.ValidOnlyProductCollections ?? []).length > 0 ||
    isAbove0(configuration.MinimumPercentPurchase) ||
    configuration.IsCashbackInformativeOnly === true
  );
}

/** Store credit has no conditions in the store. */
export function limitsCredit(configuration: RewardConfiguration): boolean {
  const { MinimalValue, CashbackMaxPurchaseValue } = configuration;
  const isLimited = isAbove0(MinimalValue) || isAbove0(CashbackMaxPurchaseValue);
  return isLimited || hasOtherLimits(configuration);
}

/** Undefined for no end. */
export const validDaysOf = ({ ValidDays }: RewardConfiguration): number | undefined =>
  isAbove0(ValidDays) && ValidDays <= MOST_DAYS ? ValidDays : undefined;

function prefixOf({ CodePrefix }: RewardConfiguration): string {
  const plain = (CodePrefix ?? '').toUpperCase().replace(/[^A-Z0-9]+/g, '-');
  return plain.slice(0, LONGEST_PREFIX).replace(/^-|-$/g, '') || 'REWARD';
}

const isAbove0 = (value: number | undefined): value is number => value !== undefined && value > 0;

/** What a reward takes off one unit of one product. */
interface ProductDiscount {
  readonly product: { readonly id: string; readonly name: string };
  /** A free product is one with 100 percent off. */
  readonly kind: 'percent' | 'fixed';
  readonly value: number;
}

/** `ProductDiscountMode`. 1, a fixed final price, is none of them: no discount of a store sets a price. */
const PERCENT = 0;
const FREE = 2;
const AMOUNT_OFF = 3;

/** Undefined for what a discount of the store cannot express. */
export function productDiscount(reward: AvailableReward): ProductDiscount | undefined {
  const { ExternalProductId: id = null, ProductDiscountMode: mode } = reward;
  if (id === null || !/^\d{1,19}$/.test(id)) return undefined;
  const product = { id, name: reward.ProductDisplayName?.trim() || reward.Title?.trim() || '' };
  const value = reward.ProductDiscountValue ?? 0;
  switch (mode) {
    case PERCENT:
      return value > 0 && value <= 100 ? { product, kind: 'percent', value } : undefined;
    case FREE:
      return { product, kind: 'percent', value: 100 };
    case AMOUNT_OFF:
      return value > 0 ? { product, kind: 'fixed', value } : undefined;
    default:
      return undefined;
  }
}
