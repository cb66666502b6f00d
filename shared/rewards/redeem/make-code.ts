import { followMerges } from '../../core/ledger/entry.ts';
import { retryStore, type StoreUnavailable } from '../../core/store/store.ts';
import { readAmount } from '../../store/money.ts';
import {
  type CreditTerms,
  mayBeSpare,
  REPEAT_AFTER_SECONDS,
  type Redemption,
  type RewardCode,
  secondsToLook,
  secondsUntil,
} from './redemption.ts';
import {
  applyStep,
  type Customer,
  type OpenRedemptions,
  type Progress,
  type RedeemingDeps,
  type Retry,
  type Settled,
  settle,
} from './redemption-record.ts';
import type { CreditMade, StoreCredit, WantedCode } from './reward-store.ts';
import { noteRewardCode } from './worker-moments.ts';

/**
 * Makes the code of a redeemed reward in the store, and records it or the store's refusal. May be repeated
 * at any moment. A code of another discount counts as a refusal: the service knows only its own code.
 */
export async function makeCode(
  record: OpenRedemptions,
  redemption: Redemption,
  deps: RedeemingDeps,
): Promise<Progress> {
  const wanted = redemption.state.at === 'redeemed' && wantedCode(redemption, record);
  if (!wanted) return { kind: 'settled', redemption };
  if (redemption.state.at === 'redeemed' && redemption.tried) {
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
      return retryStore(made);
  }
}

/** A code that the ledger has forgotten began earlier. An app without `read_all_orders` sees 60 days (Shopify, "Order"). */
const BEFORE_CODE_MS = 60 * 86_400_000;

export async function isOrdered(
  { shop, customerId }: Customer,
  { code, startsAt }: RewardCode,
  { store, ledger }: RedeemingDeps,
): Promise<boolean | Retry> {
  const since = new Date(Date.parse(startsAt) - BEFORE_CODE_MS);
  const current = await followMerges({ shop, id: customerId }, ledger);
  const read = await store.readOrderCodes(shop, current, since);
  if (read.kind === 'unavailable') return retryStore(read);
  return read.codes.some((one) => one.toLowerCase() === code.toLowerCase());
}

/** Of a code that the store refuses: the store has it after all, or the redemption is cancelled. */
export async function cancelWithoutCode(
  record: OpenRedemptions,
  redemption: Redemption,
  deps: RedeemingDeps,
): Promise<Progress> {
  const wanted = wantedCode(redemption, record);
  if (!wanted) return { kind: 'settled', redemption };
  const found = await deps.store.findCode(record.customer.shop, wanted);
  switch (found.kind) {
    case 'found':
      return recordMade(record, redemption, wanted, found.discountId, deps);
    case 'absent':
      return settle(record, redemption.id, { kind: 'cancel' });
    case 'unavailable':
      return retryStore(found);
  }
}

/** Deletes a code that the store made late, or again: its points are back, or it was used before. */
export async function deleteLateCode(
  record: OpenRedemptions,
  redemption: Redemption,
  { store }: Pick<RedeemingDeps, 'store'>,
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
  deps: RedeemingDeps,
): Promise<Settled> {
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
function isUnwanted(redemption: Redemption, discountId: string): boolean {
  const { state } = redemption;
  switch (state.at) {
    case 'cancelling':
    case 'cancelled':
    case 'owing':
    case 'returning':
      return true;
    case 'used':
      return mayBeSpare(redemption) || state.discountId !== discountId;
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

/**
 * The next step of a redemption that becomes store credit. The mark is its intent, with the end of the credit, which is
 * recorded before anything is spent. No call is made before a look at the account has found no credit with that end:
 * also a ledger that was restored, or lost and recovered, credits once. `unclear`: a person must look at the account.
 */
export async function giveCredit(
  record: OpenRedemptions,
  redemption: Redemption,
  deps: RedeemingDeps,
): Promise<Progress | 'unclear'> {
  const { id, state, terms } = redemption;
  const { credit } = terms;
  if (state.at !== 'crediting' || !credit) return { kind: 'settled', redemption };
  const afterSeconds = secondsToLook(state, deps.now());
  // Only later can the account's transactions decide.
  if (afterSeconds > 0) {
    const looks = state.absentAt ? 'redemption-absent' : 'redemption-in-progress';
    return { kind: 'retry', why: state.refusal ? 'redemption-to-cancel' : looks, afterSeconds };
  }
  const since = new Date(Date.parse(redemption.intendedAt) - FORGOTTEN_MS);
  const { shop, customerId } = record.customer;
  const account = { customerId, currency: credit.currency, since };
  const read = await deps.store.readCredits(shop, account);
  if (read.kind === 'unavailable') return retryStore(read);
  const found = await findOwn(read.credits, redemption, record);
  if (found === 'unclear') return found;
  if (found) {
    const { expiresAt } = credit;
    return settle(record, id, { kind: 'credited', transactionId: found.id, expiresAt });
  }
  if (state.refusal) return settle(record, id, { kind: 'cancel' });
  const isProven = state.attempts === 0 || state.absentAt !== undefined;
  return isProven
    ? callStore(record, id, state.attempts, credit, deps)
    : settle(record, id, { kind: 'credit-absent' });
}

/** The ledger may have forgotten the first intent of this click. On the same day it had the same end. */
const FORGOTTEN_MS = 86_400_000;
/** The store's clock is not ours: what it dates earlier may still be later. */
const CLOCKS_DIFFER_MS = 300_000;

/**
 * The credit of this redemption. Where a call may have credited, one of the same amount, with another end, that no
 * other redemption has, may be ours, too: the store may keep an end less exactly than it was sent.
 */
async function findOwn(
  credits: readonly StoreCredit[],
  { id, state, terms, intendedAt }: Redemption,
  record: OpenRedemptions,
): Promise<StoreCredit | 'unclear' | undefined> {
  const amount = readAmount(terms.value);
  const alike = credits.filter((one) => one.amount === amount);
  const own = alike.find(({ expiresAt }) => isSameMoment(expiresAt, terms.credit?.expiresAt));
  const marked = Date.parse(intendedAt) - CLOCKS_DIFFER_MS;
  const recent = alike.filter(({ createdAt }) => Date.parse(createdAt) >= marked);
  const mayBeThere = state.at === 'crediting' && state.attempts > 0;
  if (own || !mayBeThere || recent.length === 0) return own;
  const { redemptions } = await record.read();
  const others = redemptions.filter((one) => one.id !== id);
  const isClaimed = (credit: StoreCredit) => others.some((one) => claims(one, credit));
  return recent.every(isClaimed) ? undefined : 'unclear';
}

function claims({ state, terms }: Redemption, { id, expiresAt }: StoreCredit): boolean {
  if (state.at === 'credited' && state.transactionId === id) return true;
  return isSameMoment(expiresAt, terms.credit?.expiresAt);
}

const isSameMoment = (one: string | null, other: string | undefined): boolean =>
  one !== null && other !== undefined && Date.parse(one) === Date.parse(other);

/** In the log; `doctor` explains it. */
export const OTHER_END = 'the store changed the expiry of a credit';

/** Begin → call → record, as the call that spends points. */
async function callStore(
  record: OpenRedemptions,
  id: string,
  after: number,
  credit: CreditTerms,
  deps: RedeemingDeps,
): Promise<Progress> {
  const { isOurs, redemption } = await settle(record, id, { kind: 'credit', after });
  if (!isOurs || redemption?.state.at !== 'crediting') return { kind: 'settled', redemption };
  const { attempts: attempt, calledAt } = redemption.state;
  const { shop, customerId } = record.customer;
  // After this time another process may look at the account.
  const isTooLate = secondsUntil(calledAt, REPEAT_AFTER_SECONDS, deps.now()) === 0;
  const made: CreditMade = isTooLate
    ? { kind: 'unavailable', why: 'time-out', notSent: true }
    : await deps.store.credit(shop, { customerId, amount: redemption.terms.value, ...credit });
  switch (made.kind) {
    case 'credited': {
      const { transactionId } = made;
      const { expiresAt: sent } = credit;
      const fields = { ...record.customer, redemption: id, sent, kept: made.expiresAt ?? 'no end' };
      if (!isSameMoment(made.expiresAt, sent)) deps.telemetry.log('warn', OTHER_END, fields);
      const expiresAt = made.expiresAt ?? sent;
      const credited = await settle(record, id, { kind: 'credited', transactionId, expiresAt });
      if (credited.redemption?.state.at !== 'credited') {
        deps.telemetry.log('error', 'store credit was given for a redemption that is over', fields);
      }
      return credited;
    }
    case 'refused':
      return settle(record, id, { kind: 'credit-refused', attempt, why: made.code });
    case 'unavailable':
      if (made.notSent) await applyStep(record, id, { kind: 'credit-not-sent', attempt });
      return retryStore(made.notSent ? made : { ...made, mayHaveHappened: true });
  }
}
