import { beforeEach, describe, expect, it } from 'vitest';
import {
  recoverRedemptions,
  resumeRedemptions,
} from '../../../../shared/core/redeem/recover-redemptions.ts';
import { openRedeeming, type Redeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

let world: Redeeming;
let since: Date;

beforeEach(() => {
  world = openRedeeming();
  since = new Date(world.clock.ms);
});

const copyOf = ({ ledger }: Redeeming) => new Map(ledger.entries);
const spent = () => 1_000 - (world.loyalty.balances.get(ROBIN) ?? 0);

async function codes() {
  const { redemptions } = await world.list();
  return redemptions.map(({ code, state, title, points }) => ({ code, state, title, points }));
}

function recover(shop = SHOP, pause = async () => {}) {
  const { ledger, loyalty, events, clock } = world;
  const now = () => new Date(clock.ms);
  const signal = new AbortController().signal;
  return recoverRedemptions(shop, since, {
    ...{ ledger, loyalty, queue: events, now, retentionDays: 400, pause, signal },
  });
}

/** The ledger is so again; time has passed since. */
function restore(copy?: ReturnType<typeof copyOf>) {
  world.ledger.restore(copy);
  world.clock.ms += 3_600_000;
}

describe('a ledger that has forgotten a redemption', () => {
  it.each(['first-result', 'refused'] as const)(
    'believes no refusal while it is in doubt, where a repeated key is answered with %s',
    async (repetition) => {
      await world.redeem();
      const before = await codes();
      await world.drain();
      restore();
      world.isInDoubt = true;
      world.loyalty.repetition = repetition;
      expect(await world.redeem()).toMatchObject({ kind: 'redemption' });
      await world.drain();
      expect(await codes()).toEqual(before);
      expect(spent()).toBe(100);
    },
  );

  it('finds the codes again that customers bought since', async () => {
    await world.redeem();
    const copy = copyOf(world);
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    await world.redeem({ clientKey: 'click-0003', rewardId: 1 });
    const before = await codes();
    await world.drain();
    restore(copy);
    expect(await codes()).toHaveLength(1);
    expect(await recover()).toEqual({ customers: 1, found: 2, unread: [] });
    await world.drain();
    expect(await codes()).toEqual(before);
    // A second time there is nothing to find.
    expect(await recover()).toMatchObject({ found: 0 });
    // The click that bought it is still known.
    await world.redeem({ clientKey: 'click-0003', rewardId: 1 });
    expect(spent()).toBe(400);
  });

  it('makes the code of a redemption that has none yet', async () => {
    world.store.before = () => ({ kind: 'unavailable', why: 'down' });
    await world.redeem();
    expect(await codes()).toMatchObject([{ code: null, state: 'making' }]);
    world.store.before = undefined;
    restore();
    await recover();
    await world.drain();
    expect(await codes()).toMatchObject([{ code: 'FIVE-1', state: 'ready' }]);
  });

  it('leaves out what was cancelled, and what is older than it looks for', async () => {
    await world.redeem();
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    for (const one of world.loyalty.redemptions.values()) one.isCancelled = one.RewardId === 1;
    restore();
    expect(await recover()).toMatchObject({ found: 1 });
    restore();
    since = new Date(world.clock.ms);
    expect(await recover()).toMatchObject({ customers: 1, found: 0 });
  });

  it('leaves the redemptions of another shop on the same loyalty account alone', async () => {
    await world.redeem();
    expect(await recover('other.myshopify.com')).toEqual({ customers: 1, found: 0, unread: [] });
  });

  it('says whose history could not be read, and finds the others', async () => {
    await world.redeem();
    restore();
    world.loyalty.listPointsHistory = async () =>
      ({ kind: 'business-error', class: 'rejected', message: 'no', fields: [] }) as never;
    const unread = [{ customerId: ROBIN, why: 'no' }];
    expect(await recover()).toEqual({ customers: 1, found: 0, unread });
  });

  it('says why customers could not be listed, and ends without an error: the rest is still to be compared', async () => {
    world.loyalty.listCustomersReport = async () =>
      ({ kind: 'transport-failure', reason: 'time-out', message: 'no answer in time' }) as never;
    const stopped = 'no answer in time';
    expect(await recover()).toEqual({ customers: 0, found: 0, unread: [], stopped });
  });
});

describe('a redemption that a restored ledger holds as unfinished', () => {
  it('is finished, although its message left the queue long ago', async () => {
    world.loyalty.fates.push('lost-answer');
    await world.redeem();
    const copy = copyOf(world);
    await world.drain();
    const before = await codes();
    expect(before).toMatchObject([{ state: 'ready' }]);
    restore(copy);
    expect(await codes()).toMatchObject([{ state: 'pending' }]);
    const { ledger, events, clock } = world;
    const now = () => new Date(clock.ms);
    const customer = { shop: SHOP, customerId: ROBIN };
    const sent = await resumeRedemptions(customer, {
      ...{ ledger, queue: events, now, retentionDays: 400 },
    });
    expect(sent).toBe(1);
    await world.drain();
    expect(await codes()).toEqual(before);
    expect(spent()).toBe(100);
  });
});
