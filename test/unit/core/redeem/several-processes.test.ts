import { beforeEach, describe, expect, it } from 'vitest';
import { bookKey, rememberBook } from '../../../../shared/core/redemptions/redemption-record.ts';
import { transportFailure } from '../../../../shared/loyalty/result.ts';
import { openRedeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

let world: ReturnType<typeof openRedeeming>;
beforeEach(() => {
  world = openRedeeming();
});

const READY = { kind: 'redemption', redemption: { state: 'ready', code: 'FIVE-1' } };
const PENDING = { kind: 'redemption', redemption: { state: 'pending', code: null } };
const OTHER_TAB = { clientKey: 'click-0002' };

/** Its intent is on the queue, and its call is not begun. */
async function clickThatDies(): Promise<void> {
  const { write } = world.ledger;
  let writes = 0;
  world.ledger.write = async (...given) => {
    writes += 1;
    if (writes === 2) throw new Error('the process died');
    return write(...given);
  };
  expect(await world.redeem()).toEqual({ kind: 'unavailable' });
  world.ledger.write = write;
}

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
    expect(await world.redeem()).toMatchObject(READY);
    expect(calls).toEqual([0]);
  });

  it('of another tab carries out what died before its call, and spends the points once', async () => {
    await clickThatDies();
    expect(await world.redeem(OTHER_TAB)).toMatchObject(READY);
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

  it('that was too slow to call does not forget the call that the worker made instead', async () => {
    const { write } = world.ledger;
    let writes = 0;
    world.loyalty.fates.push('lost-answer');
    world.ledger.write = async (...given) => {
      const written = await write(...given);
      writes += 1;
      if (writes !== 2) return written;
      world.clock.ms += 31_000;
      await world.work();
      return written;
    };
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.balances.get(ROBIN)).toBe(900);
  });

  it('that repeats an unanswered call and is throttled does not forget the first', async () => {
    world.loyalty.fates.push('lost-answer', 'throttled');
    afterIntent(async () => {
      world.clock.ms += 31_000;
      await world.work();
      world.clock.ms += 31_000;
    });
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.balances.get(ROBIN)).toBe(900);
  });

  it('hears that it failed when others write all the time, and does not wait for ever', async () => {
    const { write } = world.ledger;
    world.ledger.write = async (key, ...given) =>
      key.kind === 'redemption' ? ({ kind: 'conflict' } as never) : write(key, ...given);
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    expect(world.loyalty.calls()).toBe(0);
  });
});

describe('the worker', () => {
  it('makes the code of its own call in the same batch', async () => {
    await clickThatDies();
    world.clock.ms += 31_000;
    await world.work();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.queue.size).toBe(0);
  });

  it('lets the customer see a refusal that no click was answered with', async () => {
    await clickThatDies();
    world.loyalty.fates.push('refused');
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'refused', code: null }] });
  });

  it('takes back a call that was surely not sent, so that a refusal after it needs no look-up', async () => {
    await clickThatDies();
    world.clock.ms += 31_000;
    world.loyalty.fates.push('throttled');
    await world.work();
    expect(await world.kept()).toMatchObject([{ state: { at: 'intended' } }]);
    expect(world.telemetry.total('throttled')).toBe(1);
  });

  it('looks up again what it could not look up, and asks no person', async () => {
    const { updateRewardMetadata } = world.loyalty;
    let lookUps = 0;
    world.loyalty.updateRewardMetadata = async (given) => {
      lookUps += 1;
      if (lookUps > 1) return updateRewardMetadata(given);
      return transportFailure('time-out', { mayHaveHappened: true, message: 'no answer' }) as never;
    };
    world.loyalty.fates.push('lost-answer', 'refused');
    await world.redeem();
    await world.drain();
    expect(world.dead.size).toBe(0);
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
  });

  it('does not give points back while the store cannot say whether it has the code', async () => {
    world.store.before = (wanted) => {
      world.store.codes.set('five-1', { ...wanted, discountId: 'late', used: 0 });
      return { kind: 'refused', code: 'INVALID' };
    };
    const { findCode } = world.store;
    world.store.findCode = async () => {
      world.store.findCode = findCode;
      return { kind: 'unavailable', why: 'time-out' };
    };
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.balances.get(ROBIN)).toBe(900);
  });

  it('waits as long as the service asks after a call without an answer', async () => {
    const { redeemRewardByKey } = world.loyalty;
    const calledAt: number[] = [];
    world.loyalty.redeemRewardByKey = async (...given) => {
      calledAt.push(world.clock.ms);
      if (calledAt.length > 1) return redeemRewardByKey(...given);
      const details = { mayHaveHappened: true, message: 'HTTP 503.', retryAfterSeconds: 900 };
      return transportFailure('unavailable', details) as never;
    };
    await clickThatDies();
    await world.drain();
    const [first = 0, second = 0] = calledAt;
    expect(second - first).toBeGreaterThanOrEqual(900_000);
  });

  it('gives every call its deadline, so that none is waited for after it', async () => {
    const signals: unknown[] = [];
    for (const name of ['redeemRewardByKey', 'updateRewardMetadata', 'cancelRedemption'] as const) {
      const call = world.loyalty[name] as (...given: unknown[]) => Promise<never>;
      Object.assign(world.loyalty, {
        [name]: (...given: unknown[]) => {
          signals.push((given.at(-1) as { readonly signal?: unknown }).signal);
          return call(...given);
        },
      });
    }
    world.store.before = () => ({ kind: 'refused', code: 'INVALID' });
    world.loyalty.fates.push('lost-answer', 'not-the-contract');
    await world.redeem();
    await world.drain();
    expect(signals).toEqual(Array(4).fill(expect.any(AbortSignal)));
    const lines = [...world.ledger.entries.values()].flatMap(({ outcomes }) => outcomes);
    expect(lines).toContainEqual(expect.objectContaining({ why: 'INVALID' }));
  });

  it('takes a redemption that the service remarks on for a redemption', async () => {
    const { updateRewardMetadata } = world.loyalty;
    world.loyalty.updateRewardMetadata = async (given) =>
      ({ ...((await updateRewardMetadata(given)) as object), kind: 'warning' }) as never;
    world.loyalty.fates.push('lost-answer', 'not-the-contract');
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.calls()).toBe(2);
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

describe('a customer with many codes', () => {
  it('sees the newest twenty, and the store is asked for no more than it answers at once', async () => {
    await world.redeem();
    const [one] = await world.kept();
    if (one?.state.at !== 'ready') throw new Error('there is no code');
    const { state } = one;
    const redemptions = Array.from({ length: 60 }, (_, index) => ({
      ...{ ...one, id: `R${index}`, state: { ...state, discountId: `D${index}` } },
    }));
    const remembered = rememberBook({ redemptions, intents: [] });
    const key = bookKey({ shop: SHOP, customerId: '7002' });
    await world.ledger.write(
      key,
      { version: 1, uncertain: false, outcomes: [], remembered },
      undefined,
    );
    const asked: string[] = [];
    world.store.readUses = async (_, ids) => {
      asked.push(...ids);
      return { kind: 'unavailable', why: 'time-out' };
    };
    const ids = redemptions.map(({ id }) => id).toReversed();
    const listed = (await world.list('7002')).redemptions;
    expect(listed.map(({ id }) => id)).toEqual(ids.slice(0, 20));
    expect(asked).toEqual(redemptions.slice(-50).map(({ state }) => state.discountId));
  });
});
