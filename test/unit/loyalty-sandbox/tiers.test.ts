import { describe, expect, it } from 'vitest';
import {
  codeOf,
  makeOrder,
  openSandbox,
  openSandboxWithPoints,
} from '../../support/sandbox-program.ts';

const list = (sandbox: ReturnType<typeof openSandbox>, body: unknown) => {
  const answer = sandbox.call('listTiers', { body });
  if (!('AllTiers' in answer)) throw new Error('a failure');
  return answer;
};
const names = (tiers: readonly { readonly Name?: string }[]) => tiers.map(({ Name }) => Name);

describe('listTiers', () => {
  it.each([undefined, {}, { CustomerId: null }, { CustomerId: '' }])(
    'shows the base tier without progress for %j',
    (body) => {
      const tiers = list(openSandboxWithPoints(5000), body);
      expect(tiers.CurrentTier).toMatchObject({ Name: 'Bronze', Goals: [] });
      expect(names(tiers.NextTiers)).toEqual(['Silver', 'Gold']);
      expect(names(tiers.AllTiers)).toEqual(['Bronze', 'Silver', 'Gold']);
      expect(tiers.NextTiers[0]?.Goals?.map((goal) => goal.CurrentValue)).toEqual([0, 0]);
    },
  );

  it('refuses an unknown customer and a body that cannot be read', () => {
    expect(codeOf(openSandbox().call('listTiers', { body: { CustomerId: 'c9' } }))).toBe(59);
    for (const body of [{ CustomerId: 5 }, [], 'x', null]) {
      expect(codeOf(openSandbox().call('listTiers', { body }))).toBe(7);
      expect(codeOf(openSandbox().callUnchecked('listTiers', { body }))).toBe(7);
    }
  });

  it('follows what was earned, not what is left of it', () => {
    const sandbox = openSandboxWithPoints(499.99);
    for (const id of ['a', 'b']) {
      sandbox.call('sendOrder', { body: makeOrder({ OriginalId: id, OrderTotal: 0 }) });
    }
    const goals = () => list(sandbox, { CustomerId: 'c1' }).AllTiers[1]?.Goals;
    expect(list(sandbox, { CustomerId: 'c1' }).CurrentTier?.Name).toBe('Bronze');
    expect(goals()).toEqual([
      { Name: 'Points earned', GoalValue: 500, CurrentValue: 499.99, PercentToGoal: 99 },
      { Name: 'Completed orders', GoalValue: 3, CurrentValue: 3, PercentToGoal: 100 },
    ]);
    sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'a', OrderTotal: 700 }) });
    sandbox.call('redeemReward', { path: { id: '2' }, body: { CustomerId: 'c1' } });
    const tiers = list(sandbox, { CustomerId: 'c1' });
    expect(tiers.CurrentTier?.Name).toBe('Silver');
    expect(names(tiers.NextTiers)).toEqual(['Gold']);
    expect(goals()?.[0]).toMatchObject({ CurrentValue: 1199.99, PercentToGoal: 100 });
  });

  it('does not count open and cancelled orders', () => {
    const sandbox = openSandboxWithPoints(1);
    const open = { IsCompleted: false, OrderCompletedDate: null };
    sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'a', ...open }) });
    sandbox.call('sendOrder', {
      body: makeOrder({
        OriginalId: 'b',
        IsCancelledOrReturned: true,
        OrderCancelledDate: '2026-10-07T09:00:00Z',
      }),
    });
    const silver = list(sandbox, { CustomerId: 'c1' }).AllTiers[1];
    expect(silver?.Goals?.[1]?.CurrentValue).toBe(1);
  });
});
