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
import type { ActionInput, ActionName } from '../model/actions.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { State } from '../state.ts';

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
    numbers: ['Total'],
    columns: {
      Order: ({ number, id }) => html`#${number} ${idLink(id, loyalty, 'order')}`,
      Placed: ({ createdAt }) => moment(createdAt),
      Customer: ({ customerId }) =>
        customerId === null
          ? null
          : html`${names.get(customerId) ?? 'deleted'} ${idLink(customerId, loyalty, 'customer')}`,
      Lines: describeLines,
      Status: (order) =>
        html`<span class="badges">${badge(paymentTones[order.financialStatus], words(order.financialStatus))} ${renderFulfilment(order)}</span>`,
      Codes: ({ applications }) => brief(applications.map(({ name }) => name).join(', ') || null),
      Total: ({ totals: { totalMinor, current } }) =>
        html`${money(totalMinor)} ${current.totalMinor !== totalMinor && html`<span class="id">now ${money(current.totalMinor)}</span>`}`,
      '': renderOrderButtons,
    },
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

/** `loyalty`: the page of the loyalty service, if it runs. */
export function renderProducts({ products, shop }: State, loyalty?: string): Html {
  const digits = minorDigits(shop.currency);
  const lowest = (product: State['products'][number]) =>
    Math.min(...product.variants.map(({ priceMinor }) => priceMinor));
  return renderSection({
    id: 'products',
    title: 'Products',
    rows: products,
    whenEmpty: 'None yet. Create one with the button above.',
    rowId: ({ id }) => `product-${id}`,
    numbers: ['Price', 'Stock'],
    columns: {
      Product: ({ title, id }) => html`${brief(title)} ${idLink(id, loyalty, 'product')}`,
      Vendor: ({ vendor }) => brief(vendor),
      Category: ({ category, productType }) => brief(category?.fullName ?? (productType || null)),
      Price: (product) => formatMinor(lowest(product), digits),
      Stock: ({ variants }) => variants.reduce((sum, { inventory }) => sum + inventory, 0),
      Status: ({ status }) => badge(status === 'active' ? 'good' : 'plain', status),
      '': (product) =>
        html`<span class="buttons">${actionButton('Price +1', 'updateProduct', {
          productId: product.id,
          price: formatMinor(lowest(product) + 10 ** digits, digits),
        })}${
          product.status === 'active'
            ? actionButton('Archive', 'updateProduct', {
                productId: product.id,
                status: 'archived',
              })
            : actionButton('Activate', 'updateProduct', {
                productId: product.id,
                status: 'active',
              })
        }${actionButton('Stock −1', 'changeInventory', { productId: product.id, by: -1 })}${actionButton(
          'Delete',
          'deleteProduct',
          { productId: product.id },
        )}</span>`,
    },
  });
}

export function renderCustomers({ customers, orders }: State, loyalty?: string): Html {
  return renderSection({
    id: 'customers',
    title: 'Customers',
    rows: customers,
    whenEmpty: 'None yet. Create one with the button above.',
    rowId: ({ id }) => `customer-${id}`,
    numbers: ['Orders'],
    columns: {
      Name: (one) => html`${brief(nameOf(one))} ${idLink(one.id, loyalty, 'customer')}`,
      'E-mail': ({ email }) => brief(email),
      Phone: ({ phone }) => brief(phone),
      Orders: ({ id }) => orders.filter(({ customerId }) => customerId === id).length,
      '': ({ id: customerId }) =>
        html`<span class="buttons">${actionButton('Delete', 'deleteCustomer', {
          customerId,
        })}${actionButton('Redact', 'redactCustomer', { customerId })}${actionButton(
          'Data request',
          'requestCustomerData',
          { customerId },
        )}</span>`,
    },
  });
}

export function renderDiscounts({ discounts, codes, shop }: State): Html {
  const byDiscount = Map.groupBy(codes, ({ discountId }) => discountId);
  const digits = minorDigits(shop.currency);
  return renderSection({
    id: 'discounts',
    title: 'Discounts',
    rows: discounts,
    whenEmpty: 'None yet. Create one with the button above.',
    numbers: ['Value'],
    columns: {
      Title: ({ title, id }) => html`<span class="brief" title="${id}">${title}</span>`,
      Kind: ({ method, kind }) => `${method}, ${kind}`,
      Value: (discount) => describeValue(discount, digits),
      Codes: ({ id, method }) => {
        if (method === 'automatic') return null;
        const own = byDiscount.get(id) ?? [];
        const shown = own
          .slice(0, 3)
          .map(({ code }) => code)
          .join(', ');
        return brief(own.length > 3 ? `${shown} and ${own.length - 3} more` : shown || 'none');
      },
      For: ({ context }) => (context.kind === 'all' ? 'everyone' : context.kind),
      Ends: ({ endsAt }) => moment(endsAt),
      Status: ({ status }) => badge(status === 'ACTIVE' ? 'good' : 'plain', status.toLowerCase()),
      '': ({ id: discountId, method, status }) => {
        const [first] = byDiscount.get(discountId) ?? [];
        return html`<span class="buttons">${
          method === 'code' &&
          html`<button type="button" data-add-code="${discountId}">Add code</button>`
        }${
          first && actionButton('Remove code', 'removeCodes', { discountId, codes: [first.code] })
        }${status === 'ACTIVE' && actionButton('Deactivate', 'deactivateDiscount', { discountId })}${actionButton(
          'Delete',
          'deleteDiscount',
          { discountId },
        )}</span>`;
      },
    },
  });
}

export function renderTriggers({ triggers }: State): Html {
  return renderSection({
    id: 'triggers',
    title: 'Triggers of Shopify Flow',
    rows: triggers,
    whenEmpty: 'None yet.',
    columns: {
      When: ({ at }) => moment(at),
      Trigger: ({ handle }) => brief(handle),
      Payload: ({ payload }) => brief(JSON.stringify(payload)),
    },
  });
}

function describeValue({ value, kind }: State['discounts'][number], digits: number): string | null {
  if (!value) return kind === 'free-shipping' ? 'shipping' : null;
  return value.kind === 'percentage' ? `${value.ppm / 10_000} %` : formatMinor(value.minor, digits);
}

/** A button for one action. TypeScript checks the input. */
export function actionButton<Name extends ActionName>(
  text: string,
  name: Name,
  input: ActionInput<Name>,
): Html {
  return html`<button type="button" data-action="${name}" data-input="${JSON.stringify(input)}">${text}</button>\n`;
}

function nameOf({ firstName, lastName, email, id }: State['customers'][number]): string {
  return [firstName, lastName].filter((part) => part !== null).join(' ') || (email ?? id);
}
