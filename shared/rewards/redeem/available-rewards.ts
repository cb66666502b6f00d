import { type AskingDeps, askLoyalty, type Unavailable } from '../../core/calls/call-loyalty.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import { type Amount, multiply, readAmount, sum, toJsonNumber } from '../../store/money.ts';
import type { CannotUse, CashbackRange, Referral } from '../../store/storefront-answers.gen.ts';
import type { Members } from './own-member.ts';

type Schemas = components['schemas'];
export type AvailableReward = Schemas['AvailableReward'];
export type AvailableRewards = Omit<Schemas['AvailableRewards'], 'Rewards'> & {
  readonly Rewards: readonly AvailableReward[];
};

/** `CannotUseReason`. Of 9 to 12 only this is known: they are about the product of the reward. */
const REASONS: Readonly<Record<number, CannotUse>> = {
  1: 'too-few-points',
  2: 'below-minimum',
  3: 'no-cashback',
  4: 'not-a-member',
  5: 'exceeds-purchase',
  6: 'below-minimum-percent',
  7: 'not-enrolled',
  8: 'not-cumulative',
  9: 'product-conditions',
  10: 'product-conditions',
  11: 'product-conditions',
  12: 'product-conditions',
};

/** Undefined when the customer can have it. Only the service decides. */
export function cannotUse({ CanUse, CannotUseReason }: AvailableReward): CannotUse | undefined {
  return CanUse === true ? undefined : (REASONS[CannotUseReason ?? 0] ?? 'not-available');
}

export interface AvailableDeps extends AskingDeps {
  readonly loyalty: Pick<LoyaltyClient, 'listAvailableRewards'>;
  readonly members: Members;
}

type Available =
  | {
      readonly kind: 'answered';
      /** The id under which the service knows the customer. */
      readonly programId: string;
      readonly referral: Referral | null;
      readonly value: AvailableRewards;
    }
  | { readonly kind: 'not-a-member' }
  /** `isRead`: the customer has an own record, and only the rewards are another member's. */
  | { readonly kind: 'another-member'; readonly isRead: boolean }
  | Unavailable;

export async function readAvailable(
  customerId: string,
  cart: readonly CartLine[],
  deps: AvailableDeps,
): Promise<Available> {
  const found = await deps.members.find(customerId);
  if (found.kind === 'another-member') return { ...found, isRead: false };
  if (found.kind !== 'member') return found;
  const { programId, referral } = found;
  if (programId === undefined) return { kind: 'not-a-member' };
  const purchase = { CustomerId: programId, ...purchaseOf(cart) };
  const asked = await askLoyalty('listAvailableRewards', [purchase], deps);
  if (asked.kind === 'unavailable') return asked;
  if (asked.kind === 'refused') {
    const why = asked.name ?? 'unnamed-error';
    deps.telemetry.log('warn', 'the loyalty service listed no rewards of a customer', { why });
  }
  const listed: Partial<Schemas['AvailableRewards']> = asked.kind === 'answered' ? asked.value : {};
  const proof = await deps.members.prove(customerId, programId, listed.Customer);
  if (proof.kind === 'another-member') return { ...proof, isRead: true };
  if (proof.kind === 'unavailable') return proof;
  const value = { ...listed, Rewards: listed.Rewards ?? [] };
  return { kind: 'answered', programId, referral, value };
}

/**
 * The cart is what a browser says. A false one gains nothing: the code that is made of the reward has its
 * conditions in the store.
 */
function purchaseOf(cart: readonly CartLine[]) {
  return {
    PurchaseValue: toJsonNumber(totalOf(cart)),
    DiscountValue: 0,
    Products: cart
      .filter(({ id }) => id !== ANY_PRODUCT)
      .map(({ id, price, quantity }) => ({
        OriginalId: id,
        Quantity: quantity,
        ProductPrice: toJsonNumber(price),
      })),
  };
}

export const totalOf = (cart: readonly CartLine[]) =>
  sum(cart.map(({ price, quantity }) => multiply(price, quantity)));

/** What the customer may choose; undefined where there is nothing to choose from. */
export function cashbackRange(
  reward: AvailableReward,
  offered: AvailableRewards,
): CashbackRange | undefined {
  const most = Math.min(
    reward.AvailableCashback ?? offered.AvailableCashback ?? 0,
    reward.MaxCashbackForCurrentPurchase ?? offered.MaxCashbackForCurrentPurchase ?? 0,
  );
  // Down to hundredths: a code must not give more than is there.
  const whole = Math.floor(Math.round(most * 1e4) / 100) / 100;
  if (!(whole > 0)) return undefined;
  const least = reward.CanSelectValue === false ? whole : 0.01;
  return { least, most: whole, validUntil: null };
}

/** One line of a cart, or the product of a page. */
export interface CartLine {
  /** The product's id in the store. */
  readonly id: string;
  /** What is to be paid for one. */
  readonly price: Amount;
  readonly quantity: number;
}

/** The id of a line that stands for a purchase of that amount, of any products: for pages without a cart. */
const ANY_PRODUCT = '0';

export const isAnyPurchase = (cart: readonly CartLine[]): boolean =>
  cart.some(({ id }) => id === ANY_PRODUCT);

export const MOST_LINES = 50;

/** `<product id>:<price>:<quantity>`, such as `8012300032771:64.90:2`. */
const LINE = /^(\d{1,19}):(\d{1,9}(?:\.\d{1,4})?):([1-9]\d{0,3})$/;

/** Undefined for what cannot be read, or is too long. */
export function readCart(text: string): readonly CartLine[] | undefined {
  const texts = text.split(',');
  if (texts.length > MOST_LINES) return undefined;
  const lines = texts.flatMap((line) => {
    const [, id = '', priceText, quantity] = LINE.exec(line) ?? [];
    const price = readAmount(priceText);
    return price === undefined ? [] : [{ id, price, quantity: Number(quantity) }];
  });
  return lines.length === texts.length ? lines : undefined;
}

/** An absent or empty text is an empty cart. */
export function readCartOrNone(text: string | undefined): readonly CartLine[] | undefined {
  return text === undefined || text === '' ? [] : readCart(text);
}
