import { beforeEach, describe, expect, it } from 'vitest';
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

const AWAY = () => ({ kind: 'unavailable', why: 'time-out' }) as const;
const READY = { state: 'ready', code: 'FIVE-1' };
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

  it('is made by the worker when the store was away, and shown as being made until then', async () => {
    world.store.before = AWAY;
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'making', code: null } });
    await world.work();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'making' }] });
    world.store.before = undefined;
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY] });
    expect(world.dead.size).toBe(0);
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

  it('is one of ours where the service gives none', async () => {
    world.loyalty.givesCodes = false;
    const redemption = { state: 'ready', code: `FIVE-${namesOfClick().id}` };
    expect(await world.redeem()).toMatchObject({ redemption });
  });

  it('that cannot be made within the retry window is a dead letter that can be sent back', async () => {
    world.store.before = AWAY;
    await world.redeem();
    world.clock.ms += 5 * 86_400_000;
    await world.drain();
    const [letter] = world.dead.receive();
    expect(letter?.attributes).toMatchObject({ reason: 'retry-window-over' });
    expect(letter?.attributes.why).toContain('store-time-out');
    world.store.before = undefined;
    world.clock.ms += 60_000;
    world.replay();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY] });
  });

  it('that waits does not delay another redemption', async () => {
    world.store.before = ({ code }) => (code === 'FIVE-1' ? AWAY() : undefined);
    await world.redeem();
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    await world.work();
    const redemptions = [{ state: 'ready' }, { state: 'making' }];
    expect(await world.list()).toMatchObject({ redemptions });
  });

  it('shows as used when the store has counted a use, and is never asked for again', async () => {
    await world.redeem();
    const [code] = world.store.codes.values();
    if (code) code.used = 1;
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'used', code: 'FIVE-1' }] });
    world.store.readUses = () => Promise.reject(new Error('asked again'));
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'used' }] });
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
