import { describe, expect, it } from 'vitest';
import { noteUsedCodes } from '../../../../shared/core/redemptions/reward-codes.ts';
import type { StoreEntity } from '../../../../shared/core/store/store.ts';
import { openRedeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

/** An order is far larger; only these fields are read. */
const orderWith = (couponCodes: readonly string[], customerId: string | undefined = ROBIN) =>
  ({
    kind: 'order',
    order: { couponCodes, ...(customerId && { customer: { id: customerId } }) },
  }) as unknown as StoreEntity;

async function open() {
  const world = openRedeeming();
  await world.redeem();
  const [redemption] = await world.kept();
  if (redemption?.state.at !== 'ready') throw new Error('there is no code');
  const note = (entity: StoreEntity, ledger = world.ledger) =>
    noteUsedCodes(SHOP, entity, {
      ...{ ledger, telemetry: world.telemetry, orderRetentionDays: 400 },
      now: () => new Date(world.clock.ms),
    });
  const state = async () => (await world.kept())[0]?.state.at;
  return { world, note, state, code: redemption.state.code.code };
}

describe('an order that names a reward’s code', () => {
  it('marks it as used, in any case of letters, and again without harm', async () => {
    const { note, state, code } = await open();
    for (const _ of ['first', 'again']) {
      await note(orderWith(['SUMMER', code.toLowerCase()]));
      expect(await state()).toBe('used');
    }
  });

  it.each([
    ['names another code', ['SUMMER'], ROBIN],
    ['names none', [], ROBIN],
    ['is of another customer', ['FIVE-1'], '7002'],
    ['is of a guest', ['FIVE-1'], ''],
  ])('leaves it ready where it %s', async (_, codes, customerId) => {
    const { note, state } = await open();
    await note(orderWith(codes, customerId));
    expect(await state()).toBe('ready');
  });

  it('is not held up by a ledger that cannot be read', async () => {
    const { world, note, state, code } = await open();
    const readMany = () => Promise.reject(new Error('the ledger is away'));
    await note(orderWith([code]), { ...world.ledger, readMany });
    expect(await state()).toBe('ready');
    expect(world.telemetry.logged.at(-1)).toMatchObject({ level: 'warn' });
  });
});
