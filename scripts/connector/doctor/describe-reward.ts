import {
  type Discount,
  meaningOf,
  type RewardTypes,
  readTerms,
} from '../../../shared/core/redeem/find-offer.ts';
import type { components } from '../../../shared/loyalty/contract.gen.ts';

type RewardConfiguration = components['schemas']['RewardConfiguration'];

export interface RewardReading {
  readonly kind: 'code' | 'not-redeemable' | 'unknown-type';
  readonly text: string;
}

const EXPRESSIBLE = 'a discount of the store cannot have its value or its conditions';

/** What the connector would make of a reward, for a person to compare with its title. */
export function describeReward(
  reward: RewardConfiguration,
  rewardTypes: RewardTypes,
): RewardReading {
  const { RewardType: type, Value: value = 0 } = reward;
  if (type === undefined || !(type in rewardTypes)) {
    const text = `shown, not redeemable: RewardType ${type ?? 'absent'} is not in storefront.rewardTypes`;
    return { kind: 'unknown-type', text };
  }
  const meaning = meaningOf(type, rewardTypes);
  switch (meaning) {
    case 'percent':
      return describeCode(reward, { kind: meaning, value }, `${value} % off`);
    case 'fixed':
      return describeCode(reward, { kind: meaning, value }, `${value} off`);
    case 'free-shipping':
      return describeCode(reward, { kind: meaning, value: 0 }, 'free shipping');
    case 'cashback':
      return describeCode(
        reward,
        // Any amount: the customer chooses it.
        { kind: 'fixed', value: 1, cashback: true },
        'cashback of an amount that the customer chooses',
      );
    case 'product':
      return describeCode(
        reward,
        // Which product, and how much, the service says for a customer and a cart.
        { kind: 'fixed', value: 1, product: { id: '', name: '' } },
        'one unit of a product at the discount that the service names',
      );
    case 'custom':
      return { kind: 'not-redeemable', text: 'shown, not redeemable: custom reward' };
  }
}

function describeCode(
  reward: RewardConfiguration,
  discount: Discount,
  gives: string,
): RewardReading {
  const { Title, Points, NoPointCost } = reward;
  const points = NoPointCost === true ? 0 : Points;
  const offered = { ...(Title && { Title }), ...(points !== undefined && { Points: points }) };
  const terms = readTerms(offered, reward, discount);
  if (!terms) return { kind: 'not-redeemable', text: `shown, not redeemable: ${EXPRESSIBLE}` };
  const conditions = [
    ...(terms.minimum === undefined ? [] : [`from ${terms.minimum}`]),
    ...(terms.cashback ? [] : [`${terms.points} points`]),
  ];
  return { kind: 'code', text: [gives, ...conditions, 'a code for this customer'].join(', ') };
}
