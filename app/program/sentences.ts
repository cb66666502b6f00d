import type { HistoryEntry, Redemption, Reward, View } from './answers.ts';
import type { Failure } from './ask.ts';
import type { NotUsed, Used } from './cart.ts';
import { isUncertain } from './program.ts';
import { fill, type Words } from './words.ts';

/** Others are redeemed elsewhere, or there is no amount of cashback to choose. */
export const canRedeem = ({ kind, cashback }: Reward): boolean =>
  !!cashback || !['other', 'cashback', 'store-credit'].includes(kind);

/** Of an amount, its part of the customer's balance, which is the same in points and in cashback. */
type Balance = Pick<View, 'points' | 'cashback'> | undefined;

/** What the button of a reward says: its price, of cashback that of the chosen amount. */
export function redeemLabel(
  { kind, points, cashback }: Reward,
  balance: Balance,
  words: Words,
  value = cashback?.most,
): string {
  const { redeem, redeemCredit } = words.strings.rewards;
  const { points: all, cashback: worth } = balance ?? {};
  const price = value === undefined ? points : all && worth && (value * all) / worth;
  const said = price ? words.points(price) : words.money(value ?? 0);
  return fill(kind === 'store-credit' ? redeemCredit : redeem, { points: said });
}

/** Half: what a slip takes is then never more than what it leaves. Codes ask nothing, since they can be taken back. */
const MOST_UNASKED = 0.5;

/** Store credit cannot be turned back into points: more than a share of them is not spent by one press. */
export const asksFirst = ({ kind }: Reward, balance: Balance, value = 0): boolean =>
  kind === 'store-credit' && value > (balance?.cashback ?? 0) * MOST_UNASKED;

/**
 * Why a reward cannot be redeemed, when its store credit ends, and in the program's words what its code will ask for;
 * empty for none of them.
 */
export function conditionsOf(reward: Reward, words: Words): string {
  // The page says once that a visitor has to log in.
  const isKnown = reward.redeemable || reward.why === 'not-logged-in';
  const reason = isKnown ? '' : reasonOf(reward, words);
  const until = sayUntil(reward.cashback?.validUntil, words);
  return [reason, until, reward.requirements].filter(Boolean).join(' ');
}

const sayUntil = (end: string | null | undefined, words: Words): string =>
  end ? fill(words.strings.codes.validUntil, { date: words.date(end) }) : '';

function reasonOf({ kind, why, missingPoints, tiers }: Reward, words: Words): string {
  const { missing, forTiers } = words.strings.rewards;
  // No number of points changes that.
  if (kind === 'other') return words.why('not-online');
  if (why === 'too-few-points' && missingPoints !== null) {
    return fill(missing, { points: words.points(missingPoints) });
  }
  return why === 'other-tier' && tiers.length > 0
    ? fill(forTiers, { tiers: words.oneOf(tiers) })
    : words.why(why ?? 'not-available');
}

/** What can be had, or was pressed and so stays where it is; all where that is nothing. */
export function firstOf(
  rewards: readonly Reward[],
  wasPressed: (reward: Reward) => boolean,
): readonly Reward[] {
  const first = rewards.filter((reward) => reward.redeemable || wasPressed(reward));
  return first.length > 0 ? first : rewards;
}

/** `40 points to your next reward: 5 off`, of the reward that needs the fewest; undefined where none needs just points. */
export function sayNearest({ rewards }: View, words: Words): string | undefined {
  const [nearest] = (rewards ?? [])
    .filter((one) => one.kind !== 'other' && one.why === 'too-few-points' && one.missingPoints)
    .toSorted((one, other) => Number(one.missingPoints) - Number(other.missingPoints));
  return (
    nearest &&
    fill(words.strings.balance.toGo, {
      points: words.points(nearest.missingPoints ?? 0),
      title: nearest.title,
    })
  );
}

export function sayState(redemption: Redemption, words: Words): string {
  const { state, code, validUntil } = redemption;
  const hasEnd = (state === 'ready' && code !== null) || state === 'credited';
  const until = hasEnd && sayUntil(validUntil, words);
  return [stateOf(redemption, words), until].filter(Boolean).join(' ');
}

const stateOf = (redemption: Redemption, words: Words): string => {
  const { state, value } = redemption;
  return state === 'ready' && isRefused(redemption)
    ? words.why('take-back-refused')
    : fill(words.state(state), { amount: words.money(value) });
};

/** The program has not done what was asked for last: to redeem it, or to take it back. */
export const isRefused = ({ state, takeBackRefused }: Redemption): boolean =>
  state === (takeBackRefused ? 'ready' : 'refused');

/** `inCurrency`: the words of the same language for the currency of the cart. */
export function sayUsed(used: Used, words: Words, inCurrency: (currency: string) => Words): string {
  const { inCart, cameOff } = words.strings.codes;
  if (used.kind === 'not-used') {
    const own: Readonly<Partial<Record<NotUsed, string>>> = words.strings.cart;
    return own[used.why] ?? words.why(used.why);
  }
  const { off, currency } = used;
  return off > 0 ? fill(cameOff, { amount: inCurrency(currency).money(off) }) : inCart;
}

export function sayRedeemed(redemption: Redemption, words: Words): string {
  const { code, state } = redemption;
  return state === 'ready' && code !== null && !isRefused(redemption)
    ? fill(words.strings.rewards.done, { code })
    : stateOf(redemption, words);
}

export function sayNotRedeemed(failure: Failure, words: Words): string {
  const sentence = words.failure(failure);
  return isUncertain(failure) ? `${sentence} ${words.strings.rewards.safeToRetry}` : sentence;
}

/** `+49 points`, `−50 points`, or the cashback where no points moved; empty for a change of the tier. */
export function changeOf({ points, cashback, kind }: HistoryEntry, words: Words): string {
  if (kind === 'tier') return '';
  const value = points === 0 ? cashback : points;
  const said = points === 0 ? words.money(Math.abs(cashback)) : words.points(Math.abs(points));
  if (value === 0) return words.points(0);
  return `${value > 0 ? '+' : '−'}${said}`;
}

const SHOP = 'query { shop { primaryDomain { url } paymentSettings { currencyCode } } }';

interface ShopAnswer {
  readonly shop: {
    readonly primaryDomain: { readonly url: string };
    readonly paymentSettings: { readonly currencyCode: string };
  };
}

/** Shopify's access of an extension to the Storefront API: the capability `api_access`. */
interface StorefrontQuery {
  query<T>(text: string): Promise<{ readonly data?: T }>;
}

export interface Shop {
  /** The program's currency: an order's page has that of its customer, other pages of an account have none. */
  readonly currency: string | undefined;
  /** Of the online store, whose cart an account's page cannot reach: "Domain" (Storefront API, objects). */
  readonly address: string | undefined;
}

/** Without what the store does not say, amounts have no currency and codes no link. */
export async function readShop(shopify: StorefrontQuery): Promise<Shop> {
  try {
    const { data } = await shopify.query<ShopAnswer>(SHOP);
    return {
      currency: data?.shop.paymentSettings.currencyCode,
      address: data?.shop.primaryDomain.url,
    };
  } catch {
    return { currency: undefined, address: undefined };
  }
}

/** Applies the code in the browser that follows it, and shows the cart. Undefined where it cannot be used, or not so. */
export function useLink({ state, code }: Redemption, { address }: Shop): string | undefined {
  return state === 'ready' && code !== null && address !== undefined
    ? `${address.replace(/\/$/, '')}/discount/${encodeURIComponent(code)}?redirect=/cart`
    : undefined;
}
