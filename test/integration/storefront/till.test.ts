import { afterEach, describe, expect, it } from 'vitest';
import { openBalances } from '../../support/running-balances.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { openStorefront } from '../../support/running-storefront.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

/** The service asks for the challenge and does not enforce it: the connector must. */
const connectors = runConnectors({ challenge: 'asked' });
let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

const staff = { kind: 'staff', id: '42' } as const;
const items = '11:100.00:1';

/** A customer who has bought enough for a reward stands at the till. */
async function open() {
  const { store, connector, stop: end } = await openStoreAndConnector(connectors, { seed: 9 });
  stop = end;
  const balances = await openBalances(connector);
  const { id: customerId } = store.actions.createCustomer({
    ...{ firstName: 'Robin', lastName: 'Sampleson', email: 'robin@example.com' },
  });
  const { id: orderId } = store.actions.placeOrder({
    ...{ customerId, lines: [{ title: 'Kettle', price: 900, quantity: 1 }] },
    ...{ payment: 'paid', taxes: [] },
  });
  store.actions.fulfilOrder({ orderId });
  await store.deliveries.settled();
  await connector.settle();
  await balances.forward();
  await balances.settle();
  const storefront = openStorefront(connector);
  const at = (route: string) => `till/${customerId}/${route}`;
  const view = await storefront.ask(staff, at('view'));
  const reward = view.json.rewards.find(
    ({ redeemable, kind }: { redeemable: boolean; kind: string }) =>
      redeemable && kind === 'percent',
  );
  const redeem = (clientKey: string, answer?: string, through = storefront) =>
    through.ask(staff, at('redeem'), { rewardId: reward.id, clientKey, items, answer });
  const redeemed = () =>
    connector.loyalty.journal
      .entries()
      .filter(({ operation }) => operation === 'redeemRewardByKey');
  const pin = () => connector.loyalty.state().challenges[0]?.pin ?? '';
  return { store, connector, storefront, customerId, at, view, redeem, redeemed, pin };
}

describe('a till with a real ledger, store and loyalty service', () => {
  it('redeems for a customer who answers the challenge, and gets a code of the store', async () => {
    const { connector, storefront, customerId, at, view, redeem, redeemed, pin } = await open();
    expect(view.json).toMatchObject({ points: 900, needsChallenge: true });
    expect((await redeem('click-0001')).json.error.code).toBe('challenge-needed');
    expect((await storefront.ask(staff, at('challenge'), {})).json).toEqual({ started: true });
    const wrong = pin() === '0000' ? '1111' : '0000';
    expect((await redeem('click-0001', wrong)).json.error.code).toBe('challenge-wrong');
    expect(redeemed()).toEqual([]);
    const { status, json } = await redeem('click-0001', pin());
    expect([status, json.redemption.state]).toEqual([200, 'ready']);
    expect(redeemed()).toHaveLength(1);
    expect(redeemed()[0]?.body).toMatchObject({ RedeemOrigin: 5 });
    // The customer sees it in their account, and no one else does.
    const own = await storefront.ask({ kind: 'customer', id: customerId }, 'account/redemptions');
    expect(own.json.redemptions).toMatchObject([{ code: json.redemption.code }]);
    const acted = connector.output
      .lines()
      .filter(({ message }) => message === 'a till acted for a customer');
    expect(acted).toHaveLength(4);
    expect(acted.at(-1)).toMatchObject({ staffId: '42', customerId, outcome: 'redemption' });
  });

  it('limits the tries of a customer over all processes', async () => {
    const { connector, storefront, at, redeem, redeemed, pin } = await open();
    await storefront.ask(staff, at('challenge'), {});
    const wrong = pin() === '0000' ? '1111' : '0000';
    const codes: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      const { json } = await redeem(`click-100${n}`, wrong, openStorefront(connector));
      codes.push(json.error.code);
    }
    expect(codes).toEqual([
      ...Array.from({ length: 5 }, () => 'challenge-wrong'),
      ...Array.from({ length: 2 }, () => 'too-many-requests'),
    ]);
    expect((await redeem('click-2000', pin())).status).toBe(429);
    expect(redeemed()).toEqual([]);
  });
});
