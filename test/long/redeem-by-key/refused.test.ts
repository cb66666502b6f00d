import { afterEach, describe, expect, it } from 'vitest';
import type { Treat } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { always, isRedeem, once } from '../../support/treatments.ts';
import { expectNothingSpent, expectSpentOnce } from './laws.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';
import { refusal, refusals } from './service-answers.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: RedeemWorld;
afterEach(() => world.stop());

const notEnough = { answer: refusal({ ErrorCode: 94, ErrorMessage: 'PdvOrder_NotEnoughPoints' }) };
const MINUTE = 60_000;

async function click(treat: Treat, points = 250) {
  const robin = await world.shopper({ points });
  const shop = await world.startStorefront(treat);
  const body = world.click();
  return { robin, answer: await shop.redeem(robin, body), body };
}

describe('a refusal of the first answered attempt', () => {
  it.each(refusals)(
    '%s is a refusal: nothing is spent, no code, no days of retries',
    async (_, refused) => {
      world = await openRedeemWorld(connectors);
      const { robin, answer } = await click(always(isRedeem, refused));
      expect(answer).toMatchObject({ status: 409 });
      const began = Date.now();
      await world.rest(always(isRedeem, refused));
      expect(Date.now() - began).toBeLessThan(60 * MINUTE);
      await expectNothingSpent(world, robin);
      // The customer may try again, with the next click.
      const next = await (await world.startStorefront()).redeem(robin, world.click());
      expect(next).toMatchObject({ status: 200 });
      await world.rest();
      await expectSpentOnce(world, robin);
    },
  );

  it('comes for a reward that costs more than the customer has', async () => {
    world = await openRedeemWorld(connectors);
    const { robin, answer } = await click(() => 'pass', 99);
    expect(answer).toMatchObject({ status: 409 });
    await world.rest();
    await expectNothingSpent(world, robin, { before: 99 });
  });

  it('stays one when the process dies before it could record it', async () => {
    world = await openRedeemWorld(connectors);
    const { robin } = await click(once(isRedeem, 'killed-before'), 99);
    await world.rest();
    await expectNothingSpent(world, robin, { before: 99 });
  });
});

describe('a refusal after an attempt without an answer', () => {
  it.each([
    ['“not enough points”, because our own spending used them up', notEnough],
    ['that the key was used', { answer: refusal({ ErrorCode: 47 }) }],
  ] as const)('%s: ends as redeemed', async (_, refused) => {
    world = await openRedeemWorld(connectors);
    const { robin } = await click(once(isRedeem, 'lost'), 100);
    expect(world.pointsOf(robin)).toBe(0);
    await world.rest(always(isRedeem, refused));
    await expectSpentOnce(world, robin, { before: 100 });
  });

  it('of a request that never arrived: refused, after two looks that are ten minutes apart', async () => {
    world = await openRedeemWorld(connectors);
    const { robin, body } = await click(once(isRedeem, 'unsent'));
    const began = Date.now();
    const worker = await world.rest(always(isRedeem, notEnough));
    await expectNothingSpent(world, robin);
    const looks = worker.calls.filter(({ name }) => name === 'POST /Rewards/updatemetadata');
    expect(looks).toHaveLength(2);
    const [first, second] = looks.map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(Date.now() - began).toBeLessThan(120 * MINUTE);
    const again = await (await world.startStorefront()).redeem(robin, body);
    expect(again).toMatchObject({ status: 409 });
    await world.rest();
    await expectNothingSpent(world, robin);
  });

  it('whose first request arrives between the two looks: ends as redeemed', async () => {
    world = await openRedeemWorld(connectors);
    let late: { path: string; body: string } | undefined;
    const { robin } = await click((call) => {
      if (!isRedeem(call)) return 'pass';
      late = call;
      return 'unsent';
    });
    let looks = 0;
    const send = async () => {
      if (++looks !== 1 || !late) return;
      await world.callLoyalty('POST', late.path.replace('/v1/pvt', ''), JSON.parse(late.body));
    };
    await world.rest((call) => {
      if (isRedeem(call)) return notEnough;
      return call.name === 'POST /Rewards/updatemetadata' ? { meanwhile: send } : 'pass';
    });
    expect(looks).toBeGreaterThanOrEqual(2);
    await expectSpentOnce(world, robin);
  });
});
