import * as v from 'valibot';
import { minorDigits } from '../../../shared/store/money.ts';
import { agree } from './agreements.ts';
import { usualCart } from './carts.ts';
import {
  applyDiscounts,
  combine,
  draftDiscount,
  draftLine,
  feeRow,
  type PlainLine,
} from './draft-order.ts';
import { orderDraft } from './inputs.ts';
import { discountOf, taxesOn } from './line-amounts.ts';
import { parseMinor } from './minor-units.ts';
import { financialStatus, type OrderTotals, orderTotals } from './order-totals.ts';
import { recordPayment } from './payments.ts';
import { sellFrom } from './products.ts';
import type { LineRow, OrderRow, ShippingRow } from './rows.ts';
import { accountsOf, STORE_CREDIT, settleStoreCredit } from './store-credit.ts';
import {
  type Announcement,
  done,
  type Input,
  moment,
  type Outcome,
  type Refused,
  refused,
  type World,
} from './world.ts';

type OrderDraft = Input<'orderDraft'>;

export function placeOrder(world: World, draft: OrderDraft): Outcome<OrderRow> {
  const { rows } = world;
  const composed = composeOrder(world, draft, () => {
    const number = (rows.counters.get('order number') ?? 1_000) + 1;
    rows.counters.put('order number', number);
    return number;
  });
  if ('why' in composed) return composed;
  const withCredit = payWithCredit(world, composed, draft);
  if ('why' in withCredit) return withCredit;
  let order = withCredit;
  if (draft.payment !== 'none') {
    const kind = draft.payment === 'authorized' ? 'authorization' : 'sale';
    order = recordPayment(world, order, kind, { ...draft, isPending: draft.payment === 'pending' });
  }
  const problem = settleStoreCredit(world, undefined, order);
  if (problem) return problem;
  order = agree(world, order, { reason: 'ORDER' });
  rows.orders.put(order.id, order);
  for (const { type, name } of order.applications) {
    const key = name.toLowerCase();
    const code = type === 'discount_code' ? rows.codes.get(key) : undefined;
    if (code) rows.codes.put(key, { ...code, used: code.used + 1 });
  }
  const announcements: Announcement[] = [{ topic: 'orders/create', order }];
  // A paid order changes again right after its creation, and the store sends webhooks for both.
  const isPaid = draft.storeCredit !== undefined && financialStatus(order) === 'paid';
  if (draft.payment === 'paid' || isPaid) {
    announcements.push({ topic: 'orders/paid', order }, { topic: 'orders/updated', order });
  }
  return done(order, ...announcements, ...sellFrom(world, order));
}

/** Store credit pays before any other means. */
function payWithCredit(
  world: World,
  order: OrderRow,
  { storeCredit, gateway }: OrderDraft,
): OrderRow | Refused {
  if (storeCredit === undefined) return order;
  if (gateway === STORE_CREDIT) return refused('Store credit pays the rest, too: name it once.');
  const { outstandingMinor } = orderTotals(order);
  const currency = order.presentment?.currency ?? order.currency;
  const account = accountsOf(world, order.customerId ?? '').find(
    (one) => one.currency === currency,
  );
  // In the currency of the shop, rounded down.
  const balanceMinor = Math.floor((account?.balanceMinor ?? 0) / (order.presentment?.rate ?? 1));
  const minor =
    storeCredit === 'all'
      ? Math.min(balanceMinor, outstandingMinor)
      : parseMinor(storeCredit, minorDigits(order.currency));
  if (minor === undefined || minor > outstandingMinor) {
    return refused('Store credit cannot pay more than the order costs.');
  }
  const gateways = minor === outstandingMinor ? [] : order.gateways;
  return recordPayment(world, { ...order, gateways }, 'sale', { gateway: STORE_CREDIT }, minor);
}

export interface Quote {
  /** Not placed, without an id: for its lines and their discounts. */
  readonly order: OrderRow;
  readonly totals: OrderTotals;
  /** Codes that the order would be refused for, with the reason. The order is without them. */
  readonly refusedCodes: readonly {
    readonly code: string;
    readonly why: string;
    /** As the Storefront API names the reason. */
    readonly warning: string;
  }[];
}

/** What the order would cost. Nothing changes, and no id is used. */
export function quoteOrder(world: World, draft: OrderDraft): Outcome<Quote> {
  const unnumbered = { ...world, ids: { next: () => '' } };
  const compose = (discounts: OrderDraft['discounts']) =>
    composeOrder(unnumbered, { ...draft, discounts }, () => 0);
  const plain = compose([]);
  if ('why' in plain) return plain;
  const accepted: OrderDraft['discounts'] = [];
  const refusedCodes: Quote['refusedCodes'][number][] = [];
  let order = plain;
  for (const discount of draft.discounts) {
    const other = accepted.find(({ code = '' }) => !combine(world, code, discount.code ?? ''));
    const reduced = other
      ? refused(`The code ${discount.code} does not combine with ${other.code}.`)
      : compose([...accepted, discount]);
    if (!('why' in reduced)) {
      accepted.push(discount);
      order = reduced;
    } else if (discount.code !== undefined) {
      const { why, code: warning = 'DISCOUNT_CODE_NOT_HONOURED' } = reduced;
      refusedCodes.push({ code: discount.code, why, warning });
    } else return reduced;
  }
  return done({ order, totals: orderTotals(order), refusedCodes });
}

/** For the button on the page. If the code cannot be used, the order is placed without it. */
export function placeRandomOrder(world: World): Outcome<OrderRow> {
  const { rows, random, now } = world;
  if (rows.products.size === 0) return refused('There is no product to buy.');
  const cart = v.parse(orderDraft, usualCart(rows, random, now()));
  const placed = placeOrder(world, cart);
  return placed.kind === 'refused' ? placeOrder(world, { ...cart, discounts: [] }) : placed;
}

function composeOrder(
  world: World,
  draft: OrderDraft,
  nextNumber: () => number,
): OrderRow | Refused {
  const { rows, shop, ids } = world;
  const customer = draft.customerId === null ? undefined : rows.customers.get(draft.customerId);
  if (draft.customerId !== null && !customer)
    return refused(`There is no customer ${draft.customerId}.`);
  const { pos } = draft;
  if (pos && !rows.locations.get(pos.locationId))
    return refused(`There is no location ${pos.locationId}.`);
  if (pos?.staffId && !rows.staff.get(pos.staffId))
    return refused(`There is no staff member ${pos.staffId}.`);
  const amounts = readAmounts(draft, minorDigits(shop.currency));
  if ('why' in amounts) return amounts;
  const priced = priceLines(world, draft, amounts.shipping);
  if ('why' in priced) return priced;

  const at = draft.createdAt
    ? moment({ now: () => new Date(draft.createdAt ?? '') })
    : moment(world);
  const address =
    draft.address === undefined ? (pos ? null : (customer?.address ?? null)) : draft.address;
  return {
    id: ids.next('Order'),
    number: nextNumber(),
    createdAt: at,
    processedAt: at,
    updatedAt: at,
    cancelledAt: null,
    closedAt: null,
    test: draft.test,
    sourceName: pos ? 'pos' : (draft.sourceName ?? 'web'),
    currency: shop.currency,
    presentment: draft.presentment ?? null,
    taxesIncluded: draft.taxesIncluded ?? shop.taxesIncluded,
    lines: amounts.tip > 0 ? [...priced.lines, tipLine(world, amounts.tip)] : priced.lines,
    shipping: priced.shipping,
    dutiesMinor: amounts.duties,
    fees: amounts.fee > 0 ? [feeRow(world, 'ADDITIONAL_FEE', amounts.fee)] : [],
    applications: priced.applications,
    reductions: [],
    refunds: [],
    returns: [],
    fulfillments: [],
    transactions: [],
    agreements: [],
    disputes: [],
    gateways: draft.payment === 'none' ? [] : [draft.gateway],
    customerId: draft.customerId,
    email: draft.email === undefined ? (customer?.email ?? null) : draft.email,
    phone: draft.phone === undefined ? null : draft.phone,
    billingAddress: address,
    shippingAddress: draft.shipping.length > 0 ? address : null,
    locationId: pos?.locationId ?? null,
    staffId: pos?.staffId ?? null,
    note: draft.note,
    noteAttributes: draft.noteAttributes,
    localizedFields: draft.localizedFields,
    tags: draft.tags,
  };
}

function readAmounts(draft: OrderDraft, digits: number) {
  const read = (value: string | number | undefined) => parseMinor(value ?? 0, digits);
  const shipping = draft.shipping.map(({ title, price }) => ({ title, priceMinor: read(price) }));
  const tip = read(draft.tip);
  const duties = read(draft.duties);
  const fee = read(draft.additionalFee);
  const known = shipping.flatMap(({ title, priceMinor }) =>
    priceMinor === undefined ? [] : [{ title, priceMinor }],
  );
  const isValid = known.length === shipping.length;
  if (!isValid || tip === undefined || duties === undefined || fee === undefined) {
    return refused('An amount of shipping, tip, duties or a fee is not valid in the currency.');
  }
  return { shipping: known, tip, duties, fee };
}

interface Priced {
  readonly lines: LineRow[];
  readonly shipping: ShippingRow[];
  readonly applications: OrderRow['applications'];
}

function priceLines(
  world: World,
  draft: OrderDraft,
  shipping: readonly { readonly title: string; readonly priceMinor: number }[],
): Priced | Refused {
  const { shop, ids } = world;
  const plain: PlainLine[] = [];
  for (const one of draft.lines) {
    const line = draftLine(world, one, draft.pos?.staffId ?? null);
    if ('why' in line) return line;
    plain.push(line);
  }
  const discounts = [];
  for (const one of draft.discounts) {
    const discount = draftDiscount(world, one, plain, draft.customerId);
    if ('why' in discount) return discount;
    discounts.push(discount);
  }
  const allocations = applyDiscounts(
    plain.map(({ unitMinor, quantity, kind }) => ({
      grossMinor: unitMinor * quantity,
      quantity,
      discountable: kind !== 'gift-card',
    })),
    shipping.map(({ priceMinor }) => ({ grossMinor: priceMinor, quantity: 1, discountable: true })),
    discounts,
  );
  const included = draft.taxesIncluded ?? shop.taxesIncluded;
  const rates =
    draft.taxes?.map(({ title, rate }) => ({ title, ratePpm: Math.round(rate * 1_000_000) })) ??
    shop.taxes;
  return {
    applications: discounts.map(({ application }) => application),
    lines: plain.map(({ taxable, ...line }, i) => {
      const own = { allocations: allocations.lines[i] ?? [] };
      const net = line.unitMinor * line.quantity - discountOf(own);
      return { ...line, ...own, taxes: taxable ? taxesOn(net, rates, included) : [] };
    }),
    shipping: shipping.map((line, i) => {
      const own = { allocations: allocations.shipping[i] ?? [] };
      const taxes = taxesOn(line.priceMinor - discountOf(own), rates, included);
      return { ...line, ...own, id: ids.next('ShippingLine'), taxes };
    }),
  };
}

function tipLine({ ids }: World, unitMinor: number): LineRow {
  return {
    id: ids.next('LineItem'),
    kind: 'tip',
    productId: null,
    variantId: null,
    title: 'Tip',
    variantTitle: null,
    vendor: null,
    unitMinor,
    quantity: 1,
    taxes: [],
    allocations: [],
    staffId: null,
  };
}
