import { applied, type CallsMade, hasCode, judge, refused } from '../calls/call-loyalty.ts';
import { isKnown } from '../ledger/entry.ts';
import { idempotencyKey, type WantedOrder, type WantedState } from '../mapping/wanted-state.ts';
import {
  type EntityChange,
  type ExecutionDeps,
  factsOf,
  type LoyaltyCalls,
  markAndCall,
  notReplaced,
  recordCalls,
  reject,
  type Synced,
  type Wanted,
} from './change-service.ts';

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
