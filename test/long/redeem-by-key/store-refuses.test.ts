import { afterEach, describe, expect, it } from 'vitest';
import type { OutsideCall, Treat } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import {
  always,
  at,
  both,
  codeRefused,
  isCancel,
  isCodeMade,
  once,
} from '../../support/treatments.ts';
import { expectNothingSpent, expectSpentOnce, isActive } from './laws.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';
import { refusal } from './service-answers.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: RedeemWorld;
afterEach(() => world.stop());

async function click(treat: Treat) {
  world = await openRedeemWorld(connectors);
  const robin = await world.shopper();
  const shop = await world.startStorefront(treat);
  const body = world.click();
  return { robin, body, answer: await shop.redeem(robin, body), shop: shop.line.calls };
}

async function listed(robin: Parameters<RedeemWorld['pointsOf']>[0]) {
  const answer = await (await world.startStorefront()).get(robin, 'redemptions');
  if (answer === 'no answer') throw new Error('killed');
  return answer.json.redemptions as readonly {
    readonly state: string;
    readonly code: string | null;
  }[];
}

describe('a code that the store refuses for good', () => {
  it('gives the points back by the redemption’s id, at least a minute after the last try', async () => {
    const { robin, body, shop } = await click(codeRefused);
    const worker = await world.rest(codeRefused);
    await expectNothingSpent(world, robin);
    expect(world.redemptionsOf(robin)).toHaveLength(1);
    expect(world.callsOf('cancelRedemptionByKey')).toEqual([]);
    const [cancel, ...more] = world.callsOf('cancelRedemption');
    expect(more).toEqual([]);
    const tries = [...shop, ...worker.calls].filter(isCodeMade).map((call) => call.at);
    expect(tries.length).toBeGreaterThan(0);
    expect(Date.parse(cancel?.at ?? '') - Math.max(...tries)).toBeGreaterThanOrEqual(60_000);
    expect((await listed(robin)).filter(({ code }) => code !== null)).toEqual([]);

    // The same click changes nothing any more; another one does.
    await (await world.startStorefront()).redeem(robin, body);
    await world.rest();
    await expectNothingSpent(world, robin);
    const other = world.click();
    await (await world.startStorefront()).redeem(robin, other);
    await world.rest();
    const [first, second] = world.redemptionsOf(robin);
    expect([first && isActive(first), second && isActive(second)]).toEqual([false, true]);
    expect(second?.OriginalKey).not.toBe(first?.OriginalKey);
    expect(world.codesOf(robin).map(({ code }) => code)).toEqual([second?.ExternalCode]);
    expect(world.pointsOf(robin)).toBe(150);
  });

  it('gives the points back when the customer is no longer in the store', async () => {
    const { robin } = await click(once(isCodeMade, 'unsent'));
    world.store.actions.deleteCustomer({ customerId: robin.id });
    await world.rest();
    await expectNothingSpent(world, robin);
  });

  it('is not cancelled when an earlier try, without an answer, made it', async () => {
    const { robin } = await click(once(isCodeMade, 'lost'));
    await world.rest(codeRefused);
    await expectSpentOnce(world, robin);
    expect(world.callsOf('cancelRedemption')).toEqual([]);
  });

  it('is deleted when an earlier try makes it after the points went back', async () => {
    let late: OutsideCall | undefined;
    const { robin } = await click((call) => {
      if (!isCodeMade(call)) return 'pass';
      late = call;
      return 'unsent';
    });
    const { accessToken } = world.store.credentials;
    const headers = {
      'content-type': 'application/json',
      'x-shopify-access-token': accessToken,
    };
    let made = 0;
    const arrive = async () => {
      if (!late) throw new Error('no try was held back');
      const init = { method: 'POST', headers, body: late.body };
      await fetch(`${world.store.address}${late.path}`, init);
      made = world.codesOf(robin).length;
    };
    await world.rest(both(codeRefused, once(isCancel, { meanwhile: arrive })));
    expect(made).toBe(1);
    await expectNothingSpent(world, robin);
  });
});

describe('points are not given back', () => {
  it.each(['unsent', 'http-500', 'lost'] as const)(
    'while the store is %s for hours: the code is made when it is back',
    async (fault) => {
      const { robin } = await click(always(isCodeMade, fault));
      await world.workFor(300, always(isCodeMade, fault));
      expect(world.redemptionsOf(robin).map(isActive)).toEqual([true]);
      await world.rest();
      await expectSpentOnce(world, robin);
      expect(world.callsOf('cancelRedemption')).toEqual([]);
    },
  );

  it('when the store cannot say whether the code is there', async () => {
    const notCodes: Treat = ({ service }) => (service === 'store' ? 'http-500' : 'pass');
    const { robin } = await click(codeRefused);
    await world.workFor(5, both(codeRefused, notCodes));
    expect(world.callsOf('cancelRedemption')).toEqual([]);
    await world.rest(codeRefused);
    await expectNothingSpent(world, robin);
  });
});

describe('giving points back', () => {
  it.each(['lost', 'killed-after'] as const)(
    'ends well when any one call of it is %s',
    async (fault) => {
      const { robin } = await click(codeRefused);
      const { calls } = await world.rest(codeRefused);
      await expectNothingSpent(world, robin);
      for (const { index, service, name } of calls) {
        const when = `${fault} at call ${index}: ${service} ${name}`;
        const kim = await world.shopper();
        const body = world.click();
        await (await world.startStorefront(codeRefused)).redeem(kim, body);
        // The store never executes what it would refuse.
        const kind = fault === 'lost' || fault === 'killed-after' ? 'unsent' : fault;
        const single: Treat = (call) =>
          at(index)(call) ? (isCodeMade(call) ? kind : fault) : 'pass';
        await world.rest(both(single, codeRefused), codeRefused);
        await expectNothingSpent(world, kim, { when });
        await (await world.startStorefront()).redeem(kim, body);
        await world.rest();
        await expectNothingSpent(world, kim, { when: `${when}, and the click again` });
      }
    },
  );

  it('needs a person when the service does not find the redemption', async () => {
    const { robin } = await click(codeRefused);
    const unknown = {
      answer: refusal({ ErrorCode: 73, ErrorMessage: 'ApiRewardCancel_NotFound' }),
    };
    await world.rest(both(codeRefused, always(isCancel, unknown)));
    expect(world.codesOf(robin)).toEqual([]);
    expect(world.redemptionsOf(robin).map(isActive)).toEqual([true]);
    expect(await world.deadLetters()).toBe(1);
  });
});
