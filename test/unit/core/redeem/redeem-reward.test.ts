import { describe, expect, it } from 'vitest';
import { rememberBalance } from '../../../../shared/core/balances/remembered-balance.ts';
import { openRedeeming, type Redeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

const READY = { kind: 'redemption', redemption: { state: 'ready', code: 'FIVE-1' } };
const PENDING = { kind: 'redemption', redemption: { state: 'pending', code: null } };

/** As a point event left them. */
async function rememberPoints({ ledger }: Redeeming, points: string): Promise<void> {
  const remembered = rememberBalance({ points, cashback: '0', seen: [] });
  const entry = { version: 1, uncertain: false, outcomes: [], remembered };
  await ledger.write({ shop: SHOP, kind: 'customer', id: ROBIN }, entry, undefined);
}

describe('redeeming a reward', () => {
  it('spends the points once and makes a code for that customer only', async () => {
    const world = openRedeeming();
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
    const world = openRedeeming();
    const both = await Promise.all([world.redeem(), world.redeem()]);
    const again = await world.redeem();
    expect(again).toMatchObject(READY);
    const ids = [...both, again].map((one) => one.kind === 'redemption' && one.redemption.id);
    expect(new Set(ids).size).toBe(1);
    expect(world.loyalty.calls()).toBe(1);
  });

  it('joins another click for a reward that is still being redeemed, and no other', async () => {
    const world = openRedeeming();
    world.loyalty.fates.push('lost-answer');
    expect(await world.redeem()).toMatchObject(PENDING);
    expect(await world.redeem({ clientKey: 'click-0002' })).toMatchObject(PENDING);
    expect(await world.redeem({ clientKey: 'click-0003', rewardId: 2 })).toMatchObject({
      redemption: { state: 'ready', rewardId: 2 },
    });
    expect(world.loyalty.calls()).toBe(2);
  });

  it('redeems again after the first is done, when the customer clicks anew', async () => {
    const world = openRedeeming();
    await world.redeem();
    expect(await world.redeem({ clientKey: 'click-0002' })).toMatchObject({
      redemption: { state: 'ready', code: 'FIVE-2' },
    });
    expect(world.loyalty.balances.get(ROBIN)).toBe(800);
  });

  it('says that the points do not suffice where the balance shows it', async () => {
    const world = openRedeeming();
    world.loyalty.balances.set(ROBIN, 99);
    expect(await world.redeem()).toEqual({ kind: 'refused', why: 'refused' });
    await rememberPoints(world, '99');
    const clientKey = 'click-0002';
    expect(await world.redeem({ clientKey })).toEqual({ kind: 'refused', why: 'too-few-points' });
    // Retries of the refused click ask nobody again.
    expect(await world.redeem({ clientKey })).toEqual({ kind: 'refused', why: 'too-few-points' });
    expect(world.loyalty.calls()).toBe(2);
  });

  it('names no other reason while it is unknown whether the points suffice', async () => {
    const more = { HasSameCustomerUsageLimit: true, SameCustomerUsageLimit: 1 };
    const rewards = [
      { id: 1, points: 100, more },
      { id: 2, points: 100 },
    ];
    const world = openRedeeming({ rewards });
    world.loyalty.fates.push('unknown-customer', 'refused', 'refused', 'refused', 'refused');
    const refused = async (clientKey: string, rewardId: number) => {
      const answer = await world.redeem({ clientKey, rewardId });
      return answer.kind === 'refused' && answer.why;
    };
    expect(await refused('click-0001', 1)).toBe('too-few-points');
    expect(await refused('click-0002', 1)).toBe('refused');
    expect(await refused('click-0003', 2)).toBe('refused');
    await rememberPoints(world, '100');
    expect(await refused('click-0004', 1)).toBe('limit-reached');
    expect(await refused('click-0005', 2)).toBe('not-available');
  });

  it('reports refused credentials to the operator, whichever of its calls gets them', async () => {
    const world = openRedeeming();
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
    const world = openRedeeming({ rewards: [{ id: 1, points: 100, more }] });
    expect(await world.redeem()).toEqual({ kind: 'refused', why: 'not-online' });
    expect(world.loyalty.calls()).toBe(0);
    expect(await world.kept()).toEqual([]);
  });

  it('counts intents, not clicks, against the hourly limit', async () => {
    const world = openRedeeming({ redeemsPerHour: 2 });
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

  it('forgets an intent that surely was not carried out, so that the click can be tried again', async () => {
    const world = openRedeeming();
    world.loyalty.fates.push('throttled');
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    expect(await world.kept()).toEqual([]);
    expect(await world.redeem()).toMatchObject(READY);
    await world.drain();
    expect(world.loyalty.spendings).toHaveLength(1);
  });

  it('never shows one customer the redemption of another', async () => {
    const world = openRedeeming();
    await world.redeem();
    expect(await world.list('7002')).toEqual({ kind: 'redemptions', redemptions: [] });
    // The same click key of somebody else is another click.
    const other = await world.redeem({ customerId: '7002' });
    expect(other).toEqual({ kind: 'refused', why: 'refused' });
  });
});

describe('a code', () => {
  it('is made by the worker when the store was away, and shown as being made until then', async () => {
    const world = openRedeeming();
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'making', code: null } });
    await world.work();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'making' }] });
    world.store.before = undefined;
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.dead.size).toBe(0);
  });

  it('of another discount is left alone: the customer gets one of ours', async () => {
    const world = openRedeeming();
    world.store.foreign.add('five-1').add('five-testredeem01');
    expect(await world.redeem()).toMatchObject({
      redemption: { state: 'ready', code: 'FIVE-TESTREDEEM01-2' },
    });
    expect(world.telemetry.total('notice', { why: 'reward-code-taken' })).toBe(2);
  });

  it('that the store refuses for good is a dead letter, and is made when that is sent back', async () => {
    const world = openRedeeming();
    world.store.before = () => ({ kind: 'refused', code: 'INVALID' });
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'making' } });
    await world.drain();
    const [letter] = world.dead.receive();
    expect(letter?.attributes).toMatchObject({ reason: 'rejected' });
    expect(world.loyalty.changes.size).toBe(0);
    world.store.before = undefined;
    world.queue.send({
      body: letter?.body ?? '',
      groupId: 'redriven',
      deduplicationId: 'redriven',
    });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
  });

  it('that the store refuses for good is made again, or another one, when the operator says so', async () => {
    const world = openRedeeming();
    world.store.before = ({ code }) =>
      code === 'FIVE-1' ? { kind: 'refused', code: 'INVALID' } : undefined;
    await world.redeem();
    await world.drain();
    const again = { kind: 'operator-happened' } as const;
    expect(await world.settle('TESTREDEEM01', again)).toMatchObject({
      ...{ kind: 'settled', redemption: { state: { at: 'lost', code: { code: 'FIVE-1' } } } },
    });
    await world.drain();
    expect(world.store.codes.size).toBe(0);
    world.clock.ms += 1_000;
    const other = { kind: 'operator-happened', code: 'FIVE-ONE' } as const;
    expect(await world.settle('TESTREDEEM01', other)).toMatchObject({
      ...{ kind: 'settled', redemption: { state: { code: { code: 'FIVE-ONE' } } } },
    });
    await world.drain();
    expect(await world.list()).toMatchObject({
      redemptions: [{ state: 'ready', code: 'FIVE-ONE' }],
    });
    // Nothing is left to say: no second code, whatever is typed.
    for (const word of [again, other, { kind: 'operator-did-not-happen' } as const]) {
      expect(await world.settle('TESTREDEEM01', word)).toMatchObject({ kind: 'not-pending' });
    }
    await world.drain();
    expect(world.store.codes.size).toBe(1);
  });

  it('that cannot be made within the retry window is a dead letter that can be sent back', async () => {
    const world = openRedeeming();
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

  it('that waits holds up neither the customer’s balance nor another redemption', async () => {
    const world = openRedeeming();
    world.store.before = ({ code }) =>
      code === 'FIVE-1' ? { kind: 'unavailable', why: 'time-out' } : undefined;
    await world.redeem();
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    for (const spending of world.loyalty.spendings) world.tell(spending);
    await world.work();
    expect(world.telemetry.total('applied', { kind: 'balance' })).toBe(1);
    expect(await world.list()).toMatchObject({
      redemptions: [{ state: 'ready' }, { state: 'making' }],
    });
  });

  it('that the store refuses for good is compensated once, where the merchant wants it', async () => {
    const world = openRedeeming({ cashbackAddIs: 1 });
    world.store.before = () => ({ kind: 'refused', code: 'INVALID' });
    await world.redeem();
    await world.drain();
    expect([...world.loyalty.changes]).toEqual([['TESTREDEEM01', 5]]);
    expect(world.dead.size).toBe(0);
    // No code any more, and no second change, whatever asks for it.
    world.store.before = undefined;
    await world.settle('TESTREDEEM01', { kind: 'operator-happened' });
    await world.drain();
    expect(world.store.codes.size).toBe(0);
    expect(world.loyalty.changes.size).toBe(1);
  });

  it('of a percentage has no worth in cashback that could be given', async () => {
    const world = openRedeeming({
      cashbackAddIs: 1,
      rewards: [{ id: 1, points: 9, type: 1, value: 10, more: {} }],
    });
    world.loyalty.fates.push('lost-answer');
    await world.redeem();
    world.store.before = () => ({ kind: 'refused', code: 'INVALID' });
    await world.settle('TESTREDEEM01', { kind: 'operator-happened' });
    await world.drain();
    expect(world.loyalty.changes.size).toBe(0);
    expect(world.dead.size).toBeGreaterThan(0);
  });

  it('shows as used when the store has counted a use, and is never asked for again', async () => {
    const world = openRedeeming();
    await world.redeem();
    const [code] = world.store.codes.values();
    if (code) code.used = 1;
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'used', code: 'FIVE-1' }] });
    world.store.readUses = () => Promise.reject(new Error('asked again'));
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'used' }] });
  });
});

describe('an unknown outcome', () => {
  it.each(['lost-answer', 'not-the-contract', 'something-went-wrong'] as const)(
    'is settled by the point event, once and never sent again (%s)',
    async (fate) => {
      const world = openRedeeming();
      world.loyalty.fates.push(fate);
      expect(await world.redeem()).toMatchObject(PENDING);
      await world.work();
      const [spending] = world.loyalty.spendings;
      if (!spending) throw new Error('nothing was spent');
      world.tell(spending);
      world.tell(spending);
      await world.drain();
      expect(await world.list()).toMatchObject({
        redemptions: [{ state: 'ready', code: 'FIVE-TESTREDEEM01' }],
      });
      expect(world.loyalty.calls()).toBe(1);
      expect(world.store.codes.size).toBe(1);
    },
  );

  it('stays pending without an event, rings, and is settled by the operator', async () => {
    const world = openRedeeming();
    world.loyalty.fates.push('lost-answer', 'lost-call');
    await world.redeem();
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    const rung = () => world.telemetry.total('notice', { why: 'redemption-pending' });
    // An event may still come.
    for (let minute = 0; minute < 9; minute += 1) {
      await world.work();
      world.clock.ms += 60_000;
    }
    expect(rung()).toBe(0);
    await world.drain();
    expect(rung()).toBe(2);
    world.clock.ms += 30 * 86_400_000;
    expect(await world.list()).toMatchObject({
      redemptions: [{ state: 'pending' }, { state: 'pending' }],
    });
    const happened = { kind: 'operator-happened', code: 'FIVE-1' } as const;
    expect(await world.settle('TESTREDEEM01', happened)).toMatchObject({ kind: 'settled' });
    const not = { kind: 'operator-did-not-happen' } as const;
    expect(await world.settle('TESTREDEEM02', not)).toMatchObject({ kind: 'settled' });
    expect(await world.settle('TESTREDEEM02', not)).toMatchObject({ kind: 'not-pending' });
    expect(await world.settle('TESTREDEEM99', not)).toEqual({ kind: 'not-found' });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(await world.settle('TESTREDEEM01', not)).toMatchObject({ kind: 'not-pending' });
  });

  it.each(['event', 'person'])(
    'is over as soon as the %s tells, while its first message rests',
    async (who) => {
      const world = openRedeeming();
      world.loyalty.fates.push('lost-answer');
      await world.redeem();
      // Tried a few times: the next one is minutes away.
      for (let round = 0; round < 8; round += 1) {
        await world.work();
        world.clock.ms += 30_000;
      }
      await world.work();
      if (who === 'person') await world.settle('TESTREDEEM01', { kind: 'operator-happened' });
      else for (const spending of world.loyalty.spendings) world.tell(spending);
      await world.work();
      await world.work();
      expect(await world.list()).toMatchObject({ redemptions: [{ state: 'ready' }] });
      expect(world.queue.size).toBe(1);
      await world.drain();
      expect(world.store.codes.size).toBe(1);
    },
  );

  it('of which two people say different things is settled by one of them', async () => {
    const world = openRedeeming();
    world.loyalty.fates.push('lost-call');
    await world.redeem();
    await world.drain();
    const said = await Promise.all([
      world.settle('TESTREDEEM01', { kind: 'operator-happened' }),
      world.settle('TESTREDEEM01', { kind: 'operator-did-not-happen' }),
    ]);
    expect(said.map(({ kind }) => kind).toSorted()).toEqual(['not-pending', 'settled']);
    await world.drain();
    const happened = said[0]?.kind === 'settled';
    expect((await world.kept())[0]?.state.at).toBe(happened ? 'ready' : 'refused');
    expect(world.store.codes.size).toBe(happened ? 1 : 0);
  });

  it.each([
    ['lost-answer', 'FIVE-TESTREDEEM01'],
    // The answer that did come brings the service's own code.
    ['answered', 'FIVE-1'],
  ] as const)('is none when the event comes during the call (%s)', async (fate, code) => {
    const world = openRedeeming();
    world.loyalty.fates.push(fate);
    const { redeemReward } = world.loyalty;
    world.loyalty.redeemReward = async (...given) => {
      const answer = await redeemReward(...given);
      for (const spending of world.loyalty.spendings) world.tell(spending);
      await world.work();
      return answer;
    };
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'ready', code }] });
    expect(world.store.codes.size).toBe(1);
  });

  it('is not settled by another customer’s points, other points, or points of another time', async () => {
    const world = openRedeeming();
    world.loyalty.fates.push('lost-call');
    await world.redeem();
    const at = world.clock.ms;
    world.tell({ pointId: 1, customerId: '7002', points: 100, at });
    world.tell({ pointId: 2, customerId: ROBIN, points: 99, at });
    world.tell({ pointId: 3, customerId: ROBIN, points: 100, at: at - 120_000 });
    await world.drain();
    world.tell({ pointId: 4, customerId: ROBIN, points: 100, at: world.clock.ms + 3_600_000 });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'pending' }] });
  });

  it('is not settled by the event of another redemption that costs the same', async () => {
    const rewards = [
      { id: 1, points: 100 },
      { id: 2, points: 100 },
      { id: 3, points: 100 },
    ];
    const world = openRedeeming({ rewards });
    world.loyalty.fates.push('lost-call', 'lost-answer');
    await world.redeem({ clientKey: 'click-0001', rewardId: 1 });
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    await world.redeem({ clientKey: 'click-0003', rewardId: 3 });
    // Two were spent: one for the third, and nobody can tell which of the others the second is for.
    for (const spending of world.loyalty.spendings) world.tell(spending);
    await world.drain();
    const states = (await world.kept()).map(({ state }) => state.at);
    expect(states).toEqual(['unknown', 'unknown', 'ready']);
  });
});

describe('a redaction', () => {
  it('erases what a customer redeemed, and nothing brings it back', async () => {
    const world = openRedeeming();
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    await world.redeem();
    await world.ledger.redact([{ shop: SHOP, kind: 'redemption', id: ROBIN }], {
      redactedAt: 1,
      expiresAt: 1_900_000_000,
    });
    world.store.before = undefined;
    await world.drain();
    expect(await world.list()).toEqual({ kind: 'redemptions', redemptions: [] });
    expect([...world.ledger.entries.values()].map(({ remembered }) => remembered)).toEqual([
      undefined,
    ]);
    expect(world.store.codes.size).toBe(0);
  });
});
