import type { CompleteAssumptions, OtherOrderId } from '../../config/connector-settings.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import {
  type CallsMade,
  type CircuitBreaker,
  hasCode,
  retryWhenAllowed,
  throughBreaker,
} from '../calls/call-loyalty.ts';
import type { Pauses } from '../calls/shop-pause.ts';
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
import type { Mapped } from '../mapping/wanted-state.ts';
import type { Snapshot } from '../store/store.ts';

export interface ExecutionDeps {
  readonly ledger: Ledger;
  readonly queue: EventQueue;
  /** What belongs to one shop: its loyalty account and its circuit breaker. */
  readonly shop: (domain: string) => {
    readonly loyalty: LoyaltyCalls;
    readonly breaker: CircuitBreaker;
    readonly assumptions: CallAssumptions;
    /** How another integration may have named the shop's orders. */
    readonly otherOrderIds?: readonly OtherOrderId[];
    /** Nothing is changed for the shop. */
    readonly observes?: boolean;
  };
  readonly now: () => Date;
  readonly orderRetentionDays: number;
  readonly deadline: AbortSignal;
  readonly pauses: PausedTime & LedgerPast & Pick<Pauses, 'noteObserving'>;
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
}

/** What the loyalty service says of an order; `held` is undefined where it does not have it. */
export interface ServiceReading {
  readonly held: HeldOrder | undefined;
  /** The id that it was found under, if that is not the store's. */
  readonly heldAs?: string | undefined;
  /** When its customer was redacted, if that was after it was placed. */
  readonly redactedAt?: number | undefined;
}

export type Wanted = Extract<Mapped, { kind: 'wanted' }>;
export type Rejected = Extract<Outcome, { kind: 'rejected' }>;

/** `found`: of a partial cancel whose key was used before. */
export type Made = CallsMade & { readonly found?: boolean };

interface ServiceCall {
  /** What the entry holds while the call is under way; undefined where the entry says it already. */
  readonly mark: Facts | undefined;
  readonly call: () => Promise<Made>;
  readonly refusal?: {
    /** The call may have had an effect all the same: the entry stays as the mark left it. */
    readonly keepsMark: boolean;
    readonly facts: Facts;
  };
  /** After a call that was applied; with the entry that the mark left. */
  readonly onApplied: (
    marked: EntityChange,
    outcome: Extract<Outcome, { kind: 'applied' }>,
    made: Made,
  ) => Promise<Synced>;
}

/**
 * Mark → call → record, for every kind of entity: nothing else sends a wanted state to the loyalty service. A refusal
 * is recorded here; what was applied, by `onApplied` with `recordCalls`, because an order may need several calls.
 * See docs/decisions/0004-every-ledger-write-names-its-revision.md.
 */
export async function markAndCall(
  change: EntityChange,
  { mark, call, refusal = { keepsMark: false, facts: {} }, onApplied }: ServiceCall,
  deps: ExecutionDeps,
): Promise<Synced> {
  const { breaker } = deps.shop(change.key.shop);
  const { entry } = change;
  const answer = await throughBreaker({ breaker, now: deps.now }, async () => {
    const marked = mark
      ? await record(change, { kind: 'marked', facts: mark }, deps.ledger)
      : entry;
    if (mark && !marked) return { kind: 'overtaken', end: 'unused' } as const;
    const made = await call();
    return { kind: 'called', entry: marked, made, end: made.end } as const;
  });
  if (answer.kind === 'call-refused') return { outcome: retryWhenAllowed(answer), entry };
  if (answer.kind === 'overtaken') return { outcome: overtaken, entry };
  const { made } = answer;
  const marked = { ...change, entry: answer.entry, now: deps.now() };
  const { outcome } = made;
  switch (outcome.kind) {
    case 'retry':
      return { outcome, entry: marked.entry };
    case 'rejected': {
      const before = refusal.keepsMark ? marked : change;
      return reject(marked, outcome, deps, { before, facts: refusal.facts });
    }
    case 'applied':
      return onApplied(marked, outcome, made);
  }
}

/** After calls that succeeded. */
export async function recordCalls(
  change: EntityChange,
  applied: Omit<Extract<EntryStep, { kind: 'applied' }>, 'kind'>,
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
export type CallAssumptions = Omit<CompleteAssumptions, 'redemptionsKeepMetadata'>;

export const rejected = (why: string): Rejected => ({ kind: 'rejected', reason: 'rejected', why });

/** It was sent before, and the merchant configured that the service takes no change of it. */
export const notReplaced = (setting: 'ordersAreReplaced' | 'couponsAreReplaced'): string =>
  `it was sent before, and loyalty.assumptions.${setting} says that the service takes no change`;
