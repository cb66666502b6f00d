import type { Call, Fault } from '../call.ts';
import { isCustomerFault } from './customers.ts';
import { describeFaults, type Refusal, refuse } from './outcome.ts';
import { type Fields, readFields } from './read-fields.ts';
import type { OrderRow, ReferenceRow } from './rows.ts';

/** An order as it was sent, before the sandbox gave it numbers and points. */
export type SentOrder = Omit<
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

export interface OrderReading {
  readonly kind: 'read';
  readonly order: SentOrder;
  readonly customer: Fields;
  /** Those of the customer are still to be judged, by the customer's own rules. */
  readonly faults: readonly Fault[];
}

/** Null when there is none to look the stored order up by. */
export function readOrderId(body: unknown): string | null {
  return readFields(body, [])?.key('OriginalId') ?? null;
}

/**
 * 36 for what cannot be stored: a field that cannot be read, no customer, no placement date, no total
 * or one below zero. Which fields are required is not shown; without these no points can be counted.
 */
export function readOrder(call: Call, OriginalId: string): OrderReading | Refusal {
  const faults = [...call.faults];
  const fields = readFields(call.body, faults);
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
