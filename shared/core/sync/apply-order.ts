import type { OperationId } from '../../loyalty/operations.ts';
import { overtaken } from '../batch/outcome.ts';
import { isRetryWindowOver } from '../batch/retry-policy.ts';
import { appliedEntry, markChange, rejectedEntry, unchangedEntry } from '../ledger/change-entry.ts';
import { cancelledOrderKey, idempotencyKey } from '../ledger/idempotency-key.ts';
import { type SentAmounts, toThousandths } from '../ledger/sent-amounts.ts';
import { isKnown } from '../mapping/history-mark.ts';
import { recallOrder } from '../mapping/remembered.ts';
import type { WantedOrder } from '../mapping/wanted-state.ts';
import { stayAway, throughBreaker } from './call-loyalty.ts';
import { type CallsMade, judge, notReplaced } from './make-calls.ts';
import {
  afterStep,
  type NextCall,
  nextCall,
  type OrderFacts,
  type ParkReason,
} from './next-call.ts';
import { cancelOrder, type HeldOrder, readHeld, takePart } from './order-calls.ts';
import {
  type ExecutionWorld,
  factsOf,
  lostCallOf,
  type Rejected,
  recordAttempt,
  recordCalls,
  retention,
  type Step,
  type Synced,
  settle,
  type Wanted,
} from './record-outcome.ts';

type Call = Exclude<NextCall, { kind: 'nothing' | 'park' }>;
type Made = CallsMade & { readonly held?: HeldOrder };

interface Position {
  readonly step: Step;
  readonly facts: OrderFacts;
}

/**
 * Decide → mark → call, until nothing is left to do; then record. What a call changed is written
 * together with the mark of the next one, or with the record. A worker that dies in between leaves
 * the mark, and the same call is made again: that is harmless.
 */
export async function applyOrder(
  given: Step,
  mapped: Wanted,
  wanted: WantedOrder,
  world: ExecutionWorld,
): Promise<Synced> {
  const { breaker, assumptions } = world.shop(given.key.shop);
  const calls: OperationId[] = [];
  let at: Position = { step: given, facts: factsIn(given, wanted, world) };
  for (;;) {
    const next = nextCall(wanted, at.facts, assumptions);
    if (next.kind === 'nothing') return record(at, mapped, calls, world);
    if (next.kind === 'park') return parkOrder(at, next.why, world);
    const { step, facts } = at;
    const made = await throughBreaker({ breaker, now: world.now }, async () => {
      const marked = await mark(step, mapped, next, world);
      if (!marked) return { kind: 'overtaken', end: 'unused' } as const;
      return { kind: 'called', marked, ...(await perform(next, step, world)) } as const;
    });
    if (made.kind === 'stay-away') return { outcome: stayAway(made), entry: step.entry };
    if (made.kind === 'overtaken') return { outcome: overtaken, entry: step.entry };
    const marked = { ...made.marked, now: world.now() };
    switch (made.outcome.kind) {
      case 'retry':
        return recordAttempt(marked, mapped, made, world);
      case 'rejected':
        return refuse(next, { at, marked, mapped }, made.outcome, world);
      case 'applied':
        calls.push(...made.outcome.calls);
        at = { step: marked, facts: factsAfter(next, facts, wanted, made.held) };
        if (isLast(next)) return record(at, mapped, calls, world);
    }
  }
}

function factsIn(
  { entry, event }: Step,
  { id, order }: WantedOrder,
  { now, orderRetentionDays }: ExecutionWorld,
): OrderFacts {
  const known = isKnown(entry);
  const amounts = entry?.amounts;
  const basics = recallOrder(entry?.remembered)?.basics;
  const wasPending = basics !== undefined && basics.OrderCompletedDate == null;
  const ageMs = now().getTime() - Date.parse(order.OrderPlacementDate ?? '');
  const forgotten = !known && ageMs > orderRetentionDays * 86_400_000;
  // Its amounts say nothing any more. If the service still has it, it refuses to revive it, and a person looks.
  const wasCancelled = entry?.appliedKey === cancelledOrderKey(id);
  return {
    known,
    amounts,
    // 0.1.0 kept no amounts. An entry that is certain and was pending was not sent as completed.
    unread: !amounts && (forgotten || (known && (entry.uncertain || !wasPending))),
    unsure: entry?.uncertain === true || event.force === true || wasCancelled,
    forgotten,
  };
}

/** Not marked: a question, what is marked already, and a first send of what is not completed. */
async function mark(
  step: Step,
  mapped: Wanted,
  next: Call,
  world: ExecutionWorld,
): Promise<Step | undefined> {
  const { entry } = step;
  const amounts = amountsToMark(next);
  const isMarked = entry?.uncertain === true && (!amounts || isSame(entry.amounts, amounts));
  if (next.kind === 'read' || isMarked || (!amounts && !isKnown(entry))) return step;
  // Of a known entry, the other facts describe what was applied last. But from now on its customer may have earned.
  const completes = amounts !== undefined && entry?.amounts === undefined;
  const facts = isKnown(entry) && !completes ? {} : factsOf(step, mapped, world);
  const marked = await markChange(step, world.ledger, { ...facts, ...(amounts && { amounts }) });
  return marked && { ...step, ...marked };
}

function amountsToMark(next: Call): SentAmounts | undefined {
  if (next.kind === 'send') return next.amounts;
  return next.kind === 'take' ? { ...next.amounts, step: next.step } : undefined;
}

const isSame = (one: SentAmounts | undefined, other: SentAmounts): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

async function perform(next: Call, { key, event }: Step, world: ExecutionWorld): Promise<Made> {
  const { loyalty, assumptions } = world.shop(key.shop);
  const options = { signal: world.deadline };
  switch (next.kind) {
    case 'read':
      return readHeld(key.id, loyalty, options);
    case 'send':
      return judge(['sendOrder'], await loyalty.sendOrder(next.order, options));
    case 'take':
      return takePart(key.id, next.step, loyalty, assumptions, options);
    case 'cancel': {
      const waitedForADay = isRetryWindowOver(event, 1, world.now(), world.pauses);
      return cancelOrder(next.wanted, loyalty, assumptions, { ...options, waitedForADay });
    }
  }
}

function factsAfter(
  next: Call,
  facts: OrderFacts,
  { order }: WantedOrder,
  held: HeldOrder | undefined,
): OrderFacts {
  switch (next.kind) {
    case 'send':
      return { ...facts, known: true, unsure: false, amounts: next.amounts };
    case 'take':
      // `unsure` stays: a dead worker may have left more than the step.
      return { ...facts, amounts: afterStep(next.amounts, next.step) };
    case 'cancel': {
      const { step: _, ...amounts } = facts.amounts ?? {};
      return { ...facts, unsure: false, amounts: facts.amounts && (amounts as SentAmounts) };
    }
    case 'read': {
      const isCompleted = held?.IsCompleted === true && held.IsCancelledOrReturned !== true;
      if (!isCompleted) return { ...facts, unread: false, forgotten: false };
      return { ...facts, unread: false, amounts: { sent: sentIn(held, order), taken: 0 } };
    }
  }
}

/** What the service holds, for an order of which the ledger has no amounts: nothing was taken yet. */
function sentIn(held: HeldOrder, order: WantedOrder['order']): SentAmounts['sent'] {
  const products = (held.Products ?? []).map(
    ({ OriginalId, ProductPrice }) => [OriginalId ?? '', toThousandths(ProductPrice), 0] as const,
  );
  const completedAt = order.OrderCompletedDate ?? '';
  return { total: toThousandths(held.OrderTotal), products, completedAt };
}

const isLast = (next: Call): boolean =>
  next.kind === 'cancel' || (next.kind === 'send' && !next.amounts);

async function record(
  { step, facts }: Position,
  mapped: Wanted,
  calls: readonly OperationId[],
  world: ExecutionWorld,
): Promise<Synced> {
  const { readTotals } = world.shop(step.key.shop).assumptions;
  const isGuess = facts.forgotten && readTotals === 'less-partial-cancels';
  const amounts = isGuess ? undefined : facts.amounts;
  const entryFacts = { ...factsOf(step, mapped, world), ...(amounts && { amounts }) };
  const appliedKey = idempotencyKey(mapped.wanted);
  if (calls.every((call) => call === 'getOrder')) {
    const next = { ...unchangedEntry(step, entryFacts), appliedKey };
    return settle(step, { kind: 'unchanged' }, next, world);
  }
  const next = appliedEntry(step, appliedKey, entryFacts);
  return recordCalls(step, next, { kind: 'applied', calls }, world);
}

/** A refused call changed nothing, so the entry becomes what it was before the mark. */
async function refuse(
  next: Call,
  { at, marked, mapped }: { readonly at: Position; readonly marked: Step; readonly mapped: Wanted },
  outcome: Rejected,
  world: ExecutionWorld,
): Promise<Synced> {
  const repeated = next.kind === 'take' ? next.amounts.step : undefined;
  // A cancellation may still show, and the first try of a step may have used its key.
  const isOpen = next.kind === 'cancel' || repeated !== undefined;
  const base = isOpen ? marked : at.step;
  const { amounts: _, ...line } = rejectedEntry(base, codeOf(outcome), retention(world));
  const { amounts } = at.facts;
  // The call of a deletion gives the service no order: a lost one leaves nothing to correct.
  const isDeletion = base.snapshot.entity.kind === 'gone';
  const lostCall = isDeletion ? {} : lostCallOf(base, mapped, world);
  return settle(marked, outcome, { ...line, ...lostCall, ...(amounts && { amounts }) }, world);
}

async function parkOrder(
  { step, facts }: Position,
  why: ParkReason,
  world: ExecutionWorld,
): Promise<Synced> {
  const outcome = parked(why);
  const { amounts: _, ...line } = rejectedEntry(step, codeOf(outcome), retention(world));
  // What was read of a forgotten order is no basis for a later call.
  const amounts = facts.forgotten ? undefined : facts.amounts;
  return settle(step, outcome, { ...line, ...(amounts && { amounts }) }, world);
}

const codeOf = ({ code, reason }: Rejected): string => code ?? reason;

function parked(reason: ParkReason): Rejected {
  if (reason === 'orders-are-not-replaced') return notReplaced('ordersAreReplaced');
  const why = {
    'raise-after-partial-cancel':
      'its amount rose after a part of it was cancelled: correct the points by hand, or set loyalty.assumptions.raiseAfterPartialCancel',
    forgotten:
      'its ledger entry has expired, and the loyalty service holds another amount: correct the points by hand',
  }[reason];
  return { kind: 'rejected', reason: 'rejected', why };
}
