import * as v from 'valibot';
import type { Random } from './seeded-random.ts';

export const wholeNumber = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

/** Which calls a fault applies to. Without count and probability: every call, until it is removed. */
export const scopeOf = <Operation extends v.GenericSchema>(operation: Operation) => ({
  /** One operation, or `*` (default) for all. */
  operation: v.optional(operation),
  /** Skips this many calls first. */
  after: v.optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  /** Only this many calls. */
  count: v.optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  /** Drawn for each call. */
  probability: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
});

/** Far beyond any client's patience, and a few of them still fit into one timer. */
const longestDelayMs = 3_600_000;

/**
 * The faults of both sandboxes, and whether the call is executed all the same:
 *
 *   latency         yes, but only after the delay, even if the client has given up by then
 *   http-429/500/503   no
 *   reset-before    no: the connection is reset
 *   reset-after     yes: the connection is reset instead of an answer
 *   truncated       yes: half of the answer, then the end of the connection
 *   empty           yes: 200 without a body
 *   not-json        no: an HTML page, as of a gateway
 *   hang            no: no answer until the client leaves or the sandbox stops
 *   outage          no: every call, even with wrong credentials, is reset until the rule is removed
 */
export const commonRules = <const Scope extends v.ObjectEntries>(scope: Scope) =>
  [
    v.strictObject({ kind: v.literal('latency'), ms: wholeNumber(0, longestDelayMs), ...scope }),
    v.strictObject({
      kind: v.picklist(['http-429', 'http-503']),
      retryAfterSeconds: v.optional(wholeNumber(0, 86_400)),
      ...scope,
    }),
    v.strictObject({
      kind: v.literal('not-json'),
      status: v.optional(v.picklist([200, 502])),
      ...scope,
    }),
    v.strictObject({
      kind: v.picklist(['http-500', 'reset-before', 'reset-after', 'truncated', 'empty', 'hang']),
      ...scope,
    }),
    v.strictObject({ kind: v.literal('outage') }),
  ] as const;

type CommonRule = v.InferOutput<ReturnType<typeof commonRules<Record<never, never>>>[number]>;
export type CommonFault = Exclude<CommonRule, { kind: 'latency' | 'outage' }>;

export type AnyRule = Partial<
  v.InferOutput<v.ObjectSchema<ReturnType<typeof scopeOf<v.GenericSchema<string>>>, undefined>>
> & {
  readonly kind: string;
  /** Of the kind `latency`. */
  readonly ms?: number;
};

export type ActiveFault<Rule> = Rule & {
  readonly id: number;
  /** Calls of its operation that this rule was checked for. */
  readonly seen: number;
  /** Calls that it applied to. */
  readonly met: number;
};

/** For one call: a delay, and then at most one fault. */
export interface CallFaults<Rule> {
  readonly latencyMs: number;
  readonly fault?: Exclude<Rule, { kind: 'latency' | 'outage' }>;
}

export type RuleReading<Rule> =
  | { readonly kind: 'rule'; readonly rule: Rule }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

/** Finds every problem of a rule that came from outside, so that one correction is enough. */
export function readRule<Rule extends AnyRule>(
  schema: v.GenericSchema<unknown, Rule>,
  value: unknown,
): RuleReading<Rule> {
  const { success, output: rule, issues = [] } = v.safeParse(schema, value);
  if (!success)
    return { kind: 'wrong', problems: issues.map((issue) => describeIssue(issue, 'A fault')) };
  if (rule.count !== undefined && rule.probability !== undefined) {
    return { kind: 'wrong', problems: ['count and probability cannot both be given.'] };
  }
  return { kind: 'rule', rule };
}

/** `whole`: the name of what has it, for a problem of none of its members. */
export function describeIssue(issue: v.BaseIssue<unknown>, whole: string): string {
  const path = v.getDotPath(issue) ?? whole;
  const expected = String(issue.expected ?? issue.requirement).replace(/[()"]/g, '');
  if (expected === 'never') return `${path} is not known here.`;
  const choices = expected.split(' | ');
  return `${path} must be ${choices.length > 1 ? 'one of ' : ''}${choices.join(', ')}.`;
}

/**
 * The active faults of a sandbox. Delays add up. Of the other rules, the first one added that applies to a
 * call decides, and the later ones do not count that call: two rules with a count apply one after the other.
 */
export class Faults<Rule extends AnyRule> {
  readonly #random: Random;
  readonly #schema: v.GenericSchema<unknown, Rule>;
  #rules: ActiveFault<Rule>[] = [];
  #lastId = 0;

  constructor(random: Random, schema: v.GenericSchema<unknown, Rule>) {
    this.#random = random;
    this.#schema = schema;
  }

  /** Throws on an invalid rule, with all of its problems. */
  add(rule: Rule): ActiveFault<Rule> {
    const reading = this.read(rule);
    if (reading.kind === 'wrong') throw new Error(reading.problems.join(' '));
    const active = { ...reading.rule, id: ++this.#lastId, seen: 0, met: 0 };
    this.#rules.push(active);
    return active;
  }

  read(value: unknown): RuleReading<Rule> {
    return readRule(this.#schema, value);
  }

  list(): readonly ActiveFault<Rule>[] {
    return this.#rules;
  }

  /** Removes one rule, or all of them. */
  clear(id?: number): void {
    this.#rules = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id);
  }

  /** Checked before all other rules, and before the request is read. */
  isOutage(): boolean {
    const outage = this.#rules.find(({ kind }) => kind === 'outage');
    if (!outage) return false;
    this.#rules = this.#rules.map((rule) => (rule === outage ? counted(rule, true) : rule));
    return true;
  }

  /** The faults of a call that has any of these names. */
  faultsOf(operations: readonly string[]): CallFaults<Rule> {
    let latencyMs = 0;
    let fault: CallFaults<Rule>['fault'];
    this.#rules = this.#rules.map((rule) => {
      const { kind, operation = '*', ms = 0 } = rule;
      const isForCall = operation === '*' || operations.includes(operation);
      const isDecided = fault !== undefined && kind !== 'latency';
      if (kind === 'outage' || !isForCall || isDecided) return rule;
      const applies = this.#applies(rule);
      if (applies && kind === 'latency') latencyMs += ms;
      else if (applies) fault = rule as unknown as CallFaults<Rule>['fault'];
      return counted(rule, applies);
    });
    this.#rules = this.#rules.filter(({ met, count = Number.POSITIVE_INFINITY }) => met < count);
    return fault ? { latencyMs, fault } : { latencyMs };
  }

  #applies({ seen, after = 0, probability }: ActiveFault<AnyRule>): boolean {
    if (seen < after) return false;
    return probability === undefined || this.#random() < probability;
  }
}

function counted<Rule>(rule: ActiveFault<Rule>, applied: boolean): ActiveFault<Rule> {
  return { ...rule, seen: rule.seen + 1, met: rule.met + (applied ? 1 : 0) };
}
