import { sum } from '../model/line-amounts.ts';
import type { ApplicationRow, OrderRow } from '../model/order-row.ts';
import type { MoneyWriter } from './json-values.ts';

export function discountApplications(order: OrderRow, money: MoneyWriter) {
  return order.applications.map(({ type, name, value, target, selection, method }) => ({
    target_type: target,
    type,
    value: value.kind === 'percentage' ? (value.ppm / 10_000).toFixed(1) : money.flat(value.minor),
    value_type: value.kind,
    allocation_method: method,
    target_selection: selection,
    ...(type === 'discount_code' ? { code: name } : { title: name }),
    ...(type === 'manual' && { description: name }),
  }));
}

/** Codes, and the titles of manual discounts; no automatic discounts. */
export function discountCodes(order: OrderRow, money: MoneyWriter) {
  return order.applications.flatMap((application, index) =>
    application.type === 'automatic'
      ? []
      : [
          {
            code: application.name,
            amount: money.flat(allocatedTo(order, index)),
            type: codeType(application),
          },
        ],
  );
}

function codeType({ target, value }: ApplicationRow): string {
  return target === 'shipping_line' ? 'shipping' : value.kind;
}

function allocatedTo(order: OrderRow, index: number): number {
  return sum(
    [...order.lines, ...order.shipping]
      .flatMap(({ allocations }) => allocations)
      .filter(({ application }) => application === index)
      .map(({ minor }) => minor),
  );
}
