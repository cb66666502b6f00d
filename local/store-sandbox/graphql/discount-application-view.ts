import type { AllocationRow, OrderRow, TaxRow } from '../model/order-row.ts';
import type { View } from './graph-context.ts';
import { moneyBag, moneyView } from './money-view.ts';

const types = {
  discount_code: 'DiscountCodeApplication',
  automatic: 'AutomaticDiscountApplication',
  manual: 'ManualDiscountApplication',
} as const;

export function applicationView(order: OrderRow, index: number): View {
  const application = order.applications[index];
  if (!application) throw new Error(`The order has no discount ${index}.`);
  const { type, name, value } = application;
  return {
    __typename: types[type],
    index,
    allocationMethod: application.method.toUpperCase(),
    targetSelection: application.selection.toUpperCase(),
    targetType: application.target.toUpperCase(),
    value:
      value.kind === 'percentage'
        ? { __typename: 'PricingPercentageValue', percentage: value.ppm / 10_000 }
        : moneyView(value.minor, order.currency),
    ...(type === 'discount_code' ? { code: name } : { title: name }),
    ...(type === 'manual' && { description: name }),
  };
}

export function allocationView(order: OrderRow, { application, minor }: AllocationRow): View {
  return {
    allocatedAmountSet: moneyBag(order, minor),
    discountApplication: () => applicationView(order, application),
  };
}

export function taxView(order: OrderRow, { title, ratePpm, minor }: TaxRow): View {
  return {
    title,
    rate: ratePpm / 1_000_000,
    ratePercentage: ratePpm / 10_000,
    priceSet: moneyBag(order, minor),
    channelLiable: false,
    source: null,
  };
}
