import { errorFields } from '../batch/telemetry.ts';
import { type StartedChallenge, startChallenge, type TypedContacts } from './challenge.ts';
import { executeRedemption } from './execute-redemption.ts';
import { findIntent } from './find-intent.ts';
import { openBook } from './open-book.ts';
import type { RedeemAnswer, RedeemRequest, RedeemWorld } from './redeem-world.ts';
import type { Customer } from './redemption-book.ts';

/**
 * Join or check → record the intent → hand it to the queue → call → record → make the code.
 *
 * The queue holds the intent before anything is spent: if this process dies, the worker finishes the
 * redemption.
 * See docs/decisions/0047-redeem-by-key.md.
 */
async function redeemReward(request: RedeemRequest, world: RedeemWorld): Promise<RedeemAnswer> {
  const { shop, customerId, rewardId } = request;
  const { retentionDays } = world.settings;
  const book = openBook({ shop, customerId }, { ...world, retentionDays });
  try {
    const found = await findIntent(request, book, world);
    const answer =
      found.kind === 'intent'
        ? await executeRedemption(found.redemption, book, world)
        : found.answer;
    if (request.till) logTill(request.till.staffId, 'redeem', { ...request, answer }, world);
    return answer;
  } catch (error) {
    world.telemetry.count('crash');
    const fields = { shop, customerId, rewardId, ...errorFields(error) };
    world.telemetry.log('error', 'redeeming broke off', fields);
    return { kind: 'unavailable' };
  }
}

/** Who did what, for whom: the log's line beside the redemption, which holds the user's id as well. */
function logTill(
  staffId: string,
  action: 'redeem' | 'challenge',
  {
    shop,
    customerId,
    rewardId,
    typedContacts,
    answer,
  }: Customer & {
    readonly rewardId?: number;
    readonly typedContacts?: string | undefined;
    readonly answer: RedeemAnswer | StartedChallenge;
  },
  { telemetry }: Pick<RedeemWorld, 'telemetry'>,
): void {
  const outcome = answer.kind === 'refused' ? answer.why : answer.kind;
  const redemption = answer.kind === 'redemption' ? answer.redemption.id : undefined;
  const fields = {
    action,
    staffId,
    shop,
    customerId,
    rewardId,
    typedContacts,
    outcome,
    redemption,
  };
  telemetry.log('info', 'a till acted for a customer', fields);
}

/**
 * What shoppers and tills may ask about redemptions. `begin` gives the world of one request, with its time
 * limits.
 */
export function createRedeeming(shop: string, begin: () => RedeemWorld) {
  return {
    redeem: (customerId: string, intent: Omit<RedeemRequest, 'shop' | 'customerId'>) =>
      redeemReward({ ...intent, shop, customerId }, begin()),
    async challenge(
      customerId: string,
      staffId: string,
      typed: TypedContacts = {},
    ): Promise<StartedChallenge> {
      const world = begin();
      const { retentionDays } = world.settings;
      const book = openBook({ shop, customerId }, { ...world, retentionDays });
      const answer = await startChallenge(typed, book, world);
      // A PIN that went to the wrong person must be traceable, without the person's data.
      const typedContacts = Object.keys(typed).join(', ') || undefined;
      logTill(staffId, 'challenge', { shop, customerId, typedContacts, answer }, world);
      return answer;
    },
  };
}
