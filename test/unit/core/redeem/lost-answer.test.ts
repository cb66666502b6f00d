import { beforeEach, describe, expect, it } from 'vitest';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import { transportFailure } from '../../../../shared/loyalty/result.ts';
import { openRedeeming, type Redeeming, ROBIN } from '../../../support/redeem-world.ts';

let world: Redeeming;
beforeEach(() => {
  world = openRedeeming();
});

async function expectCode(): Promise<void> {
  expect(await world.list()).toMatchObject({ redemptions: [{ state: 'ready', code: 'FIVE-1' }] });
}

describe('a lost answer', () => {
  it.each(['lost-answer', 'lost-call', 'not-the-contract', 'something-went-wrong'] as const)(
    'is asked for again by the queue, with the same body, and the points are spent once (%s)',
    async (fate) => {
      world.loyalty.fates.push(fate);
      expect(await world.redeem()).toMatchObject({ redemption: { state: 'pending', code: null } });
      await world.drain();
      await expectCode();
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

  it.each([
    ['the service refuses every repetition', 'refused', []],
    ['no repetition is answered clearly', undefined, ['not-the-contract']],
  ] as const)('is found by key where %s', async (_, repetition, fates) => {
    if (repetition) world.loyalty.repetition = repetition;
    world.loyalty.fates.push('lost-answer', ...fates);
    await world.redeem();
    await world.drain();
    await expectCode();
    expect(world.loyalty.calls()).toBe(2);
  });

  it('is asked for again after two lost calls, also where the look-up is not answered clearly', async () => {
    const absent = { mayHaveHappened: false, message: 'HTTP 404.', status: 404 };
    world.loyalty.updateRewardMetadata = async () => transportFailure('not-found', absent) as never;
    world.loyalty.fates.push('lost-call', 'lost-call');
    await world.redeem();
    await world.drain();
    await expectCode();
    expect(world.loyalty.balances.get(ROBIN)).toBe(900);
    expect(world.dead.size).toBe(0);
  });

  // The simulation found it: the answer to each repetition opened the breaker, which allowed no look-up.
  it('is found by key where every repetition opens the circuit breaker', async () => {
    const opensAtOnce = { failuresToOpen: 1, openSeconds: 10, longestOpenSeconds: 10 };
    const breaker = createCircuitBreaker(opensAtOnce);
    world = openRedeeming({ newBreaker: () => breaker });
    const unclear = Array.from({ length: 100 }, () => 'not-the-contract' as const);
    world.loyalty.fates.push('lost-answer', ...unclear);
    await world.redeem();
    await world.drain();
    await expectCode();
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
    await expectCode();
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
