import type { Connector } from './connector-config.ts';

export interface Concurrency {
  readonly orders: number;
  readonly products: number;
  readonly coupons: number;
  /** Undefined without a storefront. */
  readonly balances?: number;
  /** Reserved for the receiver of webhooks; undefined when it takes what the account has left. */
  readonly receiver?: number;
  /** Reserved for each of the storefront's two addresses, which is their limit; undefined if they have none. */
  readonly storefront?: number;
}

/** Lambda's quota of one account and region, as GetAccountSettings reports it. */
export interface ConcurrencyLimits {
  readonly total: number;
  /** The part that no function of the account has reserved. */
  readonly unreserved: number;
  /** What this stack has reserved already: it is not part of `unreserved`, and can be given again. */
  readonly own: number;
}

export type FittedConcurrency =
  | { readonly kind: 'fits'; readonly concurrency: Concurrency; readonly summary: string }
  /** Sentences for the person who deploys; the last ones say what to do. */
  | { readonly kind: 'refused'; readonly why: readonly string[] };

/** Enough for millions of events a month; more workers would only call the loyalty service faster. */
const DEFAULT_WORKERS = { orders: 10, products: 5, coupons: 5 };
/**
 * Where the settings do not say it. An order has several webhooks and one point event, so half as many workers as for
 * orders keep up with a flash sale; so many write what the address of point events accepts.
 */
const MOST_FOR_BALANCES = 25;
/** The minimum of AWS for the maximum concurrency of a queue. */
export const LEAST_WORKERS = 2;
/** AWS keeps this many for functions without a reservation ("Configuring reserved concurrency"). */
const KEPT_UNRESERVED = 100;
/**
 * Of each address. A reservation is a limit, too: so many requests at once, and ten times as many a second
 * ("Throttling function URLs"). A smaller one would throttle a sale.
 */
const RESERVATION = 50;
const LEAST_RESERVATION = 10;
/** Each function with a public address can run at least this often while all workers are busy. */
const PER_ADDRESS = 2;
/** The usual run and the deep run may run at the same time. */
const RECONCILES = 2;

type Fitted = Pick<Connector, 'deployment' | 'storefront'>;

/** Where the quota is not known, as in `cdk synth`. */
export function defaultConcurrency({ deployment, storefront }: Fitted): Concurrency {
  const { storefront: _, receiver: __, balances, ...given } = deployment.maxConcurrency;
  const workers = { ...DEFAULT_WORKERS, ...given };
  if (!storefront) return workers;
  const half = Math.min(Math.ceil(workers.orders / 2), MOST_FOR_BALANCES);
  return { ...workers, balances: balances ?? Math.max(half, LEAST_WORKERS) };
}

/**
 * Leaves the receiver room while every worker is busy. Workers can be busy for minutes, and Shopify deletes
 * a subscription whose webhooks fail eight times. What the settings state is kept, or refused.
 * See docs/decisions/0031-deploy-refuses-what-loses-state-or-starves-the-receiver.md.
 */
export function fitConcurrency(
  limits: ConcurrencyLimits,
  connector: Fitted,
  region: string,
): FittedConcurrency {
  const { receiver, storefront } = connector.deployment.maxConcurrency;
  const pool = limits.unreserved + limits.own;
  const reserved = reservationsOf(connector, pool - KEPT_UNRESERVED);
  const isKept =
    (receiver ?? reserved.receiver) === reserved.receiver &&
    (!connector.storefront || (storefront ?? reserved.storefront) === reserved.storefront);
  if (!isKept) {
    const ofPages = connector.storefront ? 2 * leastOfStorefront(connector) : 0;
    const needed = KEPT_UNRESERVED + (receiver ?? LEAST_RESERVATION) + ofPages;
    return refuse(limits, connector, region, needed);
  }
  const others = othersOf(connector, reserved);
  const room = pool - (reserved.receiver ?? 0) - 2 * (reserved.storefront ?? 0) - others;
  const workers = shrinkTo(room, connector);
  if (sumOf(workers) > room) return refuse(limits, connector, region, sumOf(workers) + others);
  const concurrency = { ...workers, ...reserved };
  return { kind: 'fits', concurrency, summary: summaryOf(concurrency, pool - sumOf(workers)) };
}

type Reservations = Pick<Concurrency, 'receiver' | 'storefront'>;

/**
 * Without one, a flood of an address takes the executions of the workers and of the account's other functions. Each
 * address of the storefront gets its least before the receiver gets more than that. `free`: what may be reserved.
 */
function reservationsOf(connector: Fitted, free: number): Reservations {
  if (free < LEAST_RESERVATION) return {};
  const { receiver: mostOfReceiver = RESERVATION } = connector.deployment.maxConcurrency;
  const least = leastOfStorefront(connector);
  if (!connector.storefront || free < LEAST_RESERVATION + 2 * least) {
    return { receiver: Math.min(mostOfReceiver, free) };
  }
  const receiver = Math.min(mostOfReceiver, free - 2 * least);
  const most = connector.deployment.maxConcurrency.storefront ?? RESERVATION;
  return { receiver, storefront: Math.min(most, Math.floor((free - receiver) / 2)) };
}

/** Of each address. */
const leastOfStorefront = ({ deployment: { maxConcurrency } }: Fitted): number =>
  maxConcurrency.storefront ?? LEAST_RESERVATION;

/** What must be able to run beside the workers of the queues. */
function othersOf({ storefront }: Fitted, reserved: Reservations): number {
  const shared = reserved.receiver === undefined ? PER_ADDRESS : 0;
  // The receiver of point events, and the app proxy.
  const pages = storefront && reserved.storefront === undefined ? 2 * PER_ADDRESS : 0;
  return RECONCILES + shared + pages;
}

type Workers = Pick<Concurrency, 'orders' | 'products' | 'coupons' | 'balances'>;

const sumOf = ({ orders, products, coupons, balances = 0 }: Workers): number =>
  orders + products + coupons + balances;

/** The largest number that the settings leave open is lowered first, and none below the minimum. */
function shrinkTo(room: number, connector: Fitted): Workers {
  const { maxConcurrency: given } = connector.deployment;
  const workers: { -readonly [Queue in keyof Workers]: Workers[Queue] } =
    defaultConcurrency(connector);
  const open = (['orders', 'products', 'coupons', 'balances'] as const).filter(
    (one) => given[one] === undefined,
  );
  while (sumOf(workers) > room) {
    const [largest] = open.toSorted((a, b) => (workers[b] ?? 0) - (workers[a] ?? 0));
    const most = (largest && workers[largest]) ?? 0;
    if (largest === undefined || most <= LEAST_WORKERS) break;
    workers[largest] = most - 1;
  }
  return workers;
}

function refuse(
  limits: ConcurrencyLimits,
  connector: Fitted,
  region: string,
  needed: number,
): FittedConcurrency {
  const stated = Object.keys(connector.deployment.maxConcurrency).length > 0;
  const ways = [
    ...(stated ? ['Lower deployment.maxConcurrency.'] : []),
    ...(connector.storefront
      ? ['Deploy without the storefront for now: it adds a queue and two addresses.']
      : []),
    'Ask AWS for more:',
  ];
  const why = `${quotaOf(limits)} This stack needs ${needed}: with less, webhooks would be refused while its workers are busy, and a store may end its subscription after eight failures.`;
  return { kind: 'refused', why: [why, ...ways, ...askFor(region)] };
}

function quotaOf({ total, unreserved, own }: ConcurrencyLimits): string {
  const others = total - unreserved - own;
  const reserved = others > 0 ? ` and ${others} of them are reserved for other functions` : '';
  return `AWS runs at most ${total} functions at once in this account and region${reserved}.`;
}

/** "Concurrent executions" of AWS Lambda. A thousand is the usual quota; AWS grants it without a reason. */
function askFor(region: string): readonly string[] {
  return [
    `  aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000 --region ${region}`,
    `  or https://${region}.console.aws.amazon.com/servicequotas/home/services/lambda/quotas/L-B99A9384`,
  ];
}

function summaryOf(
  { orders, products, coupons, balances, receiver, storefront }: Concurrency,
  left: number,
): string {
  const ofStorefront = balances === undefined ? '' : `, ${balances} for balances`;
  const workers = `at most ${orders} workers for orders, ${products} for products, ${coupons} for coupons${ofStorefront}`;
  return receiver === undefined
    ? `${workers}; the other functions of the account share the remaining ${left}`
    : `${workers}; ${receiver} reserved for the receiver${storefront === undefined ? '' : ` and ${storefront} for each address of the storefront`}`;
}

/** The text in which it reaches the synthesis, and in which the stack's outputs keep it. */
export const concurrencyText = (concurrency: Concurrency): string => JSON.stringify(concurrency);

export const readConcurrency = (text: string): Concurrency => JSON.parse(text);
