import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import { type Amount, multiply, readAmount, sum, toJsonNumber } from '../../store/money.ts';
import type { CannotUse, CashbackRange, Referral } from '../../store/storefront-answers.gen.ts';
import {
  type AskingDeps,
  askLoyalty,
  createTimedCache,
  type Unavailable,
} from '../calls/call-loyalty.ts';

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
  readonly programIdOf: ProgramIdOf;
}

/** What the service offers this customer for this cart, and under which id it knows the customer. */
export async function readAvailable(
  customerId: string,
  cart: readonly CartLine[],
  deps: AvailableDeps,
): Promise<
  | {
      readonly kind: 'answered';
      readonly programId: string;
      readonly referral: Referral | null | undefined;
      readonly value: AvailableRewards;
    }
  | { readonly kind: 'not-a-member' }
  | Unavailable
> {
  const found = await deps.programIdOf(customerId);
  if (found.kind !== 'id') return found;
  const known = { programId: found.id, referral: found.referral };
  const purchase = { CustomerId: found.id, ...purchaseOf(cart) };
  const asked = await askLoyalty('listAvailableRewards', [purchase], deps);
  if (asked.kind === 'unavailable') return asked;
  if (asked.kind === 'refused') {
    const why = asked.name ?? 'unnamed-error';
    deps.telemetry.log('warn', 'the loyalty service listed no rewards of a customer', { why });
    return { kind: 'answered', ...known, value: { Rewards: [] } };
  }
  const value = { ...asked.value, Rewards: asked.value.Rewards ?? [] };
  return { kind: 'answered', ...known, value };
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
  return { least: reward.CanSelectValue === false ? whole : 0.01, most: whole };
}

type ProgramId =
  /** Personal data: for requests to the service, never for a log. */
  | {
      readonly kind: 'id';
      readonly id: string;
      /** Undefined: the customer was not read for the id. */
      readonly referral?: Referral | null;
    }
  /** The service does not know the customer, or has neither e-mail nor document of them. */
  | { readonly kind: 'not-a-member' }
  | Unavailable;

/** The `CustomerId` of a customer of the store in the service's reward operations. */
export type ProgramIdOf = (customerId: string) => Promise<ProgramId>;

interface ProgramIdDeps extends AskingDeps {
  readonly loyalty: Pick<LoyaltyClient, 'getCustomer'>;
  /** How the service's reward operations name a customer. */
  readonly posCustomerId: 'email-or-document' | 'store-id';
}

/** A list of rewards and a click on one of them need one request. */
const LIMITS = { seconds: 60, most: 2_000 };

export function createProgramIds(deps: ProgramIdDeps): ProgramIdOf {
  const known = createTimedCache<ProgramId>({ ...LIMITS, now: deps.now });
  return async (customerId) => {
    if (deps.posCustomerId === 'store-id') return { kind: 'id', id: customerId };
    const recalled = known.recall(customerId);
    if (recalled !== undefined) return recalled;
    const read = await readId(customerId, deps);
    if (read.kind === 'id') known.keep(customerId, read);
    return read;
  };
}

async function readId(customerId: string, deps: ProgramIdDeps): Promise<ProgramId> {
  const asked = await askLoyalty('getCustomer', [customerId], deps);
  if (asked.kind === 'unavailable') return asked;
  if (asked.kind === 'refused') return { kind: 'not-a-member' };
  const { OriginalId, Email, Document } = asked.value;
  // The path also takes e-mail addresses: another customer's points must not be spent.
  const isAnother = OriginalId !== undefined && OriginalId !== customerId;
  // Documented: of a document, only the digits.
  const id = Email?.trim() || Document?.replace(/\D/g, '');
  if (isAnother || !id) return { kind: 'not-a-member' };
  return { kind: 'id', id, referral: referralOf(asked.value) };
}

/** For a view whose `programIdOf` read no customer. Undefined when the service did not answer. */
export async function readReferral(
  customerId: string,
  deps: Omit<ProgramIdDeps, 'posCustomerId'>,
): Promise<Referral | null | undefined> {
  const asked = await askLoyalty('getCustomer', [customerId], deps);
  if (asked.kind === 'unavailable') return undefined;
  const isOwn = asked.kind === 'answered' && (asked.value.OriginalId ?? customerId) === customerId;
  return isOwn ? referralOf(asked.value) : null;
}

/** Pages make links of them, so they are addresses of the web or nothing. */
function referralOf(customer: Schemas['CustomerResult']): Referral | null {
  const [url, whatsappUrl] = [customer.ReferralURL, customer.WhatsappReferralUrl].map((text) =>
    text && /^https?:\/\//i.test(text) ? text : null,
  );
  return url ? { url, whatsappUrl: whatsappUrl ?? null } : null;
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
