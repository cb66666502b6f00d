import { followMerges } from '../ledger/merged-customer.ts';
import type { Redemption, RewardCode } from '../redemptions/redemption.ts';
import {
  type Customer,
  type OpenRedemptions,
  type RedemptionsDeps,
  type Settled,
  settle,
} from '../redemptions/redemption-record.ts';
import { noteRewardCode } from '../redemptions/reward-codes.ts';
import type { StoreUnavailable } from '../store/store.ts';
import type { RewardStore, WantedCode } from './reward-store.ts';

export interface CodeDeps extends RedemptionsDeps {
  readonly store: Pick<RewardStore, 'makeCode' | 'findCode' | 'deleteCode' | 'readOrderCodes'>;
}

type CodeEnd = Settled | StoreUnavailable;

/**
 * Makes the code of a redeemed reward in the store, and records it or the store's refusal. May be repeated
 * at any moment. A code of another discount counts as a refusal: the service knows only its own code.
 */
export async function makeCode(
  record: OpenRedemptions,
  redemption: Redemption,
  deps: CodeDeps,
): Promise<CodeEnd> {
  const wanted = redemption.state.at === 'redeemed' && wantedCode(redemption, record);
  if (!wanted) return { kind: 'settled', redemption };
  if (redemption.state.at === 'redeemed' && redemption.state.tried) {
    const ordered = await isOrdered(record.customer, wanted, deps);
    if (typeof ordered !== 'boolean') return ordered;
    if (ordered) return settle(record, redemption.id, { kind: 'use' });
  }
  const made = await deps.store.makeCode(record.customer.shop, wanted);
  switch (made.kind) {
    case 'made':
      return recordMade(record, redemption, wanted, made.discountId, deps);
    case 'taken':
    case 'refused': {
      const why = made.kind === 'taken' ? 'TAKEN' : made.code;
      return settle(record, redemption.id, { kind: 'store-refused', why });
    }
    case 'unavailable':
      return made;
  }
}

/** A code that the ledger has forgotten began earlier. An app without `read_all_orders` sees 60 days (Shopify, "Order"). */
const BEFORE_CODE_MS = 60 * 86_400_000;

/** Whether an order of the customer names the code. */
export async function isOrdered(
  { shop, customerId }: Customer,
  { code, startsAt }: RewardCode,
  { store, ledger }: CodeDeps,
): Promise<boolean | StoreUnavailable> {
  const since = new Date(Date.parse(startsAt) - BEFORE_CODE_MS);
  const current = await followMerges({ shop, id: customerId }, ledger);
  const read = await store.readOrderCodes(shop, current, since);
  if (read.kind === 'unavailable') return read;
  return read.codes.some((one) => one.toLowerCase() === code.toLowerCase());
}

/** The store has the code after all, or it has none: then the redemption may be cancelled. */
export async function confirmAbsence(
  record: OpenRedemptions,
  redemption: Redemption,
  deps: CodeDeps,
): Promise<CodeEnd | { readonly kind: 'absent' }> {
  const wanted = wantedCode(redemption, record);
  if (!wanted) return { kind: 'settled', redemption };
  const found = await deps.store.findCode(record.customer.shop, wanted);
  return found.kind === 'found'
    ? recordMade(record, redemption, wanted, found.discountId, deps)
    : found;
}

/** Deletes a code that the store made late, or again: its points are back, or it was used before. */
export async function deleteLateCode(
  record: OpenRedemptions,
  redemption: Redemption,
  { store }: Pick<CodeDeps, 'store'>,
): Promise<{ readonly kind: 'absent' | 'deleted' } | StoreUnavailable> {
  const { shop } = record.customer;
  const wanted = wantedCode(redemption, record);
  if (!wanted) return { kind: 'absent' };
  const found = await store.findCode(shop, wanted);
  if (found.kind !== 'found') return found;
  if (!isUnwanted(redemption, found.discountId)) return { kind: 'absent' };
  return store.deleteCode(shop, found.discountId);
}

async function recordMade(
  record: OpenRedemptions,
  { id }: Redemption,
  wanted: WantedCode,
  discountId: string,
  deps: CodeDeps,
): Promise<CodeEnd> {
  // Before the customer sees the code: an order may name it from then on.
  await noteRewardCode(record.customer.shop, wanted, deps);
  const made = await settle(record, id, { kind: 'made', discountId });
  const { redemption } = made;
  // The worker deletes one that is being taken back.
  if (redemption && redemption.state.at !== 'returning' && isUnwanted(redemption, discountId)) {
    await deps.store.deleteCode(record.customer.shop, discountId);
  }
  return made;
}

/**
 * A slow process made the code when it was cancelled or taken back. One that was made again may have been used before it
 * was deleted: the store does not count that.
 */
function isUnwanted({ state, takeBack }: Redemption, discountId: string): boolean {
  switch (state.at) {
    case 'cancelling':
    case 'cancelled':
    case 'owing':
    case 'returning':
      return true;
    case 'used':
      return takeBack?.refused === true || state.discountId !== discountId;
    default:
      return false;
  }
}

function wantedCode(
  { id, terms, state }: Redemption,
  record: OpenRedemptions,
): WantedCode | undefined {
  const code: RewardCode | undefined = 'code' in state ? state.code : undefined;
  if (!code || state.at === 'ready') return undefined;
  const { minimum, combines, title, product } = terms;
  return {
    ...code,
    customerId: record.customer.customerId,
    title: `${title} (${id})`,
    combines,
    ...(minimum !== undefined && { minimum }),
    ...(product && { productId: product.id }),
  };
}
