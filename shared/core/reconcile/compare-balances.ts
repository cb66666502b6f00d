import type { Value } from '../../loyalty/operations.ts';
import { isStoreId } from '../balances/point-balance.ts';
import { balanceIn } from '../balances/read-customer.ts';
import { recallBalance } from '../balances/remembered-balance.ts';
import type { LedgerEntry } from '../ledger/ledger.ts';
import { ledgerKeyText } from '../ledger/ledger-key.ts';
import { mergedInto } from '../ledger/merged-customer.ts';
import { isNewer } from '../ledger/newer-item.ts';
import type { ReconcileWorld } from './reconcile-world.ts';

type Reported = Value<'listCustomersReport'>['Items'][number];

/** Asks the worker to read the balance of each customer of whom report and ledger differ. */
export async function askForDifferences(
  shop: string,
  customers: readonly Reported[],
  until: number,
  { ledger, queue, now }: Pick<ReconcileWorld, 'ledger' | 'queue' | 'now'>,
): Promise<{ readonly compared: number; readonly asked: number }> {
  const byId = new Map(
    customers.flatMap((one) => {
      const { OriginalId: id } = one;
      // A customer without an account in the store, or known by an e-mail address, has no metafields.
      return typeof id === 'string' && isStoreId(id) ? [[id, one] as const] : [];
    }),
  );
  const keyOf = (id: string) => ({ shop, kind: 'customer', id }) as const;
  const entries = await ledger.readMany([...byId.keys()].map(keyOf));
  const differing = [...byId].filter(([id, one]) => {
    const text = ledgerKeyText(keyOf(id));
    return !isNewer(entries, text) && differs(one, entries.get(text), now().getTime());
  });
  for (const [id] of differing) {
    const deliveryId = `repair/${id}/${until}`;
    const receivedAt = now().toISOString();
    await queue.send({ shop, kind: 'balance', id, topic: 'repair', deliveryId, receivedAt });
  }
  return { compared: byId.size, asked: differing.length };
}

/**
 * True also for a customer whom the ledger does not know, and for a report that names no balance. Never for
 * one who was merged into another: the store does not have them any more.
 */
function differs(reported: Reported, entry: LedgerEntry | undefined, now: number): boolean {
  if (mergedInto(entry) !== undefined) return false;
  const known = recallBalance(entry?.remembered);
  if (!known) return entry?.redactedAt === undefined;
  const balance = balanceIn(reported, now);
  if (!balance || entry?.uncertain) return true;
  if (balance.points !== known.points || balance.cashback !== known.cashback) return true;
  if (reported.PointsToExpire === undefined) return false;
  const { expiring } = balance;
  return expiring?.points !== known.expiring?.points || expiring?.at !== known.expiring?.at;
}
