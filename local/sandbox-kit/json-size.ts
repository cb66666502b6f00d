/** Validators and the writer of JSON recurse: a value nested deeper than this could end them. */
export const deepestJson = 128;

export interface JsonSize {
  /** Counted up to one more than `deepestJson`. */
  readonly depth: number;
  /** How many values there are in it, at any depth. */
  readonly values: number;
}

/** Not recursive, because it guards what is. */
export function measureJson(value: unknown): JsonSize {
  let level: unknown[] = [value];
  let [depth, values] = [0, 0];
  while (depth <= deepestJson) {
    values += level.length;
    level = level.flatMap((v) => (typeof v === 'object' && v !== null ? Object.values(v) : []));
    if (level.length === 0) break;
    depth++;
  }
  return { depth, values };
}
