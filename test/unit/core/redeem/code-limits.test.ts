import { describe, expect, it } from 'vitest';
import { cashbackRange } from '../../../../shared/core/redeem/available-rewards.ts';
import {
  meaningOf,
  productDiscount,
  readTerms,
} from '../../../../shared/core/redeem/find-offer.ts';
import { transportFailure } from '../../../../shared/loyalty/result.ts';
import { namesOfClick, openRedeeming } from '../../../support/redeem-world.ts';

describe('the code of a reward', () => {
  it('has the smallest order that the reward needs, and the customer’s reward in its title', async () => {
    const more = { MinimalValue: 25 };
    const world = openRedeeming({
      rewards: [
        { id: 1, points: 100, more },
        { id: 2, points: 50 },
      ],
    });
    await world.redeem({ rewardId: 1 });
    await world.redeem({ rewardId: 2, clientKey: 'click-0002' });
    const [first, second] = [...world.store.codes.values()];
    expect(first).toMatchObject({ minimum: 25, title: `Reward 1 (${namesOfClick().id})` });
    expect(second).not.toHaveProperty('minimum');
  });

  it('is for the product of the reward alone, else it would take its amount off any order', async () => {
    const more = { ExternalProductId: '7', ProductDiscountMode: 2, ProductDisplayName: 'Mug' };
    const world = openRedeeming({ rewards: [{ id: 1, points: 100, type: 5, more }] });
    world.store.prices.set('7', { lowest: 30, highest: 30 });
    await world.redeem();
    expect([...world.store.codes.values()]).toMatchObject([{ productId: '7', value: 30 }]);
  });
});

describe('the terms of a reward', () => {
  const read = (reward: object, configuration: object = {}, discount: object = {}) =>
    readTerms({ Id: 4, Points: 10, Title: 'Ten off', ...reward }, configuration, {
      ...({ kind: 'percent', value: 10 } as const),
      ...discount,
    });

  it.each([
    ['points below 0', { Points: -1 }, {}],
    ['points that are no number', { Points: Number.NaN }, {}],
    ['no points', { Points: undefined }, {}],
    ['0 percent', {}, { value: 0 }],
    ['more than 100 percent', {}, { value: 100.5 }],
    ['an amount of 0', {}, { kind: 'fixed', value: 0 }],
    ['an endless amount', {}, { kind: 'fixed', value: Number.POSITIVE_INFINITY }],
  ])('are none for %s: no store makes such a code', (_, reward, discount) => {
    expect(read(reward, {}, discount)).toBeUndefined();
  });

  it.each([
    ['0 points', { Points: 0 }, {}, {}, { points: 0 }],
    ['an amount above 100', {}, {}, { kind: 'fixed', value: 150 }, { value: 150 }],
    ['100 percent', {}, {}, { value: 100 }, { value: 100 }],
    ['a long title', { Title: ` ${'x'.repeat(300)}` }, {}, {}, { title: 'x'.repeat(120) }],
    ['no title', { Title: ' ' }, {}, {}, { title: 'Reward 4' }],
    ['ten years', {}, { ValidDays: 3650 }, {}, { validDays: 3650 }],
    ['a limit for each customer', {}, { HasSameCustomerUsageLimit: true }, {}, { limited: true }],
    ['a limit for all', {}, { HasGlobalUsageLimit: true }, {}, { limited: true }],
    ['a reward that combines', { RewardCanBeCumulative: true }, {}, {}, { combines: true }],
    ['a discount that combines', {}, { CumulativeDiscount: true }, {}, { combines: true }],
    [
      'a reward that does not combine, although its discount does',
      { RewardCanBeCumulative: false },
      { CumulativeDiscount: true },
      {},
      { combines: false },
    ],
    ['no prefix', {}, {}, {}, { codePrefix: 'REWARD' }],
    ['a prefix of signs', {}, { CodePrefix: '%!' }, {}, { codePrefix: 'REWARD' }],
    ['a prefix', {}, { CodePrefix: ' ten % off-now!' }, {}, { codePrefix: 'TEN-OFF-NOW' }],
    ['a long prefix', {}, { CodePrefix: 'a'.repeat(30) }, {}, { codePrefix: 'A'.repeat(20) }],
  ])('keep what the customer was offered: %s', (_, reward, configuration, discount, expected) => {
    expect(read(reward, configuration, discount)).toMatchObject(expected);
  });

  it.each([3651, 0, -1])('have no end of %i days', (ValidDays) => {
    expect(read({}, { ValidDays })).not.toHaveProperty('validDays');
  });

  it('are of no type where the service names none', () => {
    expect(meaningOf(undefined, { 0: 'percent', 1: 'fixed' })).toBe('custom');
  });
});

describe('a reward for a product', () => {
  const reward = { ExternalProductId: '7', ProductDiscountMode: 0, ProductDiscountValue: 100 };

  it.each(['7x', 'x7', '', '12345678901234567890'])('is none for the product %s', (id) => {
    expect(productDiscount({ ...reward, ExternalProductId: id })).toBeUndefined();
  });

  it.each([
    [0, 0, undefined],
    [0, 100, 100],
    [0, 100.5, undefined],
    [3, 0, undefined],
    [3, 4, 4],
    [2, 0, 100],
    [1, 5, undefined],
  ])('of mode %i and value %d takes off %s', (mode, value, expected) => {
    const given = { ...reward, ProductDiscountMode: mode, ProductDiscountValue: value };
    expect(productDiscount(given)?.value).toBe(expected);
  });

  it('has the name of the product, else its own', () => {
    const nameOf = (more: object) => productDiscount({ ...reward, ...more })?.product.name;
    expect(nameOf({ ProductDisplayName: ' Mug ', Title: 'Free mug' })).toBe('Mug');
    expect(nameOf({ ProductDisplayName: ' ', Title: ' Free mug ' })).toBe('Free mug');
    expect(nameOf({})).toBe('');
  });
});

describe('cashback', () => {
  const offered = { AvailableCashback: 12.345, MaxCashbackForCurrentPurchase: 20, Rewards: [] };

  it('is all or nothing where the customer may not choose', () => {
    expect(cashbackRange({ CanSelectValue: false }, offered)).toEqual({
      least: 12.34,
      most: 12.34,
    });
    expect(cashbackRange({ CanSelectValue: true }, offered)).toEqual({ least: 0.01, most: 12.34 });
  });
});

describe('a PIN for the till', () => {
  it('is said to be sent only if the service says so', async () => {
    const world = openRedeeming();
    const answer = async (result: object) => {
      world.loyalty.startChallenge = async () => result as never;
      return world.challenge();
    };
    expect(await world.challenge()).toMatchObject({ kind: 'started' });
    const unsent = { kind: 'success', value: { Success: false } };
    expect(await answer(unsent)).toMatchObject({ kind: 'refused', why: 'refused' });
    const details = { mayHaveHappened: true, message: 'no answer' };
    const late = transportFailure('time-out', details);
    expect(await answer(late)).toMatchObject({ kind: 'unavailable' });
  });
});
