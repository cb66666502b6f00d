import { afterEach, describe, expect, it } from 'vitest';
import type { CatalogReward } from '../../../local/loyalty-sandbox/catalog.ts';
import { defaultCatalog } from '../../../local/loyalty-sandbox/default-catalog.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { expectNothingSpent, isActive } from './laws.ts';
import type { Click, Shopper } from './processes.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';

/** Its id is known once the store has made the product. */
const scarf = { id: '', name: 'Linen scarf', mostUnits: 3, available: 10 };
const product = (
  id: number,
  mode: 'percent' | 'final-price' | 'free-gift' | 'amount-off',
  value: number,
): CatalogReward => ({
  id,
  title: `Scarf, ${mode}`,
  description: '',
  kind: 'product',
  value: 0,
  points: 80,
  isActive: true,
  codePrefix: 'SCARF',
  couponValidDays: 30,
  get product() {
    return { ...scarf, mode, value };
  },
});
const rewards = [
  ...defaultCatalog.rewards.filter(({ id }) => [1, 2, 8, 10].includes(id)),
  product(20, 'percent', 50),
  product(21, 'final-price', 15),
  product(22, 'free-gift', 0),
  product(23, 'amount-off', 7),
];
const connectors = runConnectors(
  { posCustomerId: 'email-or-document' },
  { ...defaultCatalog, rewards },
);
let world: RedeemWorld;
afterEach(() => world.stop());

/** A shopper with 250 points, which are worth 12.50 of cashback, and a scarf for 40. */
async function open() {
  world = await openRedeemWorld(connectors);
  const made = world.store.actions.createProduct({ title: 'Linen scarf', price: 40 });
  scarf.id = made.id;
  return { robin: await world.shopper(), variantId: made.variants[0]?.id ?? '' };
}

async function redeem(robin: Shopper, rewardId: number, more: Partial<Click> = {}) {
  const items = `${scarf.id}:40.00:3`;
  const shop = await world.startStorefront();
  const answer = await shop.redeem(robin, world.click(rewardId, { items, ...more }));
  await world.rest();
  if (answer === 'no answer') throw new Error('killed');
  return answer;
}

/** The only discount of the customer; its code is the one that the service knows. */
function onlyDiscount(robin: Shopper) {
  const [redemption, ...others] = world.redemptionsOf(robin).filter(isActive);
  const [made, ...more] = world.codesOf(robin);
  expect([others, more]).toEqual([[], []]);
  expect(made?.code).toBe(redemption?.ExternalCode);
  expect(made?.discount.usageLimit).toBe(1);
  return made;
}

/** What the code takes off an order, in hundredths. */
function takenOff(robin: Shopper, lines: readonly { variantId?: string; quantity: number }[]) {
  const { code = '' } = onlyDiscount(robin) ?? {};
  const order = world.store.actions.placeOrder({
    customerId: robin.id,
    lines: lines.map((line) => (line.variantId ? line : { ...line, title: 'Lamp', price: 100 })),
    discounts: [{ code }],
  });
  return order.lines
    .flatMap(({ allocations }) => allocations)
    .reduce((sum, { minor }) => sum + minor, 0);
}

describe('a reward of type', () => {
  it('0, percent, takes a part of the order', async () => {
    const { robin } = await open();
    expect(await redeem(robin, 2)).toMatchObject({ status: 200 });
    expect(world.pointsOf(robin)).toBe(50);
    expect(onlyDiscount(robin)?.discount).toMatchObject({
      value: { kind: 'percentage', ppm: 100_000 },
      productIds: null,
    });
  });

  it('1, fixed amount, takes its amount off an order from its minimum', async () => {
    const { robin } = await open();
    expect(await redeem(robin, 1)).toMatchObject({ status: 200 });
    expect(world.pointsOf(robin)).toBe(150);
    expect(onlyDiscount(robin)?.discount).toMatchObject({
      value: { kind: 'fixed', minor: 500, each: false },
      minimumMinor: 2000,
      productIds: null,
    });
  });

  it.each([0.01, 4, 12.5])('3, cashback, takes the chosen amount off: %d', async (value) => {
    const { robin } = await open();
    expect(await redeem(robin, 8, { value })).toMatchObject({ status: 200 });
    expect(onlyDiscount(robin)?.discount.value).toEqual({
      kind: 'fixed',
      minor: Math.round(value * 100),
      each: false,
    });
    const { cashback } =
      world.loyalty.state().customers.find(({ OriginalId }) => OriginalId === robin.id) ?? {};
    expect(cashback).toBe(Math.round((12.5 - value) * 100) / 100);
  });

  it.each([
    ['a cart of its own size', '1:25.00:1'],
    ['a large cart', '1:500.00:1'],
    ['a cart that is not there', '1:1000000.00:9'],
  ])(
    '3, cashback, can be used for orders of which the program lets it pay half: %s',
    async (_, items) => {
      const { robin } = await open();
      expect(await redeem(robin, 8, { value: 12.5, items })).toMatchObject({ status: 200 });
      expect(onlyDiscount(robin)?.discount.minimumMinor).toBe(2500);
    },
  );

  it.each([
    ['more than the customer has', { value: 12.51 }],
    ['more than the service allows for the cart', { value: 10.01, items: '1:20.00:1' }],
    ['nothing', { value: 0 }],
    ['below zero', { value: -4 }],
    ['a part of a cent', { value: 4.005 }],
    ['no amount', {}],
    ['a text', { value: '4' as unknown as number }],
    ['an amount beyond all numbers', { value: 1e300 }],
  ])('3, cashback, is refused for %s', async (_, more) => {
    const { robin } = await open();
    const { status } = await redeem(robin, 8, more);
    expect(status === 400 || status === 409).toBe(true);
    await expectNothingSpent(world, robin);
  });

  it('4, custom, is shown and cannot be redeemed', async () => {
    const { robin } = await open();
    const shop = await world.startStorefront();
    const listed = await shop.get(robin, 'rewards', { items: `${scarf.id}:40.00:3` });
    if (listed === 'no answer') throw new Error('killed');
    const shown = listed.json.rewards as { id: number; redeemable: boolean }[];
    expect(shown.map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2, 8, 10, 20]));
    expect(shown.find(({ id }) => id === 10)).toMatchObject({ redeemable: false });
    expect(await redeem(robin, 10)).toMatchObject({ status: 409 });
    await expectNothingSpent(world, robin);
  });

  it.each([
    ['percent', 20, 2000],
    ['free gift', 22, 4000],
    ['fixed amount off', 23, 700],
  ])(
    '5, product, %s: takes it off one unit of that product, whatever the page says it costs',
    async (_, id, minor) => {
      const { variantId } = await open();
      for (const price of ['40.00', '4000.00', '0.01']) {
        const robin = await world.shopper();
        const items = `${scarf.id}:${price}:3`;
        expect(await redeem(robin, id, { items })).toMatchObject({ status: 200 });
        expect(world.pointsOf(robin)).toBe(170);
        expect(onlyDiscount(robin)?.discount.productIds).toEqual([scarf.id]);
        expect(takenOff(robin, [{ variantId, quantity: 3 }, { quantity: 1 }])).toBe(minor);
      }
    },
  );

  it('5, product, fixed final price: no discount of the store is one, so it is not redeemable', async () => {
    const { robin } = await open();
    expect(await redeem(robin, 21)).toMatchObject({ status: 409 });
    await expectNothingSpent(world, robin);
  });
});
