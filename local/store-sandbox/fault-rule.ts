import * as v from 'valibot';
import { commonRules, scopeOf } from '../sandbox-kit/faults.ts';

/** The name of a document, one of its root fields, or `token`. */
const scope = scopeOf(v.pipe(v.string(), v.minLength(1), v.maxLength(200)));

/** Those of both sandboxes, and the errors of the Admin API. Only `partial` executes the call: data with an error. */
export const faultRule = v.variant('kind', [
  ...commonRules(scope),
  v.strictObject({
    kind: v.picklist(['unauthorized', 'throttled', 'internal-error', 'partial']),
    ...scope,
  }),
]);

export type FaultRule = v.InferOutput<typeof faultRule>;
