import { beforeEach, describe, expect, it } from 'vitest';
import { applyStep, openBook } from '../../../../shared/core/redemptions/redemption-record.ts';
import {
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
    const again = await world.redeem({ clientKey: 'click-0002' });
    expect(again).toMatchObject({ redemption: { state: 'ready', code: 'FIVE-2' } });
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
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'ready', code: 'FIVE-1' }] });
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
      const book = openBook({ shop: SHOP, customerId: ROBIN }, other);
      await applyStep(book, id, { kind: 'cancelled' });
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
    const kept = { state: { at: 'cancelling' }, stuck: 'cancel-refused' };
    expect(await world.kept()).toMatchObject([kept]);
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'making' }] });
    // No code is made, whatever is sent again.
    world.store.before = undefined;
    world.replay();
    await world.drain();
    expect(world.store.codes.size).toBe(0);
    const { id } = namesOfClick();
    expect(await world.close(id, 'refused')).toMatchObject({ kind: 'not-allowed' });
    expect(await world.close(id, 'cancelled')).toMatchObject({ kind: 'closed' });
    expect(await world.close(id, 'cancelled')).toMatchObject({ kind: 'closed' });
    expect(await world.close('TESTREDEEM99', 'cancelled')).toEqual({ kind: 'not-found' });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'cancelled' }] });
  });
});
