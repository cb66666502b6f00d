import { minorDigits } from '../../../shared/store/money.ts';
import type { Random } from '../../sandbox-kit/seeded-random.ts';
import type { ActionInput, ActionName } from './actions.ts';
import { below, type Cart, pick, pickRow } from './carts.ts';
import { codesOf, discountStatus } from './discounts.ts';
import { lineAmounts, sum } from './line-amounts.ts';
import { formatMinor } from './minor-units.ts';
import { financialStatus, isEnded, orderTotals, repaymentsOf } from './order-totals.ts';
import type { DiscountRow, OrderRow, ProductRow, StoreRows } from './rows.ts';
import { STORE_CREDIT } from './store-credit.ts';

/** An action of the store with its input, for this process or over HTTP. */
export type StoreChange = {
  readonly [Name in ActionName]: { readonly action: Name; readonly input: ActionInput<Name> };
}[ActionName];

/** How a store changes over time. */
export interface Habits {
  /** How often each kind of change happens, relative to the others. */
  readonly weights: Partial<Readonly<Record<ChangeKind, number>>>;
  readonly cart: Cart;
  /** With few values a store often returns to an earlier state, which is hardest to sync. */
  readonly prices: readonly number[];
  /** The quantities that an edit may give a line. */
  readonly pieces: readonly number[];
  /** Probability that a change affects the entity that changed last. */
  readonly repeats: number;
  /** True: cancelled and returned orders change, too, if the store allows it. */
  readonly changesEndedOrders: boolean;
  /** The store is filled up to these numbers before anything else happens. */
  readonly minimum: {
    readonly customers: number;
    readonly products: number;
    readonly discounts: number;
  };
  /** At most this many orders, products and discounts, each, are deleted. */
  readonly maxDeleted: number;
}

/** Draws the next change of a store. It only reads the rows, and the store may refuse the change. */
export class StoreLife {
  readonly #rows: StoreRows;
  readonly #habits: Habits;
  readonly #now: () => Date;
  readonly #total: number;
  readonly #last = new Map<string, string>();
  readonly #deleted = new Map<string, number>();
  #codes = 0;

  constructor(rows: StoreRows, habits: Habits, now: () => Date) {
    this.#rows = rows;
    this.#habits = habits;
    this.#now = now;
    this.#total = Object.values(habits.weights).reduce((sum, weight) => sum + weight, 0);
  }

  /** Undefined when the store has nothing that could change this way. */
  next(draw: Random): StoreChange | undefined {
    const { customers, products, discounts } = this.#rows;
    const { minimum } = this.#habits;
    const turn = this.#turn(draw);
    if (customers.size < minimum.customers) return changes.createCustomer(turn);
    if (products.size < minimum.products) return changes.createProduct(turn);
    if (discounts.size < minimum.discounts) return changes.createDiscount(turn);
    let left = draw() * this.#total;
    for (const [kind, weight] of Object.entries(this.#habits.weights)) {
      left -= weight;
      if (left < 0) return changes[kind as ChangeKind](turn);
    }
    return undefined;
  }

  #turn(draw: Random): Turn {
    const rows = this.#rows;
    const habits = this.#habits;
    return {
      rows,
      draw,
      habits,
      now: this.#now(),
      choose: (kind) => {
        const table = rows[kind];
        const last = draw() < habits.repeats ? table.get(this.#last.get(kind) ?? '') : undefined;
        const row = last ?? pickRow<{ readonly id: string }>(table, draw);
        if (row) this.#last.set(kind, row.id);
        return row as never;
      },
      mayDelete: (kind) => {
        const deleted = this.#deleted.get(kind) ?? 0;
        if (deleted >= habits.maxDeleted) return false;
        this.#deleted.set(kind, deleted + 1);
        return true;
      },
      newCode: () => {
        this.#codes += 1;
        return `CODE-${this.#codes}`;
      },
    };
  }
}

interface Chosen {
  readonly orders: OrderRow;
  readonly products: ProductRow;
  readonly discounts: DiscountRow;
}

interface Turn {
  readonly rows: StoreRows;
  readonly draw: Random;
  readonly habits: Habits;
  readonly now: Date;
  choose<Kind extends keyof Chosen>(kind: Kind): Chosen[Kind] | undefined;
  mayDelete(kind: keyof Chosen): boolean;
  newCode(): string;
}

const change = <Name extends ActionName>(action: Name, input: ActionInput<Name>) =>
  ({ action, input }) as StoreChange;

const placeOrder = ({ rows, draw, habits, now }: Turn) =>
  change('placeOrder', habits.cart(rows, draw, now));

const tagOrder = ({ id }: OrderRow, { draw }: Turn) =>
  change('tagOrder', { orderId: id, tags: [`seen ${below(100, draw)} times`] });

const ofOrder = (make: (order: OrderRow, turn: Turn) => StoreChange) => (turn: Turn) => {
  const order = turn.choose('orders');
  if (!order) return placeOrder(turn);
  // The loyalty service does not change an ended order any more.
  const isFinal = !turn.habits.changesEndedOrders && isEnded(order);
  return (isFinal ? tagOrder : make)(order, turn);
};

const ofProduct =
  (make: (product: ProductRow, turn: Turn) => StoreChange | undefined) => (turn: Turn) => {
    const product = turn.choose('products');
    return product && make(product, turn);
  };

const ofDiscount =
  (make: (discount: DiscountRow, turn: Turn) => StoreChange | undefined) => (turn: Turn) => {
    const discount = turn.choose('discounts');
    return discount?.method === 'code' ? make(discount, turn) : undefined;
  };

function drawLine({ lines }: OrderRow, draw: Random): string {
  return pick(lines, draw)?.id ?? '0';
}

function drawPieces(order: OrderRow, draw: Random) {
  const line = pick(order.lines, draw);
  const kept = line ? lineAmounts(order, line).kept : 0;
  const quantity = 1 + below(Math.max(1, kept), draw);
  return [{ lineId: line?.id ?? '0', quantity, restock: draw() < 0.5 }];
}

/** An amount of the order's currency. */
const inUnits = ({ currency }: OrderRow, minor: number): string =>
  formatMinor(minor, minorDigits(currency));

const drawPart = (order: OrderRow, mostMinor: number, draw: Random): string =>
  inUnits(order, below(Math.max(0, mostMinor) + 1, draw));

/** What was received and is neither back nor on its way. */
const refundableOf = (order: OrderRow): number =>
  orderTotals(order).receivedMinor - sum(repaymentsOf(order).map(({ minor }) => minor));

const drawPrice = ({ draw, habits }: Turn) => pick(habits.prices, draw) ?? 0;
const drawPercentage = ({ draw }: Turn) => pick([10, 20], draw) ?? 10;

const changes = {
  placeOrder,
  tagOrder: ofOrder(tagOrder),
  payOrder: ofOrder(({ id }) => change('payOrder', { orderId: id })),
  payInCash: ofOrder(({ id }) => change('payOrder', { orderId: id, gateway: 'cash' })),
  payPart: ofOrder(({ id }) =>
    change('payOrder', { orderId: id, amount: 1, gateway: 'gift_card' }),
  ),
  /** A part of what is owed, by a gift card, by store credit or as a deposit. */
  payDeposit: ofOrder((order, { draw, rows }) => {
    const { id: orderId, customerId, currency, presentment } = order;
    const amount = drawPart(order, orderTotals(order).outstandingMinor, draw);
    const gateway = pick(['shopify_payments', 'gift_card', STORE_CREDIT], draw);
    const account = [...rows.storeCreditAccounts.values()].find(
      (one) => one.customerId === customerId && one.currency === currency,
    );
    const wanted = Math.round(Number(amount) * 10 ** minorDigits(currency));
    if (gateway !== STORE_CREDIT || (account && account.balanceMinor >= wanted)) {
      return change('payOrder', { orderId, amount, gateway });
    }
    // Who has too little credit is given some.
    if (customerId === null || presentment || wanted === 0) {
      return change('payOrder', { orderId, amount, gateway: 'gift_card' });
    }
    return change('creditCustomer', { customerId, amount: inUnits(order, wanted * 2) });
  }),
  voidPayment: ofOrder(({ id }) => change('voidPayment', { orderId: id })),
  expirePayment: ofOrder(({ id }) => change('expirePayment', { orderId: id })),
  fulfilOrder: ofOrder(({ id }) => change('fulfilOrder', { orderId: id })),
  fulfilPart: ofOrder((order, { draw }) =>
    change('fulfilOrder', {
      orderId: order.id,
      lines: [{ lineId: drawLine(order, draw), quantity: 1 }],
    }),
  ),
  editOrder: ofOrder((order, { draw, habits }) =>
    change('editOrder', {
      orderId: order.id,
      set: [{ lineId: drawLine(order, draw), quantity: pick(habits.pieces, draw) ?? 1 }],
    }),
  ),
  addLine: ofOrder((order, { draw }) =>
    change('editOrder', {
      orderId: order.id,
      add: [{ title: 'Extra', price: drawPart(order, 9_999, draw), quantity: 1 + below(3, draw) }],
    }),
  ),
  /** Sets or changes what edits take off a line. */
  discountLine: ofOrder((order, { draw }) => {
    const line = pick(order.lines, draw);
    const most = line ? lineAmounts(order, line).keptNetMinor : 0;
    const amount = drawPart(order, most, draw);
    return change('editOrder', {
      orderId: order.id,
      discount: [{ lineId: line?.id ?? '0', amount }],
    });
  }),
  removeShipping: ofOrder(({ id }) => change('editOrder', { orderId: id, removeShipping: true })),
  /** One line goes and another comes: in one edit, or in two, between which nothing may be kept. */
  exchangeLine: (turn: Turn) => {
    const order = turn.choose('orders');
    if (!order) return placeOrder(turn);
    if (order.cancelledAt !== null || financialStatus(order) === 'refunded') {
      return tagOrder(order, turn);
    }
    const { rows, draw } = turn;
    const variantId = pickRow(rows.products, draw)?.variants[0]?.id;
    const add = [{ ...(variantId && { variantId }), quantity: 1 }];
    const set = [{ lineId: drawLine(order, draw), quantity: 0 }];
    if (isEnded(order)) return change('editOrder', { orderId: order.id, add });
    return change('editOrder', { orderId: order.id, set, ...(draw() < 0.5 && { add }) });
  },
  refundLine: ofOrder((order, { draw }) =>
    change('refundOrder', { orderId: order.id, lines: drawPieces(order, draw) }),
  ),
  /** Pays back more or less than what the items cost: a restocking fee, or goodwill. */
  refundLineFor: ofOrder((order, { draw }) =>
    change('refundOrder', {
      orderId: order.id,
      lines: drawPieces(order, draw),
      amount: drawPart(order, refundableOf(order), draw),
    }),
  ),
  refundDuties: ofOrder(({ id }) => change('refundOrder', { orderId: id, duties: true })),
  refundShipping: ofOrder((order, { draw }) => {
    const most = orderTotals(order).current.shippingMinor;
    const shipping = draw() < 0.5 ? 'all' : drawPart(order, most, draw);
    return change('refundOrder', { orderId: order.id, shipping });
  }),
  /** All of it, to a gift card that paid or to the bank card. */
  refundShippingTo: ofOrder(({ id }, { draw }) =>
    change('refundOrder', {
      orderId: id,
      shipping: 'all',
      gateway: pick(['shopify_payments', 'gift_card'], draw),
    }),
  ),
  refundAmount: ofOrder((order, { draw }) =>
    change('refundOrder', {
      orderId: order.id,
      amount: drawPart(order, refundableOf(order), draw),
    }),
  ),
  /** Of a line or of an amount; the money is on its way. */
  refundLater: ofOrder((order, { draw }) => {
    const pending = pick(['balanced', 'paired', 'rise'] as const, draw);
    const what =
      draw() < 0.5
        ? { lines: drawPieces(order, draw) }
        : { amount: drawPart(order, refundableOf(order), draw) };
    return change('refundOrder', { orderId: order.id, ...what, pending });
  }),
  /** An order that ended may still wait for its money. */
  settleRefund: (turn: Turn) => {
    const order = turn.choose('orders');
    if (!order) return placeOrder(turn);
    const outcome = turn.draw() < 0.7 ? 'success' : 'failure';
    return change('settleRefund', { orderId: order.id, outcome });
  },
  openDispute: ofOrder(({ id }, { draw }) =>
    change('openDispute', { orderId: id, type: draw() < 0.7 ? 'chargeback' : 'inquiry' }),
  ),
  decideDispute: ofOrder(({ id, disputes }, { draw }) => {
    const dispute = disputes.at(-1);
    if (!dispute) return change('openDispute', { orderId: id });
    // An inquiry is answered, or becomes a chargeback.
    if (dispute.type === 'inquiry') {
      const next = draw() < 0.5 ? { type: 'chargeback' as const } : { status: 'won' as const };
      return change('updateDispute', { orderId: id, ...next });
    }
    const status = pick(['under_review', 'lost', 'accepted', 'won'] as const, draw);
    return change('updateDispute', { orderId: id, status });
  }),
  returnLine: ofOrder((order, { draw }) =>
    change('returnItems', { orderId: order.id, lines: drawPieces(order, draw) }),
  ),
  /** With a fee, or with other goods instead. */
  returnForExchange: ofOrder((order, { draw }) =>
    change('returnItems', {
      orderId: order.id,
      lines: drawPieces(order, draw),
      ...(draw() < 0.5 && { fee: drawPart(order, 500, draw) }),
      ...(draw() < 0.7 && {
        exchange: [{ title: 'Instead', price: drawPart(order, 9_999, draw) }],
      }),
    }),
  ),
  refundReturn: ofOrder(({ id, returns }) =>
    change('refundOrder', { orderId: id, returnId: returns.at(-1)?.id ?? '1' }),
  ),
  cancelOrder: ofOrder(({ id }, { draw }) =>
    change('cancelOrder', { orderId: id, refund: draw() < 0.7 }),
  ),
  closeOrder: ofOrder(({ id }) => change('closeOrder', { orderId: id })),
  deleteOrder: (turn: Turn) => {
    const order = turn.choose('orders');
    const isDeleted = order && isEnded(order) && turn.mayDelete('orders');
    return isDeleted ? change('deleteOrder', { orderId: order.id }) : undefined;
  },
  createProduct: (turn: Turn) =>
    change('createProduct', { title: `Thing ${below(100, turn.draw)}`, price: drawPrice(turn) }),
  changePrice: ofProduct(({ id }, turn) =>
    change('updateProduct', { productId: id, price: drawPrice(turn) }),
  ),
  changeStatus: ofProduct(({ id, status }) =>
    change('updateProduct', { productId: id, status: status === 'active' ? 'draft' : 'active' }),
  ),
  changeInventory: ofProduct(({ id }) => change('changeInventory', { productId: id, by: 1 })),
  deleteProduct: ofProduct(({ id }, { rows, habits, mayDelete }) =>
    rows.products.size > habits.minimum.products && mayDelete('products')
      ? change('deleteProduct', { productId: id })
      : undefined,
  ),
  createDiscount: (turn: Turn) => {
    const code = turn.newCode();
    const codes = [`${code}-A`, `${code.replace('-', ' ')} B`].slice(0, 1 + below(2, turn.draw));
    return change('createDiscount', { title: 'Sale', percentage: drawPercentage(turn), codes });
  },
  changePercentage: ofDiscount(({ id }, turn) =>
    change('updateDiscount', { discountId: id, percentage: drawPercentage(turn) }),
  ),
  endOrRestart: ofDiscount((discount, { now }) =>
    discountStatus(discount, now) === 'ACTIVE'
      ? change('deactivateDiscount', { discountId: discount.id })
      : change('updateDiscount', { discountId: discount.id, endsAt: null }),
  ),
  addCode: ofDiscount(({ id }, { newCode }) =>
    change('addCodes', { discountId: id, codes: [newCode()] }),
  ),
  removeCode: ofDiscount(({ id }, { rows, draw }) => {
    const codes = codesOf({ rows }, id);
    const { code = '' } = pick(codes, draw) ?? {};
    return codes.length > 1 ? change('removeCodes', { discountId: id, codes: [code] }) : undefined;
  }),
  deleteDiscount: ofDiscount(({ id }, { mayDelete }) =>
    mayDelete('discounts') ? change('deleteDiscount', { discountId: id }) : undefined,
  ),
  /** Every personal text contains "zqzq", and no other text does, so that a search finds leaks. */
  createCustomer: ({ draw }: Turn) => {
    const name = `robin${below(1_000_000, draw)}`;
    return change('createCustomer', {
      firstName: `Zqzq${name}`,
      lastName: 'Zqzqsample',
      email: `zqzq.${name}@example.com`,
    });
  },
  changeContact: ({ rows, draw }: Turn) => {
    const customer = pickRow(rows.customers, draw);
    const number = below(1_000_000, draw);
    const contact =
      draw() < 0.6
        ? { email: `zqzq.robin${number}@example.com` }
        : { phone: `+4915${String(number).padStart(8, '0')}` };
    return customer && change('updateCustomer', { customerId: customer.id, ...contact });
  },
  mergeCustomers: ({ rows, draw }: Turn) => {
    const [kept, deleted] = [pickRow(rows.customers, draw), pickRow(rows.customers, draw)];
    if (!kept || !deleted || kept.id === deleted.id) return undefined;
    return change('mergeCustomers', { keptId: kept.id, deletedId: deleted.id });
  },
  /** The customer's orders stay, without a customer, and the store sends no webhook for them. */
  deleteCustomer: ({ rows, draw }: Turn) => {
    const customer = pickRow(rows.customers, draw);
    return customer && change('deleteCustomer', { customerId: customer.id });
  },
  redactCustomer: ({ rows, draw }: Turn) => {
    const customer = pickRow(rows.customers, draw);
    return customer && change('redactCustomer', { customerId: customer.id });
  },
};

type ChangeKind = keyof typeof changes;
