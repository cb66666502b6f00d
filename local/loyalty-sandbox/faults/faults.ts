import type { OperationId } from '../../../shared/loyalty/operations.ts';
import type { Random } from '../../sandbox-kit/seeded-random.ts';
import type { ActiveFault, FaultKind, FaultRule } from './fault-rule.ts';
import { readFaultRule } from './read-fault-rule.ts';

/** What one call meets: a delay, and then at most one thing that goes wrong. */
export interface Misfortune {
  readonly latencyMs: number;
  readonly fault?: Exclude<FaultKind, { kind: 'latency' }>;
}

/**
 * The rules in force. Delays add up. Of the others the first that meets a call decides, in the order
 * in which they were added, and the later ones neither see nor count that call: two rules with a
 * count are met one after the other.
 */
export class Faults {
  readonly #random: Random;
  readonly #operations: readonly OperationId[];
  #rules: ActiveFault[] = [];
  #lastId = 0;

  constructor(random: Random, operations: readonly OperationId[]) {
    this.#random = random;
    this.#operations = operations;
  }

  /** Throws on a rule that cannot be, naming everything that is wrong with it. */
  add(rule: FaultRule): ActiveFault {
    const reading = readFaultRule(rule, this.#operations);
    if (reading.kind === 'wrong') throw new Error(reading.problems.join(' '));
    const active = { ...reading.rule, id: ++this.#lastId, seen: 0, met: 0 };
    this.#rules.push(active);
    return active;
  }

  list(): readonly ActiveFault[] {
    return this.#rules;
  }

  /** One rule by its id, or all of them. */
  clear(id?: number): void {
    this.#rules = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id);
  }

  /** Comes before all others, and before anything is known of the call. */
  meetOutage(): boolean {
    const outage = this.#rules.find((rule) => rule.kind === 'outage');
    if (!outage) return false;
    const met = { ...outage, seen: outage.seen + 1, met: outage.met + 1 };
    this.#rules = this.#rules.map((rule) => (rule === outage ? met : rule));
    return true;
  }

  meet(operation: OperationId): Misfortune {
    let latencyMs = 0;
    let fault: Misfortune['fault'];
    this.#rules = this.#rules.map((rule) => {
      const applies = (rule.operation ?? '*') === '*' || rule.operation === operation;
      const decided = fault !== undefined && rule.kind !== 'latency';
      if (!applies || decided) return rule;
      const met = this.#isMet(rule);
      if (met && rule.kind === 'latency') latencyMs += rule.ms;
      else if (met && rule.kind !== 'latency') fault = rule;
      return { ...rule, seen: rule.seen + 1, met: rule.met + (met ? 1 : 0) };
    });
    // One that has met its count is over.
    this.#rules = this.#rules.filter(({ met, count = Number.POSITIVE_INFINITY }) => met < count);
    return fault ? { latencyMs, fault } : { latencyMs };
  }

  #isMet(rule: ActiveFault): boolean {
    if (rule.seen < (rule.after ?? 0)) return false;
    return rule.probability === undefined || this.#random() < rule.probability;
  }
}
