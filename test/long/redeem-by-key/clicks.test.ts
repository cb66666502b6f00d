import { afterEach, describe, expect, it } from 'vitest';
import { runConnectors } from '../../support/running-connector.ts';
import { gate, isCodeMade, isRedeem, once } from '../../support/treatments.ts';
import { expectNothingSpent, expectSpentOnce, isActive } from './laws.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: RedeemWorld;
afterEach(() => world.stop());

/** A click whose request waits at one of its calls, while the test does something else. */
async function clickAndWait(calls: typeof isRedeem, points = 250) {
  world = await openRedeemWorld(connectors);
  const robin = await world.shopper({ points });
  const held = gate(calls);
  const shop = await world.startStorefront(held.treat);
  const click = world.click();
  const answer = shop.redeem(robin, click);
  await held.reached;
  return { robin, click, answer, open: held.open };
}

describe.each([
  ['spends the points', isRedeem],
  ['makes the code', isCodeMade],
] as const)('while a request %s', (_, calls) => {
  it('the same click again is the same redemption', async () => {
    const { robin, click, answer, open } = await clickAndWait(calls);
    const second = await (await world.startStorefront()).redeem(robin, click);
    open();
    const first = await answer;
    await world.rest();
    await expectSpentOnce(world, robin);
    if (first === 'no answer' || second === 'no answer') throw new Error('killed');
    expect(second.json.redemption.id).toBe(first.json.redemption.id);
  });

  it('a click in another tab, with another key, spends nothing more', async () => {
    const { robin, answer, open } = await clickAndWait(calls);
    const other = world.click();
    await (await world.startStorefront()).redeem(robin, other);
    open();
    await answer;
    await world.rest();
    await expectSpentOnce(world, robin);
  });

  it('another reward is redeemed, too', async () => {
    const { robin, answer, open } = await clickAndWait(calls);
    const other = world.click(3);
    await (await world.startStorefront()).redeem(robin, other);
    open();
    await answer;
    await world.rest();
    const redemptions = world.redemptionsOf(robin);
    expect(redemptions.map(({ configurationId }) => configurationId).sort()).toEqual([1, 3]);
    expect(redemptions.every(isActive)).toBe(true);
    expect(world.pointsOf(robin)).toBe(100);
    expect(
      world
        .codesOf(robin)
        .map(({ code, discount }) => [code, discount.value])
        .sort(),
    ).toEqual(
      redemptions
        .map(({ ExternalCode, cashValue }) => [
          ExternalCode,
          { kind: 'fixed', minor: (cashValue ?? 0) * 100, each: false },
        ])
        .sort(),
    );
    expect(await world.deadLetters()).toBe(0);
  });
});

describe('a repetition', () => {
  it('is not made by the worker while the call of the request may still run', async () => {
    const { robin, answer, open } = await clickAndWait(isRedeem);
    const worker = await world.startWorker();
    await worker.work();
    world.pass(20);
    await worker.work();
    expect(worker.line.calls.filter(isRedeem)).toEqual([]);
    open();
    await answer;
    await world.rest();
    await expectSpentOnce(world, robin);
  });

  it('comes at least 30 seconds after an unanswered call, with the same key and body', async () => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper();
    const shop = await world.startStorefront(once(isRedeem, 'lost'));
    await shop.redeem(robin, world.click());
    await world.rest(once(isRedeem, 'lost'));
    await expectSpentOnce(world, robin);
    const calls = world.callsOf('redeemRewardByKey');
    // Before a third call the redemption is looked up by its key.
    expect(calls).toHaveLength(2);
    calls.slice(1).forEach(({ at, body }, index) => {
      expect(Date.parse(at) - Date.parse(calls[index]?.at ?? '')).toBeGreaterThanOrEqual(30_000);
      expect(body).toEqual(calls[0]?.body);
    });
  });

  it('is not made for a click that was answered, however often the page repeats it', async () => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper();
    const click = world.click();
    const shop = await world.startStorefront();
    const first = await shop.redeem(robin, click);
    for (const seconds of [0, 60, 86_400]) {
      world.pass(seconds);
      const again = await (await world.startStorefront()).redeem(robin, click);
      if (again === 'no answer' || first === 'no answer') throw new Error('killed');
      expect(again.json.redemption).toMatchObject({
        id: first.json.redemption.id,
        code: first.json.redemption.code,
      });
      await world.rest();
    }
    expect(world.callsOf('redeemRewardByKey')).toHaveLength(1);
    await expectSpentOnce(world, robin);
  });
});

describe('a second click', () => {
  it('in another tab, after a lost answer, spends nothing more', async () => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper();
    const shop = await world.startStorefront(once(isRedeem, 'lost'));
    await shop.redeem(robin, world.click());
    for (const seconds of [0, 5, 31]) {
      world.pass(seconds);
      await (await world.startStorefront()).redeem(robin, world.click());
      expect(world.redemptionsOf(robin)).toHaveLength(1);
    }
    await world.rest();
    await expectSpentOnce(world, robin);
  });

  it('for a reward that costs more than what is left is refused', async () => {
    const { robin, answer, open } = await clickAndWait(isCodeMade, 120);
    open();
    await answer;
    const other = world.click(3);
    const second = await (await world.startStorefront()).redeem(robin, other);
    expect(second).toMatchObject({ status: 409 });
    await world.rest();
    await expectSpentOnce(world, robin, { before: 120 });
  });
});

describe('a customer is named to the service', () => {
  it.each([
    ['by e-mail', { document: '390.533.447-05' }, 'e-mail'],
    [
      'by document, digits only, without an e-mail',
      { document: '390.533.447-05', hasEmail: false },
      '39053344705',
    ],
  ] as const)('%s', async (_, person, named) => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper(person);
    await (await world.startStorefront()).redeem(robin, world.click());
    await world.rest();
    await expectSpentOnce(world, robin);
    const expected = named === 'e-mail' ? robin.email : named;
    expect(world.callsOf('redeemRewardByKey')[0]?.body).toMatchObject({ CustomerId: expected });
  });

  it('that the service does not know: nothing is spent', async () => {
    world = await openRedeemWorld(connectors);
    const { id } = world.store.actions.createCustomer({ email: 'unknown@example.com' });
    const kim = { id, email: 'unknown@example.com' };
    const answer = await (await world.startStorefront()).redeem(kim, world.click());
    expect(answer).toMatchObject({ status: 409 });
    await world.rest();
    expect(world.codesOf(kim)).toEqual([]);
    expect(await world.deadLetters()).toBe(0);
    const robin = await world.shopper();
    await expectNothingSpent(world, robin);
  });
});
