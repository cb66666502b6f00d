import type { MappingRules } from '../../config/mapping-settings.ts';
import {
  type AskingDeps,
  askLoyalty,
  createTimedCache,
  type TimedCache,
  type Unavailable,
} from '../../core/calls/call-loyalty.ts';
import { followMerges } from '../../core/ledger/entry.ts';
import type { Store } from '../../core/store/store.ts';
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
import type { CartLine } from '../redeem/available-rewards.ts';
import type { createRedeeming } from '../redeem/redeem-reward.ts';
import type { TakenBackBy } from '../redeem/take-back.ts';
import { type Gift, type GiftLimits, givePoints } from './give-points.ts';
import { noHistory, readHistory, readOrderEarning } from './read-history.ts';
import { type Moment, readRedemptions, readView, type ViewDeps } from './read-view.ts';
import type { RewardDetails, RewardItem } from './reward-view.ts';

export interface StorefrontDeps
  extends Omit<ViewDeps, 'moments' | 'requested' | 'active' | 'detailsOfRewards'> {
  readonly loyalty: ViewDeps['loyalty'] &
    Pick<
      LoyaltyClient,
      'calculateProductPoints' | 'listPointsHistory' | 'getOrder' | 'changePoints'
    >;
  readonly taxInPrices: EarningDeps['taxInPrices'];
  /** Of this process, for prices that it does not know. */
  readonly pointCallsPerMinute: number;
  /** Merges are known only with `from-sign-up`. */
  readonly customers: MappingRules['customers'];
  /** Absent where workflows may not give points. */
  readonly flow?: GiftLimits | undefined;
}

/** What a shopper may ask of one shop's loyalty program. The customer is always a separate argument. */
export type Storefront = ReturnType<typeof createStorefront> & ReturnType<typeof createRedeeming>;

/** The same for every customer, and asked for on every page. */
const PROGRAM_SECONDS = 60;
/** What a price earns changes only with the rules of the program. */
const EARNED_SECONDS = 300;
/** The same for every customer, and rarely changed. */
const TIERS_SECONDS = 600;
/** Checked at every page; only what changes without an event and without points is so old. */
const MOMENT_SECONDS = 300;

/** A customer whose balance the service refuses would be asked about on every page. */
const REQUEST_SECONDS = 3_600;

const MOST_PRODUCTS = 5_000;
const MOST_CUSTOMERS = 2_000;

const REFUSED = { kind: 'refused', why: 'refused' } as const;

export function createStorefront(given: StorefrontDeps) {
  const { shop, now, ledger } = given;
  const ofProgram = { seconds: PROGRAM_SECONDS, most: MOST_PRODUCTS, now };
  const ofCustomer = { most: MOST_CUSTOMERS, now };
  const deps = {
    ...given,
    active: createTimedCache<readonly RewardItem[]>(ofProgram),
    detailsOfRewards: createTimedCache<RewardDetails>({ ...ofProgram, seconds: TIERS_SECONDS }),
    earned: createTimedCache<Earning>({ ...ofProgram, seconds: EARNED_SECONDS }),
    askLimit: createRateLimit(given.pointCallsPerMinute),
    moments: createTimedCache<Moment>({ ...ofCustomer, seconds: MOMENT_SECONDS }),
    requested: createTimedCache<true>({ ...ofCustomer, seconds: REQUEST_SECONDS }),
  };
  /** `otherwise`: for one who has no record of their own. Under their id the service may answer for another member. */
  async function asMember<Answer, Otherwise>(
    id: string,
    ask: (customerId: string) => Promise<Answer>,
    otherwise: Otherwise,
  ): Promise<Answer | Otherwise | Unavailable> {
    const customerId =
      given.customers === 'from-sign-up' ? await followMerges({ shop, id }, ledger) : id;
    const found = await given.members.find(customerId);
    if (found.kind === 'unavailable') return { ...found, mayHaveHappened: false };
    return found.kind === 'member' ? ask(customerId) : otherwise;
  }
  return {
    view: (customerId: string | undefined, cart: readonly CartLine[], by: TakenBackBy) =>
      readView(customerId, cart, by, deps),
    redemptions: (customerId: string, by: TakenBackBy) => readRedemptions(customerId, by, deps),
    points: (items: readonly CartLine[], currency: string) => earnPoints(items, currency, deps),
    history: (customerId: string, page: number) =>
      asMember(customerId, (id) => readHistory(id, page, deps), noHistory(page)),
    order: (customerId: string, orderId: string) => readOrderEarning(customerId, orderId, deps),
    give: async (customerId: string, gift: Gift) =>
      given.flow
        ? asMember(customerId, (id) => givePoints(shop, id, gift, deps), REFUSED)
        : ({ kind: 'off' } as const),
  };
}

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

/** How long to wait; undefined for a request that may go ahead. */
export type RateLimit = (key: string, now: Date) => { readonly afterSeconds: number } | undefined;

/** More than are active at once; beyond that, the keys that were idle longest start again. */
const MOST_KEYS = 5_000;

/**
 * So many requests per minute for each key, refilled evenly; bursts are allowed. State of one process,
 * of which there may be several: it protects the loyalty service from a faulty page, and is not an
 * exact quota.
 */
export function createRateLimit(perMinute: number): RateLimit {
  const buckets = new Map<string, { left: number; at: number }>();
  const perMs = perMinute / 60_000;
  return (key, now) => {
    const at = now.getTime();
    const before = buckets.get(key) ?? { left: perMinute, at };
    const regained = Math.max(at - before.at, 0) * perMs;
    const left = Math.min(before.left + regained, perMinute);
    const allowed = left >= 1;
    buckets.delete(key);
    buckets.set(key, { left: allowed ? left - 1 : left, at });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= MOST_KEYS) break;
      buckets.delete(oldest);
    }
    return allowed ? undefined : { afterSeconds: Math.ceil((1 - left) / perMs / 1000) };
  };
}

/** Throws while the store does not say it. */
export type HasCustomer = (customerId: string) => Promise<boolean>;

const CUSTOMERS_SECONDS = 600;

/**
 * Whether the shop has the customer whom a till names. Shops can share a loyalty program: without this, a till could
 * read, and for a minute spend, the points of another shop's customers.
 */
export function createCustomersOfShop(
  shop: string,
  store: () => Pick<Store, 'readMember'>,
  now: () => Date,
): HasCustomer {
  const known = createTimedCache<true>({ seconds: CUSTOMERS_SECONDS, most: MOST_CUSTOMERS, now });
  return async (customerId) => {
    if (known.recall(customerId)) return true;
    const read = await store().readMember(shop, customerId);
    if (read.kind === 'unavailable') throw new Error('the store does not say whom it has');
    if (read.kind === 'found') known.keep(customerId, true);
    return read.kind === 'found';
  };
}
