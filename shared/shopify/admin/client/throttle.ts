/**
 * The store's bucket of query cost points, as its answers describe it (Shopify, "GraphQL Admin API rate
 * limits"). Every query takes its cost out, the bucket fills at a steady rate, and the store refuses a
 * query that costs more than the bucket holds.
 *
 * Other workers use the same bucket, so this is an estimate that each answer corrects. Where it is
 * wrong, the store refuses with THROTTLED.
 */
export interface Throttle {
  /** Milliseconds to wait for enough points; zero: the points are taken. */
  take(document: string, now: number): number;
  note(document: string, cost: unknown, now: number): void;
  /** Milliseconds until a refused document can be sent again. */
  refillMs(document: string, now: number): number;
}

interface Bucket {
  readonly available: number;
  readonly maximum: number;
  /** Points per second. */
  readonly rate: number;
  readonly at: number;
}

/** For a refusal that does not state the points. */
const UNKNOWN_REFILL_MS = 1000;

/** `reserve` is the part of the bucket, from 0 to 1, that is left to other processes, such as the workers. */
export function createThrottle(reserve = 0): Throttle {
  let bucket: Bucket | undefined;
  /** The requested cost of each document, as the store stated it. */
  const costs = new Map<string, number>();

  function availableAt({ available, maximum, rate, at }: Bucket, now: number): number {
    return Math.min(maximum, available + (rate * Math.max(0, now - at)) / 1000);
  }

  function missingMs(document: string, now: number): number {
    if (!bucket || bucket.rate <= 0) return 0;
    // No wait helps for more than the bucket can hold: the store then refuses the query.
    const { maximum } = bucket;
    const cost = Math.min((costs.get(document) ?? 0) + reserve * maximum, maximum);
    return Math.ceil((Math.max(0, cost - availableAt(bucket, now)) / bucket.rate) * 1000);
  }

  return {
    take(document, now) {
      const wait = missingMs(document, now);
      if (wait > 0 || !bucket) return wait;
      const left = availableAt(bucket, now) - (costs.get(document) ?? 0);
      bucket = { ...bucket, available: Math.max(0, left), at: now };
      return 0;
    },
    note(document, cost, now) {
      const { requestedQueryCost, throttleStatus } = numbersOf(cost);
      if (requestedQueryCost !== undefined) costs.set(document, requestedQueryCost);
      if (throttleStatus) bucket = { ...throttleStatus, at: now };
    },
    refillMs: (document, now) => missingMs(document, now) || UNKNOWN_REFILL_MS,
  };
}

/** Of `extensions.cost`, the numbers that have the documented form. */
function numbersOf(cost: unknown): {
  readonly requestedQueryCost: number | undefined;
  readonly throttleStatus: Omit<Bucket, 'at'> | undefined;
} {
  const fields = fieldsOf(cost);
  const requested = fields.get('requestedQueryCost');
  const status = fieldsOf(fields.get('throttleStatus'));
  const [maximum, available, rate] = [
    status.get('maximumAvailable'),
    status.get('currentlyAvailable'),
    status.get('restoreRate'),
  ];
  return {
    requestedQueryCost: isNumber(requested) ? requested : undefined,
    throttleStatus:
      isNumber(maximum) && isNumber(available) && isNumber(rate)
        ? { maximum, available: Math.max(0, available), rate }
        : undefined,
  };
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
