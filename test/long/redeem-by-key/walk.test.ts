import { afterEach, describe, expect, it } from 'vitest';
import { TOKEN_HEADER } from '../../../shared/core/balances/receive-points.ts';
import type { Treat } from '../../support/outside-line.ts';
import { newToken } from '../../support/running-balances.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { isCodeMade, isRedeem, once } from '../../support/treatments.ts';
import { expectSpentOnce } from './laws.ts';
import type { Shopper } from './processes.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: RedeemWorld;
afterEach(() => world.stop());

/** The store's webhooks and the service's point events, until nothing is left to do. */
async function settle(robin: Shopper, token: string): Promise<void> {
  await world.store.deliveries.settled();
  await world.connector.settle();
  const receiver = await world.startReceiver();
  const headers = { [TOKEN_HEADER]: token };
  for (let sent = -1; sent !== world.eventsOf(robin).length; ) {
    const events = world.eventsOf(robin);
    sent = events.length;
    for (const { topic, payload } of events) {
      const body = { Uuid: crypto.randomUUID(), Topic: topic, Payload: payload };
      expect(await receiver.post('example-store', JSON.stringify(body), headers)).toBe(200);
    }
    await world.rest();
  }
}

describe('order, points, metafield, rewards, redemption, code, order with the code, its cancellation', () => {
  it.each<[string, Treat]>([
    ['with an answer lost', once(isRedeem, 'lost')],
    ['with a process killed before it spends', once(isRedeem, 'killed-before')],
    ['with a process killed after it spent', once(isRedeem, 'killed-after')],
    ['with a process killed after the code was made', once(isCodeMade, 'killed-after')],
  ])('%s', async (_, treat) => {
    world = await openRedeemWorld(connectors);
    const token = newToken();
    await world.keepPointTokens({ current: token });
    const { actions } = world.store;
    const email = 'robin.walker@example.com';
    world.connector.confidential.addPersonal({ customer: { email } });
    const { id } = actions.createCustomer({ firstName: 'Robin', lastName: 'Walker', email });
    const robin = { id, email };
    const buy = (price: number, codes: readonly string[]) => {
      const lines = [{ title: 'Kettle', price, quantity: 1 }];
      const discounts = codes.map((code) => ({ code }));
      const placed = { customerId: id, lines, discounts, payment: 'paid' } as const;
      const order = actions.placeOrder({ ...placed, taxes: [] });
      actions.fulfilOrder({ orderId: order.id });
      return order.id;
    };

    buy(160, []);
    await settle(robin, token);
    expect(world.metafieldsOf(robin)).toMatchObject({ points: '160' });

    const shop = await world.startStorefront(treat);
    const click = world.click();
    const listed = await shop.get(robin, 'rewards', { items: click.items });
    if (listed === 'no answer') throw new Error('killed');
    const shown = listed.json.rewards as { id: number; redeemable: boolean }[];
    expect(shown.find((reward) => reward.id === 1)).toMatchObject({ redeemable: true });
    await shop.redeem(robin, click);
    await settle(robin, token);
    await expectSpentOnce(world, robin, { before: 160 });
    expect(world.metafieldsOf(robin)).toMatchObject({ points: '60' });

    const [{ code } = { code: '' }] = world.codesOf(robin);
    const orderId = buy(45, [code]);
    await settle(robin, token);
    expect(world.pointsOf(robin)).toBe(100);
    expect(world.redemptionsOf(robin)).toMatchObject([{ usedByOrderId: orderId }]);
    expect(world.metafieldsOf(robin)).toMatchObject({ points: '100' });

    actions.cancelOrder({ orderId });
    await settle(robin, token);
    expect(world.pointsOf(robin)).toBe(60);
    expect(world.metafieldsOf(robin)).toMatchObject({ points: '60' });
    expect(await world.deadLetters()).toBe(0);
    expect(await world.connector.deadLetters()).toEqual([]);
  });
});
