import type { Random } from './seeded-random.ts';

/** Which calls a fault applies to. Without count and probability: every call, until it is removed. */
export interface FaultScope {
  /** One operation, or `*` (default) for all. */
  readonly operation?: string | undefined;
  /** Skips this many calls first. */
  readonly after?: number | undefined;
  /** Only this many calls. */
  readonly count?: number | undefined;
  /** From 0 to 1, drawn for each call. */
  readonly probability?: number | undefined;
}

interface AnyRule extends FaultScope {
  readonly kind: string;
  /** Of the kind `latency`. */
  readonly ms?: number;
}

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

/**
 * The active faults of a sandbox. Delays add up. Of the other rules, the first one added that applies to a
 * call decides, and the later ones do not count that call: two rules with a count apply one after the other.
 */
export class Faults<Rule extends AnyRule> {
  readonly #random: Random;
  readonly #read: (value: unknown) => RuleReading<Rule>;
  #rules: ActiveFault<Rule>[] = [];
  #lastId = 0;

  constructor(random: Random, read: (value: unknown) => RuleReading<Rule>) {
    this.#random = random;
    this.#read = read;
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
    return this.#read(value);
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
