import type { LoyaltyClient } from '../../loyalty/client.ts';
import {
  applied,
  type CallsMade,
  type CircuitBreaker,
  hasCode,
  judge,
  refused,
} from '../calls/call-loyalty.ts';
import { askAgain, type EntityKey, type EventQueue, type StoreEvent } from '../events/event.ts';
import { type Outcome, overtaken, type PausedTime } from '../events/outcome.ts';
import {
  attemptedEntry,
  type Change,
  type Facts,
  isKnown,
  type LedgerPast,
  recordApplied,
  recordChange,
  rejectedEntry,
} from '../ledger/change-entry.ts';
import { type EntityEntry, type EntityWrite, expiresAfter, type Ledger } from '../ledger/ledger.ts';
import type { Mapped, WantedOrder, WantedState } from '../mapping/wanted-state.ts';
import type { Snapshot } from '../store/store.ts';
import type { ReadTotals, RefundSettings } from './next-call.ts';

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
/** ApiExternalOrder_Order_Not_Found. */
const ORDER_NOT_FOUND = 37;

export type ReadAnswer = Awaited<ReturnType<LoyaltyCalls['getOrder']>>;
export type HeldOrder = NonNullable<ReturnType<typeof foundIn>>;

export function foundIn(read: ReadAnswer) {
  return read.kind === 'success' || read.kind === 'warning' ? read.value : undefined;
}

/**
 * Which answer an absent order gets is not documented; one without an envelope is likely to be a 404 or to have
 * no content. That it is not a wrong address is for the next call to show, or for the other readings.
 */
export function isAbsent(read: ReadAnswer): boolean {
  if (read.kind === 'transport-failure') return read.reason === 'not-found';
  return hasCode(read, ORDER_NOT_FOUND);
}

/** The calls that syncing needs. */
export type LoyaltyCalls = Pick<
  LoyaltyClient,
  | 'sendOrder'
  | 'cancelPosOrder'
  | 'partiallyCancelPosOrder'
  | 'getOrder'
  | 'updateProduct'
  | 'createCoupon'
  | 'deactivateCoupon'
  | 'upsertCustomer'
  | 'getCustomerPoints'
  | 'changeCustomerStatus'
>;

/** What the contract leaves open. The settings describe each. */
export interface CallAssumptions extends RefundSettings {
  readonly couponsAreReplaced: boolean;
  readonly completedOrdersTakeTheCancelledMark: boolean;
  readonly refusedCancelledMark: 'rejected' | 'done';
  readonly cancellingTwice: 'done' | 'rejected';
  readonly readTotals: ReadTotals;
  readonly usedCancelKeyError?: number;
}

export type WantedRest = Exclude<WantedState, WantedOrder>;

/** ApiExternalCoupon_Cant_Update_Coupon. */
const COUPON_NOT_WRITTEN = 56;
const SAME_CODE =
  ' If another shop on this loyalty account has the same code, the service cannot hold both: rename one.';

/** Makes the service's product or coupon the wanted one. */
export async function makeCall(
  wanted: WantedRest,
  loyalty: LoyaltyCalls,
  options: { readonly signal: AbortSignal },
): Promise<CallsMade> {
  switch (wanted.kind) {
    case 'product':
      return judge(
        ['updateProduct'],
        await loyalty.updateProduct(wanted.id, wanted.product, options),
      );
    case 'coupon': {
      const sent = await loyalty.createCoupon(wanted.coupon, options);
      // Under an id of its shop's own, on an account that several shops share.
      const mayBeAnothers = wanted.coupon.OriginalId !== wanted.id;
      return mayBeAnothers && hasCode(sent, COUPON_NOT_WRITTEN)
        ? refused(['createCoupon'], sent, SAME_CODE)
        : judge(['createCoupon'], sent);
    }
    case 'inactive-coupon':
      return judge(['deactivateCoupon'], await loyalty.deactivateCoupon(wanted.id, options));
    case 'member':
      return judge(['upsertCustomer'], await loyalty.upsertCustomer(wanted.member, options));
    case 'deleted-member':
      return applied([]);
  }
}

/** It was sent before, and the merchant configured that the service takes no change of it. */
export function notReplaced(
  setting: 'ordersAreReplaced' | 'couponsAreReplaced',
): Extract<Outcome, { kind: 'rejected' }> {
  const why = `it was sent before, and loyalty.assumptions.${setting} says that the service takes no change`;
  return { kind: 'rejected', reason: 'rejected', why };
}
