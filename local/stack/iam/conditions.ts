import type { Conditions } from './policy.ts';
import { matchesPattern } from './wildcard.ts';

/** What is known of a request beside its action and resource: `aws:SecureTransport` and the like. */
export type RequestContext = Readonly<Record<string, string>>;

type Operator = (given: string, wanted: string) => boolean;

const operators: Readonly<Record<string, Operator>> = {
  Bool: (given, wanted) => given.toLowerCase() === wanted.toLowerCase(),
  StringEquals: (given, wanted) => given === wanted,
  StringLike: (given, wanted) => matchesPattern(wanted, given),
  ArnEquals: (given, wanted) => matchesPattern(wanted, given),
  ArnLike: (given, wanted) => matchesPattern(wanted, given),
};

export const isKnownOperator = (name: string): boolean => Object.hasOwn(operators, name);

/** All operators and keys must hold, of a key's values one. A key that the request lacks never holds. */
export function conditionsHold(conditions: Conditions, context: RequestContext): boolean {
  return Object.entries(conditions).every(([name, keys]) => {
    const operator = operators[name];
    return Object.entries(keys).every(([key, wanted]) => {
      const given = context[key];
      if (given === undefined || !operator) return false;
      return wanted.some((value) => operator(given, value));
    });
  });
}
