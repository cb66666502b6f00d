import * as v from 'valibot';
import type { ErrorNumber } from '../../shared/loyalty/error-codes.ts';
import type { OperationId } from '../../shared/loyalty/operations.ts';
import {
  type AnyRule,
  commonRules,
  readRule,
  scopeOf,
  wholeNumber,
} from '../sandbox-kit/faults.ts';

/** Those of both sandboxes, and errors of the service: none executes the call. */
export function faultRuleOf(operations: readonly OperationId[]) {
  const scope = scopeOf(v.picklist(['*', ...operations]));
  const code = v.pipe(
    wholeNumber(0, 120),
    v.transform((number) => number as ErrorNumber),
  );
  return v.variant('kind', [
    ...commonRules(scope),
    v.strictObject({ kind: v.literal('code-103'), ...scope }),
    v.strictObject({ kind: v.literal('http-401'), ...scope }),
    v.strictObject({ kind: v.literal('business-error'), code, ...scope }),
  ]);
}

export type FaultRule = v.InferOutput<ReturnType<typeof faultRuleOf>> &
  Pick<AnyRule, 'after' | 'count'> & { readonly operation?: OperationId | '*' | undefined };

export const readFaultRule = (value: unknown, operations: readonly OperationId[]) =>
  readRule(faultRuleOf(operations), value);
