import type { ErrorNumber } from '../../../shared/loyalty/error-codes.ts';
import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call, Fault } from '../call.ts';

/** Why a call changed nothing. */
export interface Refusal {
  readonly kind: 'refused';
  readonly code: ErrorNumber;
  /** In words, with the names of fields but never their values. */
  readonly message: string;
}

export type Outcome<Result> = { readonly kind: 'done'; readonly result: Result } | Refusal;

/** The outcome of an operation, by the name that its result has in the contract. */
export type Answer<Name extends keyof Schemas> = Outcome<Schemas[Name]>;

export function refuse(code: ErrorNumber, message: string): Refusal {
  return { kind: 'refused', code, message };
}

export function done<Result>(result: Result): Outcome<Result> {
  return { kind: 'done', result };
}

/** Enough to repair the request by; a body can be wrong in a thousand places. */
const mostFaultsTold = 3;
const longestPathTold = 80;

/** What kept the body from being read at all, for rules that would otherwise miss a field in it. */
export function findUnreadable({ body, faults }: Call): string | undefined {
  return body === undefined && faults.length > 0 ? describeFaults(faults) : undefined;
}

export function describeFaults(faults: readonly Fault[]): string {
  const told = faults
    .slice(0, mostFaultsTold)
    .map(({ path, problem }) => `${path.slice(0, longestPathTold) || 'The body'} ${problem}`);
  return `${told.join('; ')}.`;
}
