import { type Outcome, overtaken } from '../batch/outcome.ts';
import type { PausedTime } from '../batch/retry-policy.ts';
import type { StoreEvent } from '../events/event.ts';
import { askAgain } from '../events/message-ids.ts';
import type { EventQueue } from '../events/queues.ts';
import {
  attemptedEntry,
  type Change,
  type Facts,
  recordApplied,
  recordChange,
  rejectedEntry,
} from '../ledger/change-entry.ts';
import type { LedgerPast } from '../ledger/doubt.ts';
import { type EntityEntry, type EntityWrite, expiresAfter, type Ledger } from '../ledger/ledger.ts';
import type { EntityKey } from '../ledger/ledger-key.ts';
import { isKnown } from '../mapping/history-mark.ts';
import type { Mapped } from '../mapping/wanted-state.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { CallAssumptions, CallsMade, LoyaltyCalls } from './make-calls.ts';
import type { HeldOrder } from './order-calls.ts';
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
  readonly pauses: PausedTime & LedgerPast;
}

export interface Synced {
  readonly outcome: Outcome;
  /** What the ledger holds now, as far as this worker knows. */
  readonly entry: EntityEntry | undefined;
}

export interface Step extends Change<EntityKey> {
  readonly event: StoreEvent;
  readonly snapshot: Snapshot;
  /** A worker that died may have made the same call before. */
  readonly redelivered: boolean;
  /** Of an order that was read from the service; `held` is undefined where the service does not have it. */
  readonly read?: { readonly held: HeldOrder | undefined } | undefined;
}

export type Wanted = Extract<Mapped, { kind: 'wanted' }>;
export type Rejected = Extract<Outcome, { kind: 'rejected' }>;

/** After calls that succeeded. */
export async function recordCalls(
  step: Step,
  next: EntityWrite,
  outcome: Outcome,
  world: ExecutionWorld,
): Promise<Synced> {
  const written = await recordApplied(step, next, world.ledger, () =>
    // Without a body: the worker reads the entity from the store.
    world.queue.send({ ...askAgain(step.event, world.now()), body: undefined }),
  );
  return written ? { outcome, entry: written } : { outcome: overtaken, entry: step.entry };
}

/** A first send that may have arrived: the next event must not treat the entity as unknown. */
export async function recordAttempt(
  step: Step,
  mapped: Wanted,
  { outcome, mayHaveHappened }: CallsMade,
  world: ExecutionWorld,
): Promise<Synced> {
  const { entry } = step;
  if (!mayHaveHappened || entry?.uncertain) return { outcome, entry };
  const next = attemptedEntry(step, factsOf(step, mapped, world));
  return { outcome, entry: (await recordChange(step, next, world.ledger)) ?? entry };
}

/** Adds only a line to the outcomes: version, key and mark stay as they are. */
export async function reject(
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
export function lostCallOf(
  step: Step,
  mapped: Wanted,
  world: ExecutionWorld,
): Partial<EntityWrite> {
  return step.redelivered && !isKnown(step.entry)
    ? { ...factsOf(step, mapped, world), uncertain: true }
    : {};
}

/** Where another worker wrote meanwhile, its work may have caused the outcome: it is tried again. */
export async function settle(
  step: Step,
  outcome: Outcome,
  next: EntityWrite,
  { ledger }: ExecutionWorld,
): Promise<Synced> {
  const written = await recordChange(step, next, ledger);
  return written ? { outcome, entry: written } : { outcome: overtaken, entry: step.entry };
}

/** What the entry of an applied state holds. Orders expire; products and coupons once they are over. */
export function factsOf(
  step: Step,
  { wanted, remember, history, rules }: Wanted,
  world: ExecutionWorld,
): Facts {
  const { key, snapshot } = step;
  const isOver = snapshot.entity.kind === 'gone' || wanted.kind === 'inactive-coupon';
  return {
    ...(remember !== undefined && { remembered: remember }),
    ...discountOf(step),
    ...(history && { history }),
    ...(rules !== undefined && { rules }),
    ...((key.kind === 'order' || isOver) && retention(world)),
  };
}

export function discountOf({ snapshot: { entity }, entry }: Step): Facts {
  const discountId = entity.kind === 'coupon' ? entity.coupon.discountId : entry?.discountId;
  return discountId === undefined ? {} : { discountId };
}

export const retention = ({ orderRetentionDays, now }: ExecutionWorld) =>
  expiresAfter(orderRetentionDays, now());
