import { describe, expect, it } from 'vitest';
import { refusal, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { exactly, openScene } from '../../../support/order-scene.ts';

/** Found by somebody who tried to break the account of an order. Ten shirts of 10.00 are sold and shipped first. */
const TEN = { lines: [{ title: 'Shirt', price: 10, quantity: 10 }] };

type Scene = ReturnType<typeof openScene>;

/** The calls that take a part, from this one on, fail so. */
function failTakes(
  scene: Scene,
  from: number,
  answer: ReturnType<typeof refusal> | typeof UNREACHABLE,
): void {
  let takes = 0;
  scene.shop.connector.loyalty.world.interfere = ({ operation }, pass) => {
    if (operation === 'partiallyCancelPosOrder') takes += 1;
    return operation === 'partiallyCancelPosOrder' && takes >= from ? answer : pass();
  };
}

function heal(scene: Scene): void {
  scene.shop.connector.loyalty.world.interfere = undefined;
  scene.pass(1);
}

describe('two refunds of one second, of which a call does not get through', () => {
  it.each([
    ['the first', 1],
    ['the second', 2],
  ])('%s, and goods that are added and removed meanwhile take nothing more', async (_, from) => {
    const scene = openScene({ assumptions: { raiseAfterPartialCancel: 'send-gross' } });
    const order = await scene.sell(TEN);
    order.refund({ Shirt: 2 });
    order.refund({ Shirt: 3 });
    failTakes(scene, from, UNREACHABLE);
    await scene.shop.deliver();
    await scene.shop.work();
    heal(scene);
    order.edit({}, [{ title: 'Socks', price: 15 }]);
    order.edit({ Socks: 0 });
    expect(await order.settled()).toEqual(exactly(50));
  });
});

it('a refund that the service refused after a loss: what was read is read again', async () => {
  const scene = openScene();
  const order = await scene.sell(TEN);
  order.refund({ Shirt: 2 });
  await scene.process();
  await scene.loseLedger({ recovered: false });
  order.refund({ Shirt: 3 });
  failTakes(scene, 1, refusal(99));
  await scene.process();
  heal(scene);
  order.edit({}, [{ title: 'Socks', price: 35 }]);
  order.ship();
  const { counts, asksPerson } = await order.settled();
  expect(counts === 85 || asksPerson).toBe(true);
});

it.each([false, true])(
  'a refund after a loss and the end of its customer, recovered %s',
  async (recovered) => {
    const scene = openScene();
    const order = await scene.sell(TEN);
    await scene.loseLedger({ recovered });
    order.become(() => ({ customerId: null }) as never);
    order.refund({ Shirt: 3 });
    expect(await order.settled()).toEqual(exactly(70));
  },
);
