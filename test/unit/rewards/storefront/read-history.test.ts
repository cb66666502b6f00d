import { describe, expect, it } from 'vitest';
import { noteMerge } from '../../../../shared/core/ledger/entry.ts';
import { OUTCOMES_KEPT, readEntry, replaceEntry } from '../../../../shared/core/ledger/ledger.ts';
import { orderMemory } from '../../../../shared/core/mapping/wanted-state.ts';
import { earningOf } from '../../../../shared/rewards/storefront/read-history.ts';
import type {
  ExplainedEarning,
  HistoryPage,
} from '../../../../shared/store/storefront-answers.gen.ts';
import { answerOf } from '../../../fixtures/service-answers.ts';
import { SHOP, serveInProcess } from '../../../support/served-storefront.ts';

type Served = ReturnType<typeof serveInProcess>;

const WAITING = {
  ...{ state: 'waiting', points: null, cashback: null, why: null },
  ...{ steps: [], counted: [] },
};

async function history(shop: Served, own: Readonly<Record<string, string>> = {}) {
  const { status, json } = await shop.ask('history', { customerId: '7', own });
  const page: HistoryPage = json;
  return { status, json: page };
}

async function earning(shop: Served, id: string, customerId = '7') {
  const { status, json } = await shop.ask('order', { customerId, own: { id } });
  const read: ExplainedEarning = json;
  return { status, json: read };
}

interface Sent {
  readonly id: string;
  readonly customerId?: string;
  readonly total?: number;
  readonly complete?: boolean;
  readonly cancelled?: boolean;
  readonly completedAt?: string;
}

/** As the worker sends it, and records it. */
async function send(shop: Served, order: Sent): Promise<void> {
  const { id, customerId = '7', total = 40, complete = true, cancelled = false } = order;
  const Customer = { OriginalId: customerId, Name: 'A', Email: `${customerId}@example.com` };
  const OrderCompletedDate = order.completedAt ?? '2026-10-04T09:00:00Z';
  await shop.loyalty.client.sendOrder({
    ...{ OriginalId: id, OrderTotal: total, Customer, OrderPlacementDate: '2026-10-03T09:00:00Z' },
    ...(complete && { IsCompleted: true, OrderCompletedDate }),
  });
  if (cancelled)
    await shop.loyalty.client.cancelPosOrder(id, { OrderCancelledDate: OrderCompletedDate });
  await shop.parts.ledger.write(
    { shop: SHOP, kind: 'order', id },
    {
      ...{ version: 1, uncertain: false, outcomes: [], appliedKey: 'applied' },
      remembered: orderMemory.write({ customer: Customer }),
    },
    undefined,
  );
}

describe('the history of a customer', () => {
  it('has what was earned and spent, in pages', async () => {
    const shop = serveInProcess();
    for (let index = 0; index < 21; index += 1) {
      await send(shop, { id: `${100 + index}`, total: index + 1 });
    }
    const first = await history(shop);
    expect(first.json).toMatchObject({ page: 1, hasMore: true, entries: { length: 20 } });
    expect(first.json.entries[0]).toEqual({
      ...{ kind: 'points', at: '2026-10-09T12:00:00.000Z', title: 'Purchase', points: 21 },
      ...{ cashback: 1.05, cancelled: false, code: null, tier: null },
    });
    const second = await history(shop, { page: '2' });
    expect(second.json).toMatchObject({ page: 2, hasMore: false, entries: [{ points: 1 }] });
  });

  it('shows a new tier by its name, and no points for it', async () => {
    const shop = serveInProcess();
    await shop.enroll('7');
    const Items = [
      {
        Points: 5,
        PointType: 3,
        IsTierHistory: true,
        TierUpdate: 1,
        TierName: 'Gold',
        Title: 'Up',
      },
    ];
    shop.loyalty.world.interfere = (_, pass) => answerOf({ ...JSON.parse(pass().text), Items });
    expect((await history(shop)).json.entries).toEqual([
      {
        ...{ kind: 'tier', at: null, title: 'Up', points: 0, cashback: 0 },
        ...{ cancelled: false, code: null, tier: 'Gold' },
      },
    ]);
  });

  it('has the code that points were spent for, and what no longer counts', async () => {
    const shop = serveInProcess();
    await shop.enroll('7');
    const Items = [{ Points: -5, CouponCode: 'FIVE-1', IsCanceled: true }, { CouponCode: '' }];
    shop.loyalty.world.interfere = (_, pass) =>
      answerOf({ ...JSON.parse(pass().text), Items, HasNextPage: true });
    const bare = { kind: 'points', at: null, title: '', cashback: 0, tier: null };
    const { json } = await history(shop, { page: '99' });
    expect(json).toEqual({
      ...{ page: 99, hasMore: true },
      entries: [
        { ...bare, points: -5, cancelled: true, code: 'FIVE-1' },
        { ...bare, points: 0, cancelled: false, code: null },
      ],
    });
    expect((await history(shop, { page: '100' })).json.hasMore).toBe(false);
  });

  it('is empty for a customer whom the service does not know', async () => {
    expect((await history(serveInProcess())).json).toEqual({
      ...{ page: 1, hasMore: false, entries: [] },
    });
  });

  it.each(['0', '101', '1.5', '-1', '1e1', '0x1', ' 1', 'x', ''])(
    'has no page %j',
    async (page) => {
      const shop = serveInProcess();
      expect((await history(shop, { page })).status).toBe(400);
      expect(shop.loyalty.journal).toEqual([]);
    },
  );
});

describe('what an order earns', () => {
  it('is not known before it was sent', async () => {
    const shop = serveInProcess();
    expect((await earning(shop, '123')).json).toEqual(WAITING);
  });

  it('is what the service says of the order itself, before and after its points came', async () => {
    const shop = serveInProcess();
    const earns = { state: 'earns', points: 40, cashback: 2, why: null, steps: [], counted: [] };
    for (const complete of [false, true]) {
      await send(shop, { id: '123', complete });
      expect((await earning(shop, '123')).json).toEqual(earns);
    }
    // No entry of the history says which order it is for.
    expect(shop.calls('listPointsHistory')).toBe(0);
  });

  it('comes with how its amount came about, as the ledger recorded it then', async () => {
    const shop = serveInProcess();
    await send(shop, { id: '1', total: 81.66 });
    const key = { shop: SHOP, kind: 'order', id: '1' } as const;
    const entry = await readEntry(shop.parts.ledger, key);
    const line = { outcome: 'applied', version: 1, topic: 'orders/updated' };
    const outcomes = [
      { ...line, at: '2026-11-12T10:00:00.000Z', counts: 163_330 },
      { ...line, at: '2026-11-13T10:00:00.000Z', outcome: 'unchanged' },
      { ...line, at: '2026-11-14T10:00:00.000Z', counts: 81_660 },
    ];
    const remembered = orderMemory.write({
      ...orderMemory.read(entry?.remembered),
      steps: [
        ['goods', '98'],
        ['tax', '-16.34'],
      ],
    });
    const written = { version: 1, uncertain: false, appliedKey: 'applied', outcomes, remembered };
    await replaceEntry(shop.parts.ledger, key, written, entry);
    const { json } = await earning(shop, '1');
    expect(json.steps).toEqual([
      { kind: 'goods', amount: 98 },
      { kind: 'tax', amount: -16.34 },
    ]);
    expect(json.counted).toEqual([
      { at: '2026-11-12T10:00:00.000Z', amount: 163.33 },
      { at: '2026-11-14T10:00:00.000Z', amount: 81.66 },
    ]);
    // Another customer's.
    expect((await earning(shop, '1', '8')).json).toEqual(WAITING);
    // As many outcomes as are kept: the first one left may not be the first.
    const many = Array.from({ length: OUTCOMES_KEPT }, () => outcomes)
      .flat()
      .slice(-OUTCOMES_KEPT);
    const now = await readEntry(shop.parts.ledger, key);
    await replaceEntry(shop.parts.ledger, key, { ...written, outcomes: many }, now);
    expect((await earning(shop, '1')).json).toMatchObject({ ...json, counted: [] });
  });

  const EstimatedBonus = { GenerateBonus: true, EstimatedPoints: 40, EstimatedCashback: 2 };

  it.each([
    ['was returned', { IsCancelledOrReturned: true }, 'none', 'cancelled'],
    ['is cancelled', { State: 3 }, 'none', 'cancelled'],
    ['is ignored', { State: 4 }, 'none', 'no-points'],
    ['gives no bonus', { EstimatedBonus: { GenerateBonus: false } }, 'none', 'no-points'],
    ['expects nothing', { EstimatedBonus: { EstimatedPoints: 0 } }, 'none', 'no-points'],
    [
      'gives cashback alone',
      { EstimatedBonus: { EstimatedPoints: 0, EstimatedCashback: 2 } },
      'earns',
      null,
    ],
    ['has no estimate', { EstimatedBonus: undefined }, 'earns', null],
    ['is not complete', { IsCompleted: false }, 'earns', null],
    ['is complete', {}, 'earns', null],
  ])('is judged by what the service says: one that %s', (_, more, state, why) => {
    const earning = earningOf({ IsCompleted: true, EstimatedBonus, ...more } as never);
    expect([earning.state, earning.why]).toEqual([state, why]);
  });

  it('is not known while the order was not taken, or the service does not have it', async () => {
    const shop = serveInProcess();
    await send(shop, { id: '123' });
    shop.loyalty.world.interfere = () => answerOf({ HasError: true, ErrorCode: 1 });
    expect((await earning(shop, '123')).json).toEqual(WAITING);
    shop.loyalty.world.interfere = undefined;
    const entry = { version: 1, uncertain: false, outcomes: [] };
    const remembered = orderMemory.write({ customer: { OriginalId: '7' } } as never);
    const key = { shop: SHOP, kind: 'order', id: '124' } as const;
    await shop.parts.ledger.write(key, { ...entry, remembered }, undefined);
    const before = shop.loyalty.journal.length;
    expect((await earning(shop, '124')).json).toEqual(WAITING);
    expect(shop.loyalty.journal).toHaveLength(before);
  });

  it('is that of a customer who was merged into the one who asks', async () => {
    const shop = serveInProcess();
    await send(shop, { id: '123', customerId: '8' });
    const { ledger } = shop.parts;
    const how = { ledger, now: new Date('2026-10-06T09:00:00Z'), topic: 't', retentionDays: 9 };
    expect((await earning(shop, '123')).json).toEqual(WAITING);
    await noteMerge({ shop: SHOP, id: '8' }, '7', how);
    expect((await earning(shop, '123')).json).not.toEqual(WAITING);
  });

  it.each([
    ['of another customer', { id: '123', customerId: '8' }],
    ['of a person who was erased', undefined],
  ])(
    'is answered for an order %s as for an unknown one, and the service is not asked',
    async (_, sent) => {
      const shop = serveInProcess();
      if (sent) await send(shop, sent);
      else {
        await send(shop, { id: '123' });
        await shop.parts.ledger.redact([{ shop: SHOP, kind: 'order', id: '123' }], {
          ...{ redactedAt: 1, expiresAt: 2_000_000_000 },
        });
      }
      const before = shop.loyalty.journal.length;
      const foreign = await shop.ask('order', { customerId: '7', own: { id: '123' } });
      const unknown = await shop.ask('order', { customerId: '7', own: { id: '999' } });
      expect(foreign).toEqual(unknown);
      expect(foreign.json).toEqual(WAITING);
      expect(shop.loyalty.journal.length).toBe(before);
    },
  );

  it('is not shown where the service has it under another customer', async () => {
    const shop = serveInProcess();
    await send(shop, { id: '123' });
    const other = {
      OriginalId: '123',
      Customer: { OriginalId: '8' },
      EstimatedBonus: { EstimatedPoints: 9 },
    };
    shop.loyalty.world.interfere = ({ operation }, pass) =>
      operation === 'getOrder' ? answerOf(other) : pass();
    expect((await earning(shop, '123')).json).toEqual(WAITING);
  });

  it.each(['', '0', '-1', 'x', '12345678901234567890', '1/../2'])('has no id %j', async (id) => {
    expect((await earning(serveInProcess(), id)).status).toBe(400);
  });
});
