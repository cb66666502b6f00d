import { afterEach, describe, expect, it } from 'vitest';
import type { Treat } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { at, isRedeem, once } from '../../support/treatments.ts';
import { expectAllOrNothing, expectSpentOnce } from './laws.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: RedeemWorld;
afterEach(() => world.stop());

/** To be killed before a call is to be killed after the one before it. */
const faults = ['lost', 'unsent', 'http-500', 'killed-after'] as const;

/** One click under these faults; then the queue runs to rest; then the page repeats the click. */
async function redeemUnder(shopTreat: Treat, workerTreat: Treat, when: string) {
  const robin = await world.shopper();
  const click = world.click();
  const shop = await world.startStorefront(shopTreat);
  await shop.redeem(robin, click);
  const worker = await world.rest(workerTreat);
  expectAllOrNothing(world, robin, when);
  const again = await world.startStorefront();
  expect(await again.redeem(robin, click), when).toMatchObject({ status: 200 });
  await world.rest();
  await expectSpentOnce(world, robin, { when });
  return { shop: shop.line.calls, worker: worker.calls };
}

const pass: Treat = () => 'pass';

describe('points are spent once, and one code is made, when one outside call', () => {
  it.each(faults)('of the shopper’s request is %s', async (fault) => {
    world = await openRedeemWorld(connectors);
    const { shop } = await redeemUnder(pass, pass, 'without a fault');
    expect(shop.filter(isRedeem)).toHaveLength(1);
    for (const { index, service, name } of shop) {
      const when = `${fault} at call ${index}: ${service} ${name}`;
      await redeemUnder(once(at(index), fault), pass, when);
    }
  });

  it.each([
    ['killed-before', 'lost'],
    ['killed-before', 'http-500'],
    ['killed-before', 'killed-after'],
    ['lost', 'lost'],
    ['lost', 'killed-after'],
  ] as const)(
    'of the request is %s where it spends, and then one of the worker is %s',
    async (first, fault) => {
      world = await openRedeemWorld(connectors);
      const { worker } = await redeemUnder(once(isRedeem, first), pass, first);
      expect(worker.filter(isRedeem).length).toBeGreaterThan(0);
      for (const { index, service, name } of worker) {
        const when = `${first}, then ${fault} at call ${index}: ${service} ${name}`;
        await redeemUnder(once(isRedeem, first), once(at(index), fault), when);
      }
    },
  );
});
