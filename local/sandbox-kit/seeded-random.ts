/** Gives the next number, at least 0 and below 1. */
export type Random = () => number;

/**
 * The same seed always gives the same numbers, so that a run can be repeated. For simulation only:
 * whoever sees a few of the numbers can work out the rest.
 */
export function seededRandom(seed: number): Random {
  let state = scatter(seed | 0);
  return () => {
    // An odd step visits every 32-bit state once before any repeats.
    state = (state + 0x9e3779b9) | 0;
    return (scatter(state) >>> 0) / 2 ** 32;
  };
}

/**
 * Reversible, so that different inputs never meet; neighbouring inputs end far apart. The shifts and
 * multipliers are those of lowbias32, found by search and in the public domain.
 */
function scatter(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return bits ^ (bits >>> 16);
}
