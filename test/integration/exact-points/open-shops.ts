import type { PartialSettings } from '../../../local/loyalty-sandbox/settings.ts';
import type { ActionInput } from '../../../local/store-sandbox/model/actions.ts';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import { type Connectors, runConnectors } from '../../support/running-connector.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

type Settings = Partial<Parameters<typeof openStoreAndConnector>[1]>;
type Draft = ActionInput<'placeOrder'>;
/** The price of one piece, or the price and the quantity. */
type Goods = number | readonly [price: number | string, quantity: number];

export type Shop = Awaited<ReturnType<typeof openShop>>;

/**
 * A store, the connector with its default settings, and a loyalty service that gives one point for each unit of
 * the currency. What a test expects is read from the service, never from the connector.
 */
export function openShops(service: PartialSettings = {}) {
  const connectors = runConnectors(service);
  const open = (settings: Settings = {}): Promise<Shop> => openShop(connectors, settings);
  return {
    open,
    /** With one order that is shipped, and has its points. */
    async openSold(goods: readonly Goods[]) {
      const shop = await open();
      const order = shop.sell(goods);
      await shop.rest();
      return { shop, order };
    },
  };
}

async function openShop(
  connectors: Connectors,
  { rules, shop: shopSettings, ...settings }: Settings,
) {
  const { store, connector } = await openStoreAndConnector(connectors, {
    seed: 1,
    ...settings,
    shop: { inventoryNoise: false, taxes: [], ...shopSettings },
    rules: { pendingOrders: 'skip', ...rules },
  });
  const { loyalty } = connector;
  const [customer] = [...store.rows.customers.values()];
  const customerId = customer?.id ?? '';
  const held = (order: Pick<OrderRow, 'id'>) =>
    loyalty.state().orders.find(({ OriginalId }) => OriginalId === order.id);

  const shop = {
    store,
    connector,
    loyalty,
    actions: store.actions,
    held,

    later: (seconds: number) => connector.pass(seconds),

    /** Paid by one customer, the same for all orders. Each price is that of a product of its own. */
    buy(goods: readonly Goods[], changes: Partial<Draft> = {}): OrderRow {
      const lines = goods.map((one, index) => {
        const [price, quantity] = typeof one === 'number' ? [one, 1] : one;
        const made = store.actions.createProduct({ title: `Product ${index}`, price });
        return { variantId: made.variants[0]?.id ?? '', quantity };
      });
      const usual = { customerId, lines, payment: 'paid' } as const;
      return store.actions.placeOrder({ ...usual, ...changes });
    },

    /** Bought and shipped a minute later. */
    sell(goods: readonly Goods[], changes: Partial<Draft> = {}): OrderRow {
      const order = shop.buy(goods, changes);
      shop.later(60);
      return store.actions.fulfilOrder({ orderId: order.id });
    },

    /** A minute later, one piece or more of a line by its index. */
    refundLine(order: OrderRow, index: number, quantity = 1, changes: object = {}): OrderRow {
      shop.later(60);
      const lines = [{ lineId: order.lines[index]?.id ?? '', quantity }];
      return store.actions.refundOrder({ orderId: order.id, lines, ...changes });
    },

    /** All webhooks are delivered and all messages are worked on. */
    async rest(): Promise<void> {
      await store.deliveries.settled();
      await connector.settle();
    },

    /** The points that the service gives for this order now. */
    points: (order: Pick<OrderRow, 'id'>): number => held(order)?.points ?? 0,
    /** All points of the customer in the service. */
    balance: (): number =>
      loyalty.state().customers.find(({ OriginalId }) => OriginalId === customerId)?.points ?? 0,

    /** The operations on orders since the last use of this function. */
    orderCalls: (): string[] =>
      connector
        .newOperations()
        .filter((name) => name !== undefined)
        .filter((name) => /order/i.test(name)),
    /** How many messages wait for a person. */
    parked: async (): Promise<number> => (await connector.deadLetters()).length,
  };
  return shop;
}
