import type { MappingFault } from './wanted-state.ts';

export type MerchantResult<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'fault'; readonly fault: MappingFault };

/**
 * Runs a function of the merchant's. When it fails, only this entity is parked, with the name of the
 * setting. The error's message is not repeated, because it may quote what the function was given.
 */
export function askMerchant<T>(
  setting: string,
  ask: () => unknown,
  isRight: (answer: unknown) => answer is T,
  expected: string,
): MerchantResult<T> {
  const path = `rules.${setting}`;
  try {
    const answer = ask();
    if (isRight(answer)) return { kind: 'value', value: answer };
    return { kind: 'fault', fault: { path, problem: `must return ${expected}` } };
  } catch (error) {
    return { kind: 'fault', fault: { path, problem: `threw ${nameOf(error)}` } };
  }
}

function nameOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return /^[A-Za-z]{1,40}$/.test(name) ? name : 'something that is not an error';
}
