import * as v from 'valibot';
import type { RuleReading } from '../sandbox-kit/faults.ts';

/**
 * The faults of a call to the Admin API, and whether the call is executed:
 *
 *   latency         yes, but only after the delay
 *   http-*, unauthorized, throttled, internal-error   no
 *   reset-before    no: the connection is reset
 *   reset-after     yes: the connection is reset instead of an answer
 *   truncated       yes: half of the answer, then the end of the connection
 *   empty           yes: 200 without a body
 *   not-json        no: an HTML page, as of a gateway
 *   partial         yes: the data together with an error
 *   hang            no: no answer until the client disconnects or the sandbox stops
 *   outage          no: every call is reset until the rule is removed
 */
const wholeNumber = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

const scope = {
  /** The name of a document, one of its root fields, or `token`; `*` (default) is every call. */
  operation: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  /** Skips this many calls first. */
  after: v.optional(wholeNumber(0, 1_000_000_000)),
  /** Applies to this many calls. */
  count: v.optional(wholeNumber(1, 1_000_000_000)),
  /** Drawn for each call. */
  probability: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
};

const retryAfterSeconds = v.optional(wholeNumber(0, 86_400));

const plainKinds = [
  'unauthorized',
  'throttled',
  'internal-error',
  'http-500',
  'reset-before',
  'reset-after',
  'truncated',
  'empty',
  'not-json',
  'partial',
  'hang',
] as const;

const faultRule = v.variant('kind', [
  v.strictObject({ kind: v.literal('latency'), ms: wholeNumber(0, 3_600_000), ...scope }),
  v.strictObject({ kind: v.literal('http-429'), retryAfterSeconds, ...scope }),
  v.strictObject({ kind: v.literal('http-503'), retryAfterSeconds, ...scope }),
  v.strictObject({ kind: v.picklist(plainKinds), ...scope }),
  v.strictObject({ kind: v.literal('outage') }),
]);

export type FaultRule = v.InferOutput<typeof faultRule>;

export function readFaultRule(value: unknown): RuleReading<FaultRule> {
  const reading = v.safeParse(faultRule, value);
  if (!reading.success) {
    const problems = reading.issues.map(
      (issue) =>
        `${v.getDotPath(issue) ?? 'A fault'} is invalid: expected ${issue.expected ?? issue.requirement}.`,
    );
    return { kind: 'wrong', problems };
  }
  const { output: rule } = reading;
  if (rule.kind !== 'outage' && rule.count !== undefined && rule.probability !== undefined) {
    return { kind: 'wrong', problems: ['count and probability cannot both be given.'] };
  }
  return { kind: 'rule', rule };
}
