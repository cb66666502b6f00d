import { beforeEach, describe, expect, it } from 'vitest';
import {
  namesOfClick,
  openRedeeming,
  type Redeeming,
  ROBIN,
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

  it('joins another click for a reward that is still being redeemed, and no other', async () => {
    world.loyalty.fates.push('lost-answer');
    const pending = { redemption: { state: 'pending', code: null } };
    expect(await world.redeem()).toMatchObject(pending);
    expect(await world.redeem({ clientKey: 'click-0002' })).toMatchObject(pending);
    const other = await world.redeem({ clientKey: 'click-0003', rewardId: 2 });
    expect(other).toMatchObject({ redemption: { state: 'ready', rewardId: 2 } });
    expect(world.loyalty.calls()).toBe(2);
  });

  it('redeems again after the first is done, when the customer clicks anew', async () => {
    await world.redeem();
    const again = await world.redeem({ clientKey: 'click-0002' });
    expect(again).toMatchObject({ redemption: { state: 'ready', code: 'FIVE-2' } });
    expect(world.loyalty.balances.get(ROBIN)).toBe(800);
  });

  it('says why the service refuses, and asks it once for each click', async () => {
    const more = { HasSameCustomerUsageLimit: true, SameCustomerUsageLimit: 1 };
    const limited = { id: 1, points: 100, more };
    world = openRedeeming({ rewards: [limited, { id: 2, points: 100 }] });
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

  it('is finished by the worker where the process of the click died before the call', async () => {
    const { write } = world.ledger;
    let writes = 0;
    world.ledger.write = async (...given) => {
      writes += 1;
      if (writes === 2) throw new Error('the process died');
      return write(...given);
    };
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY] });
    expect(world.loyalty.calls()).toBe(1);
  });
});
