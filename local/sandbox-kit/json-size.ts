/** Validators and JSON.stringify recurse; a value nested deeper could overflow the stack. */
export const deepestJson = 128;

export interface JsonSize {
  /** Counted up to one more than `deepestJson`. */
  readonly depth: number;
  /** Counted at every depth. */
  readonly values: number;
}

/** Not recursive, because it protects recursive code. */
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
