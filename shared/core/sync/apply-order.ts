import type { OperationId } from '../../loyalty/operations.ts';
import { type CallsMade, judge, stayAway, throughBreaker } from '../calls/call-loyalty.ts';
import { isRetryWindowOver, overtaken } from '../events/outcome.ts';
import {
  appliedEntry,
  isKnown,
  markChange,
  rejectedEntry,
  unchangedEntry,
} from '../ledger/change-entry.ts';
import type { SentAmounts } from '../ledger/sent-amounts.ts';
import { cancelledOrderKey, idempotencyKey, type WantedOrder } from '../mapping/wanted-state.ts';
import { adoptHeld, cancelOrder, isHeldCompleted, takePart } from './held-order.ts';
import {
  afterStep,
  type NextCall,
  nextCall,
  type OrderFacts,
  type ParkReason,
} from './next-call.ts';
import {
  type ExecutionWorld,
  factsOf,
  lostCallOf,
  notReplaced,
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
type Made = CallsMade & { readonly found?: boolean };

interface Position {
  readonly step: Step;
  readonly facts: OrderFacts;
}

type MappedOrder = Wanted & { readonly wanted: WantedOrder };

/**
 * Decide → mark → call, until nothing is left to do; then record. What a call changed is written
 * together with the mark of the next one, or with the record. A worker that dies in between leaves
 * the mark, and the same call is made again: that is harmless.
 */
export async function applyOrder(
  given: Step,
  mapped: MappedOrder,
  world: ExecutionWorld,
): Promise<Synced> {
  const { breaker, assumptions } = world.shop(given.key.shop);
  const calls: OperationId[] = [];
  const { wanted } = mapped;
  let at: Position = { step: given, facts: factsIn(given, wanted, world) };
  for (;;) {
    const { step } = at;
    const next = nextCall(wanted, at.facts, assumptions);
    if (next.kind === 'nothing') return record(at, mapped, calls, world);
    if (next.kind === 'park') return parkOrder(at, next.why, world);
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
        at = { step: marked, facts: factsAfter(next, at, mapped, made.found) };
        if (isLast(next)) return record(at, mapped, calls, world);
    }
  }
}

function factsIn(
  { key, entry, event, read }: Step,
  wanted: WantedOrder,
  world: ExecutionWorld,
): OrderFacts {
  const known = isKnown(entry);
  const amounts = entry?.amounts;
  // Its amounts say nothing any more. If the service still has it, it refuses to revive it, and a person looks.
  const wasCancelled = entry?.appliedKey === cancelledOrderKey(wanted.id);
  const unsure = entry?.uncertain === true || event.force === true || wasCancelled;
  if (!read) return { known, amounts, unsure };
  // What the service does not have is sent to it.
  if (!isHeldCompleted(read.held)) return { known, amounts, unsure: unsure || known };
  const { readTotals } = world.shop(key.shop).assumptions;
  return { known: true, unsure, ...adoptHeld(read.held, amounts, wanted, readTotals) };
}

/** Not marked: what is marked already, and a first send of what is not completed. */
async function mark(
  step: Step,
  mapped: Wanted,
  next: Call,
  world: ExecutionWorld,
): Promise<Step | undefined> {
  const { entry } = step;
  const amounts = amountsToMark(next);
  const isMarked = entry?.uncertain === true && (!amounts || isSame(entry.amounts, amounts));
  if (isMarked || (!amounts && !isKnown(entry))) return step;
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

const isSame = (one: SentAmounts | undefined, other: SentAmounts | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

async function perform(next: Call, { key, event }: Step, world: ExecutionWorld): Promise<Made> {
  const { loyalty, assumptions } = world.shop(key.shop);
  const options = { signal: world.deadline };
  switch (next.kind) {
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
  { step, facts }: Position,
  { wanted }: MappedOrder,
  found = false,
): OrderFacts {
  switch (next.kind) {
    case 'send':
      return { ...facts, known: true, unsure: false, amounts: next.amounts };
    case 'take': {
      // A repeated step may have used its key itself.
      const isFirst = !isSame(step.entry?.amounts, amountsToMark(next));
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

async function record(
  { step, facts }: Position,
  mapped: Wanted,
  calls: readonly OperationId[],
  world: ExecutionWorld,
): Promise<Synced> {
  const { amounts } = facts;
  const entryFacts = { ...factsOf(step, mapped, world), ...(amounts && { amounts }) };
  const appliedKey = idempotencyKey(mapped.wanted);
  if (calls.length === 0) {
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
  // What was read and not understood is no basis for a later call.
  const amounts = facts.adopted ? step.entry?.amounts : facts.amounts;
  return settle(step, outcome, { ...line, ...(amounts && { amounts }) }, world);
}

const codeOf = ({ code, reason }: Rejected): string => code ?? reason;

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
