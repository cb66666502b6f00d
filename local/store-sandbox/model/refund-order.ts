import type * as v from 'valibot';
import { minorDigits } from '../../../shared/store/money.ts';
import { checkReductions, reduceLine, shippingAmounts, sum } from './line-amounts.ts';
import { parseMinor, share } from './minor-units.ts';
import type { refund as refundInput } from './order-inputs.ts';
import type { OrderRow, RefundRow } from './order-row.ts';
import { orderTotals } from './order-totals.ts';
import { recordRepayment } from './payments.ts';
import { done, moment, type Outcome, refused, type World } from './world.ts';

type RefundInput = v.InferOutput<typeof refundInput>;

export function refundOrder(world: World, input: RefundInput): Outcome<OrderRow> {
  const { rows } = world;
  const order = rows.orders.get(input.orderId);
  if (!order) return refused(`There is no order ${input.orderId}.`);
  const problem = findProblem(order, input);
  if (problem !== undefined) return refused(problem);
  const { order: refunded, refund } = recordRefund(world, order, {
    ...input,
    shippingMinor: shippingWanted(order, input),
    chosenMinor: input.amount === undefined ? undefined : read(order, input.amount),
    repay: true,
  });
  const updated = { ...refunded, updatedAt: moment(world) };
  rows.orders.put(order.id, updated);
  return done(
    updated,
    { topic: 'refunds/create', order: updated, refund },
    { topic: 'orders/updated', order: updated },
  );
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
  if (returnId !== undefined && !order.returns.some(({ id }) => id === returnId)) {
    return `The order has no return ${returnId}.`;
  }
  const { receivedMinor, refundedMinor } = orderTotals(order);
  const chosen = amount === undefined ? 0 : read(order, amount);
  if (chosen === undefined || chosen > receivedMinor - refundedMinor) {
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
  readonly chosenMinor?: number | undefined;
  readonly note: string;
  readonly returnId?: string | undefined;
  /** False: removes the items without paying back. */
  readonly repay: boolean;
}

/** Edits and cancellations remove items this way, too: the store records a refund for each. */
export function recordRefund(
  world: World,
  order: OrderRow,
  plan: RefundPlan,
): { readonly order: OrderRow; readonly refund: RefundRow } {
  const { ids, rows } = world;
  const id = ids.next('Refund');
  const before = orderTotals(order).current;
  const locationId = order.locationId ?? [...rows.locations.values()][0]?.id ?? null;
  let next = order;
  for (const one of plan.lines) {
    const line = next.lines.find((candidate) => candidate.id === one.lineId);
    if (line) next = reduceLine(world, next, line, one, { refundId: id }, locationId);
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
    note: plan.note,
    shipping: refundShipping(world, order, plan.shippingMinor),
    dutiesMinor: plan.duties ? before.dutiesMinor : 0,
    discrepancy: null,
    transactionIds: [],
    returnId: plan.returnId ?? null,
    staffId: order.staffId,
  };
  next = { ...next, refunds: [...next.refunds, draft] };
  const onTop = order.taxesIncluded ? 0 : 1;
  const suggested =
    before.totalMinor -
    orderTotals(next).current.totalMinor +
    sum(returned.map((one) => one.worthMinor + onTop * sum(one.taxesMinor)));
  if (!plan.repay) return { order: next, refund: draft };
  const repayment = recordRepayment(world, next, plan.chosenMinor ?? suggested);
  // If an edit took goods out before, a real store may write less: this is the most that it could.
  const discrepancy =
    plan.chosenMinor !== undefined && plan.chosenMinor !== suggested
      ? { id: ids.next('OrderAdjustment'), minor: suggested - plan.chosenMinor }
      : null;
  const refund = { ...draft, discrepancy, transactionIds: repayment.transactionIds };
  const refunds = repayment.order.refunds.map((one) => (one.id === id ? refund : one));
  return { order: { ...repayment.order, refunds }, refund };
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
        adjustmentId: ids.next('OrderAdjustment'),
        shippingId: line.id,
        minor,
        taxesMinor: currentTaxesMinor.map((tax) => share(tax, minor, currentMinor)),
      },
    ];
  });
}
