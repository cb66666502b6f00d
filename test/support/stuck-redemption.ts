import type { Ledger } from '../../shared/core/ledger/ledger.ts';
import {
  redemptionsKey,
  rememberRedemptions,
} from '../../shared/rewards/redeem/redemption-record.ts';

const BODY = { CustomerId: '7012345', RewardId: 1, OriginalKey: 'a-key' };

/** Leaves a redemption whose call was not answered; `stuck`: only a person can finish it. */
export async function leaveStuckRedemption(
  ledger: Pick<Ledger, 'write'>,
  book: Parameters<typeof redemptionsKey>[0],
  { title = 'Five off', points = 1, at = new Date().toISOString(), stuck = true } = {},
): Promise<void> {
  const terms = { title, points, kind: 'fixed', value: 1, combines: false } as const;
  const redemption = {
    ...{ id: 'K3F9A2LQ7ZPX', rewardId: 1, clientKeys: [], intendedAt: at, since: at },
    terms: { ...terms, codePrefix: '', limited: false },
    state: { at: 'calling', body: BODY, attempts: 1, calledAt: at },
    ...(stuck && { stuck: 'look-up-refused' as const }),
  } as const;
  const remembered = rememberRedemptions({ redemptions: [redemption], intents: [] });
  const entry = { version: 1, uncertain: false, remembered, outcomes: [] };
  await ledger.write(redemptionsKey(book), entry, undefined);
}
