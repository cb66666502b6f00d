import type { LedgerEntry } from '../ledger/ledger.ts';
import type { BalanceChange, BalanceStore, BalanceWritten } from './balance-store.ts';
import { type RememberedBalance, recallBalance } from './remembered-balance.ts';

/**
 * A tier is taken away unless the ledger knows that there is none: the first write has no mark, so a
 * worker that died may have left one, and so may an earlier ledger. The same holds for expiring points.
 */
export function balanceChange(
  customerId: string,
  { points, cashback, tier, expiring }: RememberedBalance,
  entry: LedgerEntry | undefined,
): BalanceChange {
  const held = entry?.uncertain ? undefined : recallBalance(entry?.remembered);
  const leavesTier = tier === undefined || (tier === null && held?.tier === null);
  const leavesExpiring = expiring === undefined || (expiring === null && held?.expiring === null);
  return {
    customerId,
    points,
    cashback,
    ...(!leavesTier && { tier }),
    ...(!leavesExpiring && { expiring }),
  };
}

/** A balance that is about to be written. */
export interface Given {
  readonly shop: string;
  readonly given: BalanceChange;
}

/** One call for each shop, when every customer is prepared. Returns what became of one balance. */
export function writeTogether<One extends Given>(
  prepared: readonly Promise<{ readonly writing: One | undefined }>[],
  store: BalanceStore,
) {
  const calls = Promise.allSettled(prepared).then((all) => {
    const ready = all.flatMap((one) =>
      one.status === 'fulfilled' && one.value.writing ? [one.value.writing] : [],
    );
    const shops = Map.groupBy(ready, ({ shop }) => shop);
    return new Map(
      [...shops].map(([shop, some]) => {
        const answers = store.writeBalances(
          shop,
          some.map(({ given }) => given),
        );
        answers.catch(() => {}); // thrown in the work on each of these customers
        return [shop, { some, answers }];
      }),
    );
  });
  return async (one: One): Promise<BalanceWritten> => {
    const call = (await calls).get(one.shop);
    const written = call && (await call.answers)[call.some.indexOf(one)];
    return written ?? { kind: 'unavailable', why: 'no-word' };
  };
}
