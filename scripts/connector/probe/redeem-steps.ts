import { NO_SUCH_REDEMPTION } from '../../../shared/core/redeem/redeem-call.ts';
import type { Value } from '../../../shared/loyalty/operations.ts';
import type { LoyaltyResult } from '../../../shared/loyalty/result.ts';
import { answerText, hasCode, type Result, readValue, UNCLEAR, verdictOf } from './answer.ts';
import type { ProbeWorld } from './probe-world.ts';
import type { Conclusion } from './step.ts';

type Available = LoyaltyResult<Value<'listAvailableRewards'>>;

export interface SeenIds {
  readonly byStoreId: Available;
  readonly byEmail: Available;
}

const available = ({ ask }: ProbeWorld, CustomerId: string) =>
  ask((loyalty) => loyalty.listAvailableRewards({ CustomerId, PurchaseValue: 1000 }));

export async function compareIds(world: ProbeWorld): Promise<SeenIds> {
  const { OriginalId, Email } = world.customer;
  return {
    byStoreId: await available(world, OriginalId),
    byEmail: await available(world, Email),
  };
}

const finds = (result: Available) => (readValue(result)?.Customer ?? null) !== null;

export function concludeIds({ byStoreId, byEmail }: SeenIds): Conclusion {
  const text = (result: Available) =>
    `${answerText(result)}, ${finds(result) ? 'customer found' : 'no customer'}`;
  const answered = [`store id: ${text(byStoreId)}`, `e-mail: ${text(byEmail)}`];
  if (verdictOf(byStoreId) === 'unclear' || !finds(byEmail)) return { answered, means: UNCLEAR };
  return finds(byStoreId)
    ? {
        answered,
        means: 'Operations under /POS take the id of the store, which saves a request.',
        settings: { storefront: { posCustomerId: 'store-id' } },
      }
    : {
        answered,
        means: 'Operations under /POS do not take the id of the store, only e-mail or document.',
        settings: { storefront: { posCustomerId: 'email-or-document' } },
      };
}

type Redeemed = LoyaltyResult<Value<'redeemRewardByKey'>>;

export type SeenRedeem =
  | { readonly kind: 'no-reward'; readonly listed: Available }
  | {
      readonly kind: 'tried';
      readonly first: Redeemed;
      readonly second: Redeemed;
      readonly lookup: Redeemed;
      /** The look-up of a key that was never used. */
      readonly absent: Redeemed;
      readonly cancelled: Result;
      readonly points: readonly (number | undefined)[];
    };

export async function redeemTwice(world: ProbeWorld): Promise<SeenRedeem> {
  const { ask, customer, id, undos } = world;
  const listed = await available(world, customer.Email);
  const reward = (readValue(listed)?.Rewards ?? [])
    .filter(({ CanUse, RewardType }) => CanUse === true && (RewardType === 0 || RewardType === 1))
    // One that costs nothing shows no spending.
    .filter(({ Points = 0 }) => Points > 0)
    .toSorted((one, other) => (one.Points ?? 0) - (other.Points ?? 0))[0];
  const rewardId = reward?.Id;
  if (rewardId === undefined) return { kind: 'no-reward', listed };
  const OriginalKey = `${id}-redeem`;
  undos.push({
    what: `redemption ${OriginalKey}`,
    byHand: 'Cancel it in the panel of the service.',
    absentCodes: [73],
    undoneCodes: [74],
    run: (loyalty) => loyalty.cancelRedemptionByKey(OriginalKey),
  });
  const body = { CustomerId: customer.Email, OriginalKey };
  const redeem = () => ask((loyalty) => loyalty.redeemRewardByKey(rewardId, body));
  const before = await world.points();
  const first = await redeem();
  const spent = await world.pointsOtherThan(before);
  const second = await redeem();
  const after = await world.points();
  // As the connector does it: with nothing to add.
  const lookUp = (key: string) =>
    ask((loyalty) => loyalty.updateRewardMetadata({ OriginalKey: key, Metadatas: [] }));
  const lookup = await lookUp(OriginalKey);
  const absent = await lookUp(`${id}-absent`);
  const redemption = readValue(first)?.RewardId ?? readValue(lookup)?.RewardId;
  const cancelled = await ask((loyalty) =>
    redemption === undefined
      ? loyalty.cancelRedemptionByKey(OriginalKey)
      : loyalty.cancelRedemption(redemption),
  );
  const points = [before, spent, after, await world.points()];
  return { kind: 'tried', first, second, lookup, absent, cancelled, points };
}

export function concludeRedeem(seen: SeenRedeem): Conclusion {
  if (seen.kind === 'no-reward') {
    const points = readValue(seen.listed)?.AvailablePoints ?? 'unknown';
    return {
      answered: [`available rewards: ${answerText(seen.listed)}; points ${points}`],
      means:
        'Not tried: the customer can use no percent or fixed reward now. The program may give points later than --wait; make a cheap reward for the test.',
    };
  }
  const { first, second, lookup, absent, cancelled, points } = seen;
  const [before, spent, after, back] = points.map((value) => value ?? 'unknown');
  const idText = (result: Redeemed) =>
    `${answerText(result)}${readValue(result) ? `, reward ${readValue(result)?.RewardId}` : ''}`;
  const answered = [
    `redeemed: ${idText(first)}; points ${before}, then ${spent}`,
    `the same again: ${idText(second)}; points ${after}`,
    `looked up by its key: ${idText(lookup)}; by a key that was never used: ${idText(absent)}`,
    `cancelled: ${answerText(cancelled)}; points ${back}`,
  ];
  if (verdictOf(first) !== 'accepted') {
    return {
      answered,
      means:
        'The redemption was not accepted, so its repetition is not known. A program that asks for a PIN may refuse it.',
    };
  }
  const [hadPoints, hadAfterFirst, hadAfterSecond] = points;
  const isSpendingKnown =
    hadPoints !== undefined &&
    hadAfterFirst !== undefined &&
    hadAfterSecond !== undefined &&
    hadAfterFirst < hadPoints;
  const sentences = [
    !isSpendingKnown
      ? 'IT IS NOT KNOWN WHETHER A REPEATED KEY SPENDS POINTS AGAIN: the points show no spending at once. Try again before you switch the storefront on.'
      : hadAfterSecond !== hadAfterFirst
        ? 'A REPEATED KEY SPENDS POINTS AGAIN: do not switch the storefront on.'
        : readValue(second)?.RewardId === readValue(first)?.RewardId
          ? 'A repetition returns the first result and spends once.'
          : 'A repetition spends once, and its answer does not hold the first result: the connector looks it up by its key.',
    ...(verdictOf(lookup) === 'accepted' ? [] : ['A redemption cannot be looked up by its key.']),
    ...(hasCode(absent, NO_SUCH_REDEMPTION)
      ? []
      : [
          `The look-up of an unknown key is not answered with error ${NO_SUCH_REDEMPTION}: a redemption that is refused after a lost answer needs a person.`,
        ]),
    verdictOf(cancelled) === 'accepted' && hadPoints !== undefined && back === before
      ? 'Its cancellation gives the points back.'
      : 'Its cancellation did not give the points back at once.',
  ];
  return { answered, means: sentences.join(' ') };
}
