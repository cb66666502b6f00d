import fc from 'fast-check';
import type { ActionName } from '../../../local/store-sandbox/model/actions.ts';
import { lineAmounts } from '../../../local/store-sandbox/model/line-amounts.ts';
import type { OrderRow } from '../../../local/store-sandbox/model/order-row.ts';
import { orderTotals } from '../../../local/store-sandbox/model/order-totals.ts';
import type { StoreRows } from '../../../local/store-sandbox/model/rows.ts';

/** Where the steps are taken: a store alone, or one behind its server. */
export interface Stage {
  readonly rows: StoreRows;
  attempt(name: ActionName, input: unknown): unknown;
}

/** Drawn numbers that each step makes its choices from: a step always fits the store it meets. */
interface Step {
  readonly kind: (typeof kinds)[number];
  readonly draws: readonly number[];
}

const kinds = [
  'place',
  'place',
  'pay',
  'fulfil',
  'fulfil-part',
  'raise',
  'lower',
  'add',
  'refund',
  'refund',
  'refund-shipping',
  'refund-amount',
  'return',
  'refund-return',
  'cancel',
  'close',
  'price',
] as const;

export const anyLife: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    draws: fc.array(fc.nat(9_999), { minLength: 24, maxLength: 24 }),
  }),
  { minLength: 1, maxLength: 14 },
);

/** Does what the steps say, as far as the store allows it. */
export function live(store: Stage, steps: readonly Step[]): void {
  for (const step of steps) {
    const [first = 0, ...draws] = step.draws;
    const orders = [...store.rows.orders.values()];
    const order = orders[first % Math.max(1, orders.length)];
    if (step.kind === 'place' || !order) store.attempt('placeOrder', draftFrom(store, step.draws));
    else if (step.kind === 'price') {
      const products = [...store.rows.products.values()];
      const product = products[first % products.length];
      store.attempt('updateProduct', { productId: product?.id, price: (draws[0] ?? 0) / 100 });
    } else changeOrder(store, step.kind, order, draws);
  }
}

function changeOrder(
  store: Stage,
  kind: Exclude<Step['kind'], 'place' | 'price'>,
  order: OrderRow,
  [draw = 0, other = 0]: readonly number[],
): void {
  const orderId = order.id;
  const line = order.lines[draw % order.lines.length];
  const kept = line ? lineAmounts(order, line).kept : 0;
  const some = 1 + (other % Math.max(1, kept));
  const lines = [{ lineId: line?.id, quantity: some, restock: draw % 2 === 0 }];
  const totals = orderTotals(order);
  switch (kind) {
    case 'pay':
      store.attempt('payOrder', { orderId, ...(draw % 4 === 0 && { amount: 1 }) });
      break;
    case 'fulfil':
      store.attempt('fulfilOrder', { orderId });
      break;
    case 'fulfil-part':
      store.attempt('fulfilOrder', { orderId, lines: [{ lineId: line?.id, quantity: 1 }] });
      break;
    case 'raise':
      store.attempt('editOrder', {
        orderId,
        set: [{ lineId: line?.id, quantity: kept + 1 + (other % 3) }],
      });
      break;
    case 'lower':
      store.attempt('editOrder', {
        orderId,
        set: [{ lineId: line?.id, quantity: Math.max(0, kept - some) }],
      });
      break;
    case 'add':
      store.attempt('editOrder', {
        orderId,
        add: [{ title: 'Extra', price: other / 100, quantity: 1 + (draw % 3) }],
      });
      break;
    case 'refund':
      store.attempt('refundOrder', { orderId, lines });
      break;
    case 'refund-shipping':
      store.attempt('refundOrder', {
        orderId,
        shipping: draw % 2 === 0 ? 'all' : Math.min(other, totals.current.shippingMinor) / 100,
      });
      break;
    case 'refund-amount':
      store.attempt('refundOrder', {
        orderId,
        amount: Math.min(other, totals.receivedMinor - totals.refundedMinor) / 100,
      });
      break;
    case 'return':
      store.attempt('returnItems', { orderId, lines });
      break;
    case 'refund-return':
      store.attempt('refundOrder', { orderId, returnId: order.returns.at(-1)?.id ?? '1' });
      break;
    case 'cancel':
      store.attempt('cancelOrder', { orderId, refund: draw % 3 > 0 });
      break;
    case 'close':
      store.attempt('closeOrder', { orderId });
  }
}

function draftFrom({ rows }: Stage, draws: readonly number[]) {
  const at = (i: number) => draws[i] ?? 0;
  const variants = [...rows.products.values()].flatMap((product) => product.variants);
  const customers = [...rows.customers.values()];
  const [location] = rows.locations.values();
  const [staff] = rows.staff.values();
  const lines = Array.from({ length: 1 + (at(0) % 4) }, (_, i) => {
    const quantity = 1 + (at(i + 1) % 5);
    if (at(i + 2) % 4 === 0) {
      return {
        title: 'Gift wrapping',
        price: at(i + 3) / 100,
        quantity,
        giftCard: at(i) % 5 === 0,
      };
    }
    return { variantId: variants[at(i + 1) % variants.length]?.id, quantity };
  });
  const discounts = [
    ...(at(6) % 3 === 0 ? [{ code: 'WELCOME10' }] : []),
    ...(at(7) % 3 === 0 ? [{ title: 'Kindness', amount: at(8) / 100 }] : []),
    ...(at(9) % 3 === 0 ? [{ title: 'Season', automatic: true, percentage: at(10) / 100 }] : []),
    ...(at(11) % 4 === 0 ? [{ code: 'EACH', amount: at(12) / 1000, each: true, lines: [0] }] : []),
    ...(at(13) % 3 === 0 ? [{ code: 'SHIPFREE' }] : []),
    ...(at(14) % 5 === 0 ? [{ title: 'Cheaper shipping', percentage: 33, shipping: true }] : []),
  ].map((one) => ('amount' in one ? { ...one, amount: Math.round(one.amount * 100) / 100 } : one));
  return {
    lines,
    discounts,
    customerId: at(15) % 5 === 0 ? null : customers[at(15) % customers.length]?.id,
    taxesIncluded: at(16) % 2 === 0,
    ...(at(17) % 3 === 0 && {
      taxes: [
        { title: 'State', rate: 0.0725 },
        { title: 'City', rate: at(18) / 100_000 },
      ],
    }),
    shipping:
      at(19) % 4 === 0
        ? []
        : [{ price: at(19) / 100 }, ...(at(20) % 7 === 0 ? [{ price: 3 }] : [])],
    ...(at(20) % 3 === 0 && { tip: at(20) / 100 }),
    ...(at(21) % 5 === 0 && { duties: at(21) / 100 }),
    ...(at(22) % 4 === 0 && { pos: { locationId: location?.id, staffId: staff?.id } }),
    ...(at(23) % 3 === 0 && { presentment: { currency: 'JPY', rate: 161.37 } }),
    payment: (['none', 'authorized', 'paid'] as const)[at(5) % 3],
  };
}
