import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defineConnector } from '../../shared/config/connector-config.ts';
import { createCircuitBreaker } from '../../shared/core/calls/call-loyalty.ts';
import { type Ledger, LedgerEntries, ledgerKeyText } from '../../shared/core/ledger/ledger.ts';
import type { ReconcileDeps } from '../../shared/core/reconcile/dependencies.ts';
import { reconcile } from '../../shared/core/reconcile/reconcile.ts';
import { createMemoryLedger } from '../support/memory-ledger.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const START = Date.parse('2026-10-09T12:00:00.000Z');
const KEPT_DAYS = 400;

/** Of the function's fifteen minutes: see `RESERVE_MS` in functions/reconcile.ts. */
const RUN_SECONDS = 880;
const RUNS_A_WEEK = 168;
/** What an order costs, in points of the Admin API: see docs/healing.md. */
const POINTS = 37;
/** Of each of so many orders a day, one is simulated, and takes as long as all that it stands for. */
const SIMULATED_PER_DAY = 50;

const SHOP = 'example-store.myshopify.com';
const connector = defineConnector({
  shops: [{ domain: SHOP }],
  loyalty: { address: 'https://loyalty.example.com', assumptions: {} },
});

interface Shop {
  readonly perDay: number;
  /** Of the store's plan (Shopify, "API limits"). */
  readonly pointsPerSecond: number;
}

/** A shop with so many orders a day, all known, for as long as the ledger keeps them. */
function openShop({ perDay, pointsPerSecond }: Shop) {
  const standsFor = perDay / SIMULATED_PER_DAY;
  const everyMs = DAY_MS / SIMULATED_PER_DAY;
  const first = START - KEPT_DAYS * DAY_MS;
  const memory = createMemoryLedger();
  const lastRead: number[] = [];
  const clock = { ms: START };
  let [storeFreeAt, endsAt, reads] = [0, 0, 0];
  let end = new AbortController();
  let longestMs = 0;

  function passUntil(ms: number): void {
    clock.ms = Math.max(clock.ms, Math.min(ms, endsAt));
    if (clock.ms >= endsAt) end.abort();
  }

  function noteRead(id: number): void {
    reads += 1;
    const before = lastRead[id];
    if (before !== undefined) longestMs = Math.max(longestMs, clock.ms - before);
    lastRead[id] = clock.ms;
  }

  const known = { version: Number.MAX_SAFE_INTEGER, appliedKey: 'x', uncertain: false };
  const entry = { ...known, outcomes: [], revision: 1 };
  const ledger: Ledger = {
    ...memory,
    // The scan says how far back orders go.
    scanEntities: async () => ({
      entries: [
        {
          key: { shop: SHOP, kind: 'order', id: '0' },
          entry: { ...entry, version: clock.ms - KEPT_DAYS * DAY_MS },
        },
      ],
    }),
    async readMany(keys) {
      const found = await memory.readMany(keys);
      const entries = new LedgerEntries(found);
      for (const key of keys) {
        const placed = first + Number(key.id) * everyMs;
        const isKept = clock.ms - placed <= KEPT_DAYS * DAY_MS;
        if (key.kind === 'order' && isKept) entries.set(ledgerKeyText(key), entry);
      }
      return entries;
    },
  };
  const none = { kind: 'found', value: { changed: [] } } as const;
  const store: ReconcileDeps['store'] = {
    changedMembers: async () => none,
    /** A page is one order. */
    async changedOrders(_, { from = first, until }, after) {
      const id = after === undefined ? Math.max(Math.ceil((from - first) / everyMs), 0) : +after;
      const last = Math.floor((Math.min(until, clock.ms) - first) / everyMs);
      if (id > last) return none;
      storeFreeAt = Math.max(storeFreeAt, clock.ms);
      passUntil(storeFreeAt);
      storeFreeAt += (POINTS / pointsPerSecond) * 1_000 * standsFor;
      const updatedAt = new Date(first + id * everyMs).toISOString();
      const changed = [{ id: String(id), updatedAt, value: undefined }];
      return {
        kind: 'found',
        value: { changed, ...(id < last && { next: String(id + 1) }) },
      };
    },
    overriddenDiscounts: async () => ({ kind: 'found', value: new Map() }),
    changedProducts: async () => none,
    changedDiscounts: async () => none,
    findAbsent: async () => ({ kind: 'found', value: new Set() }),
    seesAllOrders: async () => ({ kind: 'found', value: true }),
    readDiscount: async () => ({ kind: 'gone' }),
    readCoupon: async () => ({ kind: 'gone' }),
  };
  const program = {
    loyalty: {
      async getOrder(id: string) {
        noteRead(Number(id));
        return { kind: 'success', value: { Result: { OriginalId: id } } };
      },
    },
    breaker: createCircuitBreaker(),
    assumptions: connector.loyalty.assumptions,
  } as unknown as ReturnType<ReconcileDeps['program']>;
  const deps = {
    ledger,
    program: () => program,
    pauses: {
      refresh: async () => undefined,
      of: () => undefined,
      doubtOf: () => undefined,
      goLiveOf: () => first,
      takeoverOf: () => undefined,
      noteObserving: async () => {},
    },
    queue: { send: async () => {} },
    topicOf: () => 'orders/updated',
    depth: { of: async () => ({ ready: 0, hidden: 0 }) },
    telemetry: { count: () => {}, log: () => {} },
    now: () => new Date(clock.ms),
    leftMs: () => 880_000,
    inTime: () => ({
      store,
      pause: async (ms: number) => passUntil(clock.ms + ms * standsFor),
      checkShop: async () => undefined,
    }),
    deepEveryDays: 7,
    quietProducts: false,
    orderRetentionDays: KEPT_DAYS,
  };

  return {
    reads: () => reads * standsFor,
    /** The longest time between two readings of an order, in weeks. */
    longest: () => longestMs / WEEK_MS,
    /** How long ago the order of so many days ago was read at the latest, in weeks. */
    sinceRead: (days: number) =>
      (clock.ms - (lastRead[Math.floor((clock.ms - days * DAY_MS - first) / everyMs)] ?? 0)) /
      WEEK_MS,
    /** From the first run on, until so many were read. */
    async hoursFor(orders: number): Promise<number> {
      let hours = 0;
      for (; reads * standsFor < orders; hours += 1) await runForAnHour(hours === 0);
      return hours;
    },
    async runForAWeek(): Promise<void> {
      for (let hour = 0; hour < RUNS_A_WEEK; hour += 1) await runForAnHour(hour === 0);
    },
  };

  async function runForAnHour(deep: boolean): Promise<void> {
    const beganAt = clock.ms;
    end = new AbortController();
    endsAt = beganAt + RUN_SECONDS * 1_000;
    const asked = deep ? ({ mode: 'deep' } as const) : {};
    await reconcile(connector.shops, asked, { ...deps, deadline: end.signal });
    clock.ms = beganAt + HOUR_MS;
  }
}

/** The formula of docs/healing.md. */
function statedFor({ perDay, pointsPerSecond }: Shop) {
  const secondsOfStore = POINTS / pointsPerSecond;
  const seconds = RUNS_A_WEEK * RUN_SECONDS - 7 * perDay * secondsOfStore;
  const aWeek = seconds / Math.max(0.2, secondsOfStore);
  const recent = Math.min(32 * perDay, aWeek / 2);
  const weeks = Math.ceil((1.1 * (KEPT_DAYS * perDay - recent)) / (aWeek - recent)) + 1;
  const recentDays = [30, 16, 8, 4, 2, 1].find((days) => days * perDay <= recent) ?? 0;
  // Otherwise the ledger forgets some before they are read.
  return { aWeek, recentDays, weeks, isInTime: weeks * 7 < KEPT_DAYS };
}

const PLANS = [1_000, 100];
const ROWS = [500, 1_850, 5_000, 10_000, 20_000];

/** A row of the table of docs/healing.md. */
function rowOf(perDay: number): string {
  const cells = PLANS.flatMap((pointsPerSecond) => {
    const { recentDays, weeks, isInTime } = statedFor({ perDay, pointsPerSecond });
    return [`${recentDays} days`, isInTime ? `${weeks} weeks` : 'not all'];
  });
  return `| ${[perDay.toLocaleString('en'), ...cells].join(' | ')} |`;
}

describe('the times that docs/healing.md states', () => {
  it('are those of its formula', () => {
    process.stdout.write(`${ROWS.map(rowOf).join('\n')}\n`);
    const page = readFileSync(new URL('../../docs/healing.md', import.meta.url), 'utf8');
    for (const perDay of ROWS) expect(page).toContain(rowOf(perDay));
  });

  it.each([
    [1_000, 23],
    [100, 43],
  ])(
    'hold for 100,000 orders: with %d points a second they take %d hours',
    async (points, hours) => {
      const measured = await openShop({ perDay: 300, pointsPerSecond: points }).hoursFor(100_000);
      process.stdout.write(`${JSON.stringify({ points, measured })}\n`);
      expect(Math.abs(measured - hours)).toBeLessThanOrEqual(1);
      const page = readFileSync(new URL('../../docs/healing.md', import.meta.url), 'utf8');
      expect(page).toMatch(new RegExp(`\\b${hours} hours`));
    },
  );

  it.each(
    PLANS.flatMap((pointsPerSecond) =>
      ROWS.map((perDay) => ({ perDay, pointsPerSecond })).filter(
        (shop) => statedFor(shop).isInTime,
      ),
    ),
  )(
    'hold for %j: every order is read within them, the recent ones in every scan',
    async (given) => {
      const shop = openShop(given);
      const { aWeek, recentDays, weeks } = statedFor(given);
      await shop.runForAWeek();
      const inFirstWeek = shop.reads();
      for (let week = 1; week < weeks * 2; week += 1) {
        await shop.runForAWeek();
        expect(shop.sinceRead(recentDays / 2)).toBeLessThanOrEqual(2);
      }
      const line = { ...given, inFirstWeek, longestWeeks: shop.longest(), statedWeeks: weeks };
      process.stdout.write(`${JSON.stringify(line)}\n`);
      expect(inFirstWeek).toBeGreaterThan(0.9 * Math.min(aWeek, KEPT_DAYS * given.perDay));
      expect(shop.longest()).toBeLessThanOrEqual(weeks);
    },
  );
});
