import { restKey } from '../ledger/idempotency-key.ts';
import {
  type CancelStep,
  fromThousandths,
  type SentAmounts,
  type SentOrder,
  toThousandths,
} from '../ledger/sent-amounts.ts';
import type { OrderForm, WantedOrder } from '../mapping/wanted-state.ts';

/** What the ledger knows of the order, as far as the next call depends on it. */
export interface OrderFacts {
  /** Something was sent, or may have been. */
  readonly known: boolean;
  /** Undefined: it was not sent as completed, as far as is known. */
  readonly amounts: SentAmounts | undefined;
  /** It may have been sent as completed all the same: the service is asked first. */
  readonly unread: boolean;
  /** What the service holds besides the amounts is not known: it is sent again. */
  readonly unsure: boolean;
  /** Its entry may have expired: what was taken from it is not known. */
  readonly forgotten: boolean;
}

export interface RefundSettings {
  readonly refunds: 'partial-cancel' | 'resend';
  readonly raiseAfterPartialCancel: 'park' | 'send-gross';
  readonly ordersAreReplaced: boolean;
}

/** Why a person must decide. */
export type ParkReason = 'raise-after-partial-cancel' | 'forgotten' | 'orders-are-not-replaced';

export type NextCall =
  /** With the amounts that the ledger holds from then on; undefined for a pending order. */
  | { readonly kind: 'send'; readonly order: OrderForm; readonly amounts?: SentAmounts }
  | { readonly kind: 'take'; readonly amounts: SentAmounts; readonly step: CancelStep }
  | { readonly kind: 'cancel'; readonly wanted: Extract<WantedOrder, { kind: 'cancelled-order' }> }
  | { readonly kind: 'read' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'park'; readonly why: ParkReason };

/**
 * The next call that brings the service closer to the wanted order. After each successful call it is
 * asked again, with the facts as they are then, until it answers `nothing`.
 *
 *   due = sent − taken − total of the snapshot
 *
 * A lower amount is taken by partial cancels and never by a lower total: the service could count both.
 * See docs/decisions/0049-refunds-by-partial-cancel.md.
 */
export function nextCall(
  wanted: WantedOrder,
  facts: OrderFacts,
  settings: RefundSettings,
): NextCall {
  const { amounts } = facts;
  if (wanted.kind === 'cancelled-order') {
    const order = amounts ? withSent(wanted, amounts.sent) : wanted.order;
    return { kind: 'cancel', wanted: { ...wanted, order } };
  }
  if (!wanted.order.IsCompleted) return send(facts, settings, wanted.order);
  if (!amounts) {
    if (facts.unread) return { kind: 'read' };
    return send(facts, settings, wanted.order, { sent: sentOf(wanted.order), taken: 0 });
  }
  // Finished first and unchanged: its key may be used already.
  if (amounts.step) return { kind: 'take', amounts, step: amounts.step };
  return correct(wanted, facts, amounts, settings);
}

function correct(
  wanted: WantedOrder,
  facts: OrderFacts,
  { sent, taken }: SentAmounts,
  settings: RefundSettings,
): NextCall {
  const now = sentOf(wanted.order);
  const due = sent.total - taken - now.total;
  if (facts.forgotten) return due === 0 ? { kind: 'nothing' } : park('forgotten');
  const differs = facts.unsure || sent.rest !== now.rest;
  // An order that something was taken from stays with partial cancels, also if the setting changed.
  if (taken === 0 && (due <= 0 || settings.refunds === 'resend')) {
    const same = !differs && due === 0 && hasSameProducts(sent, now);
    if (same) return { kind: 'nothing' };
    return send(facts, settings, wanted.order, { sent: now, taken });
  }
  if (due < 0) {
    if (settings.raiseAfterPartialCancel === 'park') return park('raise-after-partial-cancel');
    const raised = { ...now, total: now.total + taken, products: addTaken(sent, now) };
    return send(facts, settings, withSent(wanted, raised), { sent: raised, taken });
  }
  const again = { sent: { ...sent, rest: now.rest }, taken } as SentAmounts;
  // Before anything is taken: the service may not hold the order yet.
  if (facts.unsure) return send(facts, settings, withSent(wanted, sent), again);
  if (due > 0) {
    const step = {
      key: `${wanted.id}-${taken + due}`,
      value: due,
      products: parts(sent, now, due),
    };
    return { kind: 'take', amounts: { sent, taken }, step };
  }
  return differs ? send(facts, settings, withSent(wanted, sent), again) : { kind: 'nothing' };
}

/** The amounts once the step is done. */
export function afterStep({ sent, taken }: SentAmounts, step: CancelStep): SentAmounts {
  const values = new Map(step.products);
  const products = sent.products.map(
    ([id, price, part]) => [id, price, part + (values.get(id) ?? 0)] as const,
  );
  return { sent: { ...sent, products }, taken: taken + step.value };
}

function send(
  { known, unsure }: OrderFacts,
  { ordersAreReplaced }: RefundSettings,
  order: OrderForm,
  amounts?: SentAmounts,
): NextCall {
  if (known && !unsure && !ordersAreReplaced) return park('orders-are-not-replaced');
  return { kind: 'send', order, ...(amounts && { amounts }) };
}

function park(why: ParkReason): NextCall {
  return { kind: 'park', why };
}

/** Far more than an order has; the ledger item stays far below DynamoDB's 400 KB. */
const MOST_PRODUCTS = 3_000;

function sentOf(order: OrderForm): SentOrder {
  const products = order.Products ?? [];
  return {
    total: toThousandths(order.OrderTotal),
    products: (products.length > MOST_PRODUCTS ? [] : products).map(
      ({ OriginalId, ProductPrice }) => [OriginalId ?? '', toThousandths(ProductPrice), 0] as const,
    ),
    completedAt: order.OrderCompletedDate ?? '',
    rest: restKey(order),
  };
}

/** The order with the amounts that were sent, so that nothing is lowered by sending it again. */
function withSent({ order, sold }: WantedOrder, sent: SentOrder): OrderForm {
  const OrderTotal = fromThousandths(sent.total);
  if (sent.products.length === 0) return { ...order, OrderTotal };
  return {
    ...order,
    OrderTotal,
    Products: sent.products.map(([id, price]) => ({
      ...(sold.find(({ OriginalId }) => OriginalId === id) ?? { OriginalId: id, Title: id }),
      ProductPrice: fromThousandths(price),
    })),
  };
}

function hasSameProducts(one: SentOrder, other: SentOrder): boolean {
  const text = ({ products }: SentOrder) => JSON.stringify(products.toSorted());
  return text(one) === text(other);
}

/** What is left now and what was taken: together the price before anything was taken. */
function addTaken(sent: SentOrder, now: SentOrder): SentOrder['products'] {
  const taken = new Map(sent.products.map(([id, , part]) => [id, part]));
  const kept = now.products.map(([id, price]) => {
    const part = taken.get(id) ?? 0;
    taken.delete(id);
    return [id, price + part, part] as const;
  });
  const gone = [...taken].filter(([, part]) => part > 0);
  return [...kept, ...gone.map(([id, part]) => [id, part, part] as const)];
}

/** Only where each product lost something or nothing, and all of it adds up: else it is not stated. */
function parts(sent: SentOrder, now: SentOrder, due: number): CancelStep['products'] {
  const left = new Map(now.products.map(([id, price]) => [id, price]));
  const lost = sent.products.map(([id, price, part]) => {
    const value = price - part - (left.get(id) ?? 0);
    left.delete(id);
    return [id, value] as const;
  });
  const sum = lost.reduce((total, [, value]) => total + value, 0);
  const isKnown = left.size === 0 && sum === due && lost.every(([, value]) => value >= 0);
  return isKnown ? lost.filter(([, value]) => value > 0) : [];
}
