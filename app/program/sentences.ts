import type { QuizResult, Redemption, Reward, View } from './answers.ts';
import type { Answer, Failure } from './ask.ts';
import type { NotUsed, Used } from './cart.ts';
import { isUncertain } from './program.ts';
import { fill, type Words } from './words.ts';

/** What the button of a reward says. */
export function redeemLabel({ kind, points }: Reward, { strings, points: say }: Words): string {
  const { redeem, redeemCashback, redeemCredit } = strings.rewards;
  if (kind === 'store-credit') return redeemCredit;
  return kind === 'cashback' ? redeemCashback : fill(redeem, { points: say(points) });
}

/** Why a reward cannot be redeemed, and in the program's words what its code will ask for; empty for neither. */
export function conditionsOf(reward: Reward, words: Words): string {
  const reason = reward.redeemable ? '' : reasonOf(reward, words);
  return [reason, reward.requirements].filter(Boolean).join(' ');
}

function reasonOf({ why, missingPoints, tiers }: Reward, words: Words): string {
  const { missing, forTiers } = words.strings.rewards;
  if (why === 'too-few-points' && missingPoints !== null) {
    return fill(missing, { points: words.points(missingPoints) });
  }
  return why === 'other-tier' && tiers.length > 0
    ? fill(forTiers, { tiers: words.oneOf(tiers) })
    : words.why(why ?? 'not-available');
}

/** `Only 40 points to go: 5 off`, of the reward that needs the fewest; undefined where none needs just points. */
export function sayNearest({ rewards }: View, words: Words): string | undefined {
  const [nearest] = (rewards ?? [])
    .flatMap(({ why, missingPoints, title }) =>
      why === 'too-few-points' && missingPoints ? [{ missingPoints, title }] : [],
    )
    .toSorted((one, other) => one.missingPoints - other.missingPoints);
  if (!nearest) return undefined;
  const { missingPoints, title } = nearest;
  return fill(words.strings.balance.toGo, { points: words.points(missingPoints), title });
}

/** What a redemption is now, and until when it can be used. */
export function sayState(redemption: Redemption, words: Words): string {
  const { state, code, validUntil } = redemption;
  const hasEnd =
    validUntil !== null && ((state === 'ready' && code !== null) || state === 'credited');
  const until = hasEnd && fill(words.strings.codes.validUntil, { date: words.date(validUntil) });
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

/** `hasCompleted`: the quiz counts as answered, by this request or by one whose answer was lost. */
export function sayAnswered(
  answer: Answer<QuizResult>,
  hasCompleted: boolean,
  words: Words,
): { readonly kind: 'accepted' | 'refused'; readonly sentence: string } {
  const { quizzes } = words.strings;
  const refused = (sentence: string) => ({ kind: 'refused', sentence }) as const;
  if (answer.kind === 'failed') {
    if (answer.code === 'not-available') return refused(quizzes.closed);
    return answer.code === 'refused'
      ? refused(fill(quizzes.notAccepted, { message: '' }))
      : refused(words.failure(answer));
  }
  const { accepted, points, message } = answer.value;
  if (accepted) {
    return { kind: 'accepted', sentence: fill(quizzes.accepted, { points: words.points(points) }) };
  }
  return hasCompleted
    ? { kind: 'accepted', sentence: quizzes.completed }
    : refused(fill(quizzes.notAccepted, { message }));
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
