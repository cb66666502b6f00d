import { expiresAfter, type Ledger } from '../ledger/ledger.ts';
import { ledgerKeyText, type RecordKey } from '../ledger/ledger-key.ts';
import type { RewardCode } from './redemption.ts';

/** The store does not distinguish upper and lower case in codes. */
function codeKey(shop: string, code: string): RecordKey<'reward-code'> {
  return { shop, kind: 'reward-code', id: code.toLowerCase() };
}

/** Notes that a code is a reward's, for as long as an order may name it. May be repeated. */
export async function noteRewardCode(
  shop: string,
  { code, endsAt }: RewardCode,
  world: {
    readonly ledger: Pick<Ledger, 'write'>;
    readonly now: () => Date;
    readonly retentionDays: number;
  },
): Promise<void> {
  const now = world.now();
  const entry = {
    version: now.getTime(),
    uncertain: false,
    outcomes: [],
    // Orders change long after they were placed.
    ...(endsAt !== undefined && expiresAfter(world.retentionDays, new Date(endsAt))),
  };
  // A conflict means that it is noted already.
  await world.ledger.write(codeKey(shop, code), entry, undefined);
}

/**
 * An order tells the service one code, and only that of a reward says that the reward was used. The
 * ledger is read for several codes only.
 */
export async function rewardCodeFirst(
  shop: string,
  codes: readonly string[],
  ledger: Pick<Ledger, 'readMany'>,
): Promise<readonly string[]> {
  if (codes.length < 2) return codes;
  const keys = codes.map((code) => codeKey(shop, code));
  const known = await ledger.readMany(keys);
  const isReward = (code: string) => known.has(ledgerKeyText(codeKey(shop, code)));
  const reward = codes.find(isReward);
  return reward === undefined ? codes : [reward, ...codes.filter((code) => code !== reward)];
}
