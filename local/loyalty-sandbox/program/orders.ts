import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call, Fault } from '../call.ts';
import { orderState } from './assigned-numbers.ts';
import { type Context, takeNumber } from './context.ts';
import { useCoupon } from './coupons.ts';
import { isCustomerFault, planCustomer, saveCustomer } from './customers.ts';
import { fromHundredths, toHundredths } from './hundredths.ts';
import { estimateOf, refundedOf, settleOrderPoints } from './order-points.ts';
import {
  type Answer,
  describeFaults,
  done,
  findUnreadable,
  type Refusal,
  refuse,
} from './outcome.ts';
import { balanceOf } from './points.ts';
import { type Fields, knownFields, readBody, readFields } from './read-fields.ts';
import type { CustomerRow, OrderRow, ReferenceRow } from './rows.ts';
import { tierOf } from './tiers.ts';

/** An order as it was sent, before the sandbox gave it numbers and points. */
type SentOrder = Omit<
  OrderRow,
  | 'Id'
  | 'customerId'
  | 'UpdatedDate'
  | 'Metadatas'
  | 'pointId'
  | 'pointsDueAt'
  | 'cancelDue'
  | 'partialCancels'
> & {
  readonly UpdatedDate: string | null;
  readonly Metadatas: readonly { readonly Name: string | null; readonly Value: string | null }[];
};

interface OrderReading {
  readonly kind: 'read';
  readonly order: SentOrder;
  readonly customer: Fields;
  /** Those of the customer are still to be judged, by the customer's own rules. */
  readonly faults: readonly Fault[];
}

/** Null when there is none to look the stored order up by. */
function readOrderId(body: unknown): string | null {
  return readFields(body, [])?.key('OriginalId') ?? null;
}

/**
 * 36 for what cannot be stored: a field that cannot be read, no customer, no placement date, no total
 * or one below zero. Which fields are required is not shown; without these no points can be counted.
 */
function readOrder(call: Call, OriginalId: string): OrderReading | Refusal {
  const { faults, fields } = readBody(call);
  const order = fields && readParts(fields, OriginalId);
  const customer = fields?.object('Customer') ?? null;
  const others = faults.filter((fault) => !isCustomerFault(fault));
  if (!order || others.length > 0) return refuse(36, describeFaults(others));
  const { OrderPlacementDate, OrderTotal } = order;
  if (!customer) return refuse(36, 'Customer must be given.');
  if (OrderPlacementDate === null) return refuse(36, 'OrderPlacementDate must be given.');
  if (OrderTotal === null) return refuse(36, 'OrderTotal must be given.');
  if (OrderTotal < 0) return refuse(36, 'OrderTotal must not be below zero.');
  return { kind: 'read', order: { ...order, OrderPlacementDate, OrderTotal }, customer, faults };
}

function readParts(fields: Fields, OriginalId: string) {
  return {
    OriginalId,
    OrderPlacementDate: fields.date('OrderPlacementDate'),
    OrderCompletedDate: fields.date('OrderCompletedDate'),
    OrderCancelledDate: fields.date('OrderCancelledDate'),
    OrderStatus: fields.text('OrderStatus'),
    IsCancelledOrReturned: fields.flag('IsCancelledOrReturned') ?? false,
    IsCompleted: fields.flag('IsCompleted') ?? false,
    OrderTotal: fields.amount('OrderTotal'),
    Products:
      fields.list('Products')?.map((product) => ({
        OriginalId: product.text('OriginalId'),
        Title: product.text('Title'),
        Url: product.text('Url'),
        ImageUrl: product.text('ImageUrl'),
        IsActive: product.flag('IsActive'),
        ProductPrice: product.amount('ProductPrice'),
      })) ?? null,
    UpdatedDate: fields.date('UpdatedDate'),
    Coupon: fields.text('Coupon'),
    ExternalCoupon: fields.text('ExternalCoupon'),
    Metadatas:
      fields.list('Metadatas')?.map((metadata) => ({
        Name: metadata.text('Name'),
        Value: metadata.text('Value'),
      })) ?? [],
    PaymentMethod: readReference(fields.object('PaymentMethod')),
    Branch: readReference(fields.object('Branch')),
    SalesPerson: readReference(fields.object('SalesPerson')),
  };
}

function readReference(fields: Fields | null): ReferenceRow | null {
  return fields && { OriginalId: fields.text('OriginalId'), Name: fields.text('Name') };
}

/**
 * An upsert by OriginalId, if the settings allow it. The first broken rule answers, in this order: 36
 * a body that is not JSON; 39 no OriginalId; 33 the stored order is cancelled, which is final; 36 what
 * cannot be stored; 11, 12, 14, 15 the dates; 13 where the settings want it; then those of the
 * customer. An order can pass to another customer: stores merge customers,
 * and guests sign up.
 */
export function sendOrder(context: Context, call: Call): Answer<'OrderResult'> {
  const { tables, settings } = context;
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(36, unreadable);
  const id = readOrderId(call.body);
  if (id === null) return refuse(39, 'OriginalId must be given.');
  const before = tables.orders.get(id);
  if (before?.IsCancelledOrReturned) return refuse(33, 'The order is cancelled.');
  if (before && settings.repeatedOrder === 'refuse') {
    return refuse(36, 'An order with this OriginalId is stored already.');
  }
  const reading = readOrder(call, id);
  if (reading.kind === 'refused') return reading;
  const wrongDates = checkDates(reading.order);
  if (wrongDates) return wrongDates;
  const { IsCompleted, IsCancelledOrReturned } = reading.order;
  const breaks13 =
    (settings.error13 === 'both-flags' && IsCompleted && IsCancelledOrReturned) ||
    (settings.error13 === 'return-completed' && before?.IsCompleted && IsCancelledOrReturned);
  if (breaks13) return refuse(13, 'A completed order cannot be cancelled.');
  const plan = planCustomer(context, reading.customer, reading.faults, 'order');
  if (plan.kind === 'refused') return plan;

  const customer = saveCustomer(context, plan, reading.order.OrderPlacementDate);
  const isBuiltIn = before ? before.isBuiltIn : call.isBuiltIn;
  const sent = { ...reading.order, ...(isBuiltIn && { isBuiltIn }) };
  const after = saveOrder(context, before, sent, customer.OriginalId);
  if (after.Coupon !== null) useCoupon(context, after.Coupon, after.OriginalId);
  return done(describeOrder(context, after, customer));
}

/** 37 for an unknown order. */
export function getOrder(context: Context, { path }: Call): Answer<'ReadOrder'> {
  const { tables, catalog, settings } = context;
  const row = tables.orders.get(path.orderId ?? '');
  const customer = row && tables.customers.get(row.customerId);
  if (!row || !customer) return refuse(37, 'No order has this id.');
  const redemption = tables.redemptions.get(tables.externalCodes.get(row.Coupon ?? '') ?? '');
  const reward = catalog.rewards.find(({ id }) => id === redemption?.configurationId);
  return done({
    ...describeOrder(context, row, customer),
    OriginalId: row.OriginalId,
    OrderTotal:
      settings.readTotal === 'as-sent'
        ? row.OrderTotal
        : fromHundredths(toHundredths(row.OrderTotal) - refundedOf(row)),
    Reward: redemption && reward ? { Id: redemption.RewardId, Title: reward.title } : null,
  });
}

function checkDates(order: SentOrder): Refusal | undefined {
  const placed = Date.parse(order.OrderPlacementDate);
  const isBefore = (date: string | null) => date !== null && Date.parse(date) < placed;
  if (order.IsCompleted && order.OrderCompletedDate === null) {
    return refuse(11, 'A completed order needs OrderCompletedDate.');
  }
  if (isBefore(order.OrderCompletedDate)) {
    return refuse(12, 'OrderCompletedDate is before OrderPlacementDate.');
  }
  if (order.IsCancelledOrReturned && order.OrderCancelledDate === null) {
    return refuse(14, 'A cancelled order needs OrderCancelledDate.');
  }
  if (isBefore(order.OrderCancelledDate)) {
    return refuse(15, 'OrderCancelledDate is before OrderPlacementDate.');
  }
  return undefined;
}

function saveOrder(
  context: Context,
  before: OrderRow | undefined,
  sent: SentOrder,
  customerId: string,
): OrderRow {
  const { tables } = context;
  const unsettled = {
    ...sent,
    Id: before?.Id ?? takeNumber(context, 'order'),
    customerId,
    UpdatedDate: sent.UpdatedDate ?? context.now().toISOString(),
    cancelDue: before?.cancelDue ?? null,
    partialCancels: before?.partialCancels ?? [],
    // A pair keeps its id for as long as its name stays in its place.
    Metadatas: sent.Metadatas.map((pair, i) => {
      const earlier = before?.Metadatas[i];
      const isSame = earlier !== undefined && earlier.Name === pair.Name;
      return { Id: isSame ? earlier.Id : takeNumber(context, 'metadata'), ...pair };
    }),
  };
  const row = { ...unsettled, ...settleOrderPoints(context, before, unsettled) };
  tables.orders.put(row.OriginalId, row);
  return row;
}

function describeOrder(
  context: Context,
  row: OrderRow,
  customer: CustomerRow,
): Schemas['OrderResult'] {
  return {
    ...knownFields({
      Id: row.Id,
      OriginalId: row.OriginalId,
      OrderPlacementDate: row.OrderPlacementDate,
      OrderStatus: row.OrderStatus,
      IsCancelledOrReturned: row.IsCancelledOrReturned,
      IsCompleted: row.IsCompleted,
      OrderTotal: row.OrderTotal,
      UpdatedDate: row.UpdatedDate,
    }),
    OrderCompletedDate: row.OrderCompletedDate,
    OrderCancelledDate: row.OrderCancelledDate,
    Customer: describeOrderCustomer(context, customer),
    Products:
      row.Products?.map(({ Url, ImageUrl, ProductPrice, ...product }) => ({
        ...knownFields(product),
        Url,
        ImageUrl,
        ProductPrice,
      })) ?? null,
    Coupon: row.Coupon,
    ExternalCoupon: row.ExternalCoupon,
    Branch: row.Branch && knownFields(row.Branch),
    TenantSalesman: row.SalesPerson && knownFields(row.SalesPerson),
    EstimatedBonus: estimateOf(context, row),
    State: stateOf(row),
    Origin: row.isBuiltIn ? 0 : 1,
    Metadatas: row.Metadatas.map((pair) => knownFields({ ...pair, OrderId: row.Id })),
  };
}

export function stateOf({ IsCompleted, IsCancelledOrReturned }: OrderRow) {
  if (IsCancelledOrReturned) return orderState.cancelled;
  return IsCompleted ? orderState.completed : orderState.pending;
}

/** Without what the sandbox has no such thing for: administrators, segments, affiliates. */
function describeOrderCustomer(context: Context, row: CustomerRow): Schemas['OrderCustomer'] {
  const balance = balanceOf(context, row.OriginalId);
  return {
    ...knownFields({
      OriginalId: row.OriginalId,
      Name: row.Name,
      FirstName: row.Name?.trim().split(/\s+/)[0] ?? null,
      Email: row.Email,
      Phone: row.Phone,
      BirthdayDate: row.BirthdayDate,
      BirthdayUpdateDate: row.birthdayChangedAt,
      SignupDate: row.SignupDate,
      Document: row.Document,
      IsEnrolled: row.IsEnrolled,
      EnrolledDate: row.enrolledAt,
    }),
    Id: row.Id,
    PublicId: row.PublicId,
    // How the two differ is not shown.
    PointsBalance: fromHundredths(balance.points),
    BalanceOfPoints: fromHundredths(balance.points),
    Cashback: fromHundredths(balance.cashback),
    OrderCount: context.tables.ordersByCustomer.count(row.OriginalId),
    TierName: tierOf(context, row.OriginalId).name,
    Origin: row.origin,
  };
}
