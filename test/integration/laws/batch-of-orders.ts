import type { PointRow } from '../../../local/loyalty-sandbox/program/rows.ts';
import { bodyFor, orderAt, storeOrderOf, withId } from '../../fixtures/order-life.ts';
import { bodyOf } from '../../fixtures/order-payload.ts';
import type { OrderSpec } from '../../fixtures/order-spec.ts';
import { openConnector, SHOP } from '../../support/in-process-connector.ts';

export const OTHER_SHOP = 'second-store.myshopify.com';

/** An order of 50 as one webhook shows it. */
export interface SentOrder {
  readonly id: number;
  /** The customer's id in this webhook. Null: a guest. Undefined when the webhook has no such key. */
  readonly by: string | null | undefined;
  /** Whom the store names now, if it is another one. */
  readonly nowBy?: string | null;
  readonly second?: number;
  /** Default: fulfilled, so that it earns. */
  readonly spec?: Partial<OrderSpec>;
  readonly shop?: string;
  readonly topic?: string;
}

export const PENDING: Partial<OrderSpec> = { fulfilledAfterDays: undefined };
export const REFUNDED: Partial<OrderSpec> = { fulfilledAfterDays: 1, amountRefundedCents: 1000 };
export const CANCELLED: Partial<OrderSpec> = { fulfilledAfterDays: 1, cancelledAfterDays: 2 };

const emailOf = (id: string) => `buyer-${id}@example.com`;

const customerOf = (id: string) => ({
  id: `#id:${id}`,
  admin_graphql_api_id: `gid://shopify/Customer/${id}`,
  first_name: 'Robin',
  last_name: 'Sample',
  email: emailOf(id),
  phone: null,
  created_at: '2025-01-20T09:00:00Z',
});

function payloadOf({ id, by, second = 1, spec = { fulfilledAfterDays: 1 } }: SentOrder) {
  const { customer: _, ...rest } = orderAt(second, spec, withId(id));
  if (by === undefined) return rest;
  return { ...rest, customer: by === null ? null : customerOf(by) };
}

type Settings = Parameters<typeof openConnector>[0];

/** A connector whose worker gets orders in batches, while customers change, merge or go. */
export function openBatches(settings: Settings = {}) {
  const connector = openConnector(settings);
  const { loyalty, store } = connector;
  const { rows } = loyalty;

  /** What the store answers from now on. */
  function keep(sent: SentOrder): void {
    const { by, nowBy = by, shop = SHOP } = sent;
    const order = storeOrderOf(payloadOf({ ...sent, by: null }));
    const customer =
      typeof nowBy === 'string'
        ? {
            ...storeOrderOf(orderAt(1)).customer,
            id: nowBy,
            email: emailOf(nowBy),
            phone: undefined,
          }
        : undefined;
    store.putOrder(shop, { ...order, customer } as typeof order);
  }

  const world = {
    ...connector,
    connector,

    /** Webhooks on their way to one batch. The store already has the newest state of each order. */
    async send(...all: readonly SentOrder[]): Promise<void> {
      const newestLast = all.toSorted((one, other) => (one.second ?? 1) - (other.second ?? 1));
      for (const sent of newestLast) keep(sent);
      for (const sent of all) {
        const { shop = SHOP, topic = 'orders/updated' } = sent;
        await connector.deliver({ shop, topic, payload: bodyOf(bodyFor(topic, payloadOf(sent))) });
      }
    },

    /** The store merges two customers, and the ledger learns of it. */
    async merge(gone: string, kept: string, shop = SHOP): Promise<void> {
      const gid = (id: string) => `gid://shopify/Customer/${id}`;
      const payload = {
        admin_graphql_api_customer_kept_id: gid(kept),
        admin_graphql_api_customer_deleted_id: gid(gone),
        status: 'completed',
      };
      await connector.deliver({ shop, topic: 'customers/merge', payload });
      await connector.work('coupons');
    },

    /** By order: for whom the service holds it, and what it earns. */
    earned(): Record<string, readonly [who: string, points: number]> {
      return Object.fromEntries(
        [...rows.orders.values()].map(({ OriginalId: id, customerId }) => [
          id,
          [
            customerId,
            pointsWhere(({ source }) => source.kind === 'order' && source.orderId === id),
          ],
        ]),
      );
    },

    balance: (id: string) => pointsWhere(({ customerId }) => customerId === id),
  };

  function pointsWhere(isMeant: (row: PointRow) => boolean): number {
    const hundredths = [...rows.points.values()]
      .filter((row) => !row.isCanceled && isMeant(row))
      .reduce((sum, { pointsHundredths }) => sum + pointsHundredths, 0);
    return hundredths / 100;
  }

  return world;
}
