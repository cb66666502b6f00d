import type { CodeRow, DiscountRow } from './rows.ts';

/** By the clock alone: nothing is sent when a discount expires, as in the real store. */
export function discountStatus(
  { startsAt, endsAt }: Pick<DiscountRow, 'startsAt' | 'endsAt'>,
  now: Date,
): 'ACTIVE' | 'SCHEDULED' | 'EXPIRED' {
  if (endsAt !== null && Date.parse(endsAt) <= now.getTime()) return 'EXPIRED';
  return Date.parse(startsAt) > now.getTime() ? 'SCHEDULED' : 'ACTIVE';
}

export function isUsable(discount: DiscountRow, code: CodeRow, now: Date): boolean {
  const left = discount.usageLimit === null || code.used < discount.usageLimit;
  return left && discountStatus(discount, now) === 'ACTIVE';
}
