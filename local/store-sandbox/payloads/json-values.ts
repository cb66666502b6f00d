import { minorDigits } from '../../../shared/store/money.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { OrderRow } from '../model/rows.ts';

/** A JSON number of any length: Shopify's ids can exceed a JavaScript number. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** In Node since 21, not yet in TypeScript's types. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): RawNumber };

export function idNumber(id: string): RawNumber;
export function idNumber(id: string | null): RawNumber | null;
export function idNumber(id: string | null): RawNumber | null {
  return id === null ? null : rawJSON(id);
}

/** Numbers keep every digit when they are written again. */
export const parseExactly = (body: string): unknown =>
  JSON.parse(body, (_key, value, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value,
  );

/** The time with the shop's offset: `2026-10-05T11:12:45+02:00`. */
export function localMoment(iso: string, utcOffset: string): string;
export function localMoment(iso: string | null, utcOffset: string): string | null;
export function localMoment(iso: string | null, utcOffset: string): string | null {
  if (iso === null) return null;
  const [, sign = '+', hours = '00', minutes = '00'] =
    /^([+-])(\d\d):(\d\d)$/.exec(utcOffset) ?? [];
  const shift = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return new Date(Date.parse(iso) + shift).toISOString().slice(0, 19) + utcOffset;
}

interface MoneySet {
  readonly shop_money: { readonly amount: string; readonly currency_code: string };
  readonly presentment_money: { readonly amount: string; readonly currency_code: string };
}

/** Writes the amounts of one order. */
export interface MoneyWriter {
  flat(minor: number): string;
  set(minor: number): MoneySet;
  /** A JSON number, which only refunds use. */
  number(minor: number): RawNumber;
}

type Currencies = Pick<OrderRow, 'currency' | 'presentment'>;

export function moneyWriter(order: Currencies): MoneyWriter {
  const digits = minorDigits(order.currency);
  const seen = order.presentment?.currency ?? order.currency;
  const seenDigits = minorDigits(seen);
  const flat = (minor: number) => formatMinor(minor, digits);
  return {
    flat,
    set: (minor) => ({
      shop_money: { amount: flat(minor), currency_code: order.currency },
      presentment_money: {
        amount: formatMinor(presentmentMinor(order, minor), seenDigits),
        currency_code: seen,
      },
    }),
    number: (minor) => rawJSON(String(Number(flat(minor)))),
  };
}

/** Each amount is converted separately, so sums may differ by a unit in the customer's currency. */
export function presentmentMinor({ currency, presentment }: Currencies, minor: number): number {
  if (!presentment) return minor;
  const scale = 10 ** (minorDigits(presentment.currency) - minorDigits(currency));
  return Math.round(minor * presentment.rate * scale) + 0;
}
