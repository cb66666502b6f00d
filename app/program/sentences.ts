import type { QuizResult, Redemption, Reward } from './answers.ts';
import type { Answer, Failure } from './ask.ts';
import { isUncertain } from './program.ts';
import { fill, type Words } from './words.ts';

/** What the button of a reward says. */
export function redeemLabel({ kind, points }: Reward, { strings, points: say }: Words): string {
  const { redeem, redeemCashback } = strings.rewards;
  return kind === 'cashback' || kind === 'store-credit'
    ? redeemCashback
    : fill(redeem, { points: say(points) });
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

export function sayRedeemed({ code, state }: Redemption, words: Words): string {
  return state === 'ready' && code !== null
    ? fill(words.strings.rewards.done, { code })
    : words.state(state);
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

const SHOP_CURRENCY = 'query { shop { paymentSettings { currencyCode } } }';

interface ShopAnswer {
  readonly shop: { readonly paymentSettings: { readonly currencyCode: string } };
}

/** Shopify's access of an extension to the Storefront API: the capability `api_access`. */
interface StorefrontQuery {
  query<T>(text: string): Promise<{ readonly data?: T }>;
}

/**
 * The store's own currency, which is the program's: an order's page has that of its customer, other pages of an account
 * have none. Undefined where the store does not say it; amounts then have no currency.
 */
export async function readShopCurrency(shopify: StorefrontQuery): Promise<string | undefined> {
  try {
    const { data } = await shopify.query<ShopAnswer>(SHOP_CURRENCY);
    return data?.shop.paymentSettings.currencyCode;
  } catch {
    return undefined;
  }
}
