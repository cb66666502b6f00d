import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { EARNED, type HeldRewards, openHeldRewards } from '../../support/held-rewards.ts';
import { type HurriedStack, startHurriedStack } from '../../support/hurried-stack.ts';
import type { Shopper } from '../../support/stack-shoppers.ts';

const CASHBACK = 8;
const OTHER = '6949999999999';

/** The deployed bundles, where cashback becomes store credit. */
describe('a member with the e-mail address of a shopper', () => {
  let world: HurriedStack;
  let rewards: HeldRewards;
  let clicks = 0;
  beforeAll(async () => {
    world = await startHurriedStack({ settings: 'test/fixtures/store-credit.config.ts' });
    rewards = openHeldRewards(world);
    // First in the service: it means this one by an address that two have.
    await saveOther('wilhelmina.elsewhere@example.com');
    const { loyalty } = world.stack;
    const given = { Points: 500, OperationType: 0, Reason: 'a test', ChangeKey: 'elsewhere-1' };
    await askLoyalty(loyalty, 'POST', `/Customer/${OTHER}/points`, given);
  }, 180_000);
  afterAll(() => world?.stop(), 60_000);

  const saveOther = (Email: string) =>
    askLoyalty(world.stack.loyalty, 'POST', '/Customer/upsert', {
      ...{ OriginalId: OTHER, Name: 'Wilhelmina Elsewhere', Email },
    });

  /** From a shop, with as many points; the other then takes their address. */
  async function shopperWith(title: string, price: number): Promise<Shopper> {
    const shopper = rewards.shop.newShopper(title);
    if (price > 0) rewards.shop.buy(shopper, price);
    await world.settled();
    expect(rewards.shop.look().pointsOf(shopper)).toBe(price);
    await saveOther(shopper.email);
    return shopper;
  }

  const redeem = ({ click, ...shopper }: Shopper, rewardId: number, value?: number) => {
    const clientKey = `own-${String(++clicks).padStart(6, '0')}`;
    const body = { ...click, rewardId, clientKey, ...(value && { value }) };
    return rewards.insist(() => rewards.shop.request(shopper, 'redeem', body));
  };

  const standing = () => {
    const { customers, redemptions } = world.stack.loyalty.state();
    const { storeCreditTransactions } = world.stack.store.state();
    return {
      theirs: customers.find(({ OriginalId }) => OriginalId === OTHER)?.points,
      heldOfTheirs: redemptions.filter((one) => one.customerId === OTHER && !one.canceledAt).length,
      credits: storeCreditTransactions.length,
      codes: world.stack.store.rows.codes.size,
    };
  };

  it('pays neither store credit nor a code for a shopper without points', async () => {
    const poor = await shopperWith('without points', 0);
    const before = standing();
    for (const [rewardId, value] of [[CASHBACK, 2], [1]] as const) {
      const { status, body } = await redeem(poor, rewardId, value);
      expect([rewardId, status >= 400 && status < 500]).toEqual([rewardId, true]);
      expect(body.error.message).toMatch(/^\p{Lu}.{15,}\.$/su);
    }
    await world.settled();
    expect(standing()).toEqual({ ...before, theirs: 500, heldOfTheirs: 0 });
  });

  it('pays no store credit for a shopper who has points', async () => {
    const rich = await shopperWith('with points', EARNED);
    const before = standing();
    const { status, body } = await redeem(rich, CASHBACK, 2);
    await world.settled();
    const isServed = status === 200 && body.redemption.state === 'credited';
    expect(standing()).toMatchObject({
      ...{ theirs: 500, heldOfTheirs: 0 },
      credits: before.credits + (isServed ? 1 : 0),
    });
    expect(rewards.shop.look().pointsOf(rich)).toBe(isServed ? EARNED - 40 : EARNED);
  });

  it('hinders no shopper with an address of their own', async () => {
    const normal = rewards.shop.newShopper('normal');
    rewards.shop.buy(normal, EARNED);
    await world.settled();
    const { credits, theirs } = standing();
    const { status, body } = await redeem(normal, CASHBACK, 2);
    expect([status, body.redemption?.state]).toEqual([200, 'credited']);
    await world.settled();
    expect(standing()).toMatchObject({ theirs, credits: credits + 1 });
    expect(rewards.shop.look().pointsOf(normal)).toBe(EARNED - 40);
  });
});
