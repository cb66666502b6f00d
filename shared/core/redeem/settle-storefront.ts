import { type FindingShop, type FindWorld, settlePointEvent } from '../balances/find-customer.ts';
import type { CustomerSource } from '../balances/read-customer.ts';
import { type BalanceWorld, settleBalances } from '../balances/settle-balances.ts';
import { conclude, type Item } from '../batch/conclude.ts';
import type { Outcome, RetryReason } from '../batch/outcome.ts';
import type { Group, Settle } from '../batch/run-batch.ts';
import { type ResumeWorld, resumeRedemption } from './resume-redemption.ts';

type ShopLoyalty = Pick<ResumeWorld, 'loyalty' | 'breaker'>;

export interface StorefrontWorld
  extends BalanceWorld,
    Omit<ResumeWorld, keyof ShopLoyalty | keyof BalanceWorld>,
    Omit<FindWorld, keyof BalanceWorld> {
  readonly shops: ReadonlyMap<string, CustomerSource & FindingShop & ShopLoyalty>;
}

/** The queue of balances carries redemptions and point events, too. No kind waits for another. */
export const settleStorefront: Settle<StorefrontWorld> = (all, world) => {
  const balances = settleBalances(all, world);
  return {
    keys: balances.keys,
    begin(groups, entries) {
      const settleBalance = balances.begin(
        groups.filter((group) => !isOf('redemption', group) && !isOf('point-event', group)),
        entries,
      );
      return (group) => {
        if (isOf('redemption', group)) return settleRedemption(group, world);
        return isOf('point-event', group) ? settlePointEvent(group, world) : settleBalance(group);
      };
    },
  };
};

const isOf = (kind: 'redemption' | 'point-event', { items }: Group): boolean =>
  items.some(({ event }) => event?.kind === kind);

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
