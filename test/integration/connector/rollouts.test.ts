import { expect, it, vi } from 'vitest';
import { REWARD_TAG } from '../../../shared/shopify/admin/make-reward-code.ts';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
const HOUR_MS = 3_600_000;

async function open() {
  const { connector, store } = await openStoreAndConnector(connectors, {
    ...{ seed: 5, shops: [{ domain: SHOP }] },
  });
  const { actions } = store;
  const over = new Date(Date.now() - HOUR_MS).toISOString();
  const discount = (code: string, fields = {}) =>
    actions.createDiscount({ percentage: 10, codes: [code], ...fields }).id;
  const ids = {
    OVER: discount('OVER', { endsAt: over }),
    LIVE: discount('LIVE'),
    REWARD: discount('REWARD', { endsAt: over, tags: [REWARD_TAG] }),
  };
  async function settle(): Promise<void> {
    await store.deliveries.settled();
    await connector.settle();
  }
  await settle();
  return {
    connector,
    actions,
    ids,
    settle,
    /** An hour later, after a scheduled run. */
    async reconcile(): Promise<void> {
      vi.setSystemTime(Date.now() + HOUR_MS);
      await connector.reconcile();
      await settle();
    },
    active: () =>
      connector.loyalty
        .state()
        .coupons.filter(({ isActive, CouponCode }) => isActive && CouponCode in ids)
        .map(({ CouponCode }) => CouponCode),
  };
}

it('mirrors what a Rollout for everyone gives and withholds, until it ends, and never a reward', async () => {
  const { connector, actions, ids, settle, reconcile, active } = await open();
  expect(active()).toEqual(['LIVE']);
  const concludeAt = '2027-01-01T00:00:00.000Z';
  const { id: rolloutId } = actions.startRollout({
    ...{ name: 'Launch', concludeAt },
    treatments: [{ activate: [ids.OVER, ids.REWARD], expire: [ids.LIVE] }],
  });
  await reconcile();
  expect(active()).toEqual(['OVER']);
  const [held] = connector.loyalty.state().coupons.filter((one) => one.CouponCode === 'OVER');
  expect(held?.ValidDateEnd).toContain('2027-01-01');
  // A webhook in the middle says what the discount's own dates say, and changes nothing.
  actions.updateDiscount({ discountId: ids.LIVE, title: 'Other' });
  await settle();
  expect(active()).toEqual(['OVER']);
  actions.endRollout({ rolloutId });
  await reconcile();
  expect(active()).toEqual(['LIVE']);
  expect(connector.loyalty.state().coupons.map((one) => one.CouponCode)).not.toContain('REWARD');
  expect(await connector.deadLetters()).toEqual([]);
});
