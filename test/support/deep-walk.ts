import { SHOP } from '../../local/harness/in-process-connector.ts';
import { readLastReconcile } from '../../shared/core/reconcile/last-reconcile.ts';
import { openAfterRun } from './store-history.ts';

const HOUR_MS = 3_600_000;

/** A connector that knows orders, products and codes by webhooks, and what a deep walk changes for them. */
export async function openKnowing({ orders = 3, products = 3, codes = ['A', 'B'] } = {}) {
  const { connector, history } = await openAfterRun();
  for (let i = 1; i <= orders; i += 1) await history.putOrder(String(70 + i), {}, true);
  for (let i = 1; i <= products; i += 1) await history.putProduct(String(80 + i), `Hat ${i}`, true);
  await history.putDiscount('91', codes, {}, true);
  await connector.drain();
  connector.clock.ms += HOUR_MS;
  await connector.reconcile();
  const { loyalty, telemetry } = connector;
  const { rows } = loyalty;
  return {
    ...connector,
    history,

    async reconcileDeeply(): Promise<void> {
      await connector.reconcile({ deep: true });
      await connector.drain();
    },

    lastRun: () => readLastReconcile(connector.ledger, SHOP),
    healed: (kind?: string) => telemetry.total('healed', kind ? { kind } : {}),
    rolledOut: (kind: string) => telemetry.total('rolled-out', { kind }),
    /** Calls that may change something: a deep walk also reads. */
    changes: () => loyalty.journal.filter(({ operation }) => operation !== 'getOrder').length,
    cancelled: () =>
      [...rows.orders.values()].flatMap((order) =>
        order.IsCancelledOrReturned ? [order.OriginalId] : [],
      ),
    activeCodes: () =>
      [...rows.coupons.values()]
        .flatMap(({ isActive, CouponCode }) => (isActive ? [CouponCode] : []))
        .toSorted(),
    productsOnOffer: () =>
      [...rows.products.values()]
        .flatMap((product) => (product.IsActive ? [product.OriginalId] : []))
        .toSorted(),
  };
}
