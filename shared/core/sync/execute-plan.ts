import { overtaken } from '../batch/outcome.ts';
import { appliedEntry, markChange, skippedEntry, unchangedEntry } from '../ledger/change-entry.ts';
import { idempotencyKey } from '../ledger/idempotency-key.ts';
import { isKnown } from '../mapping/history-mark.ts';
import { faultText, type Mapped, type WantedState } from '../mapping/wanted-state.ts';
import { applyOrder } from './apply-order.ts';
import { stayAway, throughBreaker } from './call-loyalty.ts';
import { isHeldLive, presumeHeld } from './held-order.ts';
import { makeCall, notReplaced, type WantedRest } from './make-calls.ts';
import type { Plan } from './plan.ts';
import {
  discountOf,
  type ExecutionWorld,
  factsOf,
  lostCallOf,
  type Rejected,
  recordAttempt,
  recordCalls,
  reject,
  retention,
  type Step,
  type Synced,
  settle,
  type Wanted,
} from './record-outcome.ts';

/** Calls the loyalty service if the plan says so, and records the outcome. */
export async function executePlan(
  plan: Exclude<Plan, { kind: 'read-store' }>,
  mapped: Mapped,
  given: Given,
  world: ExecutionWorld,
): Promise<Synced> {
  const { entry } = given;
  const step = stepOf(given, world);
  if (plan.kind === 'superseded') return { outcome: plan, entry };
  if (mapped.kind === 'fault') {
    const why = faultText(mapped);
    return reject(step, { kind: 'rejected', reason: 'unmappable', why }, world);
  }
  if (mapped.kind === 'skip') return skip(step, mapped.why, world);
  if (plan.kind === 'rules-changed') {
    return { outcome: { kind: 'skipped', why: 'rules-changed' }, entry };
  }
  if (plan.kind !== 'call') {
    return unchanged(step, mapped, plan.kind === 'unchanged' && plan.advance, world);
  }
  const { wanted } = mapped;
  return isOrder(wanted)
    ? applyOrder(step, { ...mapped, wanted }, world)
    : apply(step, mapped, wanted, plan.mark, world);
}

type Given = Pick<Step, 'key' | 'event' | 'entry' | 'snapshot' | 'redelivered' | 'read'>;

function stepOf(given: Given, { now }: ExecutionWorld): Step {
  const { topic, origin } = given.event;
  return {
    ...{ ...given, version: given.snapshot.version, topic, now: now() },
    ...(origin === 'reconcile' && { origin }),
  };
}

/** Before anything was planned: walks must know that it was asked for. */
export async function rejectUnread(
  given: Given,
  outcome: Rejected,
  world: ExecutionWorld,
): Promise<Synced> {
  return reject(stepOf(given, world), outcome, world);
}

function isOrder(wanted: WantedState): wanted is Exclude<WantedState, WantedRest> {
  return wanted.kind === 'order' || wanted.kind === 'cancelled-order';
}

/** Mark → call → record. */
async function apply(
  step: Step,
  mapped: Wanted,
  wanted: WantedRest,
  mark: boolean,
  world: ExecutionWorld,
): Promise<Synced> {
  const { loyalty, breaker, assumptions } = world.shop(step.key.shop);
  if (mark && wanted.kind === 'coupon' && !assumptions.couponsAreReplaced) {
    return reject(step, notReplaced('couponsAreReplaced'), world);
  }
  const made = await throughBreaker({ breaker, now: world.now }, async () => {
    const marked = mark ? await markChange(step, world.ledger) : step;
    if (!marked) return { kind: 'overtaken', end: 'unused' } as const;
    const call = await makeCall(wanted, loyalty, { signal: world.deadline });
    return { kind: 'called', entry: marked.entry, ...call } as const;
  });
  if (made.kind === 'stay-away') return { outcome: stayAway(made), entry: step.entry };
  if (made.kind === 'overtaken') return { outcome: overtaken, entry: step.entry };
  const after = { ...step, entry: made.entry, now: world.now() };
  switch (made.outcome.kind) {
    case 'retry':
      return recordAttempt(after, mapped, made, world);
    case 'rejected':
      return reject(after, made.outcome, world, lostCallOf(after, mapped, world));
    case 'applied': {
      const next = appliedEntry(after, idempotencyKey(wanted), factsOf(after, mapped, world));
      return recordCalls(after, next, made.outcome, world);
    }
  }
}

async function unchanged(
  step: Step,
  { rules }: Wanted,
  advance: boolean,
  world: ExecutionWorld,
): Promise<Synced> {
  const outcome = { kind: 'unchanged' } as const;
  if (!advance) return { outcome, entry: step.entry };
  const isOrder = step.key.kind === 'order';
  const facts = {
    ...discountOf(step),
    // Another change in the same second is no difference between rules.
    ...(rules !== undefined && { rules }),
    ...(isOrder && retention(world)),
  };
  const next = unchangedEntry(step, facts);
  if (!isOrder || step.snapshot.entity.kind !== 'gone') return settle(step, outcome, next, world);
  // It was cancelled before it was deleted: a later redaction of its customer does not name it.
  const { remembered: _, ...withoutPerson } = next;
  return settle(step, outcome, withoutPerson, world);
}

async function skip(
  step: Step,
  why: Extract<Mapped, { kind: 'skip' }>['why'],
  world: ExecutionWorld,
): Promise<Synced> {
  const { entry, version, read } = step;
  const outcome = { kind: 'skipped', why } as const;
  // The service holds what the ledger had forgotten: later events and walks must know that.
  const isForgotten = !isKnown(entry) && isHeldLive(read?.held);
  // A repeated skip needs no second line among the outcomes.
  if (entry?.version === version && !isForgotten) return { outcome, entry };
  const facts = entry?.appliedKey ? {} : retention(world);
  const outcomes = entry?.outcomes ?? [];
  const known = isForgotten ? { ...presumeHeld(read.held, entry), outcomes } : entry;
  return settle(step, outcome, skippedEntry({ ...step, entry: known }, why, facts), world);
}
