import { afterEach, describe, expect, it } from 'vitest';
import { runConnectors } from '../../support/running-connector.ts';
import { at, codeRefused, gate, isCodeMade, isRedeem, once } from '../../support/treatments.ts';
import { expectNothingSpent, expectSpentOnce } from './laws.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: RedeemWorld;
afterEach(() => world.stop());

/** Longer than the queue hides a message that was received. */
const FROZEN_SECONDS = 400;

describe('points are spent once when a process stops at one of its calls and goes on', () => {
  it('after a worker has finished the redemption: the shopper’s request', async () => {
    world = await openRedeemWorld(connectors);
    const first = await world.startStorefront();
    await first.redeem(await world.shopper(), world.click());
    await world.rest();
    for (const { index, service, name } of first.line.calls) {
      const robin = await world.shopper();
      const click = world.click();
      const held = gate(at(index));
      const shop = await world.startStorefront(held.treat);
      const answer = shop.redeem(robin, click);
      await held.reached;
      world.pass(FROZEN_SECONDS);
      await world.rest();
      held.open();
      await answer;
      await world.rest();
      await (await world.startStorefront()).redeem(robin, click);
      await world.rest();
      await expectSpentOnce(world, robin, { when: `frozen at call ${index}: ${service} ${name}` });
    }
  });

  it('after the points went back: the request deletes the code that it made', async () => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper();
    const held = gate(isCodeMade);
    const shop = await world.startStorefront(held.treat);
    const answer = shop.redeem(robin, world.click());
    await held.reached;
    world.pass(FROZEN_SECONDS);
    await world.rest(codeRefused);
    await expectNothingSpent(world, robin);
    held.open();
    await answer;
    await world.rest();
    await expectNothingSpent(world, robin);
  });

  it('after another worker has finished the redemption: a worker', async () => {
    world = await openRedeemWorld(connectors);
    const begin = async () => {
      const robin = await world.shopper();
      const shop = await world.startStorefront(once(isRedeem, 'killed-before'));
      await shop.redeem(robin, world.click());
      world.pass(60);
      return robin;
    };
    await begin();
    const { calls } = await world.rest();
    expect(calls.filter(isRedeem)).toHaveLength(1);
    for (const { index, service, name } of calls) {
      const robin = await begin();
      const held = gate(at(index));
      const worker = await world.startWorker(held.treat);
      const work = worker.work();
      const reached = await Promise.race([held.reached.then(() => true), work.then(() => false)]);
      world.pass(FROZEN_SECONDS);
      await world.rest();
      held.open();
      // Its receipt of the messages is no longer valid.
      await work.catch(() => {});
      await world.rest();
      const when = `frozen at call ${index}: ${service} ${name}, ${reached}`;
      await expectSpentOnce(world, robin, { when });
    }
  });
});
