import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CatalogReward } from '../../../local/loyalty-sandbox/catalog.ts';
import {
  balanceOf,
  codeOf,
  contract,
  makeCustomer,
  makeOrder,
  openSandbox,
  openSandboxWithPoints,
} from '../../support/sandbox-program.ts';

const reward = (id: number, changes: Partial<CatalogReward> = {}): CatalogReward => ({
  id,
  title: `Reward ${id}`,
  description: '',
  kind: 'fixed-value',
  value: 5,
  points: 10,
  isActive: true,
  codePrefix: 'R',
  couponValidDays: 30,
  ...changes,
});
const redeem = (sandbox: ReturnType<typeof openSandbox>, id: number | string, CustomerId = 'c1') =>
  sandbox.call('redeemReward', { path: { id: String(id) }, body: { CustomerId } });

describe('listRewardConfigurations', () => {
  const rewards = Array.from({ length: 120 }, (_, i) => reward(i + 1, { isActive: i % 2 === 0 }));
  const sandbox = openSandbox({ catalog: { rewards } });
  const list = (query: Record<string, string>) =>
    sandbox.call('listRewardConfigurations', { query });

  it('pages through all of them, each exactly once', () => {
    const seen: (number | undefined)[] = [];
    let [PageNumber, more] = [1, true];
    while (more) {
      const page = list({ PageNumber: String(PageNumber), PageSize: '50' });
      seen.push(...(page.Items ?? []).map(({ Id }) => Id));
      expect(page).toMatchObject({ TotalItemCount: 120, PageSize: 50, PageNumber });
      more = page.HasNextPage;
      PageNumber++;
    }
    expect(seen).toEqual(rewards.map(({ id }) => id));
  });

  it('starts with ten, and ends with nothing', () => {
    expect(list({}).Items).toHaveLength(10);
    expect(list({ PageNumber: '2147483647' })).toMatchObject({ Items: [], HasNextPage: false });
    expect(list({ PageSize: '40', PageNumber: '3' }).HasNextPage).toBe(false);
  });

  it('lists only active ones when asked, and otherwise all or what the settings say', () => {
    expect(list({ IsActive: 'true' }).TotalItemCount).toBe(60);
    for (const IsActive of ['false', 'null', ''])
      expect(list({ IsActive }).TotalItemCount).toBe(120);
    const other = openSandbox({
      catalog: { rewards },
      settings: { isActiveFalseLists: 'inactive' },
    });
    const page = other.call('listRewardConfigurations', { query: { IsActive: 'False' } });
    expect(page.TotalItemCount).toBe(60);
    expect(page.Items?.every(({ IsActive }) => IsActive === false)).toBe(true);
  });

  it.each(['51', '0', '-1', 'ten', '1.5', '99999999999', ' 5'])(
    'refuses a PageSize of %s',
    (size) => {
      expect(codeOf(list({ PageSize: size }))).toBe(45);
    },
  );

  it('refuses a page that is no number, and an IsActive that is no flag', () => {
    expect(codeOf(list({ PageNumber: '0' }))).toBe(45);
    expect(codeOf(list({ IsActive: 'maybe' }))).toBe(43);
  });
});

describe('getRewardConfiguration', () => {
  it('gives the whole configuration', () => {
    const { Result } = openSandbox().call('getRewardConfiguration', { path: { id: '4' } });
    expect(Result).toMatchObject({
      Id: 4,
      HasSameCustomerUsageLimit: true,
      SameCustomerUsageLimit: 1,
      HasGlobalUsageLimit: true,
      GlobalUsageLimit: 100,
      HasValidDate: false,
      Enabled: true,
      DisabledReason: '',
      PreGeneratedCouponLists: [],
    });
    const { components } = parse(contract.openapiText);
    const all = Object.keys(components.schemas.RewardConfiguration.properties);
    // Without a customer there are no balances, and this reward has no dates.
    expect(all.filter((name) => !(name in (Result ?? {})))).toEqual([
      'ValidDateStart',
      'ValidDateEnd',
      'AvailableCashback',
      'CashbackBalance',
      'PointBalance',
    ]);
  });

  it.each([
    ['6', 'The reward is no longer valid.'],
    ['7', 'The reward is not active.'],
  ])('says why reward %s cannot be had', (id, DisabledReason) => {
    const { Result } = openSandbox().call('getRewardConfiguration', { path: { id } });
    expect(Result).toMatchObject({ Enabled: false, DisabledReason });
  });

  it.each(['99', '0', '-1', 'x', '', '1e0', '99999999999'])('says 44 for %s', (id) => {
    expect(codeOf(openSandbox().call('getRewardConfiguration', { path: { id } }))).toBe(44);
  });
});

describe('redeemReward', () => {
  it('costs points of the oldest records and gives a coupon', () => {
    const sandbox = openSandboxWithPoints(60);
    sandbox.call('sendOrder', { body: makeOrder({ OrderTotal: 90 }) });
    sandbox.takeEvents();
    const answer = redeem(sandbox, 1);
    const [configuration] = 'Items' in answer ? (answer.Items ?? []) : [];
    const [produced] = configuration?.PreGeneratedCouponLists?.[0]?.PreGeneratedCoupons ?? [];
    expect(configuration).toMatchObject({ Id: 1, PointBalance: 50, CashbackBalance: 2.5 });
    expect(produced).toMatchObject({
      CouponCode: expect.stringMatching(/^FIVE-\w+$/),
      CouponType: 0,
      CouponValue: 5,
      ValidDateStart: '2026-10-07T12:00:00.000Z',
      ValidDateEnd: '2026-11-06T12:00:00.000Z',
    });
    expect(balanceOf(sandbox)).toEqual({ points: 50, cashback: 2.5 });
    expect(sandbox.takeEvents()).toMatchObject([
      {
        topic: 'Point_Removed',
        payload: {
          Points: -100,
          Cashback: -5,
          ValidDate: null,
          Origins: [
            { PointId: 1, UsedPoints: 60, UsedCashback: 3 },
            { PointId: 2, UsedPoints: 40, UsedCashback: 2 },
          ],
        },
      },
    ]);
    const code = produced?.CouponCode ?? '';
    sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'o2', Coupon: code }) });
    const id = sandbox.tables.couponCodes.get(code) ?? '';
    expect(sandbox.tables.coupons.get(id)).toMatchObject({ IsUsed: true, customerId: 'c1' });
  });

  it.each([
    ['the reward is unknown', '99', 'c1', 43],
    ['the reward is no number', 'x', 'c1', 43],
    ['the customer is unknown', '1', 'c9', 46],
    ['the customer is blank', '1', ' ', 46],
    ['the reward is inactive', '7', 'c1', 47],
    ['its season is over', '6', 'c1', 47],
    ['it is for a higher tier', '5', 'c1', 47],
    ['points do not suffice', '2', 'c1', 47],
  ])('refuses when %s', (_, id, customerId, code) => {
    expect(codeOf(redeem(openSandboxWithPoints(199.99), id, customerId))).toBe(code);
  });

  it.each([undefined, null, [], 'c1', {}, { CustomerId: 5 }])('says 46 for the body %j', (body) => {
    const sandbox = openSandboxWithPoints(1000);
    expect(codeOf(sandbox.call('redeemReward', { path: { id: '1' }, body }))).toBe(46);
  });

  it('keeps to the limits per customer and in all', () => {
    const rewards = [reward(1, { usesPerCustomer: 2, usesInAll: 3 })];
    const sandbox = openSandboxWithPoints(1000, { catalog: { rewards } });
    const Customer = makeCustomer({ OriginalId: 'c2' });
    sandbox.call('sendOrder', { body: makeOrder({ Customer }) });
    const found = ['c1', 'c1', 'c1', 'c2', 'c2'].map((id) => codeOf(redeem(sandbox, 1, id)));
    expect(found).toEqual([undefined, undefined, 47, undefined, 47]);
  });

  it('refuses who is not enrolled', () => {
    const sandbox = openSandboxWithPoints(1000);
    const Customer = makeCustomer({ IsEnrolled: false });
    sandbox.call('sendOrder', { body: makeOrder({ Customer }) });
    expect(codeOf(redeem(sandbox, 1))).toBe(47);
  });

  it('never gives out an id or code that is taken', () => {
    const sandbox = openSandboxWithPoints(1000);
    const body = { OriginalId: 'reward-coupon-1', CouponCode: 'MINE' };
    sandbox.call('createCoupon', { body });
    redeem(sandbox, 1);
    redeem(sandbox, 1);
    expect(sandbox.tables.coupons.size).toBe(3);
    expect(sandbox.tables.coupons.get('reward-coupon-1')?.CouponCode).toBe('MINE');
  });

  it('leaves no cashback behind when the last point is spent', () => {
    const rewards = [reward(1, { points: 33.33 }), reward(2, { points: 33.34 })];
    const sandbox = openSandboxWithPoints(100, { catalog: { rewards } });
    for (const id of [1, 1, 2]) redeem(sandbox, id);
    expect(balanceOf(sandbox)).toEqual({ points: 0, cashback: 0 });
  });

  it('leaves the balance below zero when spent points are taken back', () => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: makeOrder() });
    redeem(sandbox, 1);
    const gone = { OrderCancelledDate: '2026-10-07T09:00:00Z' };
    sandbox.call('cancelOrder', { path: { orderId: 'o1' }, body: gone });
    expect(balanceOf(sandbox)).toEqual({ points: -100, cashback: -5 });
    // New points fill the hole first.
    sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'o2', OrderTotal: 149.99 }) });
    expect(codeOf(redeem(sandbox, 3))).toBe(47);
    sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'o2', OrderTotal: 150 }) });
    expect(codeOf(redeem(sandbox, 3))).toBeUndefined();
    expect(balanceOf(sandbox).points).toBe(0);
  });
});

describe('updateRewardMetadata', () => {
  const redeemed = () => {
    const sandbox = openSandboxWithPoints(100);
    redeem(sandbox, 1);
    sandbox.takeEvents();
    return sandbox;
  };

  it('adds pairs to the point record, each once and without an event', () => {
    const sandbox = redeemed();
    const [redemption] = [...sandbox.tables.redemptions.values()];
    const OriginalKey = redemption?.OriginalKey;
    const ask = (...Metadatas: object[]) =>
      sandbox.call('updateRewardMetadata', { body: { OriginalKey, Metadatas } });
    ask({ Name: 'channel', Value: 'store' });
    const { Result } = ask({ Name: 'channel', Value: 'store' }, { Name: 'till', Value: '4' });
    expect(Result).toMatchObject({
      RewardId: 1,
      OriginalKey,
      ExternalCode: expect.stringMatching(/^FIVE-/),
      Point: {
        PointId: 2,
        Quantity: -100,
        Metadatas: [
          { Name: 'channel', Value: 'store' },
          { Name: 'till', Value: '4' },
        ],
      },
    });
    expect(Result?.Coupon?.CouponCode).toBe(Result?.ExternalCode);
    expect(sandbox.takeEvents()).toEqual([]);
  });

  it.each([
    ['no key', {}, 7],
    ['a blank key', { OriginalKey: ' ' }, 7],
    ['an unknown key', { OriginalKey: 'redeem-99' }, 87],
    ['no body', undefined, 7],
    ['a list that is none', { OriginalKey: 'redeem-1', Metadatas: {} }, 7],
    ['a pair without a name', { OriginalKey: 'redeem-1', Metadatas: [{ Value: 'x' }] }, 7],
  ])('refuses %s', (_, body, code) => {
    expect(codeOf(redeemed().call('updateRewardMetadata', { body }))).toBe(code);
    expect(codeOf(redeemed().callUnchecked('updateRewardMetadata', { body }))).toBe(code);
  });
});
