import { conditionsHold, type RequestContext } from './conditions.ts';
import type { Grant } from './grants.ts';
import { matchesAction, matchesPattern } from './wildcard.ts';

export interface AccessRequest {
  readonly action: string;
  readonly resource: string;
  readonly context: RequestContext;
}

export type Decision =
  | { readonly kind: 'allowed'; readonly by: Grant }
  | { readonly kind: 'denied'; readonly why: 'no identity-based policy allows it' }
  | { readonly kind: 'denied'; readonly why: 'an explicit deny'; readonly by: Grant };

/**
 * Evaluates one request within one account: a denial anywhere wins, otherwise something must allow it.
 * `resourceGrants` are those of the resource's own policy; here they only ever deny.
 */
export function evaluate(
  request: AccessRequest,
  grants: readonly Grant[],
  resourceGrants: readonly Grant[] = [],
): Decision {
  const matching = [...grants, ...resourceGrants].filter((grant) => matches(grant, request));
  const denial = matching.find(({ effect }) => effect === 'Deny');
  if (denial) return { kind: 'denied', why: 'an explicit deny', by: denial };
  const allowing = matching.find(
    (grant) => grant.effect === 'Allow' && !resourceGrants.includes(grant),
  );
  return allowing
    ? { kind: 'allowed', by: allowing }
    : { kind: 'denied', why: 'no identity-based policy allows it' };
}

function matches(grant: Grant, { action, resource, context }: AccessRequest): boolean {
  return (
    matchesAction(grant.action, action) &&
    matchesPattern(grant.resource, resource) &&
    conditionsHold(grant.conditions, context)
  );
}
