import type { CustomerSource } from '../balances/read-customer.ts';
import { type BalanceWorld, settleBalances } from '../balances/settle-balances.ts';
import { conclude, type Item } from '../batch/conclude.ts';
import type { Outcome, RetryReason } from '../batch/outcome.ts';
import type { Group, Settle } from '../batch/run-batch.ts';
import { type ResumeWorld, resumeRedemption } from './resume-redemption.ts';

type ShopLoyalty = Pick<ResumeWorld, 'loyalty' | 'breaker'>;

export interface StorefrontWorld
  extends BalanceWorld,
    Omit<ResumeWorld, keyof ShopLoyalty | keyof BalanceWorld> {
  readonly shops: ReadonlyMap<string, CustomerSource & ShopLoyalty>;
}

/** The queue of balances carries redemptions, too. Neither kind waits for the other. */
export const settleStorefront: Settle<StorefrontWorld> = (groups, world) => {
  const settleBalance = settleBalances(
    groups.filter((group) => !isRedemption(group)),
    world,
  );
  return (group) => (isRedemption(group) ? settleRedemption(group, world) : settleBalance(group));
};

const isRedemption = ({ items }: Group): boolean =>
  items.some(({ event }) => event?.kind === 'redemption');

async function settleRedemption(
  { items, unsettled }: Group,
  world: StorefrontWorld,
): Promise<RetryReason | undefined> {
  for (const item of items) {
    const retry = await conclude(item, await resume(item, world), unsettled, world);
    if (retry) return retry;
  }
  return undefined;
}

async function resume(item: Item, world: StorefrontWorld): Promise<Outcome> {
  if (!item.event) return unreadable(item.unreadable);
  const { event } = item;
  if (event.kind !== 'redemption') return unreadable('it belongs on another queue');
  const shop = world.shops.get(event.shop);
  if (!shop) return unreadable('the shop is not in the settings of the storefront');
  return resumeRedemption(event, { ...world, ...shop });
}

function unreadable(why: string): Outcome {
  return { kind: 'rejected', reason: 'unreadable', why };
}
