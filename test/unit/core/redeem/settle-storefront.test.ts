import { beforeEach, describe, expect, it } from 'vitest';
import { groupIdOf, type QueuedEvent } from '../../../../shared/core/events/event.ts';
import { openRedeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

let world: ReturnType<typeof openRedeeming>;
beforeEach(() => {
  world = openRedeeming();
});

const receivedAt = '2026-10-09T12:00:00.000Z';
const head = { shop: SHOP, deliveryId: 'one', receivedAt };
const visit: QueuedEvent = { ...head, kind: 'balance', id: ROBIN, topic: 'visit' };
const redemption = { ...head, kind: 'redemption', customerId: ROBIN, topic: 'redeem' } as const;

describe('the queue of balances', () => {
  it('loses no kind of message beside another', async () => {
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    await world.redeem();
    world.store.before = undefined;
    await world.events.send(visit);
    await world.work();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'ready' }] });
    expect(world.balances.customers.get(ROBIN)).toMatchObject({ points: '900' });
    expect(world.queue.size).toBe(0);
    expect(world.dead.size).toBe(0);
  });

  it('ends every message of one redemption', async () => {
    await world.redeem();
    const [{ id = '' } = {}] = await world.kept();
    for (const deliveryId of ['two', 'three']) {
      await world.events.send({ ...redemption, id, deliveryId });
    }
    await world.work();
    expect(world.telemetry.total('handled', { why: 'redemption-ready' })).toBe(3);
    expect(world.queue.size).toBe(0);
  });

  it('parks an unreadable message, and finishes the redemption of its group', async () => {
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    await world.redeem();
    world.store.before = undefined;
    const [{ id = '' } = {}] = await world.kept();
    const groupId = groupIdOf({ ...redemption, id });
    world.queue.send({ body: '?', groupId, deduplicationId: 'unreadable' });
    await world.work();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'ready' }] });
    expect([world.queue.size, world.dead.size]).toEqual([0, 1]);
  });

  it('keeps every message of a redemption that waits', async () => {
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    await world.redeem();
    const [{ id = '' } = {}] = await world.kept();
    await world.events.send({ ...redemption, id, deliveryId: 'two' });
    await world.work();
    expect(world.queue.size).toBe(2);
  });

  it.each([
    ['of a redemption that is gone', { id: 'GONE00000000' }, 'redemption-gone', 0],
    ['of a shop without a storefront', { id: 'GONE00000000', shop: 'other-store' }, '', 1],
  ])('lets a message %s go, or parks it', async (_, more, why, dead) => {
    await world.events.send({ ...redemption, ...more });
    await world.work();
    expect(world.telemetry.total('handled', { why })).toBe(1 - dead);
    expect([world.queue.size, world.dead.size]).toEqual([0, dead]);
    if (dead) expect(world.dead.receive()[0]?.attributes).toMatchObject({ reason: 'unreadable' });
  });

  it('says how a redemption ended', async () => {
    world.store.before = () => ({ kind: 'refused', code: 'INVALID' });
    await world.redeem();
    world.loyalty.fates.push('refused');
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    await world.drain();
    expect(world.telemetry.total('handled', { why: 'redemption-cancelled' })).toBe(1);
    expect(world.telemetry.total('handled', { why: 'redemption-settled' })).toBe(1);
  });
});
