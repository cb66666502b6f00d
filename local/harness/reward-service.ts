import { type TransportFailureReason, transportFailure } from '../../shared/loyalty/result.ts';

/** What happens to the next call that spends points. */
export type CallFate =
  | 'answered'
  | 'lost-answer'
  | 'lost-call'
  | 'refused'
  | 'throttled'
  | 'credentials-refused'
  | 'something-went-wrong'
  | 'unknown-customer'
  | 'not-the-contract';

export interface PointSpending {
  readonly pointId: number;
  readonly customerId: string;
  readonly points: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface ModelReward {
  readonly id: number;
  readonly points: number;
  readonly type?: number;
  readonly value?: number;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The part of the loyalty service that redemptions use, with simulated faults. */
export function createRewardService(rewards: readonly ModelReward[], now: () => number) {
  const balances = new Map<string, number>();
  const spendings: PointSpending[] = [];
  const changes = new Map<string, number>();
  const fates: CallFate[] = [];
  let calls = 0;

  const describe = ({ id, points, type = 0, value = 5, more = {} }: ModelReward) => ({
    ...{ Id: id, Title: `Reward ${id}`, Points: points, RewardType: type, Value: value },
    ...{ IsActive: true, Enabled: true, CodePrefix: 'five', ValidDays: 30, ...more },
  });
  const businessError = (code: number, errorClass: string) => ({
    ...{ kind: 'business-error', class: errorClass, code, message: 'no', fields: [] },
  });
  const cutOff = (reason: TransportFailureReason) =>
    transportFailure(reason, { mayHaveHappened: true, message: 'no answer' });

  function spend(reward: ModelReward, customerId: string) {
    const balance = balances.get(customerId) ?? 0;
    if (balance < reward.points) return businessError(47, 'rejected');
    balances.set(customerId, balance - reward.points);
    const pointId = spendings.length + 1;
    spendings.push({ pointId, customerId, points: reward.points, at: now() });
    const coupon = {
      CouponCode: `FIVE-${pointId}`,
      IsAssigned: true,
      CouponType: 0,
      CouponValue: 5,
    };
    const item = {
      ...describe(reward),
      PreGeneratedCouponLists: [{ PreGeneratedCoupons: [coupon] }],
    };
    return { kind: 'success', value: { Items: [item] } };
  }

  return {
    balances,
    spendings,
    /** The credited cashback by its key. */
    changes,
    fates,
    calls: () => calls,
    async getRewardConfiguration(id: number) {
      const reward = rewards.find((one) => one.id === id);
      const answer = reward
        ? { kind: 'success', value: describe(reward) }
        : businessError(44, 'rejected');
      return answer as never;
    },
    async listAvailableRewards() {
      const offered = rewards.map((one) => ({ ...describe(one), CanUse: true }));
      return { kind: 'success', value: { Rewards: offered } } as never;
    },
    async redeemReward(id: number, { CustomerId: customerId = '' }: { CustomerId?: string }) {
      calls += 1;
      const reward = rewards.find((one) => one.id === id);
      if (!reward) return businessError(43, 'rejected') as never;
      switch (fates.shift() ?? 'answered') {
        case 'answered':
          return spend(reward, customerId) as never;
        case 'lost-answer':
          spend(reward, customerId);
          return cutOff('time-out') as never;
        case 'lost-call':
          return cutOff('connection') as never;
        case 'not-the-contract':
          spend(reward, customerId);
          return cutOff('not-the-contract') as never;
        case 'refused':
          return businessError(47, 'rejected') as never;
        case 'throttled':
          return businessError(103, 'throttled') as never;
        case 'something-went-wrong':
          spend(reward, customerId);
          return businessError(0, 'retry') as never;
        case 'credentials-refused':
          return businessError(101, 'misconfigured') as never;
        case 'unknown-customer':
          return businessError(46, 'rejected') as never;
      }
    },
    async changeCashback(_customerId: string, change: { Value?: number; ChangeKey?: string }) {
      const { ChangeKey: key = '', Value: value = 0 } = change;
      if (changes.has(key)) return businessError(66, 'rejected') as never;
      changes.set(key, value);
      return { kind: 'success', value: {} } as never;
    },
    async getCustomerPoints(id: string) {
      const value = { CustomerExists: true, PointsBalance: balances.get(id) ?? 0 };
      return { kind: 'success', value } as never;
    },
    async getCustomer(id: string) {
      return { kind: 'success', value: { OriginalId: id, CurrentTier: null } } as never;
    },
    async listCustomersReport() {
      return { kind: 'success', value: { Items: [] } } as never;
    },
  };
}
