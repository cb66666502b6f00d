import type { LoyaltyClient } from '../../loyalty/client.ts';
import {
  applied,
  type CallsMade,
  type CircuitBreaker,
  hasCode,
  judge,
  refused,
  retryWhenAllowed,
  throughBreaker,
} from '../calls/call-loyalty.ts';
import { askAgain, type EntityKey, type EventQueue, type StoreEvent } from '../events/event.ts';
import { type Outcome, overtaken, type PausedTime } from '../events/outcome.ts';
import {
  type Change,
  type EntryStep,
  type Facts,
  type LedgerPast,
  record,
  recordApplied,
} from '../ledger/entry.ts';
import { type EntityEntry, expiresAfter, type Ledger } from '../ledger/ledger.ts';
import type { Mapped, WantedOrder, WantedState } from '../mapping/wanted-state.ts';
import type { Snapshot } from '../store/store.ts';
import type { ReadTotals, RefundSettings } from './next-call.ts';

export interface ExecutionDeps {
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

/** The change of one entity that an event leads to. */
export interface EntityChange extends Change<EntityKey> {
  readonly event: StoreEvent;
  readonly snapshot: Snapshot;
  /** Of an order that was read from the service; `held` is undefined where the service does not have it. */
  readonly read?: { readonly held: HeldOrder | undefined } | undefined;
}

export type Wanted = Extract<Mapped, { kind: 'wanted' }>;
export type Rejected = Extract<Outcome, { kind: 'rejected' }>;

/** A call that was made, and the change with the entry that the mark left. */
type Called<Made> = { readonly kind: 'called'; readonly marked: EntityChange; readonly made: Made };

/**
 * Mark → call: the caller then records what the call did. This is the only way in which a worker changes an entity
 * at the loyalty service. `mark` is undefined where the entry is marked already.
 */
export async function markAndCall<Made extends CallsMade>(
  change: EntityChange,
  mark: Facts | undefined,
  call: () => Promise<Made>,
  deps: ExecutionDeps,
): Promise<Called<Made> | { readonly kind: 'ended'; readonly synced: Synced }> {
  const { breaker } = deps.shop(change.key.shop);
  const { entry } = change;
  const made = await throughBreaker({ breaker, now: deps.now }, async () => {
    const marked = mark
      ? await record(change, { kind: 'marked', facts: mark }, deps.ledger)
      : entry;
    if (mark && !marked) return { kind: 'overtaken', end: 'unused' } as const;
    return { kind: 'called', entry: marked, ...(await call()) } as const;
  });
  if (made.kind === 'call-refused')
    return { kind: 'ended', synced: { outcome: retryWhenAllowed(made), entry } };
  if (made.kind === 'overtaken') return { kind: 'ended', synced: { outcome: overtaken, entry } };
  return { kind: 'called', marked: { ...change, entry: made.entry, now: deps.now() }, made };
}

/** After calls that succeeded. */
export async function recordCalls(
  change: EntityChange,
  applied: { readonly appliedKey: string; readonly facts: Facts },
  outcome: Outcome,
  deps: ExecutionDeps,
): Promise<Synced> {
  const written = await recordApplied(change, applied, deps.ledger, () =>
    // Without a body: the worker reads the entity from the store.
    deps.queue.send({ ...askAgain(change.event, deps.now()), body: undefined }),
  );
  return written ? { outcome, entry: written } : { outcome: overtaken, entry: change.entry };
}

/** Adds only a line to the outcomes: version, key and mark are those of the entry `before` the call. */
export async function reject(
  change: EntityChange,
  outcome: Rejected,
  deps: ExecutionDeps,
  { before = change, facts = {} }: { before?: Pick<Change, 'entry'>; facts?: Facts } = {},
): Promise<Synced> {
  const kept = change.key.kind === 'order' ? { ...retention(deps), ...facts } : facts;
  const step = { kind: 'rejected', why: outcome.code ?? outcome.reason, facts: kept } as const;
  return settle(change, outcome, step, deps, before);
}

/** Where another worker wrote meanwhile, its work may have caused the outcome: it is tried again. */
export async function settle(
  change: EntityChange,
  outcome: Outcome,
  step: EntryStep,
  { ledger }: ExecutionDeps,
  before: Pick<Change, 'entry'> = change,
): Promise<Synced> {
  const written = await record(change, step, ledger, before);
  return written ? { outcome, entry: written } : { outcome: overtaken, entry: change.entry };
}

/** What the entry of an applied state holds. Orders expire; products and coupons once they are over. */
export function factsOf(
  change: EntityChange,
  { wanted, remember, history, rules }: Wanted,
  deps: ExecutionDeps,
): Facts {
  const { key, snapshot } = change;
  const isOver = snapshot.entity.kind === 'gone' || wanted.kind === 'inactive-coupon';
  return {
    ...(remember !== undefined && { remembered: remember }),
    ...discountOf(change),
    ...(history && { history }),
    ...(rules !== undefined && { rules }),
    ...((key.kind === 'order' || isOver) && retention(deps)),
  };
}

export function discountOf({ snapshot: { entity }, entry }: EntityChange): Facts {
  const discountId = entity.kind === 'coupon' ? entity.coupon.discountId : entry?.discountId;
  return discountId === undefined ? {} : { discountId };
}

export const retention = ({ orderRetentionDays, now }: ExecutionDeps) =>
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
