import { callService, throughBreaker } from '../../core/calls/call-loyalty.ts';
import type { Outcome } from '../../core/events/outcome.ts';
import { errorFields } from '../../core/events/telemetry.ts';
import { followMerges } from '../../core/ledger/entry.ts';
import { retryStore, type StoreUnavailable } from '../../core/store/store.ts';
import type { RedemptionView, TakeBackRefusal } from '../../store/storefront-answers.gen.ts';
import { deleteLateCode, isOrdered } from './make-code.ts';
import {
  advance,
  notReturned,
  type Redemption,
  type RedemptionState,
  returnableUntil,
  secondsToCancel,
  viewOf,
} from './redemption.ts';
import {
  type Customer,
  findRedemption,
  mayTakeBackMore,
  type OpenRedemptions,
  openRedemptions,
  type Progress,
  type RecordChange,
  type RedeemingDeps,
  type RedemptionRecord,
  type Retry,
  settle,
  withRedemption,
} from './redemption-record.ts';

/** Who may take back a reward whose code is unused, and for how many days after it was made. */
export interface TakeBackRule {
  readonly by: 'customer' | 'staff' | 'nobody';
  readonly withinDays: number;
}

/** At a till, staff acts for the customer, who then may do so, too. */
export type TakenBackBy = 'customer' | 'staff';

/** ISO 8601; null where this caller may not take it back now. */
export function takeBackUntil(
  redemption: Redemption,
  by: TakenBackBy,
  rule: TakeBackRule,
  now: Date,
): string | null {
  const { state } = redemption;
  if (state.at !== 'ready' || judge(redemption, by, rule, now) !== undefined) return null;
  return new Date(returnableUntil(state.code, rule.withinDays)).toISOString();
}

/** Why a redemption cannot be taken back; undefined where it can be, or was. */
function judge(
  redemption: Redemption,
  by: TakenBackBy,
  rule: TakeBackRule,
  now: Date,
): TakeBackRefusal | undefined {
  const { state, takeBack } = redemption;
  if (state.at === 'cancelling' && state.ordered) return 'already-used';
  if (state.at === 'cancelling' && takeBack) return undefined;
  if (state.at !== 'ready') return REFUSED_AT[state.at];
  if (takeBack) return 'take-back-refused';
  if (rule.by !== 'customer' && rule.by !== by) return 'take-back-not-allowed';
  const isOver = returnableUntil(state.code, rule.withinDays) <= now.getTime();
  return isOver ? 'take-back-too-late' : undefined;
}

const REFUSED_AT: Readonly<
  Record<Exclude<RedemptionState['at'], 'ready'>, TakeBackRefusal | undefined>
> = {
  ...{ intended: 'not-ready', calling: 'not-ready', redeemed: 'not-ready', crediting: 'not-ready' },
  ...{ cancelling: 'not-ready', returning: undefined, cancelled: undefined },
  ...{ used: 'already-used', owing: 'already-used' },
  ...{ refused: 'take-back-not-allowed', credited: 'take-back-not-allowed' },
};

export type TakeBackAnswer =
  | { readonly kind: 'redemption'; readonly redemption: RedemptionView }
  | { readonly kind: 'refused'; readonly why: TakeBackRefusal }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'unavailable' };

/**
 * Record → hand it to the queue. The worker deletes the code, waits, and looks for an order with it before it has the
 * points given back. If this process dies before the queue has it, the reward stays as it is, from an hour later on.
 */
export async function takeBackReward(
  customer: Customer,
  id: string,
  staffId: string | undefined,
  deps: RedeemingDeps & { readonly takeBack: TakeBackRule },
): Promise<TakeBackAnswer> {
  try {
    // The code would be gone, and the points not back, for as long as no call is made.
    const called = await throughBreaker(
      deps,
      async () => ({ kind: 'free', end: 'unused' }) as const,
    );
    if (called.kind === 'call-refused') return { kind: 'unavailable' };
    const record = openRedemptions(customer, deps);
    const begun = await record.change((found, now) =>
      begin(found, id, staffId, deps.takeBack, now),
    );
    if ('kind' in begun) return begun;
    if (begun.state.at === 'returning') await handToWorker(record, begun, deps);
    const view = viewOf(begun);
    return view ? { kind: 'redemption', redemption: view } : { kind: 'not-found' };
  } catch (error) {
    deps.telemetry.count('crash');
    const fields = { ...customer, redemption: id, ...errorFields(error) };
    deps.telemetry.log('error', 'taking back broke off', fields);
    return { kind: 'unavailable' };
  }
}

/** The redemption as it is now, or the answer that nothing came of it. */
function begin(
  found: RedemptionRecord,
  id: string,
  staffId: string | undefined,
  rule: TakeBackRule,
  now: Date,
): RecordChange<Redemption | TakeBackAnswer> {
  const before = findRedemption(found, id);
  if (!before || !viewOf(before)) return { value: { kind: 'not-found' } };
  const refused = judge(before, staffId === undefined ? 'customer' : 'staff', rule, now);
  if (refused) return { value: { kind: 'refused', why: refused } };
  const after = advance(before, { kind: 'take-back', staffId }, now);
  if (!after) return { value: before };
  if (!mayTakeBackMore(found)) {
    return { value: { kind: 'refused', why: 'take-back-not-allowed' } };
  }
  const line = { id, outcome: after.state.at };
  return { record: withRedemption(found, after), line, value: after };
}

/** Repeated, the queue has it once. */
async function handToWorker(
  record: OpenRedemptions,
  { id, takeBack, since }: Redemption,
  { queue }: RedeemingDeps,
): Promise<void> {
  const receivedAt = takeBack?.at ?? since;
  const names = {
    kind: 'redemption',
    topic: 'redeem',
    deliveryId: `take-back/${id}/${receivedAt}`,
  } as const;
  try {
    await queue.send({ ...record.customer, ...names, id, receivedAt });
  } catch (error) {
    await record.change((found) => {
      const kept = findRedemption(found, id);
      const before = kept && notReturned(kept);
      if (!before) return { value: undefined };
      const line = { id, outcome: before.state.at };
      return { record: withRedemption(found, before), line, value: undefined };
    });
    throw error;
  }
}

/** Begin → delete the code and see that it is gone → wait → look for an order with it → cancel, or it is used. */
export async function returnReward(
  record: OpenRedemptions,
  redemption: Redemption,
  deps: RedeemingDeps,
): Promise<Progress> {
  const { id, state } = redemption;
  if (state.at !== 'returning') return { kind: 'settled', redemption };
  if (state.begunAt === undefined) {
    const { isOurs, redemption: begun } = await settle(record, id, { kind: 'begin-return' });
    // Not begun in time: it is ready again within minutes.
    const isLeft = !isOurs && begun?.state.at === 'returning' && begun.state.begunAt === undefined;
    return isLeft ? IN_PROGRESS : { kind: 'settled', redemption: begun };
  }
  const wait = secondsToCancel(state, deps.now());
  if (wait !== undefined && wait > 0) {
    return { kind: 'retry', why: 'redemption-to-cancel', afterSeconds: wait };
  }
  const deleted = await deleteCode(record, redemption, deps);
  switch (deleted.kind) {
    case 'unavailable':
      return retryStore(deleted);
    case 'used':
      return settle(record, id, { kind: 'use' });
    case 'deleted':
      return settle(record, id, { kind: 'deleted' });
    case 'absent':
      if (wait === undefined) return settle(record, id, { kind: 'deleted' });
  }
  const ordered = await isOrdered(record.customer, state.code, deps);
  if (typeof ordered !== 'boolean') return ordered;
  return settle(record, id, { kind: ordered ? 'use' : 'cancel' });
}

const IN_PROGRESS: Retry = { kind: 'retry', why: 'redemption-in-progress', afterSeconds: 60 };

/**
 * By the discount's id: a merchant may have changed what `findCode` knows it by. Then by the code: a slow process may
 * have made it again.
 */
async function deleteCode(
  record: OpenRedemptions,
  redemption: Redemption,
  { store }: RedeemingDeps,
): Promise<{ readonly kind: 'absent' | 'deleted' | 'used' } | StoreUnavailable> {
  const { shop } = record.customer;
  if (redemption.state.at !== 'returning') return { kind: 'absent' };
  const { discountId } = redemption.state;
  const before = await store.readUses(shop, [discountId]);
  if (before.kind === 'unavailable') return before;
  const uses = before.uses.get(discountId);
  if (uses === undefined) return deleteLateCode(record, redemption, { store });
  if (uses > 0) return { kind: 'used' };
  const deleted = await store.deleteCode(shop, discountId);
  if (deleted.kind === 'unavailable') return deleted;
  const after = await store.readUses(shop, [discountId]);
  if (after.kind === 'unavailable') return after;
  return after.uses.has(discountId)
    ? { kind: 'unavailable', why: 'delete-refused' }
    : { kind: 'deleted' };
}

/** `OperationType` of a change that takes, with an amount below zero. */
const TAKE = 1;

/** Once, by its key, however often it is repeated. */
export async function takeAgain(
  record: OpenRedemptions,
  { id, terms }: Redemption,
  deps: RedeemingDeps,
): Promise<Progress | Extract<Outcome, { kind: 'rejected' }>> {
  const { shop, customerId } = record.customer;
  const { cashback, value, points } = terms;
  if ((cashback ? value : points) === 0) return settle(record, id, { kind: 'taken-again' });
  const customer = await followMerges({ shop, id: customerId }, deps.ledger);
  const change = {
    OperationType: TAKE,
    Reason: `An order used the code of redemption ${id}, which was taken back`,
    ChangeKey: `taken-back:${shop}:${id}`,
  } as const;
  const { outcome } = cashback
    ? await callService('changeCashback', [customer, { ...change, Value: -value }], deps)
    : await callService('changePoints', [customer, { ...change, Points: -points }], deps);
  // A key that was used before counts as applied.
  return outcome.kind === 'applied' ? settle(record, id, { kind: 'taken-again' }) : outcome;
}
