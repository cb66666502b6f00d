/** Remembers for a short time, and only so many values: the oldest are dropped first. */
export interface TimedCache<Value> {
  recall(key: string): Value | undefined;
  /** `seconds`: for another time than the others. */
  keep(key: string, value: Value, seconds?: number): void;
  forget(key: string): void;
}

export function createTimedCache<Value>(limits: {
  readonly seconds: number;
  readonly most: number;
  readonly now: () => Date;
}): TimedCache<Value> {
  const kept = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    recall(key) {
      const found = kept.get(key);
      if (!found) return undefined;
      if (found.until > limits.now().getTime()) return found.value;
      kept.delete(key);
      return undefined;
    },
    keep(key, value, seconds = limits.seconds) {
      // A map keeps the order of insertion: after a deletion, the key that is set again is the
      // youngest.
      kept.delete(key);
      kept.set(key, { value, until: limits.now().getTime() + seconds * 1000 });
      for (const oldest of kept.keys()) {
        if (kept.size <= limits.most) break;
        kept.delete(oldest);
      }
    },
    forget(key) {
      kept.delete(key);
    },
  };
}
