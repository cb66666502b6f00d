import { beforeEach, describe, expect, it } from 'vitest';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import { noteMerge } from '../../../../shared/core/ledger/entry.ts';
import {
  namesOfClick,
  openRedeeming,
  type Redeeming,
  ROBIN,
  SHOP,
} from '../../../support/redeem-world.ts';

/*
 * What becomes of a reward that is taken back, for every order of events. Deaths, and what happens side by side, are in
 * test/simulation/schedules.
 */

const CODE = 'FIVE-1';
const DAY_MS = 86_400_000;
const { id } = namesOfClick();

let world: Redeeming;
beforeEach(async () => {
  world = openRedeeming();
  await world.redeem();
  await world.drain();
});

const state = async () => (await world.kept())[0]?.state;
const points = () => world.loyalty.balances.get(ROBIN);
const shown = async () => (await world.list()).redemptions[0];

/** Either the code can be used and the points are spent, or it is gone and they are back. */
async function expectBack(): Promise<void> {
  expect(await state()).toMatchObject({ at: 'cancelled' });
  expect(points()).toBe(1_000);
  expect(world.store.codes.size).toBe(0);
  expect([world.queue.size, world.dead.size]).toEqual([0, 0]);
}

async function expectUsed(): Promise<void> {
  expect(await state()).toMatchObject({ at: 'used' });
  expect(points()).toBe(900);
  expect([world.queue.size, world.dead.size]).toEqual([0, 0]);
}

/** The worker works until the redemption is in this state. */
async function workUntil(reached: (at: string | undefined) => boolean): Promise<void> {
  for (let round = 0; round < 100 && !reached((await state())?.at); round += 1) {
    if ((await world.work()) === 0) world.clock.ms += 30_000;
  }
}

async function workUntilDeleted(): Promise<void> {
  await world.work();
  expect(await state()).toMatchObject({ at: 'returning', deletedAt: expect.any(String) });
}

describe('a reward that is taken back', () => {
  it('gives the points back, a minute after its code is deleted', async () => {
    const answer = { kind: 'redemption', redemption: { state: 'returning', code: null } };
    expect(await world.takeBack()).toMatchObject(answer);
    expect(await shown()).toMatchObject({ state: 'returning', code: null, takeBackUntil: null });
    await workUntilDeleted();
    expect(world.store.codes.size).toBe(0);
    world.clock.ms += 59_000;
    await world.work();
    expect(points()).toBe(900);
    await world.drain();
    await expectBack();
    expect(await shown()).toMatchObject({ state: 'cancelled', takeBackUntil: null });
    expect(await world.takeBack()).toMatchObject({ redemption: { state: 'cancelled' } });
  });

  it('is taken back once, however often the button is pressed and the message comes', async () => {
    await world.takeBack();
    await world.takeBack();
    expect(world.queue.size).toBe(1);
    await workUntilDeleted();
    await world.takeBack();
    const message = { kind: 'redemption', topic: 'redeem', customerId: ROBIN, id } as const;
    const receivedAt = new Date(world.clock.ms).toISOString();
    const shop = 'example-store.myshopify.com';
    await world.events.send({ ...message, shop, deliveryId: 'again', receivedAt });
    await world.drain();
    await expectBack();
    expect([...world.loyalty.redemptions.values()]).toMatchObject([{ isCancelled: true }]);
  });

  it('can be redeemed again, also before its points are back', async () => {
    await world.takeBack();
    const again = await world.redeem({ clientKey: 'click-0002' });
    expect(again).toMatchObject({ redemption: { state: 'ready', code: 'FIVE-2' } });
    await world.drain();
    expect(points()).toBe(900);
    expect([...world.store.codes.keys()]).toEqual(['five-2']);
  });

  it('names the user of the till who took it back', async () => {
    await world.takeBack(id, '42');
    expect(await world.kept()).toMatchObject([{ takeBack: { staffId: '42' } }]);
    expect(world.telemetry.logged).toContainEqual(
      expect.objectContaining({
        message: 'a till acted for a customer',
        fields: expect.objectContaining({ action: 'take-back', staffId: '42', redemption: id }),
      }),
    );
  });

  it('leaves no code of a merchant who gave the discount another title', async () => {
    const made = world.store.codes.get('five-1');
    if (made) world.store.codes.set('five-1', { ...made, title: 'Five off, for Robin' });
    await world.takeBack();
    await world.drain();
    await expectBack();
  });

  it('leaves no code that a slow process made again after it was deleted', async () => {
    const made = world.store.codes.get('five-1');
    await world.takeBack();
    await workUntilDeleted();
    if (made) world.store.codes.set('five-1', { ...made, discountId: 'late' });
    const { deleteCode } = world.store;
    const deletedAt: number[] = [];
    world.store.deleteCode = (...given) => {
      deletedAt.push(world.clock.ms);
      return deleteCode(...given);
    };
    await workUntil((at) => at === 'cancelled');
    // The minute began again: an order may have used this one.
    expect(deletedAt).toHaveLength(1);
    expect(world.clock.ms - (deletedAt[0] ?? 0)).toBeGreaterThanOrEqual(60_000);
    await world.drain();
    await expectBack();
  });
});

it('leaves no code that a slow click made after its points were given back', async () => {
  world = openRedeeming();
  const { makeCode } = world.store;
  const slow = async (...given: Parameters<typeof makeCode>) => {
    world.store.makeCode = async () => ({ kind: 'refused', code: 'INVALID' });
    await world.drain();
    return makeCode(...given);
  };
  world.store.makeCode = slow;
  await world.redeem();
  await expectBack();
});

it('leaves no code that a slow click made while its points are still being given back', async () => {
  world = openRedeeming();
  const { makeCode } = world.store;
  world.loyalty.cancelRedemption = async () => NO_ANSWER as never;
  world.store.makeCode = async (...given) => {
    world.store.makeCode = async () => ({ kind: 'refused', code: 'INVALID' });
    await workUntil((at) => at === 'cancelling');
    return makeCode(...given);
  };
  await world.redeem();
  expect(await state()).toMatchObject({ at: 'cancelling' });
  expect(world.store.codes.size).toBe(0);
});

describe('an order that names the code', () => {
  it('wins before the code is deleted', async () => {
    await world.takeBack();
    await world.order(CODE);
    await world.drain();
    await expectUsed();
    expect(world.store.codes.size).toBe(1);
  });

  it('wins before the code is deleted, also if only the store counts it', async () => {
    await world.takeBack();
    const made = world.store.codes.get('five-1');
    if (made) made.used = 1;
    await world.drain();
    await expectUsed();
  });

  it.each([
    ['only in the list of orders', async () => void world.store.orders.push(orderNow())],
    ['only as an event', () => world.hearOrder(CODE)],
    ['as both', () => world.order(CODE)],
  ])('wins between the deletion and the look (%s)', async (_, order) => {
    await world.takeBack();
    await workUntilDeleted();
    await order();
    await world.drain();
    await expectUsed();
    expect(world.store.codes.size).toBe(0);
  });

  // The customer was merged into another one, whose order it is.
  it.each(['7002', '7003'])('wins also as an order of %s, whom the store kept', async (kept) => {
    const { ledger, clock, store } = world;
    const how = { ledger, now: new Date(clock.ms), topic: 'customers/merge', retentionDays: 400 };
    await noteMerge({ shop: SHOP, id: ROBIN }, '7002', how);
    if (kept !== '7002') await noteMerge({ shop: SHOP, id: '7002' }, kept, how);
    await world.takeBack();
    await workUntilDeleted();
    store.orders.push({ ...orderNow(), customerId: kept });
    await world.drain();
    await expectUsed();
  });

  it('wins while the points are being given back: they are taken again', async () => {
    await world.takeBack();
    const { cancelRedemption } = world.loyalty;
    world.loyalty.cancelRedemption = async (given) => {
      await world.order(CODE);
      return cancelRedemption(given);
    };
    await world.drain();
    await expectUsed();
    expect([...world.loyalty.changes.values()]).toEqual([-100]);
  });

  it('takes the points again after they were given back, once, however often it comes', async () => {
    await world.takeBack();
    await world.drain();
    await expectBack();
    world.clock.ms += 59 * DAY_MS;
    await world.order(CODE);
    expect(await state()).toMatchObject({ at: 'owing' });
    expect(await shown()).toMatchObject({ state: 'used', code: CODE });
    await world.hearOrder(CODE);
    await world.drain();
    await expectUsed();
    await world.hearOrder(CODE);
    expect(world.queue.size).toBe(0);
    expect([...world.loyalty.changes.values()]).toEqual([-100]);
  });

  it.each(['7002', '7003'])('takes them from %s, whom the store kept in a merge', async (kept) => {
    const { ledger, clock, loyalty } = world;
    await world.takeBack();
    await world.drain();
    const how = { ledger, now: new Date(clock.ms), topic: 'customers/merge', retentionDays: 400 };
    await noteMerge({ shop: SHOP, id: ROBIN }, '7002', how);
    if (kept !== '7002') await noteMerge({ shop: SHOP, id: '7002' }, kept, how);
    // A person has moved the points, as the dead letter of the merge asks.
    loyalty.balances.delete(ROBIN);
    loyalty.balances.set(kept, 1_000);
    await world.hearOrder(CODE);
    await world.drain();
    expect([...loyalty.balances]).toEqual([[kept, 900]]);
    expect(await state()).toMatchObject({ at: 'used' });
  });

  it('takes cashback again as cashback', async () => {
    world = openRedeeming({ rewards: [{ id: 1, points: 0, type: 3, more: cashback }] });
    await world.redeem({ value: 4 });
    await world.takeBack();
    await world.drain();
    const taken: object[] = [];
    world.loyalty.changeCashback = async (of, change) => {
      taken.push({ of, ...change });
      return { kind: 'success', value: {} } as never;
    };
    await world.order(CODE);
    await world.drain();
    expect(taken).toMatchObject([{ of: ROBIN, Value: -4, OperationType: 1 }]);
    expect(await state()).toMatchObject({ at: 'used' });
  });

  it('takes nothing again for a reward that costs nothing', async () => {
    world = openRedeeming({ rewards: [{ id: 1, points: 0 }] });
    await world.redeem();
    await world.takeBack();
    await world.drain();
    await world.order(CODE);
    await world.drain();
    expect(await state()).toMatchObject({ at: 'used' });
    expect(world.loyalty.changes.size).toBe(0);
  });

  it('is found although its event came before the message could be sent', async () => {
    await world.takeBack();
    await world.drain();
    const { send } = world.events;
    world.events.send = () => Promise.reject(new Error('the queue is away'));
    await expect(world.order(CODE)).rejects.toThrow('the queue is away');
    world.events.send = send;
    await world.hearOrder(CODE);
    await world.drain();
    await expectUsed();
  });

  it('needs a person where the service does not take them, and says its reason', async () => {
    await world.takeBack();
    await world.drain();
    world.loyalty.balances.set(ROBIN, 99);
    await world.order(CODE);
    await world.drain();
    expect(await world.kept()).toMatchObject([
      { state: { at: 'owing' }, stuck: 'take-again-refused' },
    ]);
    expect(points()).toBe(99);
    expect(world.dead.receive()[0]?.attributes.why).toBe(
      'an order used its code after it was taken back, and the service does not take the points again: changePoints was refused: no',
    );
    // An order changes often: one dead letter is enough.
    world.clock.ms += 600_000;
    await world.hearOrder(CODE);
    expect(world.queue.size).toBe(0);
    expect(await world.close(id, 'cancelled')).toMatchObject({ kind: 'not-allowed' });
    expect(await world.close(id, 'used')).toMatchObject({ kind: 'closed' });
    await world.drain();
    expect(await state()).toMatchObject({ at: 'used' });
    expect(points()).toBe(99);
  });

  it('takes the points when the dead letter is replayed and they are there again', async () => {
    await world.takeBack();
    await world.drain();
    world.loyalty.balances.set(ROBIN, 99);
    await world.order(CODE);
    await world.drain();
    world.loyalty.balances.set(ROBIN, 1_000);
    world.replay();
    await world.drain();
    await expectUsed();
  });

  it('is remembered for two months, however many rewards come and go', async () => {
    await world.takeBack();
    await world.drain();
    for (let other = 2; other < 40; other += 1) {
      const { id: next } = namesOfClick(`click-${other}-00`);
      await world.redeem({ clientKey: `click-${other}-00` });
      await world.takeBack(next);
      await world.drain();
      world.clock.ms += DAY_MS;
    }
    await world.order(CODE);
    await world.drain();
    expect(points()).toBe(900);
  });
});

const orderNow = () => ({
  ...{ customerId: ROBIN, at: new Date(world.clock.ms), codes: ['WELCOME', 'Five-1'] },
});
const cashback = { AvailableCashback: 20, MaxCashbackForCurrentPurchase: 20 };

describe('a service that does not cancel', () => {
  const refuse = async () =>
    ({ kind: 'business-error', class: 'rejected', code: 75, message: 'no', fields: [] }) as never;

  it('after one that did so, without its answer, leaves no code to points that are back', async () => {
    const { cancelRedemption } = world.loyalty;
    let calls = 0;
    world.loyalty.cancelRedemption = async (given) => {
      calls += 1;
      if (calls > 1) return refuse();
      await cancelRedemption(given);
      const lost = { kind: 'transport-failure', reason: 'time-out', class: 'retry' };
      return { ...lost, mayHaveHappened: true, message: 'no' } as never;
    };
    await world.takeBack();
    await world.drain();
    expect(calls).toBe(2);
    await expectBack();
  });

  it('and does not say whether the points are spent, leaves it to a person', async () => {
    world.loyalty.cancelRedemption = refuse;
    world.loyalty.getRedeemedReward = refuse;
    await world.takeBack();
    await world.drain();
    expect(await world.kept()).toMatchObject([
      { state: { at: 'cancelling' }, stuck: 'cancel-refused' },
    ]);
    expect(world.store.codes.size).toBe(0);
  });

  it('leaves the customer the same code, which is not offered for take back again', async () => {
    world.loyalty.cancelRedemption = refuse;
    await world.takeBack();
    await world.drain();
    const refused = { takeBackUntil: null, takeBackRefused: true };
    expect(await shown()).toMatchObject({ state: 'ready', code: CODE, ...refused });
    expect(points()).toBe(900);
    expect([...world.store.codes.keys()]).toEqual(['five-1']);
    const again = { kind: 'refused', why: 'take-back-refused' };
    expect(await world.takeBack()).toEqual(again);
    // Of a checkout that was open before: the store does not count it for the new code.
    await world.hearOrder(CODE);
    await world.drain();
    await expectUsed();
    expect(world.store.codes.size).toBe(0);
  });

  it.each(['before', 'while'])(
    'makes no code again for an order that came %s it refused',
    async (when) => {
      world.loyalty.cancelRedemption = async () => {
        if (when === 'before') await world.order(CODE);
        return refuse();
      };
      const { makeCode } = world.store;
      world.store.makeCode = async (...given) => {
        const made = await makeCode(...given);
        if (when === 'while') await world.order(CODE);
        return made;
      };
      await world.takeBack();
      await world.drain();
      await expectUsed();
      expect(world.store.codes.size).toBe(0);
    },
  );

  it('leaves no code that the store makes again late, after an order came', async () => {
    world.loyalty.cancelRedemption = refuse;
    const { makeCode } = world.store;
    let makeLate = async () => {};
    world.store.makeCode = async (...given) => {
      await world.order(CODE);
      const dueAt = world.clock.ms + 50_000;
      makeLate = async () => {
        if (world.clock.ms < dueAt) return;
        makeLate = async () => {};
        await makeCode(...given);
      };
      return { kind: 'unavailable', why: 'time-out' };
    };
    await world.takeBack();
    for (let polls = 0; polls < 40 && world.queue.size > 0; polls += 1) {
      world.clock.ms += 10_000;
      await makeLate();
      await world.work();
    }
    world.clock.ms += 60_000;
    await makeLate();
    await expectUsed();
    expect([...world.store.codes.values()].filter(({ used }) => used === 0)).toEqual([]);
  });

  it('needs a person where the store takes the code no more, either', async () => {
    world.loyalty.cancelRedemption = refuse;
    world.store.before = () => ({ kind: 'refused', code: 'INVALID' });
    await world.takeBack();
    await world.drain();
    const kept = { state: { at: 'cancelling' }, stuck: 'cancel-refused' };
    expect(await world.kept()).toMatchObject([kept]);
    expect(world.dead.size).toBe(1);
  });
});

describe('a system that is away', () => {
  it('gives nothing back while the store does not say what it has', async () => {
    const { readUses, deleteCode, findCode, readOrderCodes } = world.store;
    const away = async () => ({ kind: 'unavailable', why: 'time-out' }) as const;
    await world.takeBack();
    for (const fault of [
      { readUses: away },
      { deleteCode: away },
      { readOrderCodes: away },
      { findCode: away },
    ]) {
      Object.assign(world.store, { readUses, deleteCode, findCode, readOrderCodes, ...fault });
      for (let polls = 0; polls < 20; polls += 1) {
        world.clock.ms += 30_000;
        await world.work();
      }
      expect(points()).toBe(900);
    }
    Object.assign(world.store, { readUses, deleteCode, findCode, readOrderCodes });
    await world.drain();
    await expectBack();
  });

  it('gives nothing back for a code that the store says it deleted, and still has', async () => {
    const { deleteCode } = world.store;
    world.store.deleteCode = async () => ({ kind: 'deleted' });
    await world.takeBack();
    for (let polls = 0; polls < 20; polls += 1) {
      world.clock.ms += 30_000;
      await world.work();
    }
    expect(await state()).not.toHaveProperty('deletedAt');
    world.store.deleteCode = deleteCode;
    await world.drain();
    await expectBack();
  });

  it('cancels, and takes points again, when the service answers again', async () => {
    const { cancelRedemption, changePoints } = world.loyalty;
    const lost = <Given extends unknown[]>(call: (...given: Given) => Promise<never>) => {
      let calls = 0;
      return async (...given: Given) => {
        const answer = await call(...given);
        calls += 1;
        return calls > 1 ? answer : (NO_ANSWER as never);
      };
    };
    world.loyalty.cancelRedemption = lost(cancelRedemption);
    world.loyalty.changePoints = lost(changePoints);
    await world.takeBack();
    await world.drain();
    await expectBack();
    await world.order(CODE);
    await world.drain();
    await expectUsed();
    expect(world.loyalty.changes.size).toBe(1);
  });

  it('leaves the reward as it is while no call may be made, and while the queue is away', async () => {
    const before = await shown();
    world.shopperBreaker = () => ({
      enter: async () => ({
        kind: 'call-refused',
        retry: { why: 'shop-paused', afterSeconds: 60 },
      }),
    });
    expect(await world.takeBack()).toEqual({ kind: 'unavailable' });
    world.shopperBreaker = createCircuitBreaker;
    const { send } = world.events;
    world.events.send = () => Promise.reject(new Error('the queue is away'));
    expect(await world.takeBack()).toEqual({ kind: 'unavailable' });
    world.events.send = send;
    expect(await shown()).toEqual(before);
    expect(await world.takeBack()).toMatchObject({ redemption: { state: 'returning' } });
  });
});

const NO_ANSWER = {
  ...{ kind: 'transport-failure', class: 'retry', reason: 'time-out', mayHaveHappened: true },
  message: 'no answer',
};

describe('who may take a reward back', () => {
  const until = (days: number) => new Date(START + days * DAY_MS).toISOString();
  const START = openRedeeming().clock.ms;

  it.each([
    ['customer', undefined, true],
    ['customer', '42', true],
    ['staff', undefined, false],
    ['staff', '42', true],
    ['nobody', undefined, false],
    ['nobody', '42', false],
  ] as const)('by %s: asked by staff %s', async (by, staffId, may) => {
    world.takeBackRule = { by, withinDays: 30 };
    if (!staffId) expect((await shown())?.takeBackUntil).toBe(may ? until(30) : null);
    expect(await world.takeBack(id, staffId)).toMatchObject(
      may ? { redemption: { state: 'returning' } } : { why: 'take-back-not-allowed' },
    );
  });

  it.each([
    [7, 7],
    // The code ends after 30 days.
    [60, 30],
  ])('within %s days, no longer than the code is valid', async (withinDays, days) => {
    world.takeBackRule = { by: 'customer', withinDays };
    world.clock.ms = START + days * DAY_MS - 1;
    expect((await shown())?.takeBackUntil).toBe(until(days));
    world.clock.ms += 1;
    expect((await shown())?.takeBackUntil).toBeNull();
    expect(await world.takeBack()).toEqual({ kind: 'refused', why: 'take-back-too-late' });
  });

  it('not what is not there, not ready, or used', async () => {
    expect(await world.takeBack('NOTTHERE0000')).toEqual({ kind: 'not-found' });
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    const { id: making } = namesOfClick('click-0002');
    expect(await world.takeBack(making)).toEqual({ kind: 'refused', why: 'not-ready' });
    await world.order(CODE);
    expect(await world.takeBack()).toEqual({ kind: 'refused', why: 'already-used' });
  });

  it('not more than are remembered until no order can come any more', async () => {
    world = openRedeeming({ redeemsPerHour: 1_000 });
    let answer: object = {};
    for (let click = 0; click <= 100; click += 1) {
      const clientKey = `click-number-${click}`;
      await world.redeem({ clientKey });
      answer = await world.takeBack(namesOfClick(clientKey).id);
      await workUntil((at) => at === 'cancelled');
      await world.drain();
    }
    expect(answer).toEqual({ kind: 'refused', why: 'take-back-not-allowed' });
    expect(points()).toBe(900);
  });
});

describe('a message that never reached the queue', () => {
  it('leaves the reward ready, an hour later', async () => {
    const { send } = world.events;
    const { write } = world.ledger;
    let writes = 0;
    // The process dies after it has recorded the wish.
    world.ledger.write = (...given) => {
      writes += 1;
      return writes > 1 ? Promise.reject(new Error('dead')) : write(...given);
    };
    world.events.send = () => Promise.reject(new Error('dead'));
    await world.takeBack();
    Object.assign(world.ledger, { write });
    world.events.send = send;
    expect(await shown()).toMatchObject({ state: 'returning' });
    world.clock.ms += 3_600_000;
    expect(await shown()).toMatchObject({ state: 'ready', code: CODE });
    expect(await world.takeBack()).toMatchObject({ redemption: { state: 'returning' } });
    await world.drain();
    await expectBack();
  });

  it('is not begun by a worker that hears of it so late', async () => {
    await world.takeBack();
    world.clock.ms += 3_400_000;
    await world.work();
    expect(await state()).not.toHaveProperty('begunAt');
    await world.drain();
    expect(await shown()).toMatchObject({ state: 'ready', code: CODE });
    expect(world.store.codes.size).toBe(1);
  });
});
