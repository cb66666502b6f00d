/** The items in order, in batches of at most `size`. */
export function batchesOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Hundreds of calls to AWS at once would time out on each other. */
const CALLS_AT_ONCE = 10;

/** Acts on the items batch by batch; a batch begins when the one before it has ended. */
export async function inBatches<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  atOnce = CALLS_AT_ONCE,
): Promise<void> {
  for (const batch of batchesOf(items, atOnce)) await Promise.all(batch.map(act));
}
