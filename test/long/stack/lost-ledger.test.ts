import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portsFrom, requireFreePorts } from '../../../local/stack/start-options.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { copyItems, restoreItems, runRecover, stateOf } from '../../support/lost-ledger.ts';
import { openShoppers, type Shopper } from '../../support/stack-shoppers.ts';

const SETTINGS = 'local/harness/storefront.config.ts';
const PATIENCE = 900_000;

type Shop = ReturnType<typeof openShoppers>;

/** Prints how long it took, for docs/runbook.md. */
function report(scene: string, { tookMs, shops }: { tookMs: number; shops: object[] }): void {
  const seconds = (tookMs / 1000).toFixed(1);
  process.stdout.write(`${scene}: recovered in ${seconds} s ${JSON.stringify(shops)}\n`);
}

/** Two kettles of this price, fulfilled. */
function buy({ store }: LocalStack, { id }: Shopper, price: number) {
  const { actions } = store;
  const lines = [{ title: 'Kettle', price, quantity: 2 }];
  const order = actions.placeOrder({ customerId: id, lines, payment: 'paid', taxes: [] });
  actions.fulfilOrder({ orderId: order.id });
  const [line] = order.lines;
  if (!line) throw new Error('an order without a line');
  return { orderId: order.id, lineId: line.id };
}

/** Six free ports begin with it, below those that the system gives to connections. */
async function anyPort(): Promise<number> {
  const first = 20_000 + Math.floor(Math.random() * 10_000);
  return requireFreePorts(first).then(() => first, anyPort);
}

/** Gives back an amount without goods. */
const giveBack = ({ store }: LocalStack, { orderId }: { orderId: string }, amount: number) =>
  store.actions.refundOrder({ orderId, amount });

/** Takes one kettle back. */
const takeBack = ({ store }: LocalStack, { orderId, lineId }: ReturnType<typeof buy>) =>
  store.actions.refundOrder({ orderId, lines: [{ lineId, quantity: 1 }] });

async function settled(stack: LocalStack, shop: Shop, everyone: readonly Shopper[]) {
  await stack.settled();
  const isShown = () => {
    const { pointsOf, shownPoints } = shop.look();
    return everyone.filter((one) => shownPoints(one) !== String(pointsOf(one))).length;
  };
  await expect.poll(isShown, { timeout: 300_000, interval: 500 }).toBe(0);
  await stack.settled();
  return stateOf(stack, shop, everyone);
}

describe('the ledger of a running stack', () => {
  let stack: LocalStack;
  let shop: Shop;
  beforeAll(async () => {
    stack = await startLocalStack({ settings: SETTINGS });
    shop = openShoppers(stack);
  }, 180_000);
  afterAll(() => stack?.stop());

  it(
    'is restored to an earlier moment, with orders, refunds, redemptions and merges since',
    async () => {
      const [anna, bela, carl, dora] = ['anna', 'bela', 'carl', 'dora'].map(shop.newShopper) as [
        ...[Shopper, Shopper, Shopper, Shopper],
      ];
      const everyone = [anna, bela, dora];
      const first = { anna: buy(stack, anna, 100), bela: buy(stack, bela, 80) };
      buy(stack, carl, 30);
      buy(stack, dora, 120);
      giveBack(stack, first.anna, 20);
      await settled(stack, shop, everyone);
      const since = Date.now();
      const copy = await copyItems(stack);

      giveBack(stack, first.anna, 15);
      takeBack(stack, first.bela);
      buy(stack, bela, 45);
      await stack.settled();
      giveBack(stack, first.bela, 5);
      stack.store.actions.mergeCustomers({ keptId: anna.id, deletedId: carl.id });
      const { redemption } = await shop.askUntilAnswered(dora, 'redeem', dora.click);
      await shop.expectCodes([dora]);
      const second = { ...dora.click, rewardId: 3, clientKey: 'click-second' };
      await shop.askUntilAnswered(dora, 'redeem', second);
      await stack.settled();
      shop.buy(dora, 50, redemption.code);
      const before = await settled(stack, shop, everyone);

      await restoreItems(stack, copy);
      const lost = await shop.askUntilAnswered(dora, 'redemptions');
      expect(lost.redemptions).toEqual([]);
      const { code, document } = await runRecover(stack, { since, yes: true });
      expect(document).toMatchObject({ changed: true, messages: { left: 0 } });
      expect(code).toBe(0);
      report('restored', document);
      expect(await settled(stack, shop, everyone)).toEqual(before);

      // The same click spends nothing, and the next refund is exact.
      await shop.askUntilAnswered(dora, 'redeem', second);
      expect(await settled(stack, shop, everyone)).toEqual(before);
      giveBack(stack, first.anna, 5);
      await settled(stack, shop, [anna]);
      const amountOf = (state: typeof before) =>
        state.orders.find(({ id }) => id === first.anna.orderId)?.amount ?? 0;
      const after = await stateOf(stack, shop, everyone);
      expect(amountOf(after)).toBe(amountOf(before) - 5);
      // The merge waits for a person, as without the accident.
      expect(await shop.deadLetters()).toBe(1);
      expect(stack.problems).toEqual([]);
    },
    PATIENCE,
  );

  it(
    'is deleted',
    async () => {
      const eva = shop.newShopper('eva');
      const order = buy(stack, eva, 150);
      await stack.settled();
      takeBack(stack, order);
      await stack.settled();
      giveBack(stack, order, 25);
      const { redemption } = await shop.askUntilAnswered(eva, 'redeem', eva.click);
      await shop.expectCodes([eva]);
      expect(redemption.points).toBe(100);
      const before = await settled(stack, shop, [eva]);

      await restoreItems(stack);
      // While nothing is known, another refund is made.
      giveBack(stack, order, 10);
      await stack.settled();
      const { code, document } = await runRecover(stack, { yes: true });
      expect(code).toBe(0);
      report('deleted', document);
      const after = await settled(stack, shop, [eva]);
      const { orders, shoppers } = before;
      expect(after).toEqual({
        orders: orders.map((one) =>
          one.id === order.orderId ? { ...one, amount: one.amount - 10 } : one,
        ),
        shoppers: shoppers.map((one) => ({
          ...one,
          points: Number(one.points) - 10,
          shown: String(Number(one.points) - 10),
        })),
      });
      expect(await shop.deadLetters()).toBe(1);
    },
    PATIENCE,
  );
});

it(
  'a stack is deleted and deployed again',
  async () => {
    const dataFolder = mkdtempSync(join(process.env.TEST_RUN_FOLDER ?? tmpdir(), 'again-'));
    // The store goes on sending to the address that it knows.
    const ports = portsFrom(await anyPort());
    const open = () => startLocalStack({ settings: SETTINGS, dataFolder, ports });
    let stack = await open();
    try {
      let shop = openShoppers(stack);
      const finn = shop.newShopper('finn');
      const order = buy(stack, finn, 200);
      await stack.settled();
      takeBack(stack, order);
      await shop.askUntilAnswered(finn, 'redeem', finn.click);
      await shop.expectCodes([finn]);
      const before = await settled(stack, shop, [finn]);
      await stack.stop();
      // What a deployment keeps: the secrets. The store and the loyalty service are not ours.
      for (const name of readdirSync(dataFolder)) {
        if (/secrets|store|loyalty/.test(name)) continue;
        rmSync(join(dataFolder, name), { recursive: true });
      }
      stack = await open();
      shop = openShoppers(stack);
      giveBack(stack, order, 30);
      await stack.settled();
      const { code, document } = await runRecover(stack, { yes: true });
      expect(code).toBe(0);
      report('deployed again', document);
      const after = await settled(stack, shop, [finn]);
      const [was] = before.shoppers;
      expect(after.orders).toEqual(
        before.orders.map((one) => ({ ...one, amount: one.amount - 30 })),
      );
      expect(after.shoppers).toEqual([
        { ...was, points: Number(was?.points) - 30, shown: String(Number(was?.points) - 30) },
      ]);
      expect(await shop.deadLetters()).toBe(0);
    } finally {
      await stack.stop();
    }
  },
  PATIENCE,
);
