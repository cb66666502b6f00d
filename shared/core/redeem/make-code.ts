import type { Ledger } from '../ledger/ledger.ts';
import type { Redemption, RewardCode } from '../redemptions/redemption.ts';
import { applyStep, type OpenBook } from '../redemptions/redemption-record.ts';
import { noteRewardCode } from '../redemptions/reward-codes.ts';
import type { StoreUnavailable } from '../store/store.ts';
import type { RewardStore, WantedCode } from './reward-store.ts';

export interface CodeWorld {
  readonly ledger: Pick<Ledger, 'write'>;
  readonly store: Pick<RewardStore, 'makeCode' | 'findCode' | 'deleteCode'>;
  readonly now: () => Date;
  readonly retentionDays: number;
}

export type CodeEnd =
  | { readonly kind: 'settled'; readonly redemption: Redemption | undefined }
  | StoreUnavailable;

/**
 * Makes the code of a redeemed reward in the store, and records it or the store's refusal. May be repeated
 * at any moment. A code of another discount counts as a refusal: the service knows only its own code.
 */
export async function makeCode(
  book: OpenBook,
  redemption: Redemption,
  world: CodeWorld,
): Promise<CodeEnd> {
  const wanted = wantedCode(redemption, book);
  if (!wanted) return { kind: 'settled', redemption };
  const made = await world.store.makeCode(book.customer.shop, wanted);
  switch (made.kind) {
    case 'made':
      return recordMade(book, redemption, wanted, made.discountId, world);
    case 'taken':
    case 'refused': {
      const why = made.kind === 'taken' ? 'TAKEN' : made.code;
      const refused = await applyStep(book, redemption.id, { kind: 'store-refused', why });
      return { kind: 'settled', redemption: refused };
    }
    case 'unavailable':
      return made;
  }
}

/** The store has the code after all, or it has none: then the redemption may be cancelled. */
export async function confirmAbsence(
  book: OpenBook,
  redemption: Redemption,
  world: CodeWorld,
): Promise<CodeEnd | { readonly kind: 'absent' }> {
  const wanted = wantedCode(redemption, book);
  if (!wanted) return { kind: 'settled', redemption };
  const found = await world.store.findCode(book.customer.shop, wanted);
  return found.kind === 'found'
    ? recordMade(book, redemption, wanted, found.discountId, world)
    : found;
}

/** Deletes a code that the store made late: its points are back. */
export async function deleteLateCode(
  book: OpenBook,
  redemption: Redemption,
  { store }: Pick<CodeWorld, 'store'>,
): Promise<{ readonly kind: 'absent' } | StoreUnavailable> {
  const { shop } = book.customer;
  const wanted = wantedCode(redemption, book);
  if (!wanted) return { kind: 'absent' };
  const found = await store.findCode(shop, wanted);
  if (found.kind !== 'found') return found;
  const deleted = await store.deleteCode(shop, found.discountId);
  return deleted.kind === 'deleted' ? { kind: 'absent' } : deleted;
}

async function recordMade(
  book: OpenBook,
  { id }: Redemption,
  wanted: WantedCode,
  discountId: string,
  world: CodeWorld,
): Promise<CodeEnd> {
  // Before the customer sees the code: an order may name it from then on.
  await noteRewardCode(book.customer.shop, wanted, world);
  const redemption = await applyStep(book, id, { kind: 'made', discountId });
  const isUnwanted = redemption?.state.at === 'cancelling' || redemption?.state.at === 'cancelled';
  if (isUnwanted) await deleteLateCode(book, redemption, world);
  return { kind: 'settled', redemption };
}

function wantedCode({ id, terms, state }: Redemption, book: OpenBook): WantedCode | undefined {
  const code: RewardCode | undefined = 'code' in state ? state.code : undefined;
  if (!code || state.at === 'ready' || state.at === 'used') return undefined;
  const { minimum, combines, title, product } = terms;
  return {
    ...code,
    customerId: book.customer.customerId,
    title: `${title} (${id})`,
    combines,
    ...(minimum !== undefined && { minimum }),
    ...(product && { productId: product.id }),
  };
}
