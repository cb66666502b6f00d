import type { LoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import type { OrderRow } from '../../local/store-sandbox/model/rows.ts';
import type { StoreSandbox } from '../../local/store-sandbox/sandbox.ts';

/** How an integration names the store's orders in the loyalty service. */
export type OrderIdForm = 'id' | 'name';

const idIn = (form: OrderIdForm, { id, number }: Pick<OrderRow, 'id' | 'number'>): string =>
  form === 'id' ? id : `#${number}`;

interface Parts {
  /** Read at each poll: a stack that is started again has others. */
  readonly store: () => Pick<StoreSandbox, 'rows'>;
  readonly loyalty: () => Pick<LoyaltySandbox, 'integrate'>;
  readonly idForm: OrderIdForm;
  /** What it counts of an order, in units of the currency. */
  readonly amountOf: (order: OrderRow) => number;
}

/**
 * The loyalty service's own integration: it polls the store about hourly, and sends, updates and cancels orders that
 * were placed since it was switched on, with Origin 0. Here it polls when it is told to.
 */
export function createOtherIntegration({ store, loyalty, idForm, amountOf }: Parts) {
  let since: string | undefined;
  /** What it sent last, by the order's id in the store. */
  const sent = new Map<string, string>();

  function send(order: OrderRow): void {
    const customer = store().rows.customers.get(order.customerId ?? '');
    if (!customer) return;
    const body = {
      OriginalId: idIn(idForm, order),
      OrderPlacementDate: order.processedAt,
      OrderCompletedDate: order.fulfillments[0]?.createdAt ?? order.processedAt,
      OrderStatus: 'completed',
      IsCancelledOrReturned: false,
      IsCompleted: true,
      OrderTotal: amountOf(order),
      Customer: {
        OriginalId: customer.id,
        Name: `${customer.firstName} ${customer.lastName}`,
        Email: customer.email,
      },
      UpdatedDate: order.updatedAt,
    };
    perform({ operation: 'sendOrder', body });
  }

  function cancel(order: OrderRow): void {
    perform({
      operation: 'cancelOrder',
      id: idIn(idForm, order),
      body: { OrderCancelledDate: order.cancelledAt ?? '', OrderStatus: 'cancelled' },
    });
  }

  function perform(step: Parameters<LoyaltySandbox['integrate']>[0]): void {
    const { HasError, ErrorMessage } = loyalty().integrate(step) as {
      readonly HasError?: boolean;
      readonly ErrorMessage?: string | null;
    };
    if (HasError) throw new Error(`the other integration: ${step.operation}: ${ErrorMessage}`);
  }

  return {
    /** From now on it knows the orders that were placed since this moment. */
    switchOn(moment: Date): void {
      since = moment.toISOString();
    },

    switchOff(): void {
      since = undefined;
    },

    /** One poll; gives how many orders it sent, updated or cancelled. */
    poll(): number {
      if (since === undefined) return 0;
      let count = 0;
      for (const order of store().rows.orders.values()) {
        const isNew = Date.parse(order.processedAt) >= Date.parse(since);
        const before = sent.get(order.id);
        if (!isNew && before === undefined) continue;
        if (order.customerId === null || order.test || order.fulfillments.length === 0) continue;
        const state = order.cancelledAt === null ? `${amountOf(order)}` : 'cancelled';
        if (state === before || (before === undefined && state === 'cancelled')) continue;
        if (state === 'cancelled') cancel(order);
        else send(order);
        sent.set(order.id, state);
        count += 1;
      }
      return count;
    },

    /** Whether it ever sent this order. */
    knows: (orderId: string) => sent.has(orderId),
  };
}
