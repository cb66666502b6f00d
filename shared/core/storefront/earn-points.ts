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
import type { EarnedPoints } from '../../store/storefront-answers.ts';
import {
  type AskingDeps,
  askLoyalty,
  type TimedCache,
  type Unavailable,
} from '../calls/ask-loyalty.ts';
import type { CartLine } from '../redeem/available-rewards.ts';

export interface EarningDeps extends AskingDeps {
  /** In percent: the part of prices that earns nothing. */
  readonly taxInPrices: number;
  readonly loyalty: Pick<LoyaltyClient, 'calculateProductPoints'>;
  readonly earned: TimedCache<EarnedPoints>;
}

const NO_POINTS_FOR_PRODUCTS = 'PublicApiProductService_ObjectiveDisabled';

/** What the products of a page or a cart would earn: the same for every customer. */
export async function earnPoints(
  lines: readonly CartLine[],
  currency: string,
  deps: EarningDeps,
): Promise<{ readonly kind: 'answered'; readonly value: EarnedPoints } | Unavailable> {
  const net = (price: Amount) => share(price, 100, 100 + deps.taxInPrices, minorDigits(currency));
  const items = byProduct(lines).map(({ id, price }) => ({ id, price: net(price) }));
  const key = JSON.stringify([currency, items]);
  const known = deps.earned.recall(key);
  if (known) return { kind: 'answered', value: known };
  // A gift earns nothing, and the service takes no price of zero.
  const priced = items
    .filter(({ price }) => price !== ZERO)
    .map(({ id, price }) => ({ Id: id, Price: toJsonNumber(price), PriceCurrency: currency }));
  const asked =
    priced.length === 0
      ? ({ kind: 'answered', value: [] } as const)
      : await askLoyalty('calculateProductPoints', [priced], deps);
  if (asked.kind === 'unavailable') return asked;
  if (asked.kind === 'refused' && asked.name !== NO_POINTS_FOR_PRODUCTS) {
    deps.telemetry.log('warn', 'the loyalty service refused to count the points of products', {
      why: asked.name ?? 'unnamed-error',
    });
    return { kind: 'unavailable', afterSeconds: 60, mayHaveHappened: false };
  }
  const results = asked.kind === 'answered' ? asked.value : [];
  const byId = new Map(results.map((result) => [result.Id, result]));
  const earned = items.map(({ id }) => ({
    id,
    points: byId.get(id)?.Points ?? 0,
    cashback: byId.get(id)?.Cashback ?? 0,
  }));
  const value = {
    points: inHundredths(earned.map(({ points }) => points)),
    cashback: inHundredths(earned.map(({ cashback }) => cashback)),
    items: earned,
  };
  deps.earned.keep(key, value);
  return { kind: 'answered', value };
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
