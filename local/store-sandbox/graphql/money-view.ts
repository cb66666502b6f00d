import { minorDigits } from '../../../shared/store/money.ts';
import { formatDecimal } from '../model/minor-units.ts';
import type { OrderRow } from '../model/order-row.ts';
import { presentmentMinor } from '../payloads/json-values.ts';
import type { View } from './graph-context.ts';

export const moneyView = (minor: number, currency: string): View => ({
  amount: formatDecimal(minor, minorDigits(currency)),
  currencyCode: currency,
});

export const moneyBag = (order: OrderRow, minor: number): View => ({
  shopMoney: moneyView(minor, order.currency),
  presentmentMoney: () =>
    moneyView(presentmentMinor(order, minor), order.presentment?.currency ?? order.currency),
});
