import { expect, it } from 'vitest';
import { orderAt } from '../fixtures/order-life.ts';
import { runConnectors } from '../support/running-connector.ts';
import { openProgram } from '../support/running-program.ts';
import { filesOfWalk, filesRunBy, OWN } from '../support/walked-files.ts';

const connectors = runConnectors();

it('the walk of a webhook names every file that runs for an order, and no other', async () => {
  const delivery = ['orders/updated', orderAt(1, { fulfilledAfterDays: 1 })] as const;
  // What a file does when it is loaded is no part of the walk.
  await (await connectors.open()).deliver(delivery);
  const { post, work, newOperations } = await connectors.open();
  newOperations();
  const ran = await filesRunBy(async () => {
    await post(...delivery);
    await work();
  });
  expect(newOperations()).toEqual(['sendOrder']);
  expect(ran.toSorted()).toEqual(filesOfWalk('One webhook').toSorted());
});

it('the walk of a redemption names every file that runs beside those of a webhook, and no other', async () => {
  const world = await openProgram(connectors);
  const { one, store, connector } = world;
  const ran = new Set<string>();
  async function redeemAndBuy(customerId: string, run: (work: () => Promise<unknown>) => unknown) {
    const body = world.click();
    const redeem = async () =>
      (await one.proxy(customerId, 'redeem', {}, { body })).json.redemption;
    store.faults.add({ kind: 'http-500', operation: 'discountCodeBasicCreate' });
    await run(async () => expect(await redeem()).toMatchObject({ state: 'making' }));
    store.faults.clear();
    connector.pass(60);
    // The worker makes the code. What the store then says of its new discount is a webhook as any other.
    await run(() => connector.work());
    const { state, code } = await redeem();
    expect(state).toBe('ready');
    await world.settle();
    await run(async () => {
      store.actions.placeOrder({
        ...{ customerId, lines: [{ title: 'Kettle', price: 100, quantity: 1 }], taxes: [] },
        ...{ discounts: [{ code }], payment: 'paid' },
      });
      await store.deliveries.settled();
      while ((await connector.work()) > 0);
    });
    await run(async () => {
      const { json } = await one.proxy(customerId, 'redemptions');
      expect(json.redemptions).toMatchObject([{ state: 'used' }]);
    });
  }
  const [sasha, robin] = [await world.shopper('Sasha', 300), await world.shopper('Robin', 300)];
  await redeemAndBuy(sasha, (work) => work());
  await world.rest();
  await redeemAndBuy(robin, async (work) => {
    for (const file of await filesRunBy(work)) ran.add(file);
  });
  const webhook = filesOfWalk('One webhook');
  const own = [...ran].filter((file) => !webhook.includes(file)).toSorted();
  expect(own).toEqual(
    filesOfWalk('One redemption')
      .filter((file) => OWN.test(file))
      .toSorted(),
  );
});
