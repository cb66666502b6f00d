import { toJsonNumber } from '../../store/money.ts';
import type { StoreOrder } from '../../store/store-entities.ts';
import { needsMetafields } from './customer-detail.ts';
import { isIdentified, orderCustomer } from './customer-form.ts';
import { knownFields } from './known-fields.ts';
import type { OrderRules } from './mapping-rules.ts';
import {
  type AmountRules,
  lacksAmounts,
  type OrderAmounts,
  orderAmounts,
} from './order-amounts.ts';
import { orderMetadata } from './order-metadata.ts';
import { orderProducts, soldProducts } from './order-products.ts';
import {
  isBetweenLines,
  isOver,
  isUnpaid,
  lacksPayment,
  neverCompleted,
  type OrderProgress,
  orderProgress,
} from './order-progress.ts';
import { paymentMethod, pointOfSale } from './order-references.ts';
import {
  type KnownBefore,
  type RememberedOrder,
  recallOrder,
  rememberOrder,
} from './remembered.ts';
import { rulesRevision } from './rules-revision.ts';
import type {
  CountedForm,
  Mapped,
  MappingFault,
  MappingSkip,
  OrderForm,
  WantedOrder,
} from './wanted-state.ts';

/** What the loyalty service should hold for this snapshot of an order. */
export function mapOrder(snapshot: StoreOrder, rules: OrderRules, before: KnownBefore): Mapped {
  const remembered = recallOrder(before.remembered);
  const order = { ...snapshot, lostDispute: snapshot.lostDispute ?? remembered?.lostDispute };
  const skipped = skipReason(order, rules, before, remembered);
  if (skipped !== undefined) return { kind: 'skip', why: skipped };

  const foreign = otherCurrency(order, rules);
  if (foreign && !before.known && !isOver(order)) return { kind: 'fault', faults: [foreign] };
  const customer = orderCustomer(order, rules, remembered);
  const metadata = orderMetadata(order, rules, before.history === true);
  const faults = [
    ...(customer.kind === 'fault' ? customer.faults : []),
    ...(metadata.kind === 'fault' ? [metadata.fault] : []),
  ];
  if (customer.kind === 'fault' || metadata.kind === 'fault') return { kind: 'fault', faults };
  const unidentified = !isOver(order) && !isIdentified(customer.form, rules);
  // The document may be among what only the store can say.
  if (!before.known && unidentified && !needsMetafields(order, rules)) {
    return { kind: 'skip', why: 'customer-without-email' };
  }

  const { branch, salesPerson } = pointOfSale(order, remembered);
  const completedBefore = before.completedAt ?? remembered?.basics?.OrderCompletedDate ?? undefined;
  const progress = orderProgress(order, rules, completedBefore);
  const countedBy = amountRules(
    rules,
    before.byNewRules || !completedBefore ? undefined : remembered,
  );
  const amounts = orderAmounts(order, countedBy);
  const form: OrderForm = knownFields({
    ...orderBasics(order, amounts, progress),
    Customer: customer.form,
    Metadatas: metadata.metadatas,
    PaymentMethod: paymentMethod(order, remembered),
    Branch: branch,
    SalesPerson: salesPerson,
  });
  const remember = rememberOrder(
    knownFields({
      basics: rememberedBasics(form),
      countedBy,
      lostDispute: order.lostDispute || undefined,
      customer: customer.form,
      card: order.card ?? remembered?.card,
      branch,
      salesPerson,
    }),
  );
  const states = statesBefore(order);
  const isStated = !states.some((one) => lacksAmounts(one, countedBy));
  const goods = {
    sold: soldProducts(order),
    isRefunded: states.length > 0,
    earlier: isStated ? states.map((one) => countedForm(orderAmounts(one, countedBy))) : [],
  };
  const wanted = wantedOrder(order.id, form, goods, progress);
  const lacks = lacksAmounts(order, countedBy) || lacksPayment(order, rules, completedBefore);
  const incomplete = progress.cancelledAt === undefined && lacks;
  return {
    kind: 'wanted',
    wanted,
    remember,
    ...(incomplete && { incomplete }),
    // A cancellation is sent under any rules.
    ...(progress.cancelledAt === undefined && { rules: rulesRevision(rules) }),
    ...(before.history && { history: true }),
  };
}

/**
 * An order that was sent as completed is counted by the rules it was sent under, for the rest of its life.
 * See docs/decisions/0051-an-order-keeps-its-rules.md.
 */
function amountRules(rules: OrderRules, sent: RememberedOrder | undefined): AmountRules {
  const { orderTotal, taxes, giftCards, lostDisputes } = sent?.countedBy ?? rules;
  return { orderTotal, taxes, giftCards, lostDisputes };
}

/**
 * A deleted order. The store deletes only cancelled or archived orders, and cannot be asked about them
 * any more. The order is cancelled in the loyalty service, which accepts a cancellation of an unknown
 * order.
 *
 * Its customer is neither sent nor remembered: they may have changed since, and a later redaction does not
 * name the order. Where the service needs them, it is asked.
 */
export function mapDeletedOrder(id: string, before: KnownBefore & { readonly now: Date }): Mapped {
  const progress = {
    status: 'deleted',
    completedAt: undefined,
    cancelledAt: before.now.toISOString(),
  };
  const form = knownFields({
    ...recallOrder(before.remembered)?.basics,
    OriginalId: id,
    OrderCancelledDate: progress.cancelledAt,
    OrderStatus: progress.status,
    IsCancelledOrReturned: true,
    IsCompleted: false,
    OrderCompletedDate: null,
    UpdatedDate: progress.cancelledAt,
  });
  return {
    kind: 'wanted',
    wanted: wantedOrder(id, form, NOTHING_SOLD, progress),
    remember: undefined,
    ...(before.history && { history: true }),
  };
}

/**
 * An order is skipped only while nothing was applied: what the service already holds is still corrected.
 * The end of an order that may have been sent is sent even so, because a worker may have died between
 * sending the order and recording that, and its customer may have been deleted since; the service
 * answers an unknown order as done. A guest's order is then known without a customer. If it continues after its end (an exchange),
 * there is still no customer to give points to.
 */
function skipReason(
  order: StoreOrder,
  rules: OrderRules,
  { known, history, askedFor }: KnownBefore,
  remembered: RememberedOrder | undefined,
): MappingSkip | undefined {
  if (!known && history && !askedFor) return 'before-go-live';
  if (!known && order.test && rules.testOrders === 'skip') return 'test-order';
  if (isBetweenLines(order)) return 'exchange';
  const neverHadCustomer = !known || (remembered !== undefined && !remembered.customer);
  if (order.customer === undefined && !isOver(order) && neverHadCustomer) return 'guest';
  if (known || rules.pendingOrders === 'send' || !neverCompleted(order, rules)) return undefined;
  return isOver(order) ? 'never-sent' : 'pending';
}

/** The service takes amounts without a currency: this one would count as the program's. */
function otherCurrency(
  { currency }: Pick<StoreOrder, 'currency'>,
  { currency: wanted = currency }: Pick<OrderRules, 'currency'>,
): MappingFault | undefined {
  if (wanted === currency || wanted === 'any') return undefined;
  return { path: 'rules.currency', problem: `is ${wanted}, and the order is in ${currency}` };
}

/** Never with both flags: of the two, only the cancellation counts then. */
function orderBasics(order: StoreOrder, amounts: OrderAmounts, progress: OrderProgress): OrderForm {
  const isCancelled = progress.cancelledAt !== undefined;
  const completedAt = isCancelled ? undefined : progress.completedAt;
  return {
    OriginalId: order.id,
    OrderPlacementDate: order.placedAt,
    OrderCompletedDate: completedAt ?? null,
    OrderCancelledDate: progress.cancelledAt ?? null,
    OrderStatus: progress.status,
    IsCancelledOrReturned: isCancelled,
    IsCompleted: completedAt !== undefined,
    ...countedForm(amounts),
    UpdatedDate: order.updatedAt,
    Coupon: order.couponCodes[0] ?? null,
  };
}

function countedForm(amounts: OrderAmounts): CountedForm {
  return { OrderTotal: toJsonNumber(amounts.total), Products: orderProducts(amounts) };
}

function rememberedBasics(form: OrderForm): NonNullable<RememberedOrder['basics']> {
  const { OrderPlacementDate, OrderCompletedDate, OrderTotal } = form;
  return knownFields({ OrderPlacementDate, OrderCompletedDate, OrderTotal });
}

const NOTHING_SOLD = { sold: [], isRefunded: false, earlier: [] };

/** What it was before each refund, and before a payment that is lost now. */
function statesBefore(order: StoreOrder): readonly StoreOrder[] {
  const isLost = isUnpaid(order) || order.lostDispute === true;
  return [...order.beforeRefunds, ...(isLost ? [order] : [])].map((one) => ({
    ...one,
    ...{ paymentStatus: 'paid', lostDispute: false, beforeRefunds: [] },
  }));
}

function wantedOrder(
  id: string,
  order: OrderForm,
  goods: Pick<WantedOrder, 'sold' | 'isRefunded' | 'earlier'>,
  { cancelledAt, status }: OrderProgress,
): WantedOrder {
  if (cancelledAt === undefined) return { kind: 'order', id, order, ...goods };
  const cancellation = { OrderCancelledDate: cancelledAt, OrderStatus: status };
  return { kind: 'cancelled-order', id, cancellation, order, ...goods };
}
