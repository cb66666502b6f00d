import { minorDigits } from '../../../shared/store/money.ts';
import {
  badge,
  brief,
  type Html,
  html,
  moment,
  renderSection,
  type Tone,
} from '../../sandbox-kit/pages/html.ts';
import { idLink } from '../../sandbox-kit/pages/layout.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { State } from '../state.ts';
import { actionButton, nameOf } from './store-sections.ts';

type Order = State['orders'][number];

const paymentTones: Readonly<Record<Order['financialStatus'], Tone>> = {
  pending: 'waiting',
  authorized: 'waiting',
  partially_paid: 'waiting',
  paid: 'good',
  partially_refunded: 'plain',
  refunded: 'bad',
  voided: 'bad',
  expired: 'bad',
};

const words = (text: string): string => text.replaceAll('_', ' ');

/** `loyalty`: the page of the loyalty service, if it runs. */
export function renderOrders({ orders, customers, shop }: State, loyalty?: string): Html {
  const money = (minor: number) => formatMinor(minor, minorDigits(shop.currency));
  const names = new Map(customers.map((one) => [one.id, nameOf(one)]));
  return renderSection({
    id: 'orders',
    title: 'Orders',
    rows: orders,
    whenEmpty: 'None yet. Place one with the button above.',
    rowId: ({ id }) => `order-${id}`,
    columns: [
      {
        name: 'Order',
        cell: ({ number, id }) => html`#${number} ${idLink(id, loyalty, 'order')}`,
      },
      { name: 'Placed', cell: ({ createdAt }) => moment(createdAt) },
      {
        name: 'Customer',
        cell: ({ customerId }) =>
          customerId === null
            ? null
            : html`${names.get(customerId) ?? 'deleted'} ${idLink(customerId, loyalty, 'customer')}`,
      },
      { name: 'Lines', cell: describeLines },
      {
        name: 'Status',
        cell: (order) =>
          html`<span class="badges">${badge(paymentTones[order.financialStatus], words(order.financialStatus))} ${renderFulfilment(order)}</span>`,
      },
      {
        name: 'Codes',
        cell: ({ applications }) => brief(applications.map(({ name }) => name).join(', ') || null),
      },
      { name: 'Total', align: 'right', cell: ({ totals }) => money(totals.totalMinor) },
      { name: 'Current', align: 'right', cell: ({ totals }) => money(totals.current.totalMinor) },
      { name: '', cell: renderOrderButtons },
    ],
  });
}

function describeLines({ lines, reductions }: Order): Html | null {
  const parts = lines.map((line) => {
    const removed = reductions
      .filter(({ lineId }) => lineId === line.id)
      .reduce((sum, { quantity }) => sum + quantity, 0);
    return `${line.quantity - removed} × ${line.title}${removed > 0 ? ` (of ${line.quantity})` : ''}`;
  });
  return brief(parts.join(', '));
}

function renderFulfilment({ cancelledAt, fulfillmentStatus }: Order): Html {
  if (cancelledAt !== null) return badge('bad', 'cancelled');
  if (fulfillmentStatus === null) return badge('waiting', 'unfulfilled');
  return badge(fulfillmentStatus === 'fulfilled' ? 'good' : 'plain', fulfillmentStatus);
}

/** Only actions that the store would accept. */
function renderOrderButtons(order: Order): Html {
  const { id: orderId, totals, cancelledAt, lines, reductions } = order;
  const kept = lines.find((line) => {
    const removed = reductions.filter(({ lineId }) => lineId === line.id);
    return removed.reduce((sum, { quantity }) => sum + quantity, 0) < line.quantity;
  });
  const isOpen = cancelledAt === null;
  const [dispute] = order.disputes;
  const isDisputable = order.transactions.some(
    ({ kind, gateway }) => kind !== 'authorization' && gateway === 'shopify_payments',
  );
  return html`<span class="buttons">${
    isOpen && totals.outstandingMinor > 0 && actionButton('Pay', 'payOrder', { orderId })
  }${
    isOpen &&
    kept &&
    order.fulfillmentStatus !== 'fulfilled' &&
    actionButton('Fulfil', 'fulfilOrder', { orderId })
  }${
    isOpen &&
    kept &&
    actionButton('Add item', 'editOrder', { orderId, add: [{ title: 'Gift wrapping', price: 2 }] })
  }${
    kept &&
    actionButton('Refund one', 'refundOrder', {
      orderId,
      lines: [{ lineId: kept.id, quantity: 1 }],
    })
  }${isDisputable && !dispute && actionButton('Charge back', 'openDispute', { orderId })}${
    dispute?.status === 'needs_response' &&
    actionButton('Lose dispute', 'updateDispute', { orderId, status: 'lost' })
  }${isOpen && actionButton('Cancel', 'cancelOrder', { orderId })}${actionButton('Delete', 'deleteOrder', { orderId })}</span>`;
}
