import { describe, expect, it } from 'vitest';
import { createLoyaltyClient } from '../../../../shared/loyalty/client.ts';
import { namesOfClick, openRedeeming } from '../../../support/redeem-world.ts';

/** The real client of a service that gives this answer to everything. */
function clientOf(answer: object) {
  const text = JSON.stringify(answer);
  return createLoyaltyClient({
    credentials: { token: 'token', key: 'key' },
    http: { send: async () => ({ kind: 'answer', status: 200, headers: {}, text }) },
  });
}

const page = { TotalItemCount: 0, PageSize: 10, PageNumber: 1, HasNextPage: false };

/** Redeems reward 1 with this answer, for as long as a shopper would wait. */
async function redeemWith(answer: object) {
  const world = openRedeeming();
  const { redeemRewardByKey } = clientOf(answer);
  const answered = <T extends object>(part: T): T =>
    'redeemRewardByKey' in part ? { ...part, redeemRewardByKey } : part;
  await world.redeem({}, answered);
  await world.work(answered);
  const [redemption] = await world.kept();
  return { codes: world.store.codes.size, at: redemption?.state.at };
}

describe('an answer that does not say that it was done', () => {
  it('an empty list, no redemption, one of another key, or one without its id mints no discount code', async () => {
    const OriginalKey = namesOfClick().key;
    for (const answer of [
      { ...page, Items: [] },
      { HasError: false, Result: null },
      { HasError: false, Result: { OriginalKey } },
      { HasError: false, Result: { RewardId: 9, ExternalCode: 'FIVE-1' } },
      { HasError: false, Result: { RewardId: 9, OriginalKey: 'another' } },
    ]) {
      expect(await redeemWith(answer)).toEqual({ codes: 0, at: 'calling' });
    }
    const whole = { HasError: false, Result: { RewardId: 9, OriginalKey } };
    expect(await redeemWith(whole)).toEqual({ codes: 1, at: 'ready' });
  });

  it('"Not enough points" in ErrorMessages mints no discount code and is a refusal', async () => {
    const Result = { RewardId: 9, OriginalKey: '00000000-0000-4000-8000-000000000001' };
    for (const answer of [
      { HasError: true, ErrorMessages: ['Not enough points'], Result },
      { HasError: true, ErrorMessage: 'Not enough points', Result: null },
      { Severity: 2, Code: '09', CodeName: 'NotEnoughPoints', Result: null },
    ]) {
      expect(await redeemWith(answer)).toEqual({ codes: 0, at: 'refused' });
    }
  });
});
