/**
 * What chance decides, by name: one seed and one name always give one number, at least 0 and below 1,
 * whatever was drawn before. Leaving something out of a run so changes nothing else in it, which is what
 * makes a failing run shrink.
 */
export type Chance = (...name: readonly number[]) => number;

export function createChance(seed: number): Chance {
  const start = scatter(seed ^ 0x5bd1e995);
  return (...name) => {
    let state = start;
    for (const part of name) state = scatter((state + Math.imul(part | 0, 0x9e3779b1)) | 0);
    return (scatter(state) >>> 0) / 2 ** 32;
  };
}

/** A text as a part of a name. */
export function nameOf(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  }
  return state;
}

/** Two numbers as one part of a name. */
export const joined = (a: number, b: number): number =>
  scatter((scatter(a) + Math.imul(b | 0, 0x85ebca6b)) | 0);

/** Neighbouring inputs end far apart; the multipliers are those of lowbias32 (public domain). */
function scatter(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return bits ^ (bits >>> 16);
}
