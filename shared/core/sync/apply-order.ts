import type { OperationId } from '../../loyalty/operations.ts';
import { applied, type CallsMade, hasCode, judge, refused } from '../calls/call-loyalty.ts';
import { isRetryWindowOver } from '../events/outcome.ts';
import { type Facts, isKnown } from '../ledger/entry.ts';
import type { SentAmounts } from '../ledger/ledger.ts';
import {
  cancelledOrderKey,
  idempotencyKey,
  type WantedOrder,
  type WantedState,
} from '../mapping/wanted-state.ts';
import {
  type EntityChange,
  type ExecutionDeps,
  factsOf,
  type LoyaltyCalls,
  markAndCall,
  notReplaced,
  type Rejected,
  recordCalls,
  reject,
  type Synced,
  settle,
  type Wanted,
} from './change-service.ts';
import {
  adoptHeld,
  cancelOrder,
  isEndedElsewhere,
  isFromElsewhere,
  isHeldCompleted,
  leaveHeld,
  takePart,
} from './held-order.ts';
import {
  afterStep,
  type NextCall,
  nextCall,
  type OrderFacts,
  type ParkReason,
} from './next-call.ts';

type Call = Exclude<NextCall, { kind: 'nothing' | 'park' }>;
type Made = CallsMade & { readonly found?: boolean };

interface Position {
  readonly change: EntityChange;
  readonly facts: OrderFacts;
}

type MappedOrder = Wanted & { readonly wanted: WantedOrder };

/**
 * Decide → mark → call, until nothing is left to do; then record. What a call changed is written
 * together with the mark of the next one, or with the record. A worker that dies in between leaves
 * the mark, and the same call is made again: that is harmless.
 */
export async function applyOrder(
  given: EntityChange,
  mapped: MappedOrder,
  deps: ExecutionDeps,
): Promise<Synced> {
  const { assumptions } = deps.shop(given.key.shop);
  const calls: OperationId[] = [];
  const { wanted } = mapped;
  if (wanted.kind === 'order' && isEndedElsewhere(given)) return leaveHeld(given, deps);
  let at: Position = { change: given, facts: factsIn(given, wanted, deps) };
  for (;;) {
    const { change } = at;
    const next = nextCall(wanted, at.facts, assumptions);
    if (next.kind === 'nothing') return recordOrder(at, mapped, calls, deps);
    if (next.kind === 'park') {
      // Its amount follows other rules, which the customer was promised.
      const isLeft = next.why === 'unexplained' && isFromElsewhere(change) && !wanted.isRefunded;
      return isLeft ? leaveHeld(change, deps) : parkOrder(at, next.why, deps);
    }
    const called = await markAndCall(change, callOf(next, at, mapped, deps), deps);
    if (called.kind === 'ended') return called.synced;
    const { marked, made } = called;
    calls.push(...made.outcome.calls);
    at = { change: marked, facts: factsAfter(next, at, mapped, made.found) };
    if (isLast(next)) return recordOrder(at, mapped, calls, deps);
  }
}

function callOf(next: Call, { change, facts }: Position, mapped: MappedOrder, deps: ExecutionDeps) {
  const isRepeatedStep = next.kind === 'take' && next.amounts.step !== undefined;
  return {
    mark: markOf(change, mapped, next, deps),
    call: () => perform(next, mapped.wanted.id, change, deps),
    refusal: {
      // A cancellation may still show, and the first try of a step may have used its key.
      keepsMark: next.kind === 'cancel' || isRepeatedStep,
      facts: { amounts: facts.amounts },
    },
  };
}

function factsIn(change: EntityChange, wanted: WantedOrder, deps: ExecutionDeps): OrderFacts {
  const { key, entry, event, read } = change;
  const known = isKnown(entry);
  const amounts = entry?.amounts;
  // Its amounts say nothing any more. If the service still has it, it refuses to revive it, and a person looks.
  const wasCancelled = entry?.appliedKey === cancelledOrderKey(wanted.id);
  // What another integration sent needs no second call to be certain: it was just read.
  const isUncertain = entry?.uncertain === true && !isFromElsewhere(change);
  const unsure = isUncertain || event.force === true || wasCancelled;
  if (!read) return { known, amounts, unsure };
  // What the service does not have is sent to it.
  if (!isHeldCompleted(read.held)) return { known, amounts, unsure: unsure || known };
  const { readTotals } = deps.shop(key.shop).assumptions;
  const adopted = adoptHeld(read.held, amounts, wanted, readTotals, isFromElsewhere(change));
  return { known: true, unsure, ...adopted };
}

/**
 * Undefined where the entry says it already, and for the end of an order that was never sent: that call gives the
 * service no order, so a lost one leaves nothing to correct.
 */
function markOf(
  change: EntityChange,
  mapped: Wanted,
  next: Call,
  deps: ExecutionDeps,
): Facts | undefined {
  const { entry } = change;
  if (next.kind === 'cancel' && !isKnown(entry)) return undefined;
  const amounts = amountsToMark(next);
  if (entry?.uncertain && (!amounts || isSame(entry.amounts, amounts))) return undefined;
  // Of a known entry, the other facts describe what was applied last. But from now on its customer may have earned.
  const completes = amounts !== undefined && entry?.amounts === undefined;
  const facts = isKnown(entry) && !completes ? {} : factsOf(change, mapped, deps);
  return { ...facts, ...(amounts && { amounts }) };
}

function amountsToMark(next: Call): SentAmounts | undefined {
  if (next.kind === 'send') return next.amounts;
  return next.kind === 'take' ? { ...next.amounts, step: next.step } : undefined;
}

const isSame = (one: SentAmounts | undefined, other: SentAmounts | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

async function perform(
  next: Call,
  id: string,
  { key, event }: EntityChange,
  deps: ExecutionDeps,
): Promise<Made> {
  const { loyalty, assumptions } = deps.shop(key.shop);
  const options = { signal: deps.deadline };
  switch (next.kind) {
    case 'send':
      return judge(['sendOrder'], await loyalty.sendOrder(next.order, options));
    case 'take':
      return takePart(id, next.step, loyalty, assumptions, options);
    case 'cancel': {
      const waitedForADay = isRetryWindowOver(event, 1, deps.now(), deps.pauses);
      return cancelOrder(next.wanted, loyalty, assumptions, { ...options, waitedForADay });
    }
  }
}

function factsAfter(
  next: Call,
  { change, facts }: Position,
  { wanted }: MappedOrder,
  found = false,
): OrderFacts {
  switch (next.kind) {
    case 'send':
      return { ...facts, known: true, unsure: false, amounts: next.amounts };
    case 'take': {
      // A repeated step may have used its key itself.
      const isFirst = !isSame(change.entry?.amounts, amountsToMark(next));
      // `unsure` stays: a dead worker may have left more than the step.
      return { ...facts, amounts: afterStep(wanted, next.amounts, next.step, found && isFirst) };
    }
    case 'cancel': {
      const { step: _, ...amounts } = facts.amounts ?? {};
      return { ...facts, unsure: false, amounts: facts.amounts && (amounts as SentAmounts) };
    }
  }
}

const isLast = (next: Call): boolean =>
  next.kind === 'cancel' || (next.kind === 'send' && !next.amounts);

async function recordOrder(
  { change, facts }: Position,
  mapped: Wanted,
  calls: readonly OperationId[],
  deps: ExecutionDeps,
): Promise<Synced> {
  const { amounts } = facts;
  const recorded = {
    appliedKey: idempotencyKey(mapped.wanted),
    facts: { ...factsOf(change, mapped, deps), ...(amounts && { amounts }) },
  };
  return calls.length === 0
    ? settle(change, { kind: 'unchanged' }, { kind: 'unchanged', ...recorded }, deps)
    : recordCalls(
        change,
        { ...recorded, ...countsOf(mapped.wanted, amounts) },
        { kind: 'applied', calls },
        deps,
      );
}

/** A pending order counts nothing yet. */
function countsOf(
  { kind }: Wanted['wanted'],
  amounts: SentAmounts | undefined,
): { readonly counts?: number } {
  if (kind === 'cancelled-order') return { counts: 0 };
  return amounts ? { counts: amounts.sent.total - amounts.taken } : {};
}

async function parkOrder(
  { change, facts }: Position,
  why: ParkReason,
  deps: ExecutionDeps,
): Promise<Synced> {
  // What was read and not understood is no basis for a later call.
  const amounts = facts.adopted ? change.entry?.amounts : facts.amounts;
  return reject(change, parked(why), deps, { facts: { amounts } });
}

function parked(reason: ParkReason): Rejected {
  if (reason === 'orders-are-not-replaced') return notReplaced('ordersAreReplaced');
  const why = {
    'raise-after-partial-cancel':
      'its amount rose after a part of it was cancelled: correct the points by hand, or set loyalty.assumptions.raiseAfterPartialCancel',
    unexplained:
      'the ledger does not know what was sent for it, and the loyalty service holds an amount that the order never had by the rules of today: correct the points by hand',
  }[reason];
  return { kind: 'rejected', reason: 'rejected', why };
}

export type WantedOther = Exclude<WantedState, WantedOrder>;

/** Makes the service's product, coupon or member the wanted one: a single call. */
export async function applyOther(
  change: EntityChange,
  mapped: Wanted & { readonly wanted: WantedOther },
  deps: ExecutionDeps,
): Promise<Synced> {
  const { loyalty, assumptions } = deps.shop(change.key.shop);
  const { entry } = change;
  const { wanted } = mapped;
  const isReplaced = entry?.appliedKey !== undefined && !entry.uncertain;
  if (isReplaced && wanted.kind === 'coupon' && !assumptions.couponsAreReplaced) {
    return reject(change, notReplaced('couponsAreReplaced'), deps);
  }
  // Of a known entry, the facts describe what was applied last.
  const facts = isKnown(entry) ? {} : factsOf(change, mapped, deps);
  const mark = entry?.uncertain ? undefined : facts;
  const call = () => makeCall(wanted, loyalty, { signal: deps.deadline });
  const called = await markAndCall(change, { mark, call }, deps);
  if (called.kind === 'ended') return called.synced;
  const { marked, made } = called;
  const recorded = { appliedKey: idempotencyKey(wanted), facts: factsOf(marked, mapped, deps) };
  return recordCalls(marked, recorded, made.outcome, deps);
}

/** ApiExternalCoupon_Cant_Update_Coupon. */
const COUPON_NOT_WRITTEN = 56;
const SAME_CODE =
  ' If another shop on this loyalty account has the same code, the service cannot hold both: rename one.';

export async function makeCall(
  wanted: WantedOther,
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
