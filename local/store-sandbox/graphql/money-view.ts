import { minorDigits } from '../../../shared/store/money.ts';
import { formatDecimal } from '../model/minor-units.ts';
import type { OrderRow } from '../model/order-row.ts';
import { presentmentMinor } from '../payloads/json-values.ts';
import type { View } from './graph-context.ts';

export const moneyView = (minor: number, currency: string): View => ({
  __typename: 'MoneyV2',
  amount: formatDecimal(minor, minorDigits(currency)),
  currencyCode: currency,
});

/** An amount of an order in both currencies. */
export function moneyBag(order: OrderRow, minor: number): View {
  return {
    shopMoney: moneyView(minor, order.currency),
    presentmentMoney: moneyView(
      presentmentMinor(order, minor),
      order.presentment?.currency ?? order.currency,
    ),
  };
}
