/** Undefined: go ahead. Else how long to wait. */
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
