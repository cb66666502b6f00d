import { describe, expect, it } from 'vitest';
import { encodeSnapshot } from '../../../../shared/core/store/store.ts';
import { refusal, TIME_OUT, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { sendEvent } from '../../../support/change-order.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
import { exactly, GIFT_CARD, openScene, sameOrPerson } from '../../../support/order-scene.ts';

/** Found by somebody who tried to break the account of an order. Ten shirts of 10.00 are sold and shipped first. */
const TEN = { lines: [{ title: 'Shirt', price: 10, quantity: 10 }] };

type Scene = ReturnType<typeof openScene>;

/** The calls that take a part, from this one on, fail so. */
function failTakes(
  scene: Scene,
  from: number,
  answer: ReturnType<typeof refusal> | typeof UNREACHABLE | typeof TIME_OUT,
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

describe('two refunds of one second, and a lost ledger', () => {
  async function refundedAtOnce(scene: Scene) {
    const order = await scene.sell(TEN);
    order.refund({ Shirt: 2 });
    scene.pass(-1 / 60);
    order.refund({ Shirt: 3 });
    return order;
  }

  // Counted was 80, silently: the key of the first call was used, which was taken for all of them.
  it.each([true, false])('that is lost between two calls, recovered %s', async (recovered) => {
    const scene = openScene();
    const order = await refundedAtOnce(scene);
    failTakes(scene, 2, UNREACHABLE);
    await scene.shop.deliver();
    await scene.shop.work();
    await scene.loseLedger({ recovered });
    heal(scene);
    order.tag();
    const settled = await order.settled();
    expect(settled).toEqual(sameOrPerson(settled, 50));
  });

  it.each([true, false])(
    'of which the answer that a key is used is lost, recovered %s',
    async (recovered) => {
      const scene = openScene();
      const order = await refundedAtOnce(scene);
      expect(await order.settled()).toEqual(exactly(50));
      await scene.loseLedger({ recovered });
      failTakes(scene, 1, TIME_OUT);
      order.tag();
      await scene.shop.deliver();
      await scene.shop.work();
      heal(scene);
      const settled = await order.settled();
      expect(settled).toEqual(sameOrPerson(settled, 50));
    },
  );
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

/** As a backfill sends it: what it read some time ago, without the book. */
async function backfill(scene: Scene, id: string): Promise<void> {
  scene.pass(1);
  const { connector } = scene.shop;
  const read = await connector.store.readOrder(SHOP, id);
  if (read.kind !== 'found') throw new Error('the store has no such order');
  const body = encodeSnapshot({ kind: 'order', order: read.value }, new Date(connector.clock.ms));
  const sent = { topic: 'backfill/order', deliveryId: `backfill of ${id}`, history: true, body };
  await sendEvent(connector, { shop: SHOP, kind: 'order', id }, sent);
  await connector.drain();
}

describe('a ledger that was restored, and nobody noticed', () => {
  // Counted was 30: the snapshot of a backfill has no book, and 20 were taken twice.
  it('takes nothing twice if a backfill tells of the next refund', async () => {
    const scene = openScene();
    const order = await scene.sell(TEN);
    scene.copyLedger();
    order.refund({ Shirt: 2 });
    await scene.process();
    await scene.loseLedger({ recovered: false });
    order.refund({ Shirt: 3 });
    await backfill(scene, order.id);
    expect(await order.settled()).toEqual(exactly(50));
  });
});

describe('an amount that was sent by other rules', () => {
  // Counted was 60, silently: the order counted 100 once by today's rules, before a gift card paid a part of it.
  it.each([true, false])(
    'is not taken for one from before the order was completed, recovered %s',
    async (recovered) => {
      const scene = openScene({ rules: { giftCards: 'earn-when-used' } });
      const order = scene.place({ ...TEN, paidBy: 'nothing' });
      order.pay(40, GIFT_CARD);
      order.pay();
      order.ship();
      expect(await order.settled()).toEqual(exactly(100));
      scene.shop.changeRules({ giftCards: 'earn-when-bought' });
      await scene.loseLedger({ recovered });
      order.refund({ Shirt: 2 });
      const settled = await order.settled();
      expect(settled).toEqual(sameOrPerson(settled, 80));
    },
  );
});

describe('an order whose goods are all back, and whose money is not', () => {
  // Counted was 100: while nothing was kept, the service was not asked, and afterwards the order was no longer unknown.
  it.each([true, false])(
    'counts what is added after the ledger was lost, recovered %s',
    async (recovered) => {
      const scene = openScene();
      const order = await scene.sell(TEN);
      await scene.loseLedger({ recovered });
      order.refund({ Shirt: 10 }, { pending: 'rise' });
      scene.shop.do('settleRefund', { orderId: order.id, outcome: 'failure' });
      await scene.process();
      order.edit({}, [{ title: 'Extra', price: '64.88', quantity: 1 }]);
      const settled = await order.settled();
      expect(settled).toEqual(recovered ? sameOrPerson(settled, 64.88) : exactly(64.88));
    },
  );
});

describe('an order that was all paid back, and is bought on', () => {
  // The service takes no cancelled order back. Nothing is due before what was added is shipped.
  it.each([true, false])(
    'asks a person once it is complete again after the ledger was lost, recovered %s',
    async (recovered) => {
      const scene = openScene();
      const order = await scene.sell(TEN);
      order.refundAmount(100);
      await scene.process();
      order.edit({}, [{ title: 'Extra', price: '64.88', quantity: 1 }]);
      await scene.loseLedger({ recovered });
      order.pay();
      await scene.process();
      order.ship();
      expect(await order.settled()).toMatchObject({ asksPerson: true });
    },
  );
});

describe('an order that was paid, and to which goods are added', () => {
  // Counted was 100: an order that is paid in part was taken for one that was never complete.
  it.each([true, false])(
    'counts them also after the ledger was lost, recovered %s',
    async (recovered) => {
      const scene = openScene({ rules: { completeWhen: 'paid' } });
      const order = scene.place(TEN);
      expect(await order.settled()).toEqual(exactly(100));
      await scene.loseLedger({ recovered });
      scene.pass(1);
      order.edit({ Shirt: 12 });
      expect(await order.settled()).toEqual(exactly(120));
    },
  );
});

describe('an order whose money is all back, and that is paid in the same second', () => {
  // It was left cancelled, silently: by its amount, only the rules seemed to make the two states differ.
  it('asks a person', async () => {
    const scene = openScene();
    const order = await scene.sell({ lines: [{ title: 'Shirt', price: 10 }], shipping: 30 });
    scene.pass(1);
    order.edit({}, [{ title: 'Extra', price: '20', quantity: 1 }]);
    await scene.process();
    scene.pass(1);
    order.refund({ Shirt: 1 });
    expect(await order.settled()).toEqual(exactly(20));
    scene.pass(1);
    scene.shop.do('refundOrder', { orderId: order.id, shipping: 'all' });
    expect(await order.settled()).toEqual(exactly('cancelled'));
    scene.pass(-1 / 60);
    order.pay();
    expect(await order.settled()).toEqual({ counts: 'cancelled', asksPerson: true });
  });
});
