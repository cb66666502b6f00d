import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import { isChallengePassed } from './challenge.ts';
import type { Context } from './context.ts';
import { findCustomer } from './customers.ts';
import type { Page } from './envelopes.ts';
import { productInHundredths, toHundredths } from './hundredths.ts';
import { describeFaults, done, findUnreadable, type Outcome, refuse } from './outcome.ts';
import { balanceOf, drawOn } from './points.ts';
import { type Fields, readFields } from './read-fields.ts';
import {
  describeKeyedRedemption,
  findObstacle,
  findRedemption,
  saveRedemption,
} from './redemptions.ts';
import { describeReward } from './reward-view.ts';
import { findReward } from './rewards.ts';
import type { RedemptionRow } from './rows.ts';

type Schemas = components['schemas'];

/**
 * 43 unknown configuration; 46 no customer, or an unknown one, or a body that names none; 47 what the
 * reward does not allow, with the reason. Costs its points at once and gives the customer a coupon.
 */
export function redeemReward(
  context: Context,
  call: Call,
): Outcome<Page<Schemas['RewardConfiguration']>> {
  const reward = findReward(context, call);
  if (!reward) return refuse(43, 'No reward configuration has this id.');
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(46, unreadable);
  const customerId = readFields(call.body, [])?.key('CustomerId') ?? null;
  if (customerId === null) return refuse(46, 'CustomerId must be given.');
  const customer = context.tables.customers.get(customerId);
  if (!customer) return refuse(46, 'No customer has this CustomerId.');
  const obstacle = findObstacle(context, reward, customer);
  if (obstacle !== '') return refuse(47, obstacle);
  if (reward.kind === 'cashback') return refuse(47, 'Cashback needs an amount.');
  const cost = toHundredths(reward.points);
  if (balanceOf(context, customerId).points < cost) {
    return refuse(47, 'The customer has too few points.');
  }
  const { coupon } = saveRedemption(context, {
    reward,
    customer,
    key: null,
    origins: drawOn(context, customerId, 'points', cost),
    value: reward.value,
    withCoupon: true,
    metadatas: [],
  });
  return done({
    items: [describeReward(context, reward, coupon && { customerId, coupon })],
    total: 1,
    size: 1,
    number: 1,
  });
}

/**
 * The first broken rule answers: 87 unknown reward; 7 a body that cannot be read; 46 no customer, or
 * an unknown one; 47 a key of another or a cancelled redemption, no PIN where the settings want one,
 * or what the reward does not allow; 89 cashback without an amount; 94 too few points.
 */
export function redeemRewardByKey(
  context: Context,
  call: Call,
): Outcome<Schemas['KeyedRedemptionResult'] | null> {
  const { tables, settings } = context;
  const reward = findReward(context, call);
  if (!reward) return refuse(87, 'No reward has this id.');
  const faults = [...call.faults];
  const fields = readFields(call.body, faults);
  const key = fields?.key('OriginalKey') ?? null;
  const customerId = fields?.key('CustomerId') ?? null;
  const chosen = fields && readChosenValue(context, fields);
  const withCoupon = fields?.flag('ForceGenerateCoupon') ?? false;
  const metadatas = (fields?.list('Metadatas') ?? []).map((pair) => ({
    Name: pair.key('Name') ?? '',
    Value: pair.text('Value') ?? '',
  }));
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  const customer = findCustomer(context, customerId, settings.posCustomerId);
  if (!customer) return refuse(46, 'No customer has this CustomerId.');
  const before = findRedemption(context, key ?? undefined);
  if (before) return answerRepetition(context, before, reward.id, customer.OriginalId);
  if (settings.challenge === 'enforced' && !isChallengePassed(context, customer)) {
    return refuse(47, 'The customer must be validated first.');
  }
  const obstacle = findObstacle(context, reward, customer);
  if (obstacle !== '') return refuse(47, obstacle);
  const byCashback = reward.kind === 'cashback';
  const cost = byCashback ? chosen : toHundredths(reward.points);
  if (cost === null || (byCashback && cost <= 0)) return refuse(89, 'Value must be given.');
  const view = byCashback ? 'cashback' : 'points';
  if (balanceOf(context, customer.OriginalId)[view] < cost) {
    return refuse(94, 'The customer has too few points.');
  }
  const { redemption } = saveRedemption(context, {
    reward,
    customer,
    key,
    origins: drawOn(context, customer.OriginalId, view, cost),
    value: byCashback ? cost / 100 : reward.value,
    withCoupon,
    metadatas,
  });
  // A PIN is good for one redemption.
  tables.challenges.delete(customer.OriginalId);
  return done(describeKeyedRedemption(context, redemption));
}

/** In hundredths of cashback. Documented for cashback rewards only; others ignore it. */
function readChosenValue({ settings }: Context, fields: Fields): number | null {
  const value = fields.amount('Value');
  const points = fields.amount('Points');
  if (value !== null) return toHundredths(value);
  return points === null ? null : productInHundredths(points, settings.cashbackPerPoint);
}

function answerRepetition(
  context: Context,
  before: RedemptionRow,
  configurationId: number,
  customerId: string,
): Outcome<Schemas['KeyedRedemptionResult'] | null> {
  const isSame =
    before.configurationId === configurationId &&
    before.customerId === customerId &&
    before.canceledAt === null;
  if (!isSame) return refuse(47, 'This OriginalKey belongs to another or a cancelled redemption.');
  switch (context.settings.repeatedRedeem) {
    case 'first-result':
      return done(describeKeyedRedemption(context, before));
    case 'null-result':
      return done(null);
    case 'refuse':
      return refuse(47, 'This OriginalKey was used before.');
  }
}
