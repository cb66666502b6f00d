import { type Outcome, overtaken } from '../batch/outcome.ts';
import { isRetryWindowOver } from '../batch/retry-policy.ts';
import type { StoreEvent } from '../events/event.ts';
import { askAgain } from '../events/message-ids.ts';
import type { EventQueue } from '../events/queues.ts';
import {
  appliedEntry,
  attemptedEntry,
  type Change,
  type Facts,
  markChange,
  recordApplied,
  recordChange,
  rejectedEntry,
  skippedEntry,
  unchangedEntry,
} from '../ledger/change-entry.ts';
import { idempotencyKey } from '../ledger/idempotency-key.ts';
import { type EntityEntry, type EntityWrite, expiresAfter, type Ledger } from '../ledger/ledger.ts';
import type { EntityKey } from '../ledger/ledger-key.ts';
import { isHistory, isKnown } from '../mapping/history-mark.ts';
import type { Mapped } from '../mapping/wanted-state.ts';
import { throughBreaker } from './call-loyalty.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import {
  type CallAssumptions,
  type CallsMade,
  type LoyaltyCalls,
  makeCalls,
  refuseToReplace,
} from './make-calls.ts';
import type { Plan } from './plan.ts';
import type { Snapshot } from './read-snapshot.ts';

export interface ExecutionWorld {
  readonly ledger: Ledger;
  readonly queue: EventQueue;
  /** What belongs to one shop: its loyalty account and its circuit breaker. */
  readonly shop: (domain: string) => {
    readonly loyalty: LoyaltyCalls;
    readonly breaker: CircuitBreaker;
    readonly assumptions: CallAssumptions;
  };
  readonly now: () => Date;
  readonly orderRetentionDays: number;
  readonly deadline: AbortSignal;
}

export interface Synced {
  readonly outcome: Outcome;
  /** What the ledger holds now, as far as this worker knows. */
  readonly entry: EntityEntry | undefined;
}

interface Step extends Change<EntityKey> {
  readonly event: StoreEvent;
  readonly snapshot: Snapshot;
  /** A worker that died may have made the same call before. */
  readonly redelivered: boolean;
}

type Wanted = Extract<Mapped, { kind: 'wanted' }>;
type Rejected = Extract<Outcome, { kind: 'rejected' }>;

/** Calls the loyalty service if the plan says so, and records the outcome. */
export async function executePlan(
  plan: Exclude<Plan, { kind: 'read-store' }>,
  mapped: Mapped,
  given: Pick<Step, 'key' | 'event' | 'entry' | 'snapshot' | 'redelivered'>,
  world: ExecutionWorld,
): Promise<Synced> {
  const { event, entry, snapshot } = given;
  const { version } = snapshot;
  const step: Step = { ...given, version, topic: event.topic, now: world.now() };
  if (plan.kind === 'superseded') return { outcome: plan, entry };
  if (mapped.kind === 'fault') return reject(step, unmappable(mapped), world);
  if (mapped.kind === 'skip') return skip(step, mapped.why, world);
  if (plan.kind === 'call') return apply(step, mapped, plan.mark, world);
  return unchanged(step, plan.kind === 'unchanged' && plan.advance, world);
}

/** Mark → call → record. */
async function apply(
  step: Step,
  mapped: Wanted,
  mark: boolean,
  world: ExecutionWorld,
): Promise<Synced> {
  const { loyalty, breaker, assumptions } = world.shop(step.key.shop);
  const impossible = mark ? refuseToReplace(mapped.wanted, assumptions) : undefined;
  if (impossible) return reject(step, impossible, world);
  const made = await throughBreaker({ breaker, now: world.now }, async () => {
    const marked = mark ? await markChange(step, world.ledger) : step;
    if (!marked) return { kind: 'overtaken', end: 'unused' } as const;
    const waitedForADay = isRetryWindowOver(step.event, 1, world.now());
    const limits = { signal: world.deadline, waitedForADay };
    const calls = await makeCalls(mapped.wanted, loyalty, assumptions, limits);
    return { kind: 'called', entry: marked.entry, ...calls } as const;
  });
  switch (made.kind) {
    case 'stay-away': {
      const { afterSeconds } = made;
      const outcome = { kind: 'retry', why: 'loyalty-unavailable', afterSeconds } as const;
      return { outcome, entry: step.entry };
    }
    case 'overtaken':
      return { outcome: overtaken, entry: step.entry };
    case 'called':
      return record({ ...step, entry: made.entry, now: world.now() }, mapped, made, world);
  }
}

async function record(
  step: Step,
  mapped: Wanted,
  { outcome, mayHaveHappened }: CallsMade,
  world: ExecutionWorld,
): Promise<Synced> {
  const { entry } = step;
  switch (outcome.kind) {
    case 'retry': {
      if (!mayHaveHappened || entry?.uncertain) return { outcome, entry };
      // A first send that may have arrived: the next event must not treat the entity as unknown.
      const next = attemptedEntry(step, factsOf(step, mapped, world));
      return { outcome, entry: (await recordChange(step, next, world.ledger)) ?? entry };
    }
    case 'rejected':
      return reject(step, outcome, world, lostCallOf(step, mapped, world));
    case 'applied': {
      const next = appliedEntry(step, idempotencyKey(mapped.wanted), factsOf(step, mapped, world));
      const written = await recordApplied(step, next, world.ledger, () =>
        // Without a body: the worker reads the entity from the store.
        world.queue.send({ ...askAgain(step.event, world.now()), body: undefined }),
      );
      return written ? { outcome, entry: written } : { outcome: overtaken, entry };
    }
  }
}

async function unchanged(step: Step, advance: boolean, world: ExecutionWorld): Promise<Synced> {
  const outcome = { kind: 'unchanged' } as const;
  if (!advance) return { outcome, entry: step.entry };
  const facts = { ...discountOf(step), ...(step.key.kind === 'order' && retention(world)) };
  return settle(step, outcome, unchangedEntry(step, facts), world);
}

async function skip(
  step: Step,
  why: Extract<Mapped, { kind: 'skip' }>['why'],
  world: ExecutionWorld,
): Promise<Synced> {
  const { entry, version } = step;
  const outcome = { kind: 'skipped', why } as const;
  // A repeated skip needs no second line among the outcomes.
  if (entry?.version === version) return { outcome, entry };
  const facts = entry?.appliedKey ? {} : retention(world);
  return settle(step, outcome, skippedEntry(step, why, facts), world);
}

/** Adds only a line to the outcomes: version, key and mark stay as they are. */
async function reject(
  step: Step,
  outcome: Rejected,
  world: ExecutionWorld,
  lostCall: Partial<EntityWrite> = {},
): Promise<Synced> {
  const facts = step.key.kind === 'order' ? retention(world) : {};
  const next = rejectedEntry(step, outcome.code ?? outcome.reason, facts);
  return settle(step, outcome, { ...next, ...lostCall }, world);
}

/**
 * A refusal of a redelivered message says nothing about the call of a worker that died before it could
 * record it: the service may hold the entity. The next event must not treat it as unknown.
 */
function lostCallOf(step: Step, mapped: Wanted, world: ExecutionWorld): Partial<EntityWrite> {
  return step.redelivered && !isKnown(step.entry)
    ? { ...factsOf(step, mapped, world), uncertain: true }
    : {};
}

/** Where another worker wrote meanwhile, its work may have caused the outcome: it is tried again. */
async function settle(
  step: Step,
  outcome: Outcome,
  next: Parameters<typeof recordChange>[1],
  { ledger }: ExecutionWorld,
): Promise<Synced> {
  const written = await recordChange(step, next, ledger);
  return written ? { outcome, entry: written } : { outcome: overtaken, entry: step.entry };
}

function unmappable({ faults }: Extract<Mapped, { kind: 'fault' }>): Rejected {
  const words = faults.map(({ path, problem }) => `${path} ${problem}`).join('; ');
  return { kind: 'rejected', reason: 'unmappable', why: `connector.config.ts: ${words}` };
}

/** What the entry of an applied state holds. Orders expire; products and coupons once they are over. */
function factsOf(step: Step, { wanted, remember }: Wanted, world: ExecutionWorld): Facts {
  const { key, entry, snapshot } = step;
  const isOver = snapshot.entity.kind === 'gone' || wanted.kind === 'inactive-coupon';
  return {
    ...(remember !== undefined && { remembered: remember }),
    ...discountOf(step),
    ...(key.kind === 'order' && isHistory(entry, snapshot) && { history: true }),
    ...((key.kind === 'order' || isOver) && retention(world)),
  };
}

function discountOf({ snapshot: { entity }, entry }: Step): Facts {
  const discountId = entity.kind === 'coupon' ? entity.coupon.discountId : entry?.discountId;
  return discountId === undefined ? {} : { discountId };
}

const retention = ({ orderRetentionDays, now }: ExecutionWorld) =>
  expiresAfter(orderRetentionDays, now());
