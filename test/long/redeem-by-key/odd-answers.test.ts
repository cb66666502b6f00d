import { afterEach, describe, expect, it } from 'vitest';
import type { Treat } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { isRedeem, once } from '../../support/treatments.ts';
import { expectAllOrNothing, expectSpentOnce } from './laws.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';
import { oddAnswers, successOf } from './service-answers.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: RedeemWorld;
afterEach(() => world.stop());

const notSuccess = [
  ...oddAnswers.map(([name, of]) => [name, (body: string) => of(successOf(body))] as const),
  ['an HTML page', () => '<h1>Welcome</h1>'] as const,
  ['an empty body', () => ''] as const,
];

describe('no code is made of an answer that is no success', () => {
  it.each(notSuccess)('%s', async (name, of) => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper();
    const treat: Treat = (call) => (isRedeem(call) ? { answer: of(call.body) } : 'pass');
    const shop = await world.startStorefront(treat);
    const click = world.click();
    await shop.redeem(robin, click);
    await world.workFor(60, treat);
    expect(world.redemptionsOf(robin)).toEqual([]);
    expect(world.codesOf(robin)).toEqual([]);
    expect(JSON.stringify(world.store.state().codes)).not.toContain('FIVE-NEVER1');
    // The service answers as documented again.
    await world.rest();
    expectAllOrNothing(world, robin, name);
  });
});

describe('points that were spent become one code', () => {
  it.each(oddAnswers)('when the first answer is %s', async (name, of) => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper();
    const change = (answer: unknown) => of(answer as ReturnType<typeof successOf>);
    const shop = await world.startStorefront(once(isRedeem, { change }));
    const click = world.click();
    await shop.redeem(robin, click);
    expect(world.redemptionsOf(robin)).toHaveLength(1);
    await world.rest();
    await (await world.startStorefront()).redeem(robin, click);
    await world.rest();
    await expectSpentOnce(world, robin, { when: name });
  });
});
