import { type LedgerKey, ledgerKeyText } from '../../shared/core/ledger/ledger.ts';
import { orderWithId } from '../fixtures/order-life.ts';
import { TIME_OUT } from '../fixtures/service-answers.ts';
import { openConnector, SHOP } from './in-process-connector.ts';

export type WebhookConnector = ReturnType<typeof openWebhookConnector>;

/** A connector for tests that deliver webhooks and compare what service and ledger hold afterwards. */
export function openWebhookConnector(settings: Parameters<typeof openConnector>[0] = {}) {
  const connector = openConnector(settings);
  const { loyalty, ledger } = connector;
  return {
    ...connector,

    /** Delivers it, and works until nothing is left. */
    async handle(topic: string, payload: unknown): Promise<void> {
      await connector.deliver({ topic, payload });
      await connector.drain();
    },

    async deliverOrders(...ids: readonly number[]): Promise<void> {
      for (const id of ids) {
        await connector.deliver({ topic: 'orders/create', payload: orderWithId(id) });
      }
    },

    /** The next call arrives, and its answer is lost. */
    loseNextAnswer(): void {
      loyalty.world.interfere = (_call, pass) => {
        loyalty.world.interfere = undefined;
        pass();
        return TIME_OUT;
      };
    },

    orderIds: () => [...loyalty.rows.orders.values()].map((row) => row.OriginalId).toSorted(),
    entry: (kind: LedgerKey['kind'], id: string) =>
      ledger.entries.get(ledgerKeyText({ shop: SHOP, kind, id })),
    ledgerText: () => JSON.stringify([...ledger.entries.values()]),
  };
}
