import { describe, expect, it } from 'vitest';
import { exactly, openScene, type Scene, type SceneOrder } from '../../../support/order-scene.ts';
import { serveInProcess } from '../../../support/served-storefront.ts';

const shirts = (quantity: number) => ({ title: 'Shirt', price: 50, quantity });

describe('the points of an order that the service holds under another id', () => {
  async function earningOf(scene: Scene, order: SceneOrder) {
    const { clock, loyalty, ledger } = scene.shop.connector;
    const storefront = serveInProcess({ beside: { clock, loyalty, ledger } });
    const asking = { customerId: scene.customerId, own: { id: order.id } };
    const { json } = await storefront.ask('order', asking);
    return json as { readonly state: string; readonly points: number | null };
  }

  it('are shown where it has the id of the store', async () => {
    const scene = openScene();
    const order = await scene.sell({ lines: [shirts(1)] });
    expect(await earningOf(scene, order)).toMatchObject({ state: 'earns', points: 50 });
  });

  // Issue 45, scene 7: "waiting" for ever.
  it('are shown where another integration gave it another one', async () => {
    const scene = openScene();
    await scene.observe();
    const order = await scene.sell({ lines: [shirts(1)] });
    await scene.otherSends(order, 50);
    await scene.goLive();
    expect(await order.settled()).toEqual(exactly(50));
    expect(await earningOf(scene, order)).toMatchObject({ state: 'earns', points: 50 });
  });

  // Issue 45, scene 7: "waiting" for ever.
  it('are shown after a later change of it was taken there', async () => {
    const scene = openScene();
    await scene.observe();
    const order = await scene.sell({ lines: [shirts(2)] });
    await scene.otherSends(order, 100);
    await scene.goLive();
    order.refund({ Shirt: 1 });
    expect(await order.settled()).toEqual(exactly(50));
    expect(await earningOf(scene, order)).toMatchObject({ state: 'earns', points: 50 });
  });
});
