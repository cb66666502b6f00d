import type { Redemption, RewardCode, RewardKind } from './redemption.ts';

/** The store's codes have at most 255 characters. */
const LONGEST_CODE = 255;

/**
 * The discount code of a redemption. An order that names the service's code is known to have used the
 * reward; where the service gives none, the code is one of our own.
 */
export function codeFrom(
  externalCode: string | null | undefined,
  { id, terms }: Pick<Redemption, 'id' | 'terms'>,
  now: Date,
): RewardCode {
  const given = externalCode?.trim() ?? '';
  const isUsable = given !== '' && given.length <= LONGEST_CODE;
  const endsAt = endAfter(now, terms.validDays);
  return {
    code: isUsable ? given : `${terms.codePrefix}-${id}`,
    kind: terms.kind,
    value: terms.value,
    startsAt: now.toISOString(),
    ...(endsAt !== undefined && { endsAt }),
  };
}

/** True when a store discount can have this value. */
export function isValueOf(kind: RewardKind, value: number): boolean {
  switch (kind) {
    case 'fixed':
      return value > 0 && Number.isFinite(value);
    case 'percent':
      return value > 0 && value <= 100;
    case 'free-shipping':
      return true;
  }
}

function endAfter(now: Date, days: number | undefined): string | undefined {
  return days === undefined ? undefined : new Date(now.getTime() + days * 86_400_000).toISOString();
}
