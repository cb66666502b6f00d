import { minorDigits } from '../../../shared/store/money.ts';
import { agree } from './agreements.ts';
import { checkReductions, reduceLine, shippingAmounts, sum } from './line-amounts.ts';
import { parseMinor, share } from './minor-units.ts';
import { orderTotals, repaymentsOf } from './order-totals.ts';
import { type RefundTarget, recordRepayment } from './payments.ts';
import type { DiscrepancyRow, OrderRow, RefundRow, TransactionRow } from './rows.ts';
import { settleStoreCredit } from './store-credit.ts';
import { type Input, moment, type Outcome, putOrder, refused, type World } from './world.ts';

type RefundInput = Input<'refund'>;

export function refundOrder(world: World, order: OrderRow, input: RefundInput): Outcome<OrderRow> {
  const problem = findProblem(order, input);
  if (problem !== undefined) return refused(problem);
  const { order: refunded, refund } = recordRefund(world, order, {
    ...input,
    shippingMinor: shippingWanted(order, input),
    chosenMinor: input.amount === undefined ? undefined : read(order, input.amount),
    repay: true,
  });
  const agreed = agree(world, refunded, { reason: 'REFUND', refundId: refund.id });
  const updated = { ...agreed, updatedAt: moment(world) };
  const refusal = settleStoreCredit(world, order, updated, 'ORDER_REFUND', input.creditExpiresAt);
  if (refusal) return refusal;
  return putOrder(world, updated, { topic: 'refunds/create', order: updated, refund });
}

function findProblem(order: OrderRow, input: RefundInput): string | undefined {
  const { lines, shipping, duties, amount, returnId } = input;
  if (
    lines.length === 0 &&
    shipping === undefined &&
    !duties &&
    amount === undefined &&
    !returnId
  ) {
    return 'There is nothing to refund.';
  }
  if (input.to === 'store-credit' && order.customerId === null) {
    return 'Only a customer has store credit.';
  }
  if (returnId !== undefined && !order.returns.some(({ id }) => id === returnId)) {
    return `The order has no return ${returnId}.`;
  }
  const { receivedMinor } = orderTotals(order);
  const repaidMinor = sum(repaymentsOf(order).map(({ minor }) => minor));
  const chosen = amount === undefined ? 0 : read(order, amount);
  if (chosen === undefined || chosen > receivedMinor - repaidMinor) {
    return 'The amount must be at most what was paid and not yet refunded.';
  }
  const [first] = order.shipping;
  const left = first ? shippingAmounts(order, first).currentMinor : 0;
  if (shipping !== undefined && shipping !== 'all' && (read(order, shipping) ?? left + 1) > left) {
    return 'The amount of shipping must be at most what is left of it.';
  }
  return checkReductions(order, lines);
}

const read = (order: OrderRow, amount: string | number) =>
  parseMinor(amount, minorDigits(order.currency));

/** For each shipping line. */
function shippingWanted(order: OrderRow, { shipping }: RefundInput): number[] {
  if (shipping === undefined) return [];
  if (shipping !== 'all') return [read(order, shipping) ?? 0];
  return order.shipping.map((line) => shippingAmounts(order, line).currentMinor);
}

export interface RefundPlan {
  readonly lines: readonly { lineId: string; quantity: number; restock?: boolean }[];
  readonly shippingMinor: readonly number[];
  readonly duties: boolean;
  /** All fees are taken back. */
  readonly fees?: boolean;
  readonly chosenMinor?: number | undefined;
  readonly returnId?: string | undefined;
  /** False: removes the items without paying back. */
  readonly repay: boolean;
  readonly gateway?: string | undefined;
  readonly to?: RefundTarget | undefined;
  readonly pending?: RefundInput['pending'];
}

/** Edits and cancellations remove items this way, too: the store records a refund for each. */
export function recordRefund(
  world: World,
  order: OrderRow,
  plan: RefundPlan,
): { readonly order: OrderRow; readonly refund: RefundRow } {
  const id = world.ids.next('Refund');
  const { current: before, expectedMinor } = orderTotals(order);
  let next = order;
  for (const one of plan.lines) {
    const line = next.lines.find((candidate) => candidate.id === one.lineId);
    if (line) next = reduceLine(world, next, line, one, { refundId: id });
  }
  const returned = next.reductions.filter(
    (one) => plan.returnId !== undefined && one.returnId === plan.returnId && !one.refundId,
  );
  next = {
    ...next,
    reductions: next.reductions.map((one) =>
      returned.includes(one) ? { ...one, refundId: id } : one,
    ),
  };
  const draft: RefundRow = {
    id,
    createdAt: moment(world),
    shipping: refundShipping(world, order, plan.shippingMinor),
    dutiesMinor: plan.duties ? before.dutiesMinor : 0,
    discrepancies: [],
    givenMinor: 0,
    transactionIds: [],
    returnId: plan.returnId ?? null,
  };
  next = {
    ...next,
    refunds: [...next.refunds, draft],
    fees: plan.fees ? next.fees.map((fee) => ({ ...fee, isTakenBack: true })) : next.fees,
  };
  const onTop = order.taxesIncluded ? 0 : 1;
  const returnedMinor = sum(returned.map((one) => one.worthMinor + onTop * sum(one.taxesMinor)));
  // Shopify, "Return.suggestedRefund and ReturnRefund consider exchanges and fees".
  const { chargesMinor = 0 } = order.returns.find((one) => one.id === plan.returnId) ?? {};
  const dueMinor = Math.max(0, returnedMinor - chargesMinor);
  const suggested = before.totalMinor - orderTotals(next).current.totalMinor + dueMinor;
  if (!plan.repay) return { order: next, refund: draft };
  const { gateway, pending, to } = plan;
  const isPending = pending !== undefined;
  const repayment = recordRepayment(world, next, plan.chosenMinor ?? suggested, {
    ...{ gateway, isPending, to },
  });
  // Money for goods, those of the return too, or money that was owed, leaves the customer owing no more than before.
  const unpaidMinor = Math.max(0, dueMinor - repaidInAdvance(order));
  const owedBefore = Math.max(0, expectedMinor + unpaidMinor);
  const givenMinor = Math.max(0, orderTotals(repayment.order).expectedMinor - owedBefore);
  const differs = suggested - (plan.chosenMinor ?? suggested);
  const chosen = world.shop.owedRefund === 'discrepancy' ? differs : Math.max(differs, -givenMinor);
  const discrepancies = writeDiscrepancies(world, chosen, repayment.repaidMinor, pending);
  const { transactionIds } = repayment;
  const refund = { ...draft, discrepancies, givenMinor, transactionIds };
  const refunds = repayment.order.refunds.map((one) => (one.id === id ? refund : one));
  return { order: { ...repayment.order, refunds }, refund };
}

/** Money of refunds that take nothing out, which the store owed: a refund of a return that follows is not owed again. */
function repaidInAdvance(order: OrderRow): number {
  const takesOut = new Set(order.reductions.map(({ refundId }) => refundId));
  const amounts = order.refunds.filter(
    ({ id, shipping, dutiesMinor }) =>
      !takesOut.has(id) && sum(shipping.map(({ minor }) => minor)) + dutiesMinor === 0,
  );
  const money = repaymentsOf(order);
  // Of money that never arrived, nothing was given away either.
  return sum(
    amounts.map(({ transactionIds, givenMinor }) => {
      const own = money.filter(({ id }) => transactionIds.includes(id));
      return Math.max(0, sum(own.map(({ minor }) => minor)) - givenMinor);
    }),
  );
}

/** `chosen`: the suggested amount minus the one that a person chose instead. */
function writeDiscrepancies(
  { ids }: Pick<World, 'ids'>,
  chosen: number,
  pendingMinor: number,
  pending: RefundPlan['pending'],
): DiscrepancyRow[] {
  const write = (minor: number, reason: DiscrepancyRow['reason'] = 'Refund discrepancy') =>
    minor === 0 ? [] : [{ id: ids.next('OrderAdjustment'), minor, reason }];
  if (pending === undefined) return write(chosen);
  return [
    ...(pending === 'rise' ? [] : write(chosen)),
    ...write(pendingMinor),
    ...(pending === 'paired' ? write(-pendingMinor, 'Pending refund discrepancy') : []),
  ];
}

/** The money of a refund arrives, or it turns out that it does not. */
export function settleRefund(
  world: World,
  order: OrderRow,
  { refundId, outcome }: Input<'settlement'>,
): Outcome<OrderRow> {
  const waiting = order.transactions.filter(({ status }) => status === 'pending');
  const moneyOf = ({ transactionIds }: RefundRow) =>
    waiting.filter(({ id }) => transactionIds.includes(id));
  const refund = order.refunds.find(
    (one) => one.id === (refundId ?? one.id) && moneyOf(one).length > 0,
  );
  if (!refund) return refused('No money of a refund is on its way.');
  const at = moment(world);
  const settled = moneyOf(refund);
  const discrepancies = settleDiscrepancies(world, order, refund, settled, outcome);
  const updated: OrderRow = {
    ...order,
    refunds: order.refunds.map((one) => (one === refund ? { ...one, discrepancies } : one)),
    transactions: order.transactions.map((one) =>
      settled.includes(one) ? { ...one, status: outcome, processedAt: at } : one,
    ),
    updatedAt: at,
  };
  const refusal = settleStoreCredit(world, order, updated);
  const agreed = agree(world, updated, { reason: 'REFUND', refundId: refund.id });
  return refusal ?? putOrder(world, agreed);
}

/** Once the money arrived, lines, money and discrepancies add up; until then, and if it never does, there is a rest. */
function settleDiscrepancies(
  { ids }: Pick<World, 'ids'>,
  order: OrderRow,
  refund: RefundRow,
  settled: readonly TransactionRow[],
  outcome: 'success' | 'failure',
): readonly DiscrepancyRow[] {
  if (outcome === 'failure') return refund.discrepancies;
  const onTop = order.taxesIncluded ? 0 : 1;
  const lines = order.reductions.filter((one) => one.refundId === refund.id);
  const worth =
    sum(lines.map((one) => one.worthMinor + onTop * sum(one.taxesMinor))) +
    sum(refund.shipping.map((one) => one.minor + onTop * sum(one.taxesMinor))) +
    refund.dutiesMinor;
  const money = sum(settled.map(({ minor }) => minor));
  const minor = worth - money - sum(refund.discrepancies.map((one) => one.minor));
  if (minor === 0) return refund.discrepancies;
  const reason = 'Pending refund discrepancy';
  return [...refund.discrepancies, { id: ids.next('OrderAdjustment'), minor, reason }];
}

function refundShipping(
  { ids }: World,
  order: OrderRow,
  wanted: readonly number[],
): RefundRow['shipping'] {
  return order.shipping.flatMap((line, i) => {
    const minor = wanted[i] ?? 0;
    if (minor === 0) return [];
    const { currentMinor, currentTaxesMinor } = shippingAmounts(order, line);
    return [
      {
        id: ids.next('RefundShippingLine'),
        shippingId: line.id,
        minor,
        taxesMinor: currentTaxesMinor.map((tax) => share(tax, minor, currentMinor)),
      },
    ];
  });
}
