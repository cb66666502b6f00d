/** Calls to AWS under way at once. */
const SIDE_BY_SIDE = 10;

/** Some at a time: hundreds of calls at once would time out on each other. */
export async function inTurns<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < items.length; start += SIDE_BY_SIDE) {
    await Promise.all(items.slice(start, start + SIDE_BY_SIDE).map(act));
  }
}
