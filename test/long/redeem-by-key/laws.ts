import { expect } from 'vitest';
import type { Shopper } from './processes.ts';
import type { RedeemWorld } from './redeem-world.ts';

export const isActive = ({ canceledAt }: { readonly canceledAt: string | null }) =>
  canceledAt === null;

/** Exactly one redemption in the service, exactly one code for it in the store, and no person needed. */
export async function expectSpentOnce(
  world: RedeemWorld,
  shopper: Shopper,
  { before = 250, cost = 100, amountMinor = 500, when = '' } = {},
): Promise<void> {
  const redemptions = world.redemptionsOf(shopper);
  const codes = world.codesOf(shopper);
  expect(redemptions.map(isActive), `redemptions, ${when}`).toEqual([true]);
  expect(world.pointsOf(shopper), `points, ${when}`).toBe(before - cost);
  expect(
    codes.map(({ code, discount }) => [code, discount.value, discount.usageLimit]),
    `codes, ${when}`,
  ).toEqual([
    [redemptions[0]?.ExternalCode, { kind: 'fixed', minor: amountMinor, each: false }, 1],
  ]);
  expect(await world.deadLetters(), `dead letters, ${when}`).toBe(0);
}

/** Nothing spent, or all of it given back; no code, and no person needed. */
export async function expectNothingSpent(
  world: RedeemWorld,
  shopper: Shopper,
  { before = 250, when = '' } = {},
): Promise<void> {
  expect(world.redemptionsOf(shopper).filter(isActive), `redemptions, ${when}`).toEqual([]);
  expect(world.pointsOf(shopper), `points, ${when}`).toBe(before);
  expect(world.codesOf(shopper), `codes, ${when}`).toEqual([]);
  expect(await world.deadLetters(), `dead letters, ${when}`).toBe(0);
}

/** Never points without a code, never a code without points. */
export function expectAllOrNothing(world: RedeemWorld, shopper: Shopper, when: string): void {
  const external = world.redemptionsOf(shopper).filter(isActive);
  expect(
    world.codesOf(shopper).map(({ code }) => code),
    `codes and redemptions, ${when}`,
  ).toEqual(external.map(({ ExternalCode }) => ExternalCode));
}
