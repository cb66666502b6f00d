import { describe, expect, it } from 'vitest';
import storefrontSettings from '../../../../local/harness/storefront.config.ts';
import { noteMerge } from '../../../../shared/core/ledger/entry.ts';
import type { StoreEntity } from '../../../../shared/core/store/store.ts';
import { noteRewardCode, noteUsedCodes } from '../../../../shared/rewards/redeem/worker-moments.ts';
import { workerRewards } from '../../../../shared/services/rewards.ts';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../fixtures/order-spec.ts';
import { SHOP as CONNECTOR_SHOP, openConnector } from '../../../support/in-process-connector.ts';
import { openRedeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

const rewards = workerRewards(storefrontSettings);

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
      ...{ ledger, queue: world.events, orderRetentionDays: 400 },
      now: () => new Date(world.clock.ms),
    });
  const state = async () => (await world.kept())[0]?.state.at;
  return { world, note, state, code: redemption.state.code.code };
}

describe('an order that names a reward’s code', () => {
  it('marks it as used, in upper or lower case, and again without harm', async () => {
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

  it('is one of its customer also after the store merged them into another', async () => {
    const { world, note, state, code } = await open();
    const now = new Date(world.clock.ms);
    const merge = (id: string, keptId: string) =>
      noteMerge({ shop: SHOP, id }, keptId, {
        ...{ ledger: world.ledger, now, topic: 'customers/merge', retentionDays: 400 },
      });
    await merge(ROBIN, '7002');
    await note(orderWith([code], '7003'));
    expect(await state()).toBe('ready');
    await merge('7002', '7003');
    await note(orderWith([code.toLowerCase()], '7003'));
    expect(await state()).toBe('used');
  });

  it('waits for a ledger that cannot be read: the code may have been taken back', async () => {
    const { world, note, code } = await open();
    const readMany = () => Promise.reject(new Error('the ledger is away'));
    const noted = note(orderWith([code]), { ...world.ledger, readMany });
    await expect(noted).rejects.toThrow('the ledger is away');
  });
});

type Connector = ReturnType<typeof openConnector>;

const application = (code: string) => ({ type: 'discount_code', code, target_type: 'line_item' });
const withCodes = (...codes: readonly string[]) => ({
  discount_applications: codes.map(application),
});

async function sendOrder(connector: Connector, ...codes: readonly string[]) {
  const { payload } = buildOrder(simpleOrder, withCodes(...codes));
  await connector.deliver({ topic: 'orders/updated', payload });
  await connector.drain();
  const sent = connector.loyalty.journal.findLast(({ operation }) => operation === 'sendOrder');
  return (sent?.body as { Coupon?: string } | undefined)?.Coupon;
}

async function noteCode({ ledger, clock }: Connector, code: string, endsAt?: string) {
  const reward = { code, kind: 'fixed', value: 5, startsAt: '2026-10-01T00:00:00.000Z' } as const;
  const world = { ledger, now: () => new Date(clock.ms), retentionDays: 400 };
  await noteRewardCode(
    CONNECTOR_SHOP,
    { ...reward, customerId: ROBIN, ...(endsAt !== undefined && { endsAt }) },
    world,
  );
}

describe('an order with several codes', () => {
  it('names the reward’s, however it is written', async () => {
    const connector = openConnector({ rewards });
    await noteCode(connector, 'FIVE-1');
    expect(await sendOrder(connector, 'WELCOME10', 'five-1', 'FREESHIP')).toBe('five-1');
    // Each once.
    const sent = JSON.stringify(connector.loyalty.journal.at(-1)?.body);
    expect(sent).toContain('"five-1, WELCOME10, FREESHIP"');
  });

  it.each([
    [['FIVE-1'], 1],
    [['FIVE-1', 'WELCOME10'], 4],
    [[], 0],
  ])('is looked for among rewards once more (%s)', async (codes, reads) => {
    const connector = openConnector({ rewards });
    const asked: string[] = [];
    const { readMany } = connector.ledger;
    connector.ledger.readMany = (keys) => {
      asked.push(...keys.map(({ kind }) => kind));
      return readMany(keys);
    };
    await sendOrder(connector, ...codes);
    expect(asked.filter((kind) => kind === 'reward-code')).toHaveLength(reads);
  });

  it('finds the code for as long as an order may change after the code has ended', async () => {
    const connector = openConnector({ rewards });
    await noteCode(connector, 'FIVE-1', '2026-11-08T12:00:00.000Z');
    await noteCode(connector, 'FIVE-2');
    const expiries = [...connector.ledger.entries.values()].map(({ expiresAt }) => expiresAt);
    const end = Date.parse('2026-11-08T12:00:00.000Z') / 1000;
    expect(expiries).toEqual([end + 400 * 86_400, undefined]);
  });
});
