import type { MappingFault } from './wanted-state.ts';

export type MerchantResult<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'fault'; readonly fault: MappingFault };

/**
 * Runs a function of the merchant's. When it fails, only this entity is parked, with the name of the
 * setting and the error.
 */
export function askMerchant<Given, T>(
  setting: string,
  rule: (given: Given) => unknown,
  given: Given,
  isRight: (answer: unknown) => answer is T,
  expected: string,
): MerchantResult<T> {
  const path = `rules.${setting}`;
  try {
    const answer = rule(given);
    if (isRight(answer)) return { kind: 'value', value: answer };
    return { kind: 'fault', fault: { path, problem: `must return ${expected}` } };
  } catch (error) {
    return { kind: 'fault', fault: { path, problem: `threw ${describe(error, String(rule))}` } };
  }
}

function describe(error: unknown, source: string): string {
  const { name, message } = error instanceof Error ? error : { name: '', message: '' };
  if (!/^[A-Za-z]{1,40}$/.test(name)) return 'something that is not an error';
  return isOfSource(message, source) ? `${name}: ${message}` : name;
}

/** What JavaScript itself says of a name in the source. */
const OF_A_NAME =
  /^(?:Cannot read properties of (?:undefined|null) \(reading '([\w$]+)'\)|(?:[\w$]+\.)*([\w$]+) is not (?:defined|iterable|a function))$/;

/** Any other message may quote a person's data that the rule was given. */
function isOfSource(message: string, source: string): boolean {
  const [, read, called] = OF_A_NAME.exec(message) ?? [];
  const said = read ?? called ?? message;
  return /\w/.test(said) && source.includes(said);
}
