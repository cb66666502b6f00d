import type { ErrorNumber } from '../../shared/loyalty/error-codes.ts';
import type { OperationId } from '../../shared/loyalty/operations.ts';
import type { FaultScope, RuleReading } from '../sandbox-kit/faults.ts';

/**
 * What can go wrong, and whether the call is executed all the same:
 *
 *   latency         yes, but only after the delay, even if the client has given up by then
 *   http-429/500/503, code-103, business-error   no
 *   reset-before    no: the connection is reset
 *   reset-after     yes: the connection is reset instead of an answer
 *   truncated       yes: half of the answer, then the end of the connection
 *   empty           yes: 200 without a body
 *   not-json        no: an HTML page, as of a gateway
 *   hang            no: no answer until the client leaves or the sandbox stops
 *   outage          no: every call, even with wrong credentials, is reset until the rule is removed
 */
export type FaultKind =
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'http-429' | 'http-503'; readonly retryAfterSeconds?: number }
  | { readonly kind: 'business-error'; readonly code: ErrorNumber }
  | { readonly kind: 'not-json'; readonly status?: 200 | 502 }
  | {
      readonly kind:
        | 'http-500'
        | 'code-103'
        | 'reset-before'
        | 'reset-after'
        | 'truncated'
        | 'empty'
        | 'hang'
        | 'outage';
    };

export type FaultRule = FaultKind & FaultScope & { readonly operation?: OperationId | '*' };

type Check = { readonly says: string; accepts(value: unknown): boolean };

/** Far beyond any client's patience, and a few of them still fit into one timer. */
const longestDelayMs = 3_600_000;
const wholeNumber = (least: number, most: number): Check => ({
  says: `a whole number from ${least} to ${most}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
});
const retryAfterSeconds = wholeNumber(0, 86_400);

/** The members of each kind, beside those of the scope. */
const members: Record<FaultRule['kind'], Readonly<Record<string, Check>>> = {
  latency: { ms: wholeNumber(0, longestDelayMs) },
  'http-429': { retryAfterSeconds },
  'http-500': {},
  'http-503': { retryAfterSeconds },
  'code-103': {},
  'business-error': { code: wholeNumber(0, 120) },
  'reset-before': {},
  'reset-after': {},
  truncated: {},
  'not-json': { status: { says: '200 or 502', accepts: (v) => v === 200 || v === 502 } },
  empty: {},
  hang: {},
  outage: {},
};
const required: readonly string[] = ['ms', 'code'];

/** Finds every fault of a rule that came from outside, so that one correction is enough. */
export function readFaultRule(
  value: unknown,
  operations: readonly OperationId[],
): RuleReading<FaultRule> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'wrong', problems: ['A fault must be a JSON object.'] };
  }
  const kind = 'kind' in value ? value.kind : undefined;
  if (!isKind(kind)) {
    return { kind: 'wrong', problems: [`kind must be one of ${Object.keys(members).join(', ')}.`] };
  }
  const checks: Readonly<Record<string, Check>> = {
    ...members[kind],
    ...scopeOf(kind, operations),
  };
  const given = new Map<string, unknown>(Object.entries(value));
  given.delete('kind');
  const problems = [...given].flatMap(([name, member]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) return [`${name} is not a member of ${kind}.`];
    return check.accepts(member) ? [] : [`${name} must be ${check.says}.`];
  });
  for (const name of required) {
    const check = members[kind][name];
    if (check && !given.has(name)) problems.push(`${name} is missing: it must be ${check.says}.`);
  }
  if (given.has('count') && given.has('probability')) {
    problems.push('count and probability cannot both be given.');
  }
  if (problems.length > 0) return { kind: 'wrong', problems };
  return { kind: 'rule', rule: { ...value, kind } as FaultRule };
}

function isKind(kind: unknown): kind is FaultRule['kind'] {
  return typeof kind === 'string' && Object.hasOwn(members, kind);
}

function scopeOf(kind: FaultRule['kind'], operations: readonly string[]): Record<string, Check> {
  // An outage takes everything until it is over: there is nothing to choose.
  if (kind === 'outage') return {};
  return {
    operation: {
      says: `* or one of ${operations.join(', ')}`,
      accepts: (value) => value === '*' || operations.some((operation) => operation === value),
    },
    after: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    count: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    probability: {
      says: 'a number from 0 to 1',
      accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    },
  };
}
