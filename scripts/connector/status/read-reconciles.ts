import type { Shop } from '../../../shared/config/connector-config.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { readLastReconcile } from '../../../shared/core/reconcile/last-reconcile.ts';
import type { ReconcileStatus } from './status-model.ts';

/** What the ledger keeps of the last run of every shop. */
export async function readReconciles(
  ledger: Pick<Ledger, 'readMany'>,
  shops: readonly Shop[],
): Promise<readonly ReconcileStatus[]> {
  return Promise.all(
    shops.map(async ({ domain: shop }) => {
      const last = await readLastReconcile(ledger, shop);
      return {
        shop,
        endedAt: last?.endedAt,
        looked: sum(last?.lookedAt),
        healed: sum(last?.healed),
        rolledOut: sum(last?.rolledOut),
        stopped: (last?.stopped ?? []).map(({ kind, why }) => `${kind} ${why}`),
      };
    }),
  );
}

function sum(counts: Readonly<Record<string, number>> = {}): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
