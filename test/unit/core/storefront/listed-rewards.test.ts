import { beforeEach, describe, expect, it } from 'vitest';
import type { Redemption } from '../../../../shared/core/redemptions/redemption.ts';
import { rememberBook } from '../../../../shared/core/redemptions/redemption-record.ts';
import { TIME_OUT } from '../../../fixtures/service-answers.ts';
import { SHOP, serveInProcess } from '../../../support/served-storefront.ts';

let shop: ReturnType<typeof serveInProcess>;
beforeEach(() => {
  shop = serveInProcess();
});

describe('the rewards', () => {
  const CART = { items: '11:100:1' };
  const ofCustomer = () => shop.ask('rewards', { customerId: '7', own: CART });
  const whys = ({ json }: { readonly json: unknown }) =>
    Object.fromEntries(
      (json as { rewards: { id: number; why: string }[] }).rewards.map(({ id, why }) => [id, why]),
    );

  it('are the active ones for a visitor, who must log in', async () => {
    const visitor = await shop.ask('rewards');
    expect(visitor.json.points).toBeNull();
    const ids = [1, 2, 3, 4, 5, 6, 8, 9];
    const notLoggedIn = Object.fromEntries(ids.map((id) => [id, 'not-logged-in']));
    // The last one is a custom reward.
    expect(whys(visitor)).toEqual({ ...notLoggedIn, 10: 'not-online' });
    for (const reward of visitor.json.rewards) expect(reward.redeemable).toBe(false);
    await shop.ask('rewards');
    expect(shop.calls('listRewardConfigurations')).toBe(1);
    expect(shop.loyalty.journal).toHaveLength(1);
    expect(visitor.headers['cache-control']).toBe('private, no-store');
  });

  it('are those that the service offers a customer for their cart, with its reasons', async () => {
    await shop.enroll('7', 120);
    const customer = await ofCustomer();
    expect(customer.json.points).toBe(120);
    // Not those of another season: the service does not list them, and says nothing about them.
    expect(whys(customer)).toEqual({
      ...{ 1: null, 2: 'too-few-points', 3: null, 4: null, 5: 'other-tier', 8: null },
      ...{ 9: 'product-conditions', 10: 'not-online' },
    });
    const empty = await shop.ask('rewards', { customerId: '7' });
    expect(whys(empty)).toMatchObject({ 1: 'below-minimum', 3: 'exceeds-purchase' });
    expect(customer.headers['cache-control']).toBe('private, no-store');
  });

  it('say what each gives: percent, amount, cashback, product, or something else', async () => {
    await shop.enroll('7', 120);
    const own = { items: '11:6:1,8012300098313:4:1' };
    const { json } = await shop.ask('rewards', { customerId: '7', own });
    const shown = (id: number) => json.rewards.find((one: { id: number }) => one.id === id);
    expect(shown(2)).toEqual({
      ...{ id: 2, title: '10 percent off', description: 'A tenth off your next purchase.' },
      ...{ points: 200, kind: 'percent', value: 10, product: null, cashback: null },
      ...{ redeemable: false, why: 'too-few-points', missingPoints: 80 },
      ...{ tiers: [], requirements: null },
    });
    expect(shown(3)).toMatchObject({ kind: 'fixed', value: 3, why: null });
    // 120 points are 6 of cashback, and half of the cart is 5.
    expect(shown(8)).toMatchObject({ kind: 'cashback', cashback: { least: 0.01, most: 5 } });
    expect(shown(9)).toMatchObject({ kind: 'percent', value: 50, product: 'Enamel Mug' });
    expect(shown(10)).toMatchObject({ kind: 'other', why: 'not-online', redeemable: false });
  });

  it('are shown to a customer whom the service does not know, with that reason', async () => {
    const { json } = await ofCustomer();
    expect(json).toMatchObject({ points: null, rewards: { length: 9 } });
    expect(whys({ json })).toMatchObject({ 1: 'not-a-member', 10: 'not-online' });
    expect(shop.calls('listAvailableRewards')).toBe(0);
  });

  it('are shown without descriptions while the service does not list them', async () => {
    await shop.enroll('7', 120);
    shop.loyalty.world.interfere = ({ operation }, pass) =>
      operation === 'listRewardConfigurations' ? TIME_OUT : pass();
    const { json } = await ofCustomer();
    expect(json.rewards[0]).toMatchObject({ id: 1, title: '5 off', description: '', why: null });
    expect((await shop.ask('rewards', { own: CART })).status).toBe(503);
  });

  it.each(['getCustomer', 'listAvailableRewards'])(
    'are not guessed while the service does not answer %s',
    async (silent) => {
      await shop.enroll('7', 120);
      shop.loyalty.world.interfere = ({ operation }, pass) =>
        operation === silent ? TIME_OUT : pass();
      expect((await ofCustomer()).status).toBe(503);
    },
  );

  it('are not listed for a cart that cannot be read', async () => {
    const { status, json } = await shop.ask('rewards', { own: { items: '11:1' } });
    expect([status, json.error.code]).toEqual([400, 'bad-request']);
  });

  it('of a redemption that is under way cannot be redeemed again', async () => {
    const terms = { title: '', points: 50, kind: 'fixed', value: 5, combines: false } as const;
    const common = { clientKeys: [], terms: { ...terms, codePrefix: '', limited: false } };
    const at = new Date(shop.clock.ms).toISOString();
    const code = { code: 'FIVE-1', kind: 'fixed', value: 5, startsAt: at } as const;
    const state = (rewardId: number, where: Redemption['state']): Redemption => ({
      ...{ ...common, id: `R${rewardId}`, rewardId, intendedAt: at, since: at, state: where },
    });
    const body = { CustomerId: '7', RewardId: 3, OriginalKey: 'a-key' };
    const redemptions = [
      state(3, { at: 'calling', body, attempts: 1, calledAt: at }),
      state(1, { at: 'ready', code, discountId: '1' }),
      state(4, { at: 'redeemed', redeemedRewardId: 7, code, calledAt: at }),
    ];
    const remembered = rememberBook({ redemptions, intents: [] });
    const entry = { version: 1, uncertain: false, outcomes: [], remembered };
    await shop.parts.ledger.write({ shop: SHOP, kind: 'redemption', id: '7' }, entry, undefined);
    await shop.enroll('7', 120);
    expect(whys(await ofCustomer())).toMatchObject({ 1: null, 3: 'pending', 4: 'pending' });
  });
});
