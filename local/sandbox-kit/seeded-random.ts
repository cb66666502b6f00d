/** Returns the next number, at least 0 and below 1. */
export type Random = () => number;

/**
 * The same seed always gives the same numbers, so that a run can be repeated. Not for secrets: a few
 * of the numbers reveal the rest.
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
 * Reversible, so that different inputs never collide, and similar inputs give very different results.
 * The shifts and multipliers are those of lowbias32, which is in the public domain.
 */
function scatter(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return bits ^ (bits >>> 16);
}

/** From seeded numbers, so that a repeated run has the same ids. */
export function uuidFrom(random: Random): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  const variant = (8 + Math.floor(random() * 4)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
