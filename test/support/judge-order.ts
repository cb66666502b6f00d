import type { OrderRow } from '../../local/store-sandbox/model/rows.ts';
import { type LawRules, mostThatCounts, oddCoins, standingOf } from './order-law.ts';

/** What the loyalty service holds of an order. */
interface HeldAmount {
  readonly isCompleted: boolean;
  readonly isCancelled: boolean;
  /** What is left of its total, in minor units of the shop's currency. */
  readonly minor: bigint;
}

export interface JudgedOrder {
  /** All its states, oldest first; undefined for its deletion. */
  readonly states: readonly (OrderRow | undefined)[];
  readonly held: HeldAmount | undefined;
  /**
   * The rules that it may be counted by: one, or several where it was sent while they changed. An order that was
   * completed keeps those of that moment.
   */
  readonly rules: readonly LawRules[];
  /** What its dead letters say. */
  readonly letters: readonly string[];
}

export type Judgement =
  | { readonly kind: 'kept' }
  /** A dead letter with a named reason tells a person. */
  | { readonly kind: 'excused'; readonly why: Excuse }
  | { readonly kind: 'broken'; readonly what: string };

type Excuse = 'raise-after-partial-cancel' | 'paid-again-after-its-end';

const KEPT: Judgement = { kind: 'kept' };
const broken = (what: string): Judgement => ({ kind: 'broken', what });

/** At rest: the service counts what docs/mapping.md says for the order, by its own rules. */
export function judgeOrder(order: JudgedOrder): Judgement {
  const judgements = order.rules.map((rules) => judgeBy(rules, order));
  return (
    judgements.find(({ kind }) => kind === 'kept') ??
    judgements.find(({ kind }) => kind === 'excused') ??
    judgements[0] ??
    broken('has no rules')
  );
}

function judgeBy(rules: LawRules, { states, held, letters }: JudgedOrder): Judgement {
  const last = states.at(-1);
  const standing = last ? standingOf(last, rules) : ({ kind: 'over' } as const);
  if (standing.kind === 'over') {
    const isGone = held === undefined || held.isCancelled;
    return isGone ? KEPT : broken(`is over, and the service holds it with ${held.minor}`);
  }
  const earlier = states.map((row) => row && standingOf(row, rules));
  if (held?.isCancelled) {
    if (!earlier.some((one) => one === undefined || one.kind === 'over')) {
      return broken('is cancelled in the service, and never was over');
    }
    const isTold = letters.some((text) => /cancel/i.test(text));
    if (standing.kind === 'exchange' || isTold) return excused('paid-again-after-its-end');
    return broken('was over, is not any more, and no dead letter says so');
  }
  if (standing.kind === 'exchange') {
    if (!held?.isCompleted || states.some((row) => row && isWorth(row, held.minor, rules))) {
      return KEPT;
    }
    return broken(`is being exchanged, and never was worth ${held.minor}`);
  }
  if (!held?.isCompleted) {
    // An order that counts nothing need not be there.
    const isMissing = standing.isComplete && standing.minor > 0n;
    return isMissing ? broken('is complete, and not so in the service') : KEPT;
  }
  if (!earlier.some((one) => one?.kind === 'open' && one.isComplete)) {
    return broken(`is completed in the service with ${held.minor}, and never was complete`);
  }
  const due = standing.minor;
  if (last && isWorth(last, held.minor, rules)) {
    const most = mostThatCounts(last, rules) + oddCoins(last);
    return held.minor <= most ? KEPT : broken(`counts ${held.minor} and is worth at most ${most}`);
  }
  if (held.minor < due && letters.some((text) => /rose after a part/.test(text))) {
    return excused('raise-after-partial-cancel');
  }
  return broken(`counts ${held.minor} and is worth ${due}`);
}

const excused = (why: Excuse): Judgement => ({ kind: 'excused', why });

function isWorth(order: OrderRow, minor: bigint, rules: LawRules): boolean {
  const standing = standingOf(order, rules);
  if (standing.kind !== 'open') return false;
  const difference = standing.minor > minor ? standing.minor - minor : minor - standing.minor;
  return difference <= oddCoins(order);
}
