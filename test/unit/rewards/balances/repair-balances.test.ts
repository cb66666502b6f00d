import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import type { QueuedEvent } from '../../../../shared/core/events/event.ts';
import { noteMerge } from '../../../../shared/core/ledger/entry.ts';
import type { Ledger } from '../../../../shared/core/ledger/ledger.ts';
import { cursorKey, openCursor } from '../../../../shared/core/reconcile/dependencies.ts';
import type { LoyaltyClient } from '../../../../shared/loyalty/client.ts';
import { rememberBalance } from '../../../../shared/rewards/balances/point-balance.ts';
import {
  askForDifferences,
  noticeExpiring,
  repairBalances,
  scanBalances,
} from '../../../../shared/rewards/balances/repair-balances.ts';
import { openInProcessLoyalty } from '../../../support/in-process-loyalty.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
import { recordTelemetry } from '../../../support/recorded-telemetry.ts';

const SHOP = 'example-store.myshopify.com';
const HOUR_MS = 3_600_000;
const TIME_OUT = { kind: 'failure', reason: 'time-out', mayHaveHappened: true } as const;
const ANSWER = { kind: 'answer', status: 200, headers: {}, text: '' } as const;
const refusal = (code: number) => ({
  ...ANSWER,
  text: JSON.stringify({ HasError: true, ErrorCode: code, Items: null, ErrorMessages: ['no'] }),
});

function openRepair(settings: Parameters<typeof openInProcessLoyalty>[1] = {}) {
  const clock = { ms: Date.parse('2026-10-09T12:00:00.000Z') };
  const now = () => new Date(clock.ms);
  const loyalty = openInProcessLoyalty(now, settings);
  const memoryLedger = createMemoryLedger();
  const telemetry = recordTelemetry();
  const sent: QueuedEvent[] = [];
  const parts: { ledger: Ledger; ready: number; send: (event: QueuedEvent) => void } = {
    ledger: memoryLedger,
    ready: 0,
    send: (event) => sent.push(event),
  };
  const stop = new AbortController();
  /** Each page that was asked for, with the options of the call. */
  const asked: Record<string, unknown>[] = [];
  const listCustomersReport: LoyaltyClient['listCustomersReport'] = (query, options) => {
    asked.push({ ...query, ...options });
    return loyalty.client.listCustomersReport(query, options);
  };
  const pauses: number[] = [];
  const keyOf = (id: string) => ({ shop: SHOP, kind: 'customer', id }) as const;
  const deps = () => ({
    breaker: createCircuitBreaker(),
    othersWait: false,
    ledger: parts.ledger,
    queue: { send: async (event: QueuedEvent) => parts.send(event) },
    depth: { of: async () => ({ ready: parts.ready, hidden: 0 }) },
    telemetry,
    now,
    pause: async (ms: number) => {
      pauses.push(ms);
      clock.ms += ms;
    },
    deadline: stop.signal,
    takeTurn: <T>(work: () => Promise<T>) => work(),
  });
  return {
    clock,
    loyalty,
    telemetry,
    sent,
    parts,
    stop,
    asked,
    pauses,
    ledger: memoryLedger,
    keyOf,
    askedFor: () => sent.map(({ id }) => id),
    reports: () => loyalty.journal.filter(({ operation }) => operation === 'listCustomersReport'),

    /** Points for an order of the customer, who takes part in the program or leaves it afterwards. */
    async buy(id: string, { total = 10, isEnrolled = true } = {}): Promise<void> {
      await loyalty.client.sendOrder({
        OriginalId: `order-of-${id}-at-${clock.ms}`,
        OrderPlacementDate: '2026-10-01T09:00:00Z',
        OrderCompletedDate: '2026-10-02T09:00:00Z',
        IsCompleted: true,
        OrderTotal: total,
        Customer: { OriginalId: id, Email: `${id}@example.com`, IsEnrolled: true },
      });
      if (isEnrolled) return;
      await loyalty.client.upsertCustomer({ OriginalId: id, IsEnrolled: false });
    },

    /** What an event or a reading has left in the ledger. */
    async remember(id: string): Promise<void> {
      const read = await loyalty.client.getCustomerPoints(id);
      if (read.kind !== 'success') throw new Error('the service does not know the customer');
      const { PointsBalance, CashbackBalance } = read.value;
      const remembered = rememberBalance({
        points: String(PointsBalance),
        cashback: String(CashbackBalance),
      });
      const entry = { version: clock.ms, uncertain: false, remembered, outcomes: [] };
      const known = (await memoryLedger.readMany([keyOf(id)])).get(`customer|${SHOP}|${id}`);
      await memoryLedger.write(keyOf(id), entry, known?.revision);
    },

    /** An earlier run has come so far with those who do not take part, the second list. */
    async continueAt(page: number): Promise<void> {
      const span = { from: clock.ms - 48 * HOUR_MS, until: clock.ms };
      const walk = { ...span, isEnrolled: false, page };
      const state = { doneUntil: span.from, began: clock.ms, scan: walk };
      const { keep } = await openCursor(memoryLedger, cursorKey(SHOP, 'balances'));
      await keep(state, clock.ms);
    },

    run: () => repairBalances(SHOP, { ...deps(), loyalty: { listCustomersReport } }),
    scan: () =>
      scanBalances(
        SHOP,
        { flow: undefined, doubt: undefined },
        { ...deps(), loyalty: loyalty.client },
      ),
    notice: () =>
      noticeExpiring(SHOP, { expiryNoticeDays: 14 }, { ...deps(), loyalty: loyalty.client }),
  };
}

describe('the nightly repair of balances', () => {
  it('says what it did, and once in a night', async () => {
    const repair = openRepair();
    const message = 'compared balances with the report';
    repair.parts.ready = 1_001;
    await repair.scan();
    const stopped = { shop: SHOP, compared: 0, asked: 0, stopped: 'queue-full' };
    expect(repair.telemetry.logged).toEqual([{ level: 'warn', message, fields: stopped }]);
    repair.parts.ready = 0;
    await repair.scan();
    await repair.scan();
    const { stopped: _, ...done } = stopped;
    expect(repair.telemetry.logged.slice(1)).toEqual([{ level: 'info', message, fields: done }]);
  });

  it('asks for the balances that differ from the report, of members and of others', async () => {
    const repair = openRepair();
    await repair.buy('1');
    await repair.buy('2');
    await repair.buy('3', { isEnrolled: false });
    await repair.buy('4', { isEnrolled: false });
    for (const id of ['1', '2', '3', '4']) await repair.remember(id);
    repair.clock.ms += HOUR_MS;
    // Of these two changes no event arrived.
    await repair.buy('2', { total: 5 });
    await repair.buy('3', { total: 5, isEnrolled: false });
    repair.clock.ms += HOUR_MS;
    expect(await repair.run()).toEqual({ compared: 4, asked: 2 });
    expect(repair.askedFor()).toEqual(['2', '3']);
    expect(repair.sent[0]).toMatchObject({ kind: 'balance', topic: 'repair', shop: SHOP });
    expect(repair.reports().map(({ query }) => query.isEnrolled)).toEqual(['true', 'false']);
  });

  it('asks for customers whom the ledger does not know, and for none without a store’s id', async () => {
    const repair = openRepair();
    await repair.buy('1');
    await repair.buy('robin@example.com');
    repair.clock.ms += HOUR_MS;
    await repair.run();
    expect(repair.askedFor()).toEqual(['1']);
  });

  it('asks for the movements of two days, without the last quarter of an hour, and with pauses', async () => {
    const repair = openRepair();
    await repair.run();
    const movements = {
      pointDateFrom: '2026-10-07T11:45:00.000Z',
      pointDateTo: '2026-10-09T11:45:00.000Z',
    };
    const options = { timeoutMs: 30_000, signal: repair.stop.signal };
    const page = { pageNumber: 1, pageSize: 100, ...movements, ...options };
    expect(repair.asked).toEqual([
      { isEnrolled: true, ...page },
      { isEnrolled: false, ...page },
    ]);
    expect(repair.pauses).toEqual([1_000]);
  });

  it('runs once in a night, from 3:00 UTC on', async () => {
    const repair = openRepair();
    const runs = [];
    for (let hour = 0; hour < 48; hour += 1) {
      if (await repair.run()) runs.push(new Date(repair.clock.ms).toISOString().slice(0, 13));
      repair.clock.ms += HOUR_MS;
    }
    expect(runs).toEqual(['2026-10-09T12', '2026-10-10T03', '2026-10-11T03']);
  });

  it('begins anew with every 3:00 UTC, in any month of any year, and at once where it never ran', async () => {
    const first = fc.date({
      min: new Date('2026-01-01'),
      max: new Date('2029-01-01'),
      noInvalidDate: true,
    });
    const hours = fc.oneof(
      fc.nat(72),
      fc.constantFrom(28, 29, 30, 31, 365, 366).map((n) => n * 24),
    );
    await fc.assert(
      fc.asyncProperty(first, hours, async (began, apart) => {
        const repair = openRepair();
        repair.clock.ms = began.getTime();
        const notices = () =>
          repair.loyalty.journal.filter(({ operation }) => operation === 'listExpiringPoints')
            .length;
        expect(await repair.run()).toBeDefined();
        await repair.notice();
        expect(notices()).toBe(1);
        const next = new Date(began);
        next.setUTCHours(3, 0, 0, 0);
        if (next <= began) next.setUTCDate(next.getUTCDate() + 1);
        repair.clock.ms = began.getTime() + apart * HOUR_MS;
        const isNext = repair.clock.ms >= next.getTime();
        expect((await repair.run()) !== undefined).toBe(isNext);
        repair.clock.ms = began.getTime() + apart * HOUR_MS;
        await repair.notice();
        expect(notices()).toBe(isNext ? 2 : 1);
      }),
    );
  });

  it('waits for the next run while the service is down, and for the next night when it refuses', async () => {
    const repair = openRepair();
    await repair.buy('1');
    repair.clock.ms += HOUR_MS;
    repair.loyalty.world.interfere = () => ({ ...TIME_OUT, reason: 'connection' });
    expect(await repair.run()).toMatchObject({ stopped: 'connection' });
    repair.loyalty.world.interfere = undefined;
    expect(await repair.run()).toEqual({ compared: 1, asked: 1 });

    repair.clock.ms += 24 * HOUR_MS;
    repair.loyalty.world.interfere = () => refusal(45);
    expect(await repair.run()).toMatchObject({ stopped: 'ApiExternal_Error_Page_Size' });
    repair.loyalty.world.interfere = undefined;
    expect(await repair.run()).toBeUndefined();
    repair.clock.ms += 24 * HOUR_MS;
    expect(await repair.run()).toEqual({ compared: 1, asked: 1 });
  });

  it.each([
    ['time-out', TIME_OUT, []],
    ['connection', { ...TIME_OUT, reason: 'connection' }, []],
    ['ApiExternal_Error_Page_Size', refusal(45), []],
    ['unnamed-error', refusal(9_999), []],
    ['misconfigured', { ...ANSWER, status: 401 }, ['misconfigured']],
    ['throttled', { ...ANSWER, status: 429 }, ['throttled']],
  ] as const)('stops at %s, after one call', async (stopped, answer, counted) => {
    const repair = openRepair();
    repair.loyalty.world.interfere = () => answer;
    expect(await repair.run()).toEqual({ compared: 0, asked: 0, stopped });
    expect(repair.asked).toHaveLength(1);
    expect(repair.telemetry.counted.map(({ metric }) => metric)).toEqual(counted);
  });

  it.each([
    ['an empty page beyond what it counts', '2', 1, 0, [1]],
    ['the empty page that its count ends at', '2', 1, 150, [1, 2]],
    ['a million customers', '1', 9_999, 1, [9_999, 10_000]],
  ])('ends a report that always promises more at %s', async (_, reported, from, count, pages) => {
    const repair = openRepair();
    await repair.buy('1');
    await repair.loyalty.client.listCustomersReport({ originalId: reported });
    const page = repair.loyalty.journal.at(-1)?.answer as object;
    await repair.continueAt(from);
    repair.loyalty.world.interfere = () => {
      const HasNextPage = repair.asked.length < 9;
      const text = JSON.stringify({ ...page, HasNextPage, TotalItemCount: count });
      return { ...ANSWER, text };
    };
    expect(await repair.run()).not.toHaveProperty('stopped');
    expect(repair.asked.map(({ pageNumber }) => pageNumber)).toEqual(pages);
  });

  it('goes on with smaller pages where one is too large to be read', async () => {
    const repair = openRepair();
    await repair.buy('1');
    repair.clock.ms += HOUR_MS;
    await repair.continueAt(3);
    repair.loyalty.world.interfere = (_, pass) =>
      repair.asked.at(-1)?.pageSize === 100
        ? { kind: 'failure', reason: 'too-large', mayHaveHappened: true }
        : pass();
    expect(await repair.run()).not.toHaveProperty('stopped');
    // The 200 customers before stay compared.
    expect(repair.asked.map(({ pageNumber, pageSize }) => [pageNumber, pageSize])).toEqual([
      [3, 100],
      [11, 20],
    ]);
    repair.loyalty.world.interfere = () => ({
      ...{ kind: 'failure', reason: 'too-large', mayHaveHappened: true },
    });
    await repair.continueAt(3);
    expect(await repair.run()).toMatchObject({ stopped: 'not-the-contract' });
  });

  it('leaves the queue to live events, and ends with its time', async () => {
    const repair = openRepair();
    await repair.buy('1');
    repair.clock.ms += HOUR_MS;
    repair.parts.ready = 1_000;
    expect(await repair.run()).toMatchObject({ stopped: 'queue-full' });
    repair.stop.abort();
    expect(await repair.run()).toMatchObject({ stopped: 'out-of-time' });
    repair.parts.ready = 0;
    expect(await repair.run()).toMatchObject({ stopped: 'out-of-time' });
    expect(repair.asked).toEqual([]);
  });

  it('asks for everyone among thousands, though every run is killed somewhere', async () => {
    const repair = openRepair();
    const known = 1_300;
    const all = 2_600;
    for (let id = 1; id <= all; id += 1) await repair.buy(String(id), { isEnrolled: id % 3 > 0 });
    for (let id = 1; id <= known; id += 1) await repair.remember(String(id));
    repair.clock.ms += HOUR_MS;
    const { ledger } = repair;
    let kills = 0;
    let finished: unknown;
    for (let run = 0; run < 40 && !finished; run += 1) {
      // In turns: after some messages of a page, and while the position is recorded.
      let left = run % 2 === 0 ? 150 + 60 * run : Number.POSITIVE_INFINITY;
      let writes = run % 2 === 0 ? Number.POSITIVE_INFINITY : run % 4;
      repair.parts.send = (event) => {
        left -= 1;
        if (left < 0) throw new Error('killed');
        repair.sent.push(event);
      };
      repair.parts.ledger = {
        ...ledger,
        write: (key, entry, revision) => {
          writes -= 1;
          return writes < 0
            ? Promise.reject(new Error('killed'))
            : ledger.write(key, entry, revision);
        },
      };
      try {
        finished = await repair.run();
      } catch {
        kills += 1;
      }
    }
    expect(kills).toBeGreaterThan(5);
    expect(finished).toBeDefined();
    const asked = new Set(repair.askedFor());
    expect(asked.size).toBe(all - known);
    expect([...asked].every((id) => Number(id) > known)).toBe(true);
    // A killed run repeats at most the page that it was at.
    expect(repair.reports().length).toBeLessThanOrEqual(Math.ceil(all / 100) + 1 + kills);
  });
});

describe('the comparison of balances with the report', () => {
  const SHOP = 'example-store.myshopify.com';
  const KEY = { shop: SHOP, kind: 'customer', id: '1' } as const;
  const NOW = new Date('2026-10-09T12:00:00.000Z');
  const AT = '2026-11-01T00:00:00Z';
  const soon = (Points: number, When = AT) => ({ PointsToExpire: [{ Points, When }] });
  const expiring = { points: '15', at: AT };

  /** Who is asked for, where the ledger holds 40 points and 2 of cashback. */
  async function ask(reported: object, { uncertain = false, mergedInto = '', ...known }) {
    const ledger = createMemoryLedger();
    const remembered = rememberBalance({ points: '40', cashback: '2', ...known });
    await ledger.write(KEY, { version: 1, uncertain, remembered, outcomes: [] }, undefined);
    if (mergedInto) {
      await noteMerge(KEY, mergedInto, { ledger, now: NOW, topic: 'merge', retentionDays: 400 });
    }
    const sent: QueuedEvent[] = [];
    const queue = { send: async (event: QueuedEvent) => void sent.push(event) };
    const customer = { OriginalId: '1', PointsBalance: 40, CashbackBalance: 2, ...reported };
    await askForDifferences(SHOP, [customer], 7, { ledger, queue, now: () => NOW });
    return sent;
  }

  it.each([
    ['the same', {}, {}, 0],
    ['other points', { PointsBalance: 41 }, {}, 1],
    ['other cashback', { CashbackBalance: 3 }, {}, 1],
    ['no points', { PointsBalance: undefined }, {}, 1],
    ['the same, after a write whose end is not known', {}, { uncertain: true }, 1],
    ['points that expire and are not shown', soon(15), {}, 1],
    ['the points that expire', soon(15), { expiring }, 0],
    ['fewer points that expire', soon(14), { expiring }, 1],
    ['points that expire later', soon(15, '2026-11-02T00:00:00Z'), { expiring }, 1],
    ['no more points that expire', { PointsToExpire: [] }, { expiring }, 1],
    ['nothing about points that expire', { PointsToExpire: undefined }, { expiring }, 0],
    ['other points of a customer who was merged', { PointsBalance: 41 }, { mergedInto: '2' }, 0],
  ])(
    'a report with %s asks for the balance only where it differs',
    async (_, reported, known, count) => {
      expect(await ask(reported, known)).toHaveLength(count);
    },
  );

  it('asks for a balance once in a night, though its page is compared again', async () => {
    expect(await ask({ PointsBalance: 41 }, {})).toEqual([
      {
        ...KEY,
        kind: 'balance',
        topic: 'repair',
        deliveryId: 'repair/7/1',
        receivedAt: NOW.toISOString(),
      },
    ]);
  });
});

describe('points that are about to expire', () => {
  const DAY_MS = 24 * HOUR_MS;

  /** Two customers whose points expire in 14 days, one whose points expire later. */
  async function open() {
    const repair = openRepair({ pointsValidDays: 20 });
    for (const id of ['1', '2']) await repair.buy(id);
    repair.clock.ms += 6 * DAY_MS + HOUR_MS;
    await repair.buy('3');
    return repair;
  }

  it('are looked for once in a night, and their customers are read who were not told', async () => {
    const repair = await open();
    const at = new Date(repair.clock.ms + DAY_MS).toISOString();
    const told = { points: '10', tier: null, expiries: [at] };
    const remembered = rememberBalance({ points: '10', cashback: '0', told });
    const entry = { version: 1, uncertain: false, remembered, outcomes: [] };
    await repair.ledger.write(repair.keyOf('2'), entry, undefined);
    await repair.notice();
    expect(repair.askedFor()).toEqual(['1']);
    repair.clock.ms += HOUR_MS;
    await repair.notice();
    expect(repair.askedFor()).toEqual(['1']);
    repair.clock.ms += DAY_MS;
    await repair.notice();
    // The date that the second was told is over.
    expect(repair.askedFor()).toEqual(['1', '1', '2']);
  });

  it('are asked for again in the next night where the service gives no report, or none that can be read', async () => {
    const repair = await open();
    const answers = [refusal(1), TIME_OUT, { ...ANSWER, text: '{"Customers":[]}' }, 'pass'];
    for (const answer of answers) {
      repair.loyalty.world.interfere = (_call, pass) =>
        typeof answer === 'string' ? pass() : answer;
      await repair.notice();
      repair.clock.ms += DAY_MS;
    }
    expect(repair.askedFor()).toEqual(['1', '2']);
    const lost = repair.telemetry.logged.filter(({ level }) => level === 'warn');
    expect(lost.map(({ message }) => message)).toEqual(
      Array(3).fill('no report of points that expire'),
    );
  });
});
