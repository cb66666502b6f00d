import { type BalanceWorld, runBalances } from '../balances/run-balances.ts';
import type { ReceivedMessage } from '../events/queues.ts';
import {
  type RedemptionMessage,
  type RedemptionWorld,
  runRedemptions,
} from '../redeem/run-redemptions.ts';

/** The queue of balances carries redemptions, too. Neither kind waits for the other. */
export async function runStorefrontBatch(
  messages: readonly ReceivedMessage[],
  world: Omit<BalanceWorld, 'store'> &
    RedemptionWorld & { readonly balances: BalanceWorld['store'] },
): Promise<readonly string[]> {
  const redemptions: RedemptionMessage[] = [];
  const others: ReceivedMessage[] = [];
  for (const message of messages) {
    const decoded = world.decode(message.body);
    if (decoded.kind === 'event' && decoded.event.kind === 'redemption') {
      redemptions.push({ message, event: decoded.event });
    } else others.push(message);
  }
  const left = await Promise.all([
    runRedemptions(redemptions, world),
    runBalances(others, { ...world, store: world.balances }),
  ]);
  return left.flat();
}
