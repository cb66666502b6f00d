import { describe, expect, it } from 'vitest';
import { MOST_TRIES } from '../../../../shared/core/redeem/challenge.ts';
import { openRedeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

const staffId = '42';
const ACTED = 'a till acted for a customer';

function openTill() {
  const world = openRedeeming();
  world.loyalty.challenge.isNeeded = true;
  let clicks = 0;
  return {
    ...world,
    /** A click of its own, unless the key says otherwise. */
    click(answer?: string, clientKey?: string) {
      clicks += 1;
      const key = clientKey ?? `till-click-${clicks}`;
      return world.redeem({ clientKey: key, till: { staffId, answer } });
    },
  };
}

describe('redeeming at a till', () => {
  it('needs no challenge where the service asks for none, and says that it was a point of sale', async () => {
    const world = openRedeeming();
    expect(await world.redeem({ till: { staffId } })).toMatchObject({ kind: 'redemption' });
    expect(world.loyalty.bodies).toMatchObject([{ RedeemOrigin: 5 }]);
    expect(world.loyalty.challenge.tried).toBe(0);
    await world.redeem({ clientKey: 'click-0002' });
    expect(world.loyalty.bodies[1]).not.toHaveProperty('RedeemOrigin');
  });

  it('spends nothing without the answer, with a wrong one, and before a PIN was sent', async () => {
    const till = openTill();
    const refused = (why: string) => ({ kind: 'refused', why });
    expect(await till.click()).toEqual(refused('challenge-needed'));
    expect(await till.click('1001')).toEqual(refused('challenge-wrong'));
    await till.challenge();
    expect(await till.click('0000')).toEqual(refused('challenge-wrong'));
    expect(await till.kept()).toEqual([]);
    expect(till.loyalty.calls()).toBe(0);
    expect(await till.click('1001')).toMatchObject({ kind: 'redemption' });
    expect(till.loyalty.calls()).toBe(1);
  });

  it('asks nothing of a customer who redeems in their own account', async () => {
    const till = openTill();
    expect(await till.redeem()).toMatchObject({ kind: 'redemption' });
  });

  it('does not validate the answer again when the same click is repeated', async () => {
    const till = openTill();
    await till.challenge();
    const first = await till.click('1001', 'click-0007');
    till.loyalty.challenge.pin = undefined;
    expect(await till.click('1001', 'click-0007')).toEqual(first);
    expect(till.loyalty.challenge.tried).toBe(1);
    expect(till.loyalty.calls()).toBe(1);
  });

  it('stops guessing after a few tries, over all processes, also with new PINs', async () => {
    const till = openTill();
    const answers = await Promise.all(Array.from({ length: 30 }, () => till.click('0000')));
    const kinds = answers.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'refused')).toHaveLength(MOST_TRIES);
    expect(kinds.filter((kind) => kind === 'too-many')).toHaveLength(30 - MOST_TRIES);
    await till.challenge();
    expect(await till.click('1001')).toEqual({ kind: 'too-many', afterSeconds: 3_600 });
    expect(till.loyalty.challenge.tried).toBe(MOST_TRIES);
    till.clock.ms += 3_600_000;
    expect(await till.click('1001')).toMatchObject({ kind: 'redemption' });
  });

  it('forgets wrong tries after a right one, and counts every customer alone', async () => {
    const till = openTill();
    await till.challenge();
    for (let visit = 0; visit < 3; visit += 1) {
      for (let n = 1; n < MOST_TRIES; n += 1) {
        expect(await till.click('0000')).toMatchObject({ why: 'challenge-wrong' });
      }
      expect(await till.click('1001')).toMatchObject({ kind: 'redemption' });
    }
    const other = { customerId: '7002', clientKey: 'click-0002', till: { staffId, answer: '1' } };
    for (let n = 0; n < MOST_TRIES; n += 1)
      await till.redeem({ ...other, clientKey: `other-${n}-x` });
    expect(await till.redeem(other)).toMatchObject({ kind: 'too-many' });
    expect(await till.click('1001')).toMatchObject({ kind: 'redemption' });
  });

  it('sends a customer a few messages in an hour, and no more', async () => {
    const till = openTill();
    const started = await Promise.all(Array.from({ length: 8 }, () => till.challenge()));
    expect(started.filter(({ kind }) => kind === 'started')).toHaveLength(5);
    expect(till.loyalty.challenge.sent).toBe(5);
    expect(await till.challenge()).toEqual({ kind: 'too-many', afterSeconds: 3_600 });
    expect(await till.challenge('7002')).toEqual({ kind: 'started' });
  });

  it('is counted as used before the service is asked: a lost answer gives no free try', async () => {
    const till = openTill();
    await till.challenge();
    till.loyalty.validateChallenge = async () =>
      ({
        kind: 'transport-failure',
        class: 'retry',
        reason: 'time-out',
        mayHaveHappened: true,
      }) as never;
    for (let n = 0; n < MOST_TRIES; n += 1) {
      expect(await till.click('1001')).toEqual({ kind: 'unavailable' });
    }
    expect(await till.click('1001')).toMatchObject({ kind: 'too-many' });
    expect(till.loyalty.calls()).toBe(0);
  });

  it('is recorded: who, for whom, which reward, when and how it ended, and no PIN', async () => {
    const till = openTill();
    await till.challenge();
    await till.click('0000');
    await till.click('1001');
    const lines = till.telemetry.logged.filter(({ message }) => message === ACTED);
    const about = { staffId, shop: SHOP, customerId: ROBIN };
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { ...about, action: 'challenge', outcome: 'started' },
      { ...about, action: 'redeem', rewardId: 1, outcome: 'challenge-wrong' },
      {
        ...about,
        action: 'redeem',
        rewardId: 1,
        outcome: 'redemption',
        redemption: 'TESTREDEEM01',
      },
    ]);
    expect(JSON.stringify(till.telemetry.logged)).not.toMatch(/0000"|1001"|@/);
    expect(await till.kept()).toMatchObject([{ staffId, intendedAt: '2026-10-09T12:00:00.000Z' }]);
    await till.redeem({ clientKey: 'click-0009' });
    expect((await till.kept())[1]).not.toHaveProperty('staffId');
  });
});
