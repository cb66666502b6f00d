import type { Random } from '../../sandbox-kit/seeded-random.ts';
import { type ActiveFault, type FaultRule, readFaultRule } from './fault-rule.ts';

/** What one call meets: a delay, and then at most one thing that goes wrong. */
export interface Misfortune {
  readonly latencyMs: number;
  readonly fault?: Exclude<FaultRule, { kind: 'latency' | 'outage' }>;
}

/**
 * The rules in force. Delays add up. Of the others the first that meets a call decides, in the order
 * in which they were added, and the later ones neither see nor count that call.
 */
export class Faults {
  readonly #random: Random;
  #rules: ActiveFault[] = [];
  #lastId = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Throws on a rule that cannot be, naming everything that is wrong with it. */
  add(rule: FaultRule): ActiveFault {
    const reading = readFaultRule(rule);
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

  meetOutage(): boolean {
    const outage = this.#rules.find(({ kind }) => kind === 'outage');
    if (!outage) return false;
    const met = { ...outage, seen: outage.seen + 1, met: outage.met + 1 };
    this.#rules = this.#rules.map((rule) => (rule === outage ? met : rule));
    return true;
  }

  meet(operations: readonly string[]): Misfortune {
    let latencyMs = 0;
    let fault: Misfortune['fault'];
    this.#rules = this.#rules.map((rule) => {
      if (rule.kind === 'outage') return rule;
      const { operation = '*' } = rule;
      const applies = operation === '*' || operations.includes(operation);
      const decided = fault !== undefined && rule.kind !== 'latency';
      if (!applies || decided) return rule;
      const met = this.#isMet(rule);
      if (met && rule.kind === 'latency') latencyMs += rule.ms;
      else if (met && rule.kind !== 'latency') fault = rule;
      return { ...rule, seen: rule.seen + 1, met: rule.met + (met ? 1 : 0) };
    });
    // One that has met its count is over.
    this.#rules = this.#rules.filter(
      (rule) => rule.kind === 'outage' || rule.count === undefined || rule.met < rule.count,
    );
    return fault ? { latencyMs, fault } : { latencyMs };
  }

  #isMet({ seen, after = 0, probability }: Exclude<ActiveFault, { kind: 'outage' }>): boolean {
    if (seen < after) return false;
    return probability === undefined || this.#random() < probability;
  }
}
