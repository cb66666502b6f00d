import { beforeEach, describe, expect, it } from 'vitest';
import { transportFailure } from '../../../../shared/loyalty/result.ts';
import {
  CASHBACK,
  namesOfClick,
  openRedeeming,
  type Redeeming,
  ROBIN,
  SHOP,
} from '../../../support/redeem-world.ts';

let world: Redeeming;
beforeEach(() => {
  world = openRedeeming();
});

const READY = { state: 'ready', code: 'FIVE-1' };
describe('redeeming a reward', () => {
  it('spends the points once and makes a code for that customer only', async () => {
    const redemption = { ...READY, rewardId: 1, points: 100, kind: 'fixed', value: 5 };
    expect(await world.redeem()).toMatchObject({ kind: 'redemption', redemption });
    expect(world.loyalty.balances.get(ROBIN)).toBe(900);
    expect([...world.store.codes.values()]).toMatchObject([{ customerId: ROBIN, code: 'FIVE-1' }]);
    await world.drain();
    expect(world.loyalty.calls()).toBe(1);
    expect(world.store.codes.size).toBe(1);
  });

  it('answers a double click and every retry with the same redemption', async () => {
    const both = await Promise.all([world.redeem(), world.redeem()]);
    const again = await world.redeem();
    expect(again).toMatchObject({ redemption: READY });
    const ids = [...both, again].map((one) => one.kind === 'redemption' && one.redemption.id);
    expect(new Set(ids).size).toBe(1);
    expect(world.loyalty.calls()).toBe(1);
  });

  it('sends the chosen amount and the customer’s id in the program', async () => {
    const more = { AvailableCashback: 20, MaxCashbackForCurrentPurchase: 20 };
    world = openRedeeming({ rewards: [{ id: 1, points: 0, type: 3, more }] });
    const redemption = { state: 'ready', kind: 'fixed', value: 12.5 };
    expect(await world.redeem({ value: 12.5 })).toMatchObject({ redemption });
    const OriginalKey = namesOfClick().key;
    const body = { CustomerId: `${ROBIN}@example.com`, OriginalKey, Value: 12.5 };
    expect(world.loyalty.bodies).toEqual([{ ...body, Metadatas: [expect.anything()] }]);
  });

  it('reports refused credentials to the operator, whichever of its calls gets them', async () => {
    world.loyalty.fates.push('credentials-refused');
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    expect(world.telemetry.total('misconfigured')).toBe(1);
    world.loyalty.getRewardConfiguration = async () =>
      ({ kind: 'business-error', class: 'misconfigured', message: 'no', fields: [] }) as never;
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    expect(world.telemetry.total('misconfigured')).toBe(2);
  });

  it('spends nothing on a reward that the store cannot give', async () => {
    const more = { HasProductCollection: true };
    world = openRedeeming({ rewards: [{ id: 1, points: 100, more }] });
    expect(await world.redeem()).toEqual({ kind: 'refused', why: 'not-online' });
    expect(world.loyalty.calls()).toBe(0);
    expect(await world.kept()).toEqual([]);
  });

  it('counts intents, not clicks, against the hourly limit', async () => {
    world = openRedeeming({ redeemsPerHour: 2 });
    for (const clientKey of ['click-0001', 'click-0002', 'click-0001', 'click-0002']) {
      expect(await world.redeem({ clientKey })).toMatchObject({ kind: 'redemption' });
    }
    world.clock.ms += 600_000;
    const late = { clientKey: 'click-0003' };
    expect(await world.redeem(late)).toEqual({ kind: 'too-many', afterSeconds: 3_000 });
    expect(await world.redeem({ ...late, customerId: '7002' })).toMatchObject({ kind: 'refused' });
    world.clock.ms += 3_000_000;
    expect(await world.redeem(late)).toMatchObject({ kind: 'redemption' });
  });

  it('forgets an intent that surely was not carried out, and no other, so that the click can be tried again', async () => {
    await world.redeem({ clientKey: 'click-0000' });
    const before = await world.kept();
    world.loyalty.fates.push('throttled');
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    expect(await world.kept()).toEqual(before);
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'ready', code: 'FIVE-2' } });
    await world.drain();
    expect(world.loyalty.redemptions.size).toBe(2);
  });

  it('never shows one customer the redemption of another', async () => {
    await world.redeem();
    expect(await world.list('7002')).toEqual({ redemptions: [] });
    // The same click key of somebody else is another click.
    const other = await world.redeem({ customerId: '7002' });
    expect(other).toEqual({ kind: 'refused', why: 'too-few-points' });
  });
});

const READY_ANSWER = { kind: 'redemption', redemption: { state: 'ready', code: 'FIVE-1' } };
const PENDING = { kind: 'redemption', redemption: { state: 'pending', code: null } };
const OTHER_TAB = { clientKey: 'click-0002' };

/** Once, after the intent is on the queue and before its click calls. */
function afterIntent(act: () => Promise<unknown>): void {
  const { send } = world.events;
  world.events.send = async (event) => {
    await send(event);
    world.events.send = send;
    await act();
  };
}

describe('a click beside the worker', () => {
  it('has its code at once, because the worker leaves it half a minute', async () => {
    const calls: number[] = [];
    afterIntent(async () => {
      await world.work();
      calls.push(world.loyalty.calls());
    });
    expect(await world.redeem()).toMatchObject(READY_ANSWER);
    expect(calls).toEqual([0]);
  });

  it('of another tab carries out what died before its call, and spends the points once', async () => {
    await world.clickThatDies();
    expect(await world.redeem(OTHER_TAB)).toMatchObject(READY_ANSWER);
    await world.drain();
    expect(world.loyalty.calls()).toBe(1);
  });

  it('makes no second call of what has no answer yet: that is the worker’s', async () => {
    world.loyalty.fates.push('lost-answer');
    await world.redeem();
    world.clock.ms += 60_000;
    for (const click of [{}, OTHER_TAB]) expect(await world.redeem(click)).toMatchObject(PENDING);
    expect(world.loyalty.calls()).toBe(1);
  });

  // A till with many requests at once rang the alarm "Storefront unavailable".
  it('is one of too many when every write to the redemption record conflicts, and neither a crash nor unavailable', async () => {
    const { write } = world.ledger;
    world.ledger.write = async (key, ...given) =>
      key.kind === 'redemption' ? ({ kind: 'conflict' } as never) : write(key, ...given);
    for (const act of [() => world.redeem(), () => world.challenge()]) {
      expect(await act()).toEqual({ kind: 'too-many', afterSeconds: 1 });
    }
    expect(world.loyalty.calls()).toBe(0);
    expect(world.telemetry.total('crash')).toBe(0);
  });
});

describe('the answer to a click', () => {
  const error = (code: number) =>
    ({ kind: 'business-error', class: 'rejected', code, message: 'no', fields: [] }) as never;
  const failure = (reason: 'refused' | 'connection') =>
    transportFailure(reason, { mayHaveHappened: false, message: 'no' }) as never;
  const refused = (why: string) => ({ kind: 'refused', why });

  it.each([
    [46, error(46), refused('too-few-points')],
    [94, error(94), refused('too-few-points')],
    [82, error(82), refused('not-available')],
    [87, error(87), refused('not-available')],
    [47, error(47), refused('limit-reached')],
    [1, error(1), refused('refused')],
    ['a request that is not acceptable', failure('refused'), refused('refused')],
    ['no connection', failure('connection'), { kind: 'unavailable' }],
  ])('says why nothing was spent: %s', async (_, result, expected) => {
    const more = { HasGlobalUsageLimit: true };
    world = openRedeeming({ rewards: [{ id: 1, points: 100, more }] });
    world.loyalty.redeemRewardByKey = async () => result;
    expect(await world.redeem()).toEqual(expected);
    const open = (await world.kept()).filter(({ state }) => state.at !== 'refused');
    expect(open).toEqual([]);
  });
});

const AWAY = () => ({ kind: 'unavailable', why: 'time-out' }) as const;
describe('a code', () => {
  it('is noted in the ledger before the customer sees it', async () => {
    const noted: boolean[] = [];
    const { write } = world.ledger;
    world.ledger.write = (key, entry, revision) => {
      const isReady = entry.remembered?.includes('"ready"') ?? false;
      if (isReady) noted.push(world.ledger.entries.has(`reward-code|${SHOP}|five-1`));
      return write(key, entry, revision);
    };
    expect(await world.redeem()).toMatchObject({ redemption: READY });
    expect(noted).toEqual([true]);
  });

  it('that fails while the customer waits is said to be made, and is made by the worker', async () => {
    world.store.before = () => {
      throw new Error('the store broke off');
    };
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'making', code: null } });
    world.store.before = undefined;
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY] });
  });

  it('is erased by a redaction with what the customer redeemed, and nothing brings it back', async () => {
    world.store.before = AWAY;
    await world.redeem();
    const marked = { redactedAt: 1, expiresAt: 1_900_000_000 };
    await world.ledger.redact([{ shop: SHOP, kind: 'redemption', id: ROBIN }], marked);
    world.store.before = undefined;
    await world.drain();
    expect(await world.list()).toEqual({ redemptions: [] });
    const remembered = [...world.ledger.entries.values()].map((entry) => entry.remembered);
    expect(remembered).toEqual([undefined]);
    expect(world.store.codes.size).toBe(0);
  });
});

describe('points of another member, who has taken the e-mail address', () => {
  const EMAIL = `${ROBIN}@example.com`;
  const REFUSED = { kind: 'refused', why: 'another-member' };
  const balances = () => [ROBIN, '7002'].map((id) => world.loyalty.balances.get(id));
  beforeEach(() => world.loyalty.balances.set('7002', 500));

  /** After the proof, before the call. */
  function takenMeanwhile() {
    const { redeemRewardByKey } = world.loyalty;
    world.loyalty.redeemRewardByKey = async (id, body) => {
      world.loyalty.holders.set(EMAIL, '7002');
      return redeemRewardByKey(id, body);
    };
  }

  it('are not spent', async () => {
    world.loyalty.holders.set(EMAIL, '7002');
    expect(await world.redeem()).toEqual(REFUSED);
    expect(await world.challenge()).toEqual(REFUSED);
    expect([world.loyalty.calls(), world.loyalty.challenge.sent]).toEqual([0, 0]);
  });

  it('are back at once where they were spent, and no code is made', async () => {
    takenMeanwhile();
    expect(await world.redeem()).toEqual(REFUSED);
    expect(balances()).toEqual([1_000, 500]);
    // The same click, and another one.
    expect(await world.redeem()).toEqual(REFUSED);
    expect(await world.redeem({ clientKey: 'click-0002' })).toEqual(REFUSED);
    await world.drain();
    expect([world.store.codes.size, world.loyalty.calls()]).toEqual([0, 1]);
    expect((await world.list()).redemptions).toMatchObject([{ state: 'refused', code: null }]);
  });

  it('are given back by the worker where the service does not cancel now', async () => {
    takenMeanwhile();
    const { cancelRedemption } = world.loyalty;
    world.loyalty.cancelRedemption = async () =>
      transportFailure('time-out', { mayHaveHappened: true, message: 'no answer' }) as never;
    expect(await world.redeem()).toEqual(REFUSED);
    expect(balances()).toEqual([1_000, 400]);
    world.loyalty.cancelRedemption = cancelRedemption;
    await world.drain();
    expect(balances()).toEqual([1_000, 500]);
    expect([world.store.codes.size, world.dead.size]).toEqual([0, 0]);
  });

  it('are given back where the spending was found by its key', async () => {
    takenMeanwhile();
    world.loyalty.repetition = 'refused';
    world.loyalty.fates.push('lost-answer');
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'pending' } });
    await world.drain();
    expect(balances()).toEqual([1_000, 500]);
    expect([world.store.codes.size, world.dead.size]).toEqual([0, 0]);
  });

  it('become no store credit', async () => {
    world = openRedeeming({ rewards: [CASHBACK] });
    world.loyalty.balances.set('7002', 500);
    takenMeanwhile();
    expect(await world.redeem({ value: 10 })).toEqual(REFUSED);
    await world.drain();
    expect([balances(), world.store.credits]).toEqual([[1_000, 500], []]);
  });

  it('give nothing while nobody says whose were spent; the worker asks again', async () => {
    const { getRedeemedReward } = world.loyalty;
    world.loyalty.getRedeemedReward = async () =>
      transportFailure('time-out', { mayHaveHappened: true, message: 'no answer' }) as never;
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'pending' } });
    expect(world.store.codes.size).toBe(0);
    world.loyalty.getRedeemedReward = getRedeemedReward;
    await world.drain();
    expect((await world.list()).redemptions).toMatchObject([READY]);
    expect(balances()).toEqual([900, 500]);
  });
});
