import type { LoyaltyClient } from '../../loyalty/client.ts';
import {
  type Amount,
  minorDigits,
  multiply,
  share,
  sum,
  toJsonNumber,
  ZERO,
} from '../../store/money.ts';
import type { EarnedPoints } from '../../store/storefront-answers.gen.ts';
import {
  type AskingDeps,
  askLoyalty,
  type TimedCache,
  type Unavailable,
} from '../calls/ask-loyalty.ts';
import type { CartLine } from '../redeem/available-rewards.ts';
import type { RateLimit } from './cached-uses.ts';

export interface EarningDeps extends AskingDeps {
  /** In percent: the part of prices that earns nothing. */
  readonly taxInPrices: number;
  readonly loyalty: Pick<LoyaltyClient, 'calculateProductPoints'>;
  /** By product, price and currency. */
  readonly earned: TimedCache<Earning>;
  /** Anyone may ask, with any price: so many calls are made, whoever asks. */
  readonly askLimit: RateLimit;
}

/** Of one product. */
export type Earning = Pick<EarnedPoints, 'points' | 'cashback'>;

type Counted =
  | { readonly kind: 'answered'; readonly value: EarnedPoints }
  /** The service takes no such price or product. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'too-many'; readonly afterSeconds: number }
  | Unavailable;

const NO_POINTS_FOR_PRODUCTS = 'PublicApiProductService_ObjectiveDisabled';
const NOTHING: Earning = { points: 0, cashback: 0 };

/** What the products of a page or a cart would earn: the same for every customer. */
export async function earnPoints(
  lines: readonly CartLine[],
  currency: string,
  deps: EarningDeps,
): Promise<Counted> {
  const net = (price: Amount) => share(price, 100, 100 + deps.taxInPrices, minorDigits(currency));
  const products = byProduct(lines).map(({ id, price: gross }) => {
    const price = net(gross);
    const key = JSON.stringify([currency, id, price]);
    // A gift earns nothing, and the service takes no price of zero.
    return { id, price, key, known: price === ZERO ? NOTHING : deps.earned.recall(key) };
  });
  const unknown = products.filter(({ known }) => !known);
  const asked = await askFor(unknown, currency, deps);
  if (asked.kind !== 'answered') return asked;
  const byId = new Map(asked.value.map((result) => [result.Id, result]));
  const items = products.map(({ id, key, known }) => {
    if (known) return { id, ...known };
    const { Points, Cashback } = byId.get(id) ?? {};
    const earning = { points: Points ?? 0, cashback: Cashback ?? 0 };
    deps.earned.keep(key, earning);
    return { id, ...earning };
  });
  const value = {
    points: inHundredths(items.map(({ points }) => points)),
    cashback: inHundredths(items.map(({ cashback }) => cashback)),
    items,
  };
  return { kind: 'answered', value };
}

async function askFor(
  products: readonly { readonly id: string; readonly price: Amount }[],
  currency: string,
  deps: EarningDeps,
) {
  if (products.length === 0) return { kind: 'answered', value: [] } as const;
  const limited = deps.askLimit('', deps.now());
  if (limited) return { kind: 'too-many', ...limited } as const;
  const priced = products.map(({ id, price }) => ({
    ...{ Id: id, Price: toJsonNumber(price), PriceCurrency: currency },
  }));
  const asked = await askLoyalty('calculateProductPoints', [priced], deps);
  if (asked.kind === 'unavailable' && asked.isOutOfTokens) {
    return { kind: 'too-many', afterSeconds: asked.afterSeconds } as const;
  }
  if (asked.kind !== 'refused') return asked;
  if (asked.name === NO_POINTS_FOR_PRODUCTS) return { kind: 'answered', value: [] } as const;
  deps.telemetry.log('warn', 'the loyalty service refused to count the points of products', {
    why: asked.name ?? 'unnamed-error',
  });
  return { kind: 'refused' } as const;
}

/** Added up exactly: 0.1 and 0.2 are 0.3. */
function inHundredths(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + Math.round(one * 100), 0) / 100;
}

/** As orders are sent: the lines of one product are summed. */
function byProduct(lines: readonly CartLine[]) {
  const prices = new Map<string, Amount>();
  for (const { id, price, quantity } of lines) {
    prices.set(id, sum([prices.get(id) ?? ZERO, multiply(price, quantity)]));
  }
  return [...prices].map(([id, price]) => ({ id, price }));
}
