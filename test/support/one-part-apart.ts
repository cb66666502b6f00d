import fc from 'fast-check';

type Parts<T> = { readonly [Name in keyof T]: fc.Arbitrary<T[Name]> };

/**
 * A value, and the same value with one part exchanged: a name that leaves a part out is equal for such a pair.
 * Two values that are drawn independently of each other would differ in the other parts, too.
 */
export function onePartApart<T extends object>(parts: Parts<T>): fc.Arbitrary<readonly [T, T]> {
  const pairOf = (name: keyof T) =>
    fc
      .tuple(fc.record<T>(parts), parts[name])
      .filter(([one, other]) => JSON.stringify(one[name]) !== JSON.stringify(other))
      .map(([one, other]) => [one, { ...one, [name]: other }] as const);
  return fc.oneof(...(Object.keys(parts) as (keyof T)[]).map(pairOf));
}
