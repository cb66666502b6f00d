import { parse } from 'smol-toml';
import { beforeEach, describe, expect, it } from 'vitest';
import { bundleApp } from '../../../../app/build/build-app.ts';
import type { Ledger } from '../../../../shared/core/ledger/ledger.ts';
import type { Announcement } from '../../../../shared/rewards/balances/announce.ts';
import { sendTrigger } from '../../../../shared/shopify/admin/send-trigger.ts';
import { openBalanceWorker, SHOP } from '../../../support/balance-worker.ts';
import { CASHBACK, openRedeeming } from '../../../support/redeem-world.ts';

let worker: ReturnType<typeof openBalanceWorker>;
beforeEach(() => {
  worker = openBalanceWorker(['1']);
});

const DAY_MS = 86_400_000;
const told = () => worker.announced.all.map(({ customerId: _, ...one }) => one);

/** A minute later. */
function handle(points: number) {
  worker.clock.ms += 60_000;
  return worker.handle('1', points);
}

/** The service says so from now on, with as many points that expire after these days. */
function expireIn(days: number, points = 40) {
  const When = new Date(worker.clock.ms + days * DAY_MS).toISOString();
  worker.points.set('1', { PointsBalance: 100, PointsToExpire: [{ Points: points, When }] });
}

describe('the automation of the store', () => {
  it('is told each change of points and tier once, with what was before', async () => {
    worker.points.set('1', { PointsBalance: 100, PointHistory: [{}] });
    await handle(100);
    worker.tiers.set('1', 'Gold');
    await handle(130.5);
    await handle(130.5);
    worker.tiers.set('1', null);
    await handle(30.5);
    expect(told()).toEqual([
      { what: 'points-changed', points: '100', change: '100' },
      { what: 'points-changed', points: '130.5', change: '30.5' },
      { what: 'tier-changed', tier: 'Gold', before: null },
      { what: 'points-changed', points: '30.5', change: '-100' },
      { what: 'tier-changed', tier: null, before: 'Gold' },
    ]);
  });

  it('is not told of a balance of which nobody knows what it was', async () => {
    worker.points.set('1', { PointsBalance: 500, PointHistory: [{}, {}] });
    await handle(500);
    expect([worker.pointsOf('1'), told()]).toEqual(['500', []]);
    await handle(510);
    expect(told()).toEqual([{ what: 'points-changed', points: '510', change: '10' }]);
    const key = { shop: SHOP, kind: 'customer', id: '1' } as const;
    await worker.ledger.redact([key], { redactedAt: worker.clock.ms, expiresAt: 9_999_999_999 });
    worker.points.set('1', { PointsBalance: 520, PointHistory: [{}] });
    await handle(520);
    expect([worker.pointsOf('1'), told().length]).toEqual(['520', 1]);
  });

  it('is told once of each date on which points expire, when it is near', async () => {
    expireIn(20);
    await worker.ask('1', 'repair');
    await worker.work();
    expect(told()).toEqual([]);
    const near = async () => {
      worker.clock.ms += 60_000;
      await worker.ask('1', 'repair');
      await worker.work();
    };
    worker.clock.ms += 7 * DAY_MS;
    await near();
    await near();
    const at = expect.stringMatching(/^2026-10-29T12:00:00Z$/);
    expect(told()).toEqual([{ what: 'points-expiring', points: '40', at }]);
    // Spent, and there again: the same date is not told twice, another one is.
    worker.points.set('1', { PointsBalance: 100 });
    await near();
    worker.points.set('1', {
      PointsBalance: 100,
      PointsToExpire: [{ Points: 40, When: '2026-10-29T12:00:00Z' }],
    });
    await near();
    expect(told()).toHaveLength(1);
    worker.clock.ms += 14 * DAY_MS;
    expireIn(3, 7);
    await near();
    expect(told().slice(1)).toMatchObject([{ what: 'points-expiring', points: '7' }]);
  });

  it('holds back no balance when it fails, and is not asked again', async () => {
    worker.announced.before = () => {
      throw new Error('the store is away');
    };
    worker.points.set('1', { PointsBalance: 100, PointHistory: [{}] });
    expect(await handle(100)).toEqual({ received: 1, left: 0 });
    expect([worker.pointsOf('1'), worker.dead.size, worker.queue.size]).toEqual(['100', 0, 0]);
    expect(worker.telemetry.logged.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'an announcement to the store was lost', fields: { what: 'points-changed' } },
    ]);
    worker.announced.before = undefined;
    await handle(100);
    expect(told()).toEqual([]);
  });

  it('is told of a change whose worker died between the store and the ledger, and then once', async () => {
    await handle(100);
    expect(told()).toEqual([]);
    const { write } = worker.ledger;
    let isDying = true;
    worker.parts.ledger = {
      ...(worker.ledger as Ledger),
      write: async (...given) => {
        if (isDying && worker.pointsOf('1') === '150') throw new Error('the process died');
        return write(...given);
      },
    };
    await handle(150);
    expect(told()).toEqual([]);
    isDying = false;
    worker.clock.ms += 3_600_000;
    await worker.work();
    expect(told()).toEqual([{ what: 'points-changed', points: '150', change: '50' }]);
  });
});

describe('a redeemed reward', () => {
  it('is told once, when the customer has its code, also where its message comes again', async () => {
    const world = openRedeeming();
    world.loyalty.fates.push('lost-answer');
    await world.redeem();
    expect(world.announced.all).toEqual([]);
    const [message] = world.queue.receive();
    await world.drain();
    const redeemed = { what: 'reward-redeemed', customerId: '7001', reward: 'Reward 1' };
    expect(world.announced.all).toEqual([{ ...redeemed, points: '100', code: 'FIVE-1' }]);
    const again = { body: message?.body ?? '', groupId: 'again', deduplicationId: 'again' };
    world.queue.send(again);
    await world.drain();
    expect(world.announced.all).toHaveLength(1);
  });

  it('is told as store credit, too', async () => {
    const world = openRedeeming({ rewards: [CASHBACK] });
    await world.redeem({ rewardId: 1, clientKey: 'click-0001', value: 10 });
    await world.drain();
    expect(world.announced.all).toMatchObject([
      { what: 'reward-redeemed', reward: 'Reward 1', code: null },
    ]);
  });

  it('is not news after a day, as one that a lost ledger found again', async () => {
    const world = openRedeeming();
    await world.redeem();
    world.clock.ms += 2 * DAY_MS;
    await world.drain();
    expect(world.announced.all).toEqual([]);
  });
});

describe('a trigger', () => {
  const every: readonly Announcement[] = [
    { what: 'points-changed', customerId: '7', points: '120.5', change: '-3' },
    { what: 'tier-changed', customerId: '7', tier: 'Gold', before: null },
    { what: 'points-expiring', customerId: '7', points: '40', at: '2026-10-29T12:00:00Z' },
    { what: 'reward-redeemed', customerId: '7', reward: 'Mug', points: '100', code: 'MUG-1' },
  ];

  it.each(every)('$what has the fields of its extension, and no other', async (announcement) => {
    const files = await bundleApp();
    let sent: { readonly handle: string; readonly payload: object } | undefined;
    await sendTrigger(
      async (_document, variables) => {
        sent = variables as unknown as typeof sent;
        return { kind: 'data', data: {} as never };
      },
      SHOP,
      announcement,
    );
    const path = `${sent?.handle}/shopify.extension.toml`;
    const toml: unknown = parse(Buffer.from(files.get(path) ?? '').toString());
    const { extensions, settings } = toml as {
      extensions: readonly { handle: string; type: string }[];
      settings: { fields: readonly { type: string; key?: string }[] };
    };
    expect(extensions).toMatchObject([{ handle: sent?.handle, type: 'flow_trigger' }]);
    expect(sent?.handle.length).toBeLessThanOrEqual(30);
    const kinds = { number_decimal: 'number', single_line_text_field: 'string' };
    const wanted = settings.fields.map(({ type, key = 'customer_id' }) => {
      // Letters and spaces ("Flow trigger reference").
      if (key !== 'customer_id') expect(key).toMatch(/^[A-Za-z ]+$/);
      return [key, kinds[type as keyof typeof kinds] ?? 'number'];
    });
    expect(Object.entries(sent?.payload ?? {}).map(([key, value]) => [key, typeof value])).toEqual(
      wanted,
    );
  });
});
