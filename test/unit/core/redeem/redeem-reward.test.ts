import { beforeEach, describe, expect, it } from 'vitest';
import { applyStep, openBook } from '../../../../shared/core/redeem/open-book.ts';
import { createCircuitBreaker } from '../../../../shared/core/sync/circuit-breaker.ts';
import { transportFailure } from '../../../../shared/loyalty/result.ts';
import { openRedeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

let world: ReturnType<typeof openRedeeming>;
beforeEach(() => {
  world = openRedeeming();
});

const READY = { kind: 'redemption', redemption: { state: 'ready', code: 'FIVE-1' } };
const PENDING = { kind: 'redemption', redemption: { state: 'pending', code: null } };

describe('redeeming a reward', () => {
  it('spends the points once and makes a code for that customer only', async () => {
    expect(await world.redeem()).toMatchObject({
      kind: 'redemption',
      redemption: { ...READY.redemption, rewardId: 1, points: 100, kind: 'fixed', value: 5 },
    });
    expect(world.loyalty.balances.get(ROBIN)).toBe(900);
    expect([...world.store.codes.values()]).toMatchObject([{ customerId: ROBIN, code: 'FIVE-1' }]);
    await world.drain();
    expect(world.loyalty.calls()).toBe(1);
    expect(world.store.codes.size).toBe(1);
  });

  it('answers a double click and every retry with the same redemption', async () => {
    const both = await Promise.all([world.redeem(), world.redeem()]);
    const again = await world.redeem();
    expect(again).toMatchObject(READY);
    const ids = [...both, again].map((one) => one.kind === 'redemption' && one.redemption.id);
    expect(new Set(ids).size).toBe(1);
    expect(world.loyalty.calls()).toBe(1);
  });

  it('joins another click for a reward that is still being redeemed, and no other', async () => {
    world.loyalty.fates.push('lost-answer');
    expect(await world.redeem()).toMatchObject(PENDING);
    expect(await world.redeem({ clientKey: 'click-0002' })).toMatchObject(PENDING);
    expect(await world.redeem({ clientKey: 'click-0003', rewardId: 2 })).toMatchObject({
      redemption: { state: 'ready', rewardId: 2 },
    });
    expect(world.loyalty.calls()).toBe(2);
  });

  it('redeems again after the first is done, when the customer clicks anew', async () => {
    await world.redeem();
    expect(await world.redeem({ clientKey: 'click-0002' })).toMatchObject({
      redemption: { state: 'ready', code: 'FIVE-2' },
    });
    expect(world.loyalty.balances.get(ROBIN)).toBe(800);
  });

  it('says why the service refuses, and asks it once for each click', async () => {
    const more = { HasSameCustomerUsageLimit: true, SameCustomerUsageLimit: 1 };
    world = openRedeeming({
      rewards: [
        { id: 1, points: 100, more },
        { id: 2, points: 100 },
      ],
    });
    world.loyalty.balances.set(ROBIN, 99);
    const refused = async (clientKey: string, rewardId: number) => {
      const answer = await world.redeem({ clientKey, rewardId });
      return answer.kind === 'refused' && answer.why;
    };
    expect(await refused('click-0001', 1)).toBe('too-few-points');
    expect(await refused('click-0001', 1)).toBe('too-few-points');
    expect(world.loyalty.calls()).toBe(1);
    world.loyalty.fates.push('unknown-customer', 'refused', 'refused');
    expect(await refused('click-0002', 1)).toBe('too-few-points');
    expect(await refused('click-0003', 1)).toBe('limit-reached');
    expect(await refused('click-0004', 2)).toBe('not-available');
    // The answers said so: the list need not repeat it.
    expect(await world.list()).toEqual({ redemptions: [] });
  });

  it('sends the chosen amount and the customer’s id in the program', async () => {
    const more = { AvailableCashback: 20, MaxCashbackForCurrentPurchase: 20 };
    world = openRedeeming({ rewards: [{ id: 1, points: 0, type: 3, more }] });
    expect(await world.redeem({ value: 12.5 })).toMatchObject({
      redemption: { state: 'ready', kind: 'fixed', value: 12.5 },
    });
    expect(world.loyalty.bodies).toEqual([
      {
        CustomerId: `${ROBIN}@example.com`,
        OriginalKey: '00000000-0000-4000-8000-000000000001',
        Value: 12.5,
      },
    ]);
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

describe('a code', () => {
  it('is noted in the ledger before the customer sees it', async () => {
    const noted: boolean[] = [];
    const { write } = world.ledger;
    world.ledger.write = (key, entry, revision) => {
      const isReady = entry.remembered?.includes('"ready"') ?? false;
      if (isReady) noted.push(world.ledger.entries.has(`${SHOP}|reward-code|five-1`));
      return write(key, entry, revision);
    };
    expect(await world.redeem()).toMatchObject(READY);
    expect(noted).toEqual([true]);
  });

  it('is made by the worker when the store was away, and shown as being made until then', async () => {
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'making', code: null } });
    await world.work();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'making' }] });
    world.store.before = undefined;
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.dead.size).toBe(0);
  });

  it('that fails while the customer waits is said to be made, and is made by the worker', async () => {
    world.store.before = () => {
      throw new Error('the store broke off');
    };
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'making', code: null } });
    world.store.before = undefined;
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
  });

  it('is one of ours where the service gives none', async () => {
    world.loyalty.givesCodes = false;
    expect(await world.redeem()).toMatchObject({
      redemption: { state: 'ready', code: 'FIVE-TESTREDEEM01' },
    });
  });

  it('that cannot be made within the retry window is a dead letter that can be sent back', async () => {
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    await world.redeem();
    world.clock.ms += 5 * 86_400_000;
    await world.drain();
    const [letter] = world.dead.receive();
    expect(letter?.attributes).toMatchObject({ reason: 'retry-window-over' });
    expect(letter?.attributes.why).toContain('store-time-out');
    world.store.before = undefined;
    const again = { groupId: 'redriven', deduplicationId: 'redriven' };
    world.queue.send({ body: letter?.body ?? '', ...again });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
  });

  it('that waits does not delay another redemption', async () => {
    world.store.before = ({ code }) =>
      code === 'FIVE-1' ? { kind: 'unavailable', why: 'time-out' } : undefined;
    await world.redeem();
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    await world.work();
    expect(await world.list()).toMatchObject({
      redemptions: [{ state: 'ready' }, { state: 'making' }],
    });
  });

  it('shows as used when the store has counted a use, and is never asked for again', async () => {
    await world.redeem();
    const [code] = world.store.codes.values();
    if (code) code.used = 1;
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'used', code: 'FIVE-1' }] });
    world.store.readUses = () => Promise.reject(new Error('asked again'));
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'used' }] });
  });
});

describe('a lost answer', () => {
  it.each(['lost-answer', 'lost-call', 'not-the-contract', 'something-went-wrong'] as const)(
    'is asked for again by the queue, with the same body, and the points are spent once (%s)',
    async (fate) => {
      world.loyalty.fates.push(fate);
      expect(await world.redeem()).toMatchObject(PENDING);
      await world.drain();
      expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
      const [first, ...others] = world.loyalty.bodies;
      expect(others).toEqual([first]);
      expect(world.loyalty.balances.get(ROBIN)).toBe(900);
      expect(world.dead.size).toBe(0);
    },
  );

  it('is not asked for within 30 seconds', async () => {
    world.loyalty.fates.push('lost-answer');
    await world.redeem();
    for (let seconds = 0; seconds < 29; seconds += 1) {
      await world.work();
      world.clock.ms += 1_000;
    }
    expect(world.loyalty.calls()).toBe(1);
    await world.drain();
    expect(world.loyalty.calls()).toBe(2);
  });

  it('is found by key where the service refuses every repetition', async () => {
    world.loyalty.repetition = 'refused';
    world.loyalty.fates.push('lost-answer');
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.calls()).toBe(2);
  });

  it('is found by key where no repetition is answered clearly', async () => {
    world.loyalty.fates.push('lost-answer', 'not-the-contract');
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.calls()).toBe(2);
  });

  it('is asked for again after two lost calls, also where the look-up is not answered clearly', async () => {
    world.loyalty.updateRewardMetadata = async () =>
      transportFailure('not-found', {
        mayHaveHappened: false,
        message: 'HTTP 404.',
        status: 404,
      }) as never;
    world.loyalty.fates.push('lost-call', 'lost-call');
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.balances.get(ROBIN)).toBe(900);
    expect(world.dead.size).toBe(0);
  });

  // The simulation found it: the answer to each repetition opened the breaker, which allowed no look-up.
  it('is found by key where every repetition opens the circuit breaker', async () => {
    const breaker = createCircuitBreaker({
      failuresToOpen: 1,
      openSeconds: 10,
      longestOpenSeconds: 10,
    });
    world = openRedeeming({ newBreaker: () => breaker });
    const unclear = Array.from({ length: 100 }, () => 'not-the-contract' as const);
    world.loyalty.fates.push('lost-answer', ...unclear);
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.queue.size).toBe(0);
  });

  it('and then a refusal is a refusal when the key is absent twice, ten minutes apart', async () => {
    world.loyalty.fates.push('lost-call', 'refused');
    await world.redeem();
    const lookUps: number[] = [];
    const { updateRewardMetadata } = world.loyalty;
    world.loyalty.updateRewardMetadata = (given) => {
      lookUps.push(world.clock.ms);
      return updateRewardMetadata(given);
    };
    await world.drain();
    const [first = 0, second = 0] = lookUps;
    expect(lookUps).toHaveLength(2);
    expect(second - first).toBeGreaterThanOrEqual(600_000);
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'refused', code: null }] });
    expect(await world.redeem()).toEqual({ kind: 'refused', why: 'not-available' });
    expect(world.loyalty.calls()).toBe(2);
    expect(world.loyalty.redemptions.size).toBe(0);
  });

  it('and then a refusal waits for a person when the look-up is refused', async () => {
    const { updateRewardMetadata } = world.loyalty;
    world.loyalty.fates.push('lost-answer', 'refused');
    world.loyalty.updateRewardMetadata = async () =>
      ({ kind: 'business-error', class: 'rejected', code: 7, message: 'no', fields: [] }) as never;
    await world.redeem();
    await world.drain();
    expect(world.dead.size).toBe(1);
    expect(await world.kept()).toMatchObject([{ stuck: 'look-up-refused' }]);
    expect(world.telemetry.total('redemption-pending')).toBe(1);
    // Sent again, the letter continues where it stopped.
    world.loyalty.updateRewardMetadata = updateRewardMetadata;
    world.replay();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect((await world.kept())[0]).not.toHaveProperty('stuck');
  });

  it('is not asked for by a process that was slow to call: another may have cancelled since', async () => {
    const { write } = world.ledger;
    world.ledger.write = async (...given) => {
      const written = await write(...given);
      if (world.loyalty.calls() === 0) world.clock.ms += 31_000;
      return written;
    };
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    expect(world.loyalty.calls()).toBe(0);
  });
});

describe('a click whose process died before the call', () => {
  it('is carried out by the worker', async () => {
    const { write } = world.ledger;
    let writes = 0;
    world.ledger.write = async (...given) => {
      writes += 1;
      if (writes === 2) throw new Error('the process died');
      return write(...given);
    };
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.calls()).toBe(1);
  });
});

describe('a code that the store refuses', () => {
  const REFUSED = () => ({ kind: 'refused', code: 'INVALID' }) as const;

  it.each([
    ['permanently', 'refused'],
    ['because another discount has it', 'taken'],
  ] as const)('%s gives the points back', async (_, kind) => {
    if (kind === 'taken') world.store.foreign.add('five-1');
    else world.store.before = REFUSED;
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'making', code: null } });
    await world.drain();
    expect(world.loyalty.balances.get(ROBIN)).toBe(1_000);
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'cancelled', code: null }] });
    expect(world.store.codes.size).toBe(0);
    expect(world.dead.size).toBe(0);
    // A new click is a new redemption with a new key.
    world.store.before = undefined;
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'cancelled' } });
    expect(await world.redeem({ clientKey: 'click-0002' })).toMatchObject({
      redemption: { state: 'ready', code: 'FIVE-2' },
    });
    expect(new Set(world.loyalty.redemptions.keys()).size).toBe(2);
  });

  it('is cancelled no sooner than 60 seconds after the last call, and never for a time-out', async () => {
    const begun = world.clock.ms;
    let cancelledAt = 0;
    const { cancelRedemption } = world.loyalty;
    world.loyalty.cancelRedemption = (id) => {
      cancelledAt = world.clock.ms;
      return cancelRedemption(id);
    };
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    await world.redeem();
    for (let hour = 0; hour < 24; hour += 1) {
      await world.work();
      world.clock.ms += 3_600_000;
    }
    expect(cancelledAt).toBe(0);
    const refusedAt = world.clock.ms;
    world.store.before = REFUSED;
    await world.drain();
    expect(refusedAt).toBeGreaterThan(begun);
    expect(cancelledAt - refusedAt).toBeGreaterThanOrEqual(60_000);
  });

  it('and has after all is given to the customer', async () => {
    world.store.before = (wanted) => {
      world.store.codes.set('five-1', { ...wanted, discountId: 'late', used: 0 });
      return REFUSED();
    };
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.balances.get(ROBIN)).toBe(900);
  });

  it('and has after the cancellation is deleted', async () => {
    let wanted: Parameters<NonNullable<typeof world.store.before>>[0] | undefined;
    world.store.before = (given) => {
      wanted = given;
      return REFUSED();
    };
    const { cancelRedemption } = world.loyalty;
    world.loyalty.cancelRedemption = (id) => {
      if (wanted) world.store.codes.set('five-1', { ...wanted, discountId: 'late', used: 0 });
      return cancelRedemption(id);
    };
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'cancelled' }] });
    expect(world.store.codes.size).toBe(0);
  });

  it('counts a cancellation that was made already as done', async () => {
    world.store.before = REFUSED;
    const { cancelRedemption } = world.loyalty;
    let calls = 0;
    world.loyalty.cancelRedemption = async (id) => {
      calls += 1;
      const answer = await cancelRedemption(id);
      if (calls > 1) return answer;
      const lost = { kind: 'transport-failure', reason: 'time-out', class: 'retry' };
      return { ...lost, mayHaveHappened: true, message: 'no' } as never;
    };
    await world.redeem();
    await world.drain();
    expect(calls).toBe(2);
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'cancelled' }] });
    expect(world.loyalty.balances.get(ROBIN)).toBe(1_000);
  });

  it('does not wait for a person when another process has cancelled it meanwhile', async () => {
    world.store.before = REFUSED;
    const { ledger, clock } = world;
    world.loyalty.cancelRedemption = async () => {
      const other = { ledger, now: () => new Date(clock.ms), retentionDays: 400 };
      const [{ id = '' } = {}] = await world.kept();
      await applyStep(openBook({ shop: SHOP, customerId: ROBIN }, other), id, {
        kind: 'cancelled',
      });
      const refused = { kind: 'business-error', class: 'rejected', code: 73 };
      return { ...refused, message: 'no', fields: [] } as never;
    };
    await world.redeem();
    await world.drain();
    expect(world.dead.size).toBe(0);
    const [kept] = await world.kept();
    expect(kept?.state.at).toBe('cancelled');
    expect(kept).not.toHaveProperty('stuck');
  });

  it('waits for a person when the service does not know the redemption any more', async () => {
    world.store.before = REFUSED;
    await world.redeem();
    world.loyalty.redemptions.clear();
    await world.drain();
    expect(world.dead.size).toBe(1);
    expect(await world.kept()).toMatchObject([
      { state: { at: 'cancelling' }, stuck: 'cancel-refused' },
    ]);
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'making' }] });
    // No code is made, whatever is sent again.
    world.store.before = undefined;
    world.replay();
    await world.drain();
    expect(world.store.codes.size).toBe(0);
    const id = 'TESTREDEEM01';
    expect(await world.close(id, 'refused')).toMatchObject({ kind: 'not-allowed' });
    expect(await world.close(id, 'cancelled')).toMatchObject({ kind: 'closed' });
    expect(await world.close(id, 'cancelled')).toMatchObject({ kind: 'closed' });
    expect(await world.close('TESTREDEEM99', 'cancelled')).toEqual({ kind: 'not-found' });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'cancelled' }] });
  });
});

describe('a redaction', () => {
  it('erases what a customer redeemed, and nothing brings it back', async () => {
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    await world.redeem();
    await world.ledger.redact([{ shop: SHOP, kind: 'redemption', id: ROBIN }], {
      redactedAt: 1,
      expiresAt: 1_900_000_000,
    });
    world.store.before = undefined;
    await world.drain();
    expect(await world.list()).toEqual({ redemptions: [] });
    expect([...world.ledger.entries.values()].map(({ remembered }) => remembered)).toEqual([
      undefined,
    ]);
    expect(world.store.codes.size).toBe(0);
  });
});
