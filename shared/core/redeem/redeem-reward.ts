import { errorFields } from '../batch/telemetry.ts';
import { executeRedemption } from './execute-redemption.ts';
import { findIntent } from './find-intent.ts';
import { openBook } from './open-book.ts';
import type { RedeemAnswer, RedeemRequest, RedeemWorld } from './redeem-world.ts';

/**
 * Join or check → record the intent → hand it to the queue → call → record → make the code.
 *
 * The queue holds the intent before anything is spent: if this process dies, the worker finishes the
 * redemption.
 * See docs/decisions/0047-redeem-by-key.md.
 */
export async function redeemReward(
  request: RedeemRequest,
  world: RedeemWorld,
): Promise<RedeemAnswer> {
  const { shop, customerId, rewardId } = request;
  const { retentionDays } = world.settings;
  const book = openBook({ shop, customerId }, { ...world, retentionDays });
  try {
    const found = await findIntent(request, book, world);
    return found.kind === 'intent'
      ? await executeRedemption(found.redemption, book, world)
      : found.answer;
  } catch (error) {
    world.telemetry.count('crash');
    const fields = { shop, customerId, rewardId, ...errorFields(error) };
    world.telemetry.log('error', 'redeeming broke off', fields);
    return { kind: 'unavailable' };
  }
}

/**
 * What a shopper may ask about redemptions. `begin` gives the world of one request, with its time
 * limits.
 */
export function createRedeeming(shop: string, begin: () => RedeemWorld) {
  return {
    redeem: (customerId: string, intent: Omit<RedeemRequest, 'shop' | 'customerId'>) =>
      redeemReward({ ...intent, shop, customerId }, begin()),
  };
}
