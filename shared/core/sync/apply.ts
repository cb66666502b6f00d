import type { OperationId } from '../../loyalty/operations.ts';
import {
  applied,
  type CallsMade,
  hasCode,
  judge,
  refused,
  retryWhenAllowed,
  throughBreaker,
} from '../calls/call-loyalty.ts';
import { askAgain, type EntityKey, type StoreEvent } from '../events/event.ts';
import { isRetryWindowOver, type Outcome, overtaken } from '../events/outcome.ts';
import {
  type Change,
  type EntryStep,
  type Facts,
  isKnown,
  record,
  recordApplied,
} from '../ledger/entry.ts';
import { countsOf, expiresAfter, type ServiceOrder } from '../ledger/ledger.ts';
import { idempotencyKey, type Wanted } from '../mapping/wanted-state.ts';
import type { Snapshot } from '../store/store.ts';
import {
  type MappedOrder,
  notReplaced,
  parked,
  type Rejected,
  rejected,
  type WantedOther,
} from './decide.ts';
import {
  afterStep,
  type NextCall,
  nextCall,
  type PersonReason,
  type ServiceSide,
} from './decide-order.ts';
import {
  cancelOrder,
  type ExecutionDeps,
  type LoyaltyCalls,
  type Made,
  type Synced,
  takePart,
} from './held-order.ts';

/** The change of one entity that an event leads to. */
export interface EntityChange extends Change<EntityKey> {
  readonly event: StoreEvent;
  readonly snapshot: Snapshot;
}

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
async function markAndCall(
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
async function recordCalls(
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
function factsOf(
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

type Call = Extract<NextCall, { kind: 'send' | 'take' | 'cancel' }>;

/**
 * Decide → mark → call, until nothing is left to do; then record. What a call changed is written
 * together with the mark of the next one, or with the record. A worker that dies in between leaves
 * the mark, and the same call is made again: that is harmless.
 */
export async function applyOrder(
  change: EntityChange,
  mapped: MappedOrder,
  side: ServiceSide,
  deps: ExecutionDeps,
  calls: readonly OperationId[] = [],
): Promise<Synced> {
  const { wanted } = mapped;
  const next = nextCall(wanted, side, deps.shop(change.key.shop).assumptions);
  if (next.kind === 'nothing') return recordOrder(change, mapped, side.record, calls, deps);
  if (next.kind === 'ask-store')
    throw new Error('the book was to be read before anything is called');
  // What was read is no basis for a later call, unless it was understood: then it is what calls began from.
  const kept = { service: calls.length > 0 ? side.record : change.entry?.service };
  if (next.kind === 'person') return reject(change, parked(next.why), deps, { facts: kept });
  // A cancellation may still show, and the first try of a step may have used its key.
  const keepsMark = next.kind === 'cancel' || (next.kind === 'take' && !!next.record.step);
  return markAndCall(
    change,
    {
      mark: markOf(change, mapped, next, deps),
      call: () => perform(next, wanted.id, change, deps),
      refusal: { keepsMark, facts: kept },
      onApplied: (marked, outcome, { found }) => {
        const all = [...calls, ...outcome.calls];
        const after = sideAfter(next, change, mapped, side, found);
        if ('reason' in after) return reject(marked, parked(after), deps);
        const isOver = next.kind === 'cancel' || after.record?.completedAt === undefined;
        return isOver
          ? recordOrder(marked, mapped, after.record, all, deps)
          : applyOrder(marked, mapped, after, deps, all);
      },
    },
    deps,
  );
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
  const service = recordToMark(next);
  if (entry?.uncertain && (!service || isSame(entry.service, service))) return undefined;
  // Of a known entry, the other facts describe what was applied last. But from now on its customer may have earned.
  const completes = service?.completedAt !== undefined && entry?.service?.completedAt === undefined;
  const facts = isKnown(entry) && !completes ? {} : factsOf(change, mapped, deps);
  return { ...facts, ...(service && { service }) };
}

/** A pending order holds no amount to take: what it was told need not be marked. */
function recordToMark(next: Call): ServiceOrder | undefined {
  if (next.kind === 'take') return { ...next.record, step: next.step };
  return next.kind === 'send' && next.record.completedAt !== undefined ? next.record : undefined;
}

const isSame = (one: ServiceOrder | undefined, other: ServiceOrder | undefined): boolean =>
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

function sideAfter(
  next: Call,
  { entry }: EntityChange,
  { wanted }: MappedOrder,
  side: ServiceSide,
  found = false,
): ServiceSide | PersonReason {
  switch (next.kind) {
    case 'send':
      return { ...side, known: true, tellAgain: false, record: next.record };
    case 'take': {
      const repeated = entry?.service?.step?.sum === next.step.sum;
      const record = afterStep(wanted, next.record, next.step, { found, repeated });
      // `tellAgain` stays: a dead worker may have left more than the step.
      return 'reason' in record ? record : { ...side, record };
    }
    case 'cancel': {
      const { step: _, ...record } = side.record ?? { total: 0, products: [], taken: 0 };
      return { ...side, tellAgain: false, record: { ...record, ended: true } };
    }
  }
}

async function recordOrder(
  change: EntityChange,
  mapped: Wanted,
  service: ServiceOrder | undefined,
  calls: readonly OperationId[],
  deps: ExecutionDeps,
): Promise<Synced> {
  const recorded = {
    appliedKey: idempotencyKey(mapped.wanted),
    facts: { ...factsOf(change, mapped, deps), ...(service && { service }) },
  };
  if (calls.length === 0) {
    return settle(change, { kind: 'unchanged' }, { kind: 'unchanged', ...recorded }, deps);
  }
  const counts = service && countsOf(service);
  const noted = { ...recorded, ...(counts !== undefined && { counts }) };
  return recordCalls(change, noted, { kind: 'applied', calls }, deps);
}

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
    return reject(change, rejected(notReplaced('couponsAreReplaced')), deps);
  }
  // Of a known entry, the facts describe what was applied last.
  const facts = isKnown(entry) ? {} : factsOf(change, mapped, deps);
  const appliedKey = idempotencyKey(wanted);
  return markAndCall(
    change,
    {
      mark: entry?.uncertain ? undefined : facts,
      call: () => makeCall(wanted, loyalty, { signal: deps.deadline }),
      onApplied: (marked, outcome) =>
        recordCalls(marked, { appliedKey, facts: factsOf(marked, mapped, deps) }, outcome, deps),
    },
    deps,
  );
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
