import {
  amount,
  badge,
  brief,
  type Html,
  html,
  moment,
  renderSection,
  type Tone,
} from '../../sandbox-kit/pages/html.ts';
import { idLink } from '../../sandbox-kit/pages/layout.ts';
import { customerOf, type PointEvent } from '../events/point-event.ts';
import type { State } from '../state.ts';

/** `store`: the page of the store, if it runs. */
export function renderCustomers({ customers }: State, store?: string): Html {
  return renderSection({
    id: 'customers',
    title: 'Customers',
    rows: customers,
    whenEmpty: 'None yet. The first order brings its customer along.',
    rowId: ({ OriginalId }) => `customer-${OriginalId}`,
    columns: [
      { name: 'Id', cell: ({ OriginalId }) => idLink(OriginalId, store, 'customer') },
      { name: 'Name', cell: ({ Name }) => brief(Name) },
      { name: 'E-mail', cell: ({ Email }) => brief(Email) },
      { name: 'Tier', cell: ({ tier }) => renderTier(tier) },
      { name: 'Points', align: 'right', cell: ({ points }) => amount(points) },
      { name: 'Cashback', align: 'right', cell: ({ cashback }) => amount(cashback) },
      {
        name: 'Program',
        cell: ({ IsEnrolled, isActive }) => {
          if (!isActive) return badge('bad', 'inactive');
          return IsEnrolled ? badge('good', 'enrolled') : badge('plain', 'not enrolled');
        },
      },
    ],
  });
}

/** Drawn, not styled: the page allows no inline styles. */
function renderTier({ name, color }: State['customers'][number]['tier']): Html {
  return html`<svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="${color}"/></svg> ${name}`;
}

export function renderOrders({ orders }: State, store?: string): Html {
  return renderSection({
    id: 'orders',
    title: 'Orders',
    rows: orders,
    whenEmpty: 'None yet. Send one with sendOrder.',
    rowId: ({ OriginalId }) => `order-${OriginalId}`,
    columns: [
      { name: 'Id', cell: ({ OriginalId }) => idLink(OriginalId, store, 'order') },
      { name: 'Customer', cell: ({ customerId }) => idLink(customerId, store, 'customer') },
      { name: 'State', cell: renderOrderState },
      { name: 'Status in the store', cell: ({ OrderStatus }) => brief(OrderStatus) },
      { name: 'Total', align: 'right', cell: ({ OrderTotal }) => amount(OrderTotal) },
      { name: 'Points', align: 'right', cell: ({ points }) => amount(points) },
      { name: 'Products', align: 'right', cell: ({ Products }) => Products?.length ?? null },
      { name: 'Coupon', cell: ({ Coupon }) => brief(Coupon) },
      { name: 'Updated', cell: ({ UpdatedDate }) => moment(UpdatedDate) },
    ],
  });
}

function renderOrderState(order: State['orders'][number]): Html {
  if (order.IsCancelledOrReturned) return badge('bad', 'cancelled');
  return order.IsCompleted ? badge('good', 'completed') : badge('waiting', 'pending');
}

const couponTypes = ['fixed value', 'percent', 'free shipping', 'discount on shipping', 'other'];

export function renderCoupons({ coupons }: State): Html {
  return renderSection({
    id: 'coupons',
    title: 'Coupons',
    rows: coupons,
    whenEmpty: 'None yet. Create one with createCoupon, or redeem a reward.',
    columns: [
      { name: 'Code', cell: ({ CouponCode }) => brief(CouponCode) },
      { name: 'Type', cell: ({ CouponType }) => couponTypes[CouponType ?? -1] ?? null },
      { name: 'Value', align: 'right', cell: ({ CouponValue }) => amount(CouponValue) },
      { name: 'Customer', cell: ({ customerId }) => brief(customerId) },
      {
        name: 'State',
        cell: ({ isActive, IsUsed }) => {
          if (!isActive) return badge('bad', 'inactive');
          return IsUsed ? badge('plain', 'used') : badge('good', 'active');
        },
      },
      { name: 'Used by order', cell: ({ usedByOrderId }) => brief(usedByOrderId) },
      { name: 'Valid until', cell: ({ ValidDateEnd }) => moment(ValidDateEnd) },
    ],
  });
}

export function renderProducts({ products }: State, store?: string): Html {
  return renderSection({
    id: 'products',
    title: 'Products',
    rows: products,
    whenEmpty: 'None yet. Send one with updateProduct.',
    rowId: ({ OriginalId }) => `product-${OriginalId}`,
    columns: [
      { name: 'Id', cell: ({ OriginalId }) => idLink(OriginalId, store, 'product') },
      { name: 'Title', cell: ({ Title }) => brief(Title) },
      { name: 'Price', align: 'right', cell: ({ ProductPrice }) => amount(ProductPrice) },
      { name: 'Brand', cell: ({ brand }) => brief(brand?.Name ?? brand?.OriginalId ?? null) },
      { name: 'Category', cell: ({ categories }) => brief(categories.join(' › ') || null) },
      {
        name: 'State',
        cell: ({ IsActive }) =>
          IsActive === false ? badge('bad', 'inactive') : badge('good', 'active'),
      },
    ],
  });
}

export function renderRedemptions({ redemptions }: State): Html {
  return renderSection({
    id: 'redemptions',
    title: 'Redemptions',
    rows: redemptions,
    whenEmpty: 'None yet. Redeem a reward with redeemReward.',
    columns: [
      { name: 'Key', cell: ({ OriginalKey }) => brief(OriginalKey) },
      { name: 'Reward', cell: ({ rewardTitle }) => brief(rewardTitle) },
      { name: 'Customer', cell: ({ customerId }) => brief(customerId) },
      { name: 'Points', align: 'right', cell: ({ points }) => amount(points) },
      { name: 'Code', cell: ({ ExternalCode }) => brief(ExternalCode) },
      {
        name: 'State',
        cell: ({ canceledAt, usedByOrderId }) => {
          if (canceledAt !== null) return badge('bad', 'cancelled');
          return usedByOrderId === null ? badge('good', 'redeemed') : badge('plain', 'used');
        },
      },
      { name: 'When', cell: ({ redeemedAt }) => moment(redeemedAt) },
    ],
  });
}

export function renderChallenges({ challenges }: State): Html {
  return renderSection({
    id: 'challenges',
    title: 'PINs at the till',
    rows: challenges,
    whenEmpty: 'None yet. Start a challenge with startChallenge; the sandbox sends no e-mail.',
    columns: [
      { name: 'Customer', cell: ({ customerId }) => brief(customerId) },
      { name: 'PIN', cell: ({ pin }) => pin },
      {
        name: 'State',
        cell: ({ passed }) => (passed ? badge('good', 'passed') : badge('waiting', 'waiting')),
      },
      { name: 'When', cell: ({ startedAt }) => moment(startedAt) },
    ],
  });
}

export function renderQuizAnswers({ quizAnswers }: State): Html {
  return renderSection({
    id: 'quizzes',
    title: 'Quiz answers',
    rows: quizAnswers,
    whenEmpty: 'None yet. Answer a quiz with answerQuiz.',
    columns: [
      { name: 'Quiz', align: 'right', cell: ({ quizId }) => quizId },
      { name: 'Customer', cell: ({ customerId }) => brief(customerId) },
      { name: 'Points', align: 'right', cell: ({ points }) => amount(points) },
      { name: 'When', cell: ({ answeredAt }) => moment(answeredAt) },
    ],
  });
}

export function renderSubscriptions({ subscriptions }: State): Html {
  return renderSection({
    id: 'subscriptions',
    title: 'Webhook subscriptions',
    rows: subscriptions,
    whenEmpty: 'None: point events are kept and not sent. Start with --events-to to have one.',
    columns: [
      { name: 'Name', cell: ({ name }) => brief(name) },
      { name: 'Address', cell: ({ address }) => brief(address) },
      { name: 'Topics', cell: ({ topics }) => topics.join(', ') },
      { name: 'Headers', cell: ({ headers }) => headers.join(', ') || null },
      { name: 'Failures in a row', align: 'right', cell: ({ failuresInRow }) => failuresInRow },
      {
        name: 'State',
        cell: ({ isOn, name }) =>
          isOn
            ? badge('good', 'on')
            : html`${badge('bad', 'off')} <button type="button" data-switch-on="${name}">Switch on</button>`,
      },
    ],
  });
}

const deliveryTones = {
  pending: 'waiting',
  delivered: 'good',
  undelivered: 'bad',
  'not-sent': 'plain',
} as const satisfies Record<string, Tone>;

export function renderEvents({ events }: State): Html {
  return renderSection<PointEvent>({
    id: 'events',
    title: 'Point events',
    rows: events,
    whenEmpty: 'None yet. Every change of points makes one.',
    columns: [
      { name: 'Id', align: 'right', cell: ({ id }) => id },
      { name: 'Topic', cell: ({ topic }) => topic },
      { name: 'Customer', cell: (event) => brief(customerOf(event)) },
      {
        name: 'Delivery',
        cell: ({ delivery }) => {
          const state = delivery?.state ?? 'pending';
          return badge(deliveryTones[state], state === 'not-sent' ? 'no subscription' : state);
        },
      },
      { name: 'Attempts', align: 'right', cell: ({ delivery }) => delivery?.attempts ?? 0 },
      { name: 'Last problem', cell: ({ delivery }) => brief(delivery?.problem ?? null) },
      {
        name: 'Payload',
        cell: ({ id, payload }) =>
          html`<details id="event-${id}"><summary>show</summary><pre>${JSON.stringify(payload, null, 2)}</pre></details>`,
      },
    ],
  });
}
