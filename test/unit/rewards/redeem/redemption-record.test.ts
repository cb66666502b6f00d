import { beforeEach, describe, expect, it } from 'vitest';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { MOST_TRIES } from '../../../../shared/rewards/redeem/challenge.ts';
import type { Redemption } from '../../../../shared/rewards/redeem/redemption.ts';
import {
  type OpenRedemptions,
  openRedemptions,
  redemptionsKey,
  rememberRedemptions,
} from '../../../../shared/rewards/redeem/redemption-record.ts';
import { redemptionAt } from '../../../fixtures/redemption.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
import { openRedeeming, type Redeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

// What one change of a customer's redemption record drops shows only at the change after it: here each story has several.

const KEY = ledgerKeyText(redemptionsKey({ shop: SHOP, customerId: ROBIN }));
const body = { CustomerId: 'robin@example.com', OriginalKey: 'key-1' };

it('outlives a short retention where an order may still name a code that was taken back', async () => {
  const ledger = createMemoryLedger();
  const at = '2026-10-09T12:00:00.000Z';
  const days = async (given: Partial<Redemption>) => {
    const customer = { shop: 'example-store.myshopify.com', customerId: given.id ?? '' };
    const deps = { ledger, now: () => new Date(at), retentionDays: 30 };
    const redemptions = [redemptionAt({ at: 'cancelled' }, given)];
    await openRedemptions(customer, deps).change(() => ({
      ...{ record: { redemptions, intents: [] }, value: undefined },
    }));
    const { expiresAt = 0 } = [...ledger.entries.values()].at(-1) ?? {};
    return (expiresAt - Date.parse(at) / 1000) / 86_400;
  };
  expect(await days({ id: 'A' })).toBe(30);
  expect(await days({ id: 'B', takeBack: { at } })).toBe(60);
});

describe('the redemption record of a customer', () => {
  it('knows each of the last ten clicks that joined one redemption', async () => {
    const world = openRedeeming();
    world.store.before = () => ({ kind: 'unavailable', why: 'no-word' });
    const all = Array.from({ length: 12 }, (_, index) => `click-00${10 + index}`);
    const clicks = all.slice(-10);
    for (const clientKey of all) await world.redeem({ clientKey });
    await world.redeem({ clientKey: 'click-0015' });
    world.store.before = undefined;
    world.clock.ms += 600_000;
    await world.work();
    for (const clientKey of clicks) {
      expect(await world.redeem({ clientKey })).toMatchObject({ redemption: { state: 'ready' } });
    }
    expect(world.loyalty.calls()).toBe(1);
    expect((await world.kept())[0]?.clientKeys).toEqual(clicks);
  });

  it('counts wrong answers to a challenge also while the customer redeems', async () => {
    const world = openRedeeming();
    await world.challenge();
    let clicks = 0;
    const click = (given: object) => {
      clicks += 1;
      return world.redeem({ clientKey: `click-${String(clicks).padStart(4, '0')}`, ...given });
    };
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      world.loyalty.challenge.isNeeded = true;
      const wrong = await click({ rewardId: 2, till: { staffId: '42', answer: '0000' } });
      expect(wrong).toMatchObject({ why: 'challenge-wrong' });
      world.loyalty.challenge.isNeeded = false;
      expect(await click({})).toMatchObject({ kind: 'redemption' });
    }
    world.loyalty.challenge.isNeeded = true;
    const next = await click({ rewardId: 2, till: { staffId: '42', answer: '1001' } });
    expect(next).toMatchObject({ kind: 'too-many' });
  });

  it('is read anew by a process that wrote it before another one did', async () => {
    const { ledger } = openRedeeming();
    const now = () => new Date('2026-10-09T12:00:00.000Z');
    const world = { ledger, now, retentionDays: 400 };
    const [one, other] = [1, 2].map(() =>
      openRedemptions({ shop: SHOP, customerId: ROBIN }, world),
    );
    const add = (record: OpenRedemptions | undefined, id: string) =>
      record?.change(({ redemptions, ...found }) => ({
        record: {
          ...found,
          redemptions: [...redemptions, redemptionAt({ at: 'intended', body }, { id })],
        },
        value: undefined,
      }));
    await add(one, 'FIRST0000000');
    await add(other, 'SECOND000000');
    const seen = await one?.change(({ redemptions }) => ({
      value: redemptions.map(({ id }) => id),
    }));
    expect(seen).toEqual(['FIRST0000000', 'SECOND000000']);
    await add(other, 'THIRD0000000');
    await add(one, 'FOURTH000000');
    expect((await other?.read())?.redemptions).toHaveLength(4);
  });

  it('keeps its lines when another click joins, and expires only when all in it is closed', async () => {
    const world = openRedeeming();
    const entry = () => world.ledger.entries.get(KEY);
    world.loyalty.fates.push('refused');
    await world.redeem({ clientKey: 'click-0001' });
    expect(entry()?.expiresAt).toBe(world.clock.ms / 1000 + 400 * 86_400);
    world.store.before = () => ({ kind: 'unavailable', why: 'no-word' });
    await world.redeem({ clientKey: 'click-0002', rewardId: 3 });
    const lines = entry()?.outcomes;
    expect(lines?.length).toBeGreaterThan(2);
    await world.redeem({ clientKey: 'click-0003', rewardId: 3 });
    expect(entry()?.outcomes).toEqual(lines);
    expect(entry()?.expiresAt).toBeUndefined();
  });
});

describe('a customer with many codes', () => {
  let world: Redeeming;
  beforeEach(() => {
    world = openRedeeming();
  });

  it('sees the newest twenty', async () => {
    await world.redeem();
    const [one] = await world.kept();
    if (one?.state.at !== 'ready') throw new Error('there is no code');
    const { state } = one;
    const redemptions = Array.from({ length: 60 }, (_, index) => ({
      ...{ ...one, id: `R${index}`, state: { ...state, discountId: `D${index}` } },
    }));
    const remembered = rememberRedemptions({ redemptions, intents: [] });
    const key = redemptionsKey({ shop: SHOP, customerId: '7002' });
    await world.ledger.write(
      key,
      { version: 1, uncertain: false, outcomes: [], remembered },
      undefined,
    );
    const ids = redemptions.map(({ id }) => id).toReversed();
    const listed = (await world.list('7002')).redemptions;
    expect(listed.map(({ id }) => id)).toEqual(ids.slice(0, 20));
  });
});
