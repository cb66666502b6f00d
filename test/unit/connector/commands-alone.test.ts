import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import { orderOriginCheck } from '../../../scripts/connector/ground/checks/loyalty.ts';
import { wokenTexts } from '../../../scripts/connector/ground/checks/waiting-messages.ts';
import { checkVisibility } from '../../../scripts/connector/ground/compare/send.ts';
import { readOldestAges } from '../../../scripts/connector/ground/session/figures.ts';
import type { Document } from '../../../scripts/connector/ground/terminal/document.ts';
import { judgeRuns } from '../../../scripts/connector/repair/reconcile.ts';
import { tryAgain } from '../../../scripts/connector/repair/redemptions.ts';
import {
  customerAccountsCheck,
  installedAppCheck,
  storeCreditCheck,
} from '../../../scripts/connector/set-up/shopify/store-checks.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { noteMerge } from '../../../shared/core/ledger/entry.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { createMemoryLedger } from '../../support/memory-ledger.ts';

const SHOP = 'kestrel.myshopify.com';
const connector = defineConnector({
  shops: [{ domain: SHOP }],
  loyalty: { address: 'https://loyalty.example.com' },
  storefront: { metafieldNamespace: 'program' },
});
const deployment = {
  ...{ connector, stack: 'a-stack', stage: 'prod', where: 'local', region: 'here', aws: {} },
  ...{ version: '1.0.0', output: (name: string) => name, sandbox: {} },
};
const GROUND = '../../../scripts/connector/ground';
const CORE = '../../../shared/core';
let loaded = 0;

/** The file of a command, evaluated anew with these in the place of what it asks AWS, the store and the service by. */
async function load(file: string, fakes: Readonly<Record<string, object>>) {
  for (const [path, fake] of Object.entries(fakes)) {
    vi.doMock(path, async (original) => ({ ...(await original<object>()), ...fake }));
  }
  loaded += 1;
  const address = resolve('scripts/connector', `${file}.ts?alone=${loaded}`);
  const made = await import(address);
  for (const path of Object.keys(fakes)) vi.doUnmock(path);
  return made;
}

function openSession() {
  const [counted, stop]: [object[], AbortController] = [[], new AbortController()];
  const quiet = { note() {}, progress: () => ({ report() {} }), confirm: async () => false };
  const session = {
    ...{ terminal: quiet, findDeployment: async () => deployment, interruption: () => stop.signal },
    beginChange: async () => ({ count: (one: object) => void counted.push(one) }),
    show: (document: Document) => void counted.push(document),
  };
  return { session, counted, stop };
}

/** Of a list that goes on. */
interface Page {
  readonly data: { readonly changes: readonly { readonly at: string }[] };
  readonly next?: readonly { readonly line: { readonly options: Record<string, unknown> } }[];
}

describe('history', () => {
  const records = Array.from({ length: 7 }, (_, n) => ({
    ...{ at: `2026-10-0${7 - n}T00:00:00.000Z`, who: n % 2 ? 'AIDA1' : 'AROA2:x', version: '1' },
    ...{
      claims: `arn:aws:iam::1:user/${n % 2 ? 'olivia' : 'noah'}`,
      arguments: {},
      command: 'pause',
    },
  }));
  const open = () =>
    load('look/show-history', {
      [`${GROUND}/session/audit-records.ts`]: {
        async *readAudit(_: unknown, { since, until }: { since: Date; until: Date }) {
          yield* records.filter(({ at }) => at >= since.toISOString() && at < until.toISOString());
        },
      },
      [`${GROUND}/session/deployment.ts`]: { openLists: () => ({}) },
    });

  it.each([
    ['all', {}, 7],
    ['of those whose ARN has a name', { who: 'olivia' }, 3],
    ['of those whose id has a text', { who: 'AROA' }, 4],
    ['since a day', { since: Date.parse('2026-10-05') }, 3],
  ])('shows each once, page after page, %s', async (_, asked, many) => {
    const { showHistory } = await open();
    const seen: string[] = [];
    for (
      let options: Record<string, unknown> | undefined = { ...asked, limit: 2 };
      options && seen.length < 9;
    ) {
      const { data, next = [] }: Page = await showHistory(openSession().session, options);
      seen.push(...data.changes.map(({ at }) => at));
      const given: Record<string, unknown> | undefined = next[0]?.line.options;
      const momentOf = (name: string) => given?.[name] && Date.parse(String(given[name]));
      options = given && {
        ...given,
        since: momentOf('since') || undefined,
        until: momentOf('until'),
      };
    }
    expect(seen).toHaveLength(many);
    expect(new Set(seen).size).toBe(many);
  });
});

describe('compare', () => {
  it('counts each order once, and none as agreeing that is not counted', async () => {
    const kinds = ['ok', 'ok', 'ok', 'pending', 'unknown', 'action required'];
    const orders = kinds.map((kind, n) => ({
      id: `${n}`,
      name: `#${n}`,
      kind,
      isUncounted: n === 0,
    }));
    const { compareOrders } = await load('look/compare-orders', {
      [`${GROUND}/compare/read-orders.ts`]: {
        readChangedOrders: async () => ({ orders, isStopped: false }),
        groupsOf: () => ({ kind: 'text', text: '' }),
      },
    });
    const { verdict, data } = await compareOrders(openSession().session, { since: 0 });
    const numbers = verdict.what.match(/\d+/g)?.map(Number) ?? [];
    expect(numbers.toSorted()).toEqual([1, 1, 1, 1, 2]);
    expect(numbers.reduce((sum: number, one: number) => sum + one, 0)).toBe(orders.length);
    expect([verdict.kind, data.agree]).toEqual(['action required', 3]);
  });
});

it('audit knows of a pause that began as long before its time as one may last', async () => {
  const [DAY_MS, since] = [86_400_000, Date.parse('2026-11-10T00:00:00.000Z')];
  const at = new Date(since - 7 * DAY_MS + 3_600_000).toISOString();
  const paused = {
    command: 'pause',
    at,
    arguments: { for: '7d' },
    end: { at, result: 'finished' },
  };
  const none = async function* () {};
  const { audit } = await load('look/audit', {
    [`${GROUND}/session/read-logs.ts`]: { readLogs: none },
    [`${GROUND}/session/queues.ts`]: { readQueues: async () => [] },
    [`${GROUND}/checks/waiting-messages.ts`]: { readWaiting: async () => [] },
    [`${GROUND}/session/audit-records.ts`]: {
      async *readAudit(_: unknown, span: { since: Date }) {
        if (Date.parse(at) >= span.since.getTime()) yield paused;
      },
    },
    [`${GROUND}/session/deployment.ts`]: {
      ...{ openLedger: () => ({}), openLists: () => ({}), rulesOf: async () => ({}) },
    },
    [`${GROUND}/session/services.ts`]: { openShopServices: () => ({}) },
    [`${CORE}/calls/shop-pause.ts`]: { readControl: async () => ({}) },
    '../../../shared/aws/read-ledger.ts': { readLetters: none, readWholeLedger: none },
  });
  const until = since + DAY_MS;
  const { data } = await audit(openSession().session, { since, until, sides: false });
  const cases = data.promises.map((one: Record<string, unknown>) => [one.promise, one.cases]);
  expect(cases).toContainEqual(['no-call-while-paused', 1]);
});

describe('reconcile status', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 0, minute)).toISOString();
  const run = (ago: number, many: number) => ({
    ...{ beganAt: at(60 - ago), endedAt: at(61 - ago), stopped: [] },
    ...{ lookedAt: { order: 9 }, healed: { order: many - 1 }, rolledOut: { order: 1 } },
    sent: Array.from({ length: many }, (_, n) => ({
      kind: 'order',
      id: `${ago}-${n}`,
      why: 'stale',
    })),
  });

  it('shows the newest that were sent, what was rolled out too, and the last outcome of its own', async () => {
    const runs = [run(1, 20), run(2, 15), run(3, 15)];
    const outcome = (minute: number, what: string, origin?: string) => ({
      ...{ at: at(minute), outcome: what, origin },
    });
    const outcomes = [
      ...[outcome(50, 'applied', 'reconcile'), outcome(60, 'unchanged', 'reconcile')],
      ...[outcome(61, 'applied', 'reconcile'), outcome(62, 'unchanged')],
    ];
    const entries = new Map([
      [ledgerKeyText({ shop: SHOP, kind: 'order', id: '1-0' }), { outcomes }],
    ]);
    const { showRuns } = await load('repair/reconcile', {
      [`${CORE}/reconcile/last-reconcile.ts`]: { readReconcileRuns: async () => runs },
      [`${CORE}/reconcile/deep-scan.ts`]: {
        readFoundByReading: async () => ({ differing: [], ordersRead: { read: 0, unread: 0 } }),
      },
      [`${GROUND}/session/deployment.ts`]: {
        openLedger: () => ({ readMany: async () => entries }),
      },
      [`${GROUND}/session/services.ts`]: {
        ...{ openShopServices: () => ({}), readNames: async () => new Map() },
      },
    });
    const { data, blocks } = await showRuns(openSession().session, {});
    const [{ sent }] = data.shops;
    expect([sent[0].id, sent.at(-1).id, sent.length]).toEqual(['1-0', '3-4', 40]);
    expect(sent[0].outcome).toMatchObject({ at: at(61), outcome: 'applied' });
    expect(JSON.stringify(blocks)).toContain('the last 40 of 50');
    expect(JSON.stringify(blocks)).toMatch(/,9,20\].*,9,15\]/);
  });
});

describe('pause, resume and retry-now', () => {
  const control = {
    operator: { orders: { since: 1, by: 'a' }, products: { since: 1, by: 'a' } },
    ended: {},
  };
  const open = (more: Readonly<Record<string, object>> = {}) => {
    const written: unknown[] = [];
    const fakes = {
      [`${CORE}/calls/shop-pause.ts`]: {
        changeControl: async (_: unknown, __: string, change: (one: object) => object) => {
          const next = change(control);
          written.push(next);
          return next;
        },
      },
      [`${GROUND}/checks/waiting-messages.ts`]: {
        readWaiting: async () => [],
        wake: async () => ({ woken: [], gone: 0 }),
      },
      [`${GROUND}/session/read-caller.ts`]: {
        readCaller: async () => ({ arn: 'arn:of-a-person' }),
      },
      [`${GROUND}/checks/check.ts`]: { runChecks: async () => [] },
      [`${GROUND}/session/deployment.ts`]: { openLedger: () => ({}) },
    };
    return { written, loading: load('repair/hold-calls', { ...fakes, ...more }) };
  };

  it('resume ends the pause of its queue alone, and counts what it began and ended', async () => {
    const { written, loading } = open();
    const { resumeCommand, pauseCommand } = await loading;
    const { session, counted } = openSession();
    const { data } = await resumeCommand(session, { queue: 'orders' });
    expect(Object.keys((written[0] as typeof control).operator)).toEqual(['products']);
    expect([data.ended.length, data.pauses.length]).toEqual([1, 1]);
    expect(counted[0]).toEqual({ begun: 0, ended: 1 });
    const paused = openSession();
    await pauseCommand(paused.session, { queue: 'coupons', because: 'x', for: '2h', yes: true });
    const { coupons } = (written[1] as { operator: Record<string, Record<string, number>> })
      .operator;
    expect(coupons).toMatchObject({ by: 'arn:of-a-person', because: 'x' });
    expect((coupons?.until ?? 0) - (coupons?.since ?? 0)).toBe(7_200_000);
    expect(paused.counted[0]).toEqual({ begun: 1, ended: 0 });
  });

  it.each([
    [0, 'misconfigured', 1, 1],
    [60, 'misconfigured', 1, 3],
    [60, 'throttled', 0, 1],
  ])(
    'retry-now --wait %i follows for so long, and names what a pause holds, as one of %s',
    async (wait, why, free, looked) => {
      const message = (queue: string, waitsFor: string) => ({
        ...{ shop: SHOP, queue, messageId: queue, receiptHandle: 'r', receives: 1, revision: 1 },
        ...{ until: Date.now() + 60_000, since: 0, waitsFor, why: 'time-out', inSeconds: 0 },
      });
      const waiting = [
        message('coupons', 'loyalty'),
        message('orders', 'loyalty'),
        message('x', 'planned'),
      ];
      const { session, counted, stop } = openSession();
      let looks = 0;
      const ledger = {
        async readMany() {
          looks += 1;
          if (looks === 3) stop.abort();
          return new Map();
        },
      };
      const service = { shop: SHOP, by: 'service', why, since: '', until: '' };
      const operator = { shop: SHOP, by: 'operator', part: 'orders', who: 'a', since: '' };
      const { loading } = open({
        [`${GROUND}/checks/waiting-messages.ts`]: {
          readWaiting: async () => waiting,
          wake: async (_: unknown, woken: unknown) => ({ woken, gone: 0 }),
        },
        [`${GROUND}/checks/read-pauses.ts`]: { readPauses: async () => [service, operator] },
        [`${GROUND}/session/deployment.ts`]: { openLedger: () => ledger },
        'node:timers/promises': { setTimeout: async () => {} },
      });
      const { data } = await (await loading).retryNow(session, { wait });
      expect(looks).toBe(looked);
      expect(counted[0]).toEqual({ woken: free, held: 2 - free });
      expect(data.sent).toBe(2);
    },
  );
});

describe('backfill', () => {
  const begun = { shop: SHOP, kind: 'products', run: 3, place: {}, sent: 4, total: 10 };
  const state = {
    ...begun,
    startedAt: '2026-10-01T00:00:00.000Z',
    savedAt: '2026-10-01T00:00:00.000Z',
  };

  it.each([
    ['goes on with what is left', {}, 6, 3],
    ['begins anew as the next run', { again: true }, 12, 4],
  ])('%s, at the rate that is asked for', async (_, more, left, run) => {
    const entry = { remembered: JSON.stringify(state), revision: 7 };
    const told = vi.fn();
    const { startBackfill } = await load('set-up/backfill', {
      [`${CORE}/ledger/ledger.ts`]: { readEntry: async () => entry },
      [`${GROUND}/session/deployment.ts`]: {
        openLedger: () => ({ write: async () => ({ kind: 'written', revision: 8 }) }),
      },
      [`${GROUND}/session/services.ts`]: {
        openShopServices: () => ({
          store: { until: () => ({}) },
          asked: () => ({ count: async () => ({ kind: 'found', value: 12 }) }),
        }),
      },
      [`${GROUND}/compare/send.ts`]: {
        openSending: (_: unknown, families: unknown, __: unknown, rate: unknown) =>
          told(families, rate),
        sendPortions: async (kept: { state: object }) => ({
          ...kept.state,
          finishedAt: state.savedAt,
        }),
      },
    });
    const options = { ...more, rate: 3 };
    const shown = openSession();
    await startBackfill(shown.session, 'products', options);
    const [{ data, next }] = shown.counted as [Document<{ count: number; rate: number }>];
    expect([data?.count, data?.rate]).toEqual([left, 3]);
    expect(next?.[0]?.line.options).toMatchObject(options);
    const { data: ended } = await startBackfill(openSession().session, 'products', {
      ...options,
      yes: true,
    });
    expect(told).toHaveBeenCalledWith(['products'], 3);
    expect(ended.run).toBe(run);
  });
});

it('the older orders that backfill status offers need no further access scope', async () => {
  const { showBackfills } = await load('set-up/backfill', {
    [`${CORE}/ledger/ledger.ts`]: { readEntry: async () => undefined },
    [`${GROUND}/session/deployment.ts`]: { openLedger: () => ({}) },
  });
  const { next }: Document = await showBackfills(openSession().session, {});
  const since = String(next?.at(-1)?.line.options.since);
  const store = { seesAllOrders: async () => ({ kind: 'found', value: false }) as const };
  const shop = { domain: SHOP };
  await checkVisibility({ kind: 'orders', since }, { store, shop }, new Date());
  const sooner = new Date(Date.parse(since) - 2 * 86_400_000).toISOString();
  const asked = checkVisibility({ kind: 'orders', since: sooner }, { store, shop }, new Date());
  await expect(asked).rejects.toThrow('read_all_orders');
});

describe('dead-letters drop', () => {
  it.each([
    ['the newest of them', {}, '1970-01-01T00:00:00.900Z'],
    ['the end that was asked for', { until: 5_000 }, '1970-01-01T00:00:05.000Z'],
  ])('is agreed to up to %s: what came later, nobody has seen', async (_, asked, until) => {
    const letter = (at: number) => ({ letterId: `${at}`, family: 'orders', why: '', at });
    const matching = [letter(900), letter(100)];
    const { dropCommand } = await load('repair/change-letters', {
      [`${GROUND}/letters/describe-letters.ts`]: {
        openList: async (__: unknown, filter: object) => {
          return { deployment, filter, list: { letters: matching, matching, queues: [] } };
        },
        namedGroups: async (groups: unknown) => groups,
      },
    });
    const { session, counted } = openSession();
    await dropCommand(session, { reason: 'rejected', ...asked }, { because: 'x' });
    const [{ next }] = counted as [Document];
    expect(next?.[0]?.line.options).toMatchObject({ reason: 'rejected', until, yes: true });
  });
});

it.each(['7001', '7002', '7003'])(
  'privacy is about the customer whom the store kept, also named as %s',
  async (named) => {
    const ledger = createMemoryLedger();
    const how = { ledger, now: new Date(), topic: 'customers/merge', retentionDays: 400 };
    await noteMerge({ shop: SHOP, id: '7001' }, '7002', how);
    await noteMerge({ shop: SHOP, id: '7002' }, '7003', how);
    const { findSubject } = await load('repair/find-kept', {
      [`${GROUND}/compare/find.ts`]: { findEntity: async (_: unknown, id: string) => [{ id }] },
      [`${GROUND}/session/services.ts`]: { openShopServices: () => ({}) },
      [`${GROUND}/session/deployment.ts`]: { openLedger: () => ledger },
    });
    expect((await findSubject(deployment, connector.shops[0], named)).id).toBe('7003');
  },
);

describe('secrets set', () => {
  it.each([
    ['store', { clientId: 'a', clientSecret: 'b' }, 1],
    ['loyalty', { token: 'a', key: 'b' }, 1],
    [
      'webhook',
      { current: 'newer', previous: 'old', previousUntil: '2099-01-01T00:00:00.000Z' },
      0,
    ],
  ])(
    'of %s keeps what is still in force, and wakes what was refused',
    async (purpose, kept, wakes) => {
      const stored: object[] = [];
      const woken: string[] = [];
      const { setSecret } = await load('set-up/set-secret', {
        [`${GROUND}/checks/read-secret.ts`]: {
          readSecret: async () => ({ kind: 'there', fields: kept }),
          storeSecret: async (_: unknown, __: unknown, ___: unknown, fields: object) =>
            stored.push(fields),
        },
        [`${GROUND}/checks/waiting-messages.ts`]: {
          readWaiting: async () => [
            { waitsFor: 'misconfigured', queue: 'orders' },
            { waitsFor: 'paused' },
          ],
          wake: async (_: unknown, some: object[]) => ({ woken: some, gone: 0 }),
        },
        [`${CORE}/calls/shop-pause.ts`]: {
          changeControl: async (_: unknown, shop: string) => woken.push(shop),
        },
        [`${GROUND}/session/deployment.ts`]: { openLedger: () => ({}) },
      });
      const given = Object.fromEntries(
        Object.keys(kept)
          .slice(0, purpose === 'webhook' ? 1 : 2)
          .map((one) => [one, 'mended']),
      );
      Object.defineProperty(process, 'stdin', {
        value: Readable.from([JSON.stringify(given)]),
        configurable: true,
      });
      const { data } = await setSecret(
        openSession().session,
        { untried: true, yes: true },
        purpose,
      );
      expect(stored).toEqual([{ ...kept, ...given }]);
      expect([woken.length, data.woken]).toEqual([wakes, wakes]);
    },
  );
});

it('the age of a queue is asked for from a quarter of an hour back, and is that of the newest value', async () => {
  const asked: { StartTime?: Date; EndTime?: Date }[] = [];
  const send = async ({ input }: { input: { StartTime: Date; EndTime: Date } }) => {
    asked.push(input);
    return {
      MetricDataResults: [{ Id: 'q0', Values: [7, 9], Timestamps: [new Date(2), new Date(1)] }],
    };
  };
  const { CloudWatchClient } = await import('@aws-sdk/client-cloudwatch');
  const client = Object.assign(new CloudWatchClient({ region: 'here' }), { send }) as never;
  const now = new Date('2026-10-01T01:00:00Z');
  expect(await readOldestAges(client, ['a', 'b'], now)).toEqual([7, undefined]);
  expect(asked).toMatchObject([{ StartTime: new Date('2026-10-01T00:45:00Z'), EndTime: now }]);
});

describe('redemptions', () => {
  const alone = {
    [`${GROUND}/session/deployment.ts`]: { ...{ openLedger: () => ({}), openLists: () => ({}) } },
    [`${GROUND}/checks/waiting-messages.ts`]: { readWaiting: async () => [] },
  };

  it('list shows the last that were finished, the newest first', async () => {
    const finished = [3, 1, 2].map((day) => ({
      ...{ id: `R${day}`, since: `2026-10-0${day}T00:00:00.000Z`, state: { at: 'used' } },
      ...{ terms: { title: 'Mug', points: 5 }, clientKeys: [] },
    }));
    const { listCommand } = await load('repair/redemptions', {
      ...alone,
      '../../../shared/aws/read-ledger.ts': {
        listRecords: async () => [{ id: '7', entry: { remembered: finished } }],
      },
      '../../../shared/rewards/redeem/redemption-record.ts': {
        recallRedemptions: (redemptions: unknown) => ({ redemptions }),
      },
    });
    const { blocks, verdict } = await listCommand(openSession().session, {});
    const ids = blocks.at(-1).rows.map(({ cells }: { cells: unknown[] }) => cells.at(-1));
    expect([ids, verdict.kind]).toEqual([['R3', 'R2', 'R1'], 'ok']);
  });

  it('show adds up what moved the points, and says which orders were given up', async () => {
    const asked = vi.fn();
    const change = (day: number, Points: number, IsCanceled = false) => ({
      ...{ Date: `2026-10-0${day}T00:00:00Z`, Title: 'x', Points, IsCanceled },
    });
    const Items = [change(1, 70), change(3, 30), change(2, 10, true)];
    const balance = { points: 100, cashback: 2, expiring: null };
    const { showCommand } = await load('repair/redemptions', {
      ...alone,
      [`${GROUND}/compare/find.ts`]: {
        findEntity: async () => [{ id: '7' }],
        ordersOf: async () => ['1', '2', '3'].map((id) => ({ id, name: `#${id}` })),
      },
      [`${GROUND}/compare/sides.ts`]: {
        askService: async (_: unknown, { id }: { id: string }) =>
          id === 'theirs' ? { kind: 'order', order: {} } : { kind: 'absent' },
      },
      [`${GROUND}/session/services.ts`]: {
        openShopServices: () => ({
          loyalty: () => ({
            listPointsHistory: async () => ({ kind: 'success', value: { Items } }),
          }),
          asked: () => ({
            balanceOf: async (...given: unknown[]) => {
              asked(...given);
              return { kind: 'found', value: { ...balance, tier: null } };
            },
          }),
        }),
      },
      [`${CORE}/ledger/ledger.ts`]: {
        readEntry: async (_: unknown, { id }: { id: string }) =>
          id === '1'
            ? { service: { id: 'theirs' }, outcomes: [{ outcome: 'applied' }] }
            : { outcomes: [{ outcome: 'rejected' }] },
      },
      '../../../shared/rewards/storefront/read-view.ts': {
        readKnown: async () => ({
          id: '7',
          balance: { ...balance, tier: null, asOf: '2026-10-01' },
          redemptions: [],
        }),
        viewOfBalance: (one: object) => one,
      },
      '../../../shared/rewards/storefront/read-history.ts': {
        earningOf: () => ({ state: 'earns', points: 5 }),
      },
      '../../../shared/rewards/balances/point-balance.ts': {
        readCustomer: async () => ({ kind: 'read', balance, tier: undefined }),
      },
    });
    const { blocks, verdict } = await showCommand(openSession().session, {}, '7');
    expect(asked).toHaveBeenCalledWith('7', 'program');
    const rowsOf = (title: string) =>
      blocks.find((one: { title?: string }) => one.title === title).rows;
    const lastCells = (title: string) =>
      rowsOf(title).map(({ cells }: { cells: unknown[] }) => cells.at(-1));
    expect(lastCells('Changes of points')).toEqual(['100', '70', '70']);
    expect(lastCells('Points of the newest orders')).toEqual([
      5,
      ...Array(2).fill({ text: 'given up', tone: 'bad' }),
    ]);
    expect(verdict).toMatchObject({
      kind: 'action required',
      what: expect.stringMatching(/^2 orders/),
    });
  });
});

it('status says of the last comparison all that was sent again', async () => {
  const last = { beganAt: '2026-10-01T00:00:00Z', endedAt: '2026-10-01T00:01:00Z', stopped: [] };
  const counts = { lookedAt: { order: 4 }, healed: { order: 1 }, rolledOut: { product: 2 } };
  const { showStatus } = await load('look/show-status', {
    '../../../scripts/connector/look/collect-status.ts': {
      collectStatus: async () => ({
        ...{ at: last.endedAt, shops: [SHOP], checks: [], queues: { kind: 'known', value: [] } },
        reconcile: { kind: 'known', value: [{ shop: SHOP, last: { ...last, ...counts } }] },
      }),
    },
    '../../../scripts/connector/look/judge-status.ts': {
      ...{ judgeStatus: () => [], verdictOf: () => ({ kind: 'ok', what: '' }) },
    },
  });
  const { blocks } = await showStatus(openSession().session, {}, {});
  expect(JSON.stringify(blocks)).toContain('4 changes compared, 3 resent');
});

it.each([
  ['from go-live on, where it was restored to before', 1, 2, 2],
  ['from what it was restored to', 3, 2, 3],
])('recover begins %s', async (_, since, goLive, from) => {
  const { recover } = await load('repair/recover', {
    [`${CORE}/calls/shop-pause.ts`]: { readControl: async () => ({ operator: {}, ended: {} }) },
    [`${GROUND}/session/deployment.ts`]: { openLedger: () => ({ createdAt: async () => 5 }) },
    '@aws-sdk/client-secrets-manager': {
      SecretsManager: class {
        describeSecret = async () => ({});
      },
    },
  });
  const { session, counted } = openSession();
  await recover(session, { since, goLive });
  expect(counted).toMatchObject([{ data: { shops: [{ since: from, goLive: { at: goLive } }] } }]);
});

it.each([
  ['ends with 0', async () => 0, { result: 'finished' }],
  ['ends with 1', async () => 1, { result: 'failed' }],
  ['throws', () => Promise.reject(new Error('broken')), { result: 'failed' }],
  [
    'answers that a person is needed',
    async () => ({ title: '', verdict: { kind: 'action required', what: '' }, blocks: [] }),
    { result: 'finished', verdict: 'action required' },
  ],
])('a change whose command %s is recorded as that', async (_, end, recorded) => {
  const ended: object[] = [];
  // Loaded when a change begins.
  const records = `${GROUND}/session/audit-records.ts`;
  const recordChange = async () => ({
    count() {},
    end: async (one: object) => void ended.push(one),
  });
  const { runAction, setHost } = await load('ground/session/run-action', {});
  vi.doMock(records, () => ({ recordChange }));
  const program = new Command();
  program.command('change').action(
    runAction(async (session: { beginChange: (one: object) => Promise<unknown> }) => {
      await session.beginChange({});
      return end();
    }),
  );
  const { session } = openSession();
  setHost(program, {
    ...{ createTerminal: () => ({ ...session.terminal, line() {} }), showDocument() {} },
    ...{
      findDeployment: async () => deployment,
      onInterruption() {},
      reportProblem() {},
      end() {},
    },
  });
  await program.parseAsync(['change'], { from: 'user' });
  vi.doUnmock(records);
  expect(ended).toEqual([recorded]);
});

const shopDepsOf = (services: object) =>
  ({ deployment, shops: connector.shops, services: () => services }) as never;

it('the origin of orders is asked of the last of them', async () => {
  const asked: string[] = [];
  const changed = ['1', '2', '3', '4', '5', '6', '7'].map((id) => ({ id, updatedAt: '' }));
  const services = {
    store: { changedOrders: async () => ({ kind: 'found', value: { changed } }) },
    loyalty: () => ({
      getOrder: async (id: string) => {
        asked.push(id);
        return { kind: 'success', value: { Origin: id === '7' ? 0 : 1 } };
      },
    }),
  };
  const [finding] = await orderOriginCheck(shopDepsOf(services)).look();
  expect([asked, finding?.verdict]).toEqual([['3', '4', '5', '6', '7'], 'warn']);
  expect(finding?.what).toContain('holds 5, 1 with Origin 0');
});

it.each<readonly [check: typeof storeCreditCheck, data: object | undefined, verdict: string]>([
  [
    customerAccountsCheck,
    { shop: { customerAccountsV2: { customerAccountsVersion: 'CLASSIC' } } },
    'warn',
  ],
  [
    customerAccountsCheck,
    { shop: { customerAccountsV2: { customerAccountsVersion: 'NEW' } } },
    'pass',
  ],
  [installedAppCheck, { currentAppInstallation: { app: { developerType: 'MERCHANT' } } }, 'pass'],
  [installedAppCheck, { currentAppInstallation: { app: { developerType: 'PARTNER' } } }, 'info'],
  [storeCreditCheck, { storeCreditConfiguration: { storeCreditEnabled: true } }, 'info'],
  [storeCreditCheck, { storeCreditConfiguration: { storeCreditEnabled: false } }, 'fail'],
  ...[customerAccountsCheck, installedAppCheck, storeCreditCheck].map(
    (check) => [check, undefined, 'unknown'] as const,
  ),
])('what the store says of itself is judged: %o %j', async (check, data, verdict) => {
  const ask = async () => (data ? { kind: 'data', data } : { kind: 'failure', reason: 'time-out' });
  const found = await check(shopDepsOf({ asked: () => ({ ask }) })).look();
  expect(found).toMatchObject([{ shop: SHOP, verdict }]);
});

it.each([
  [149, false],
  [151, true],
])('a schedule whose last run ended %i minutes ago is late: %s', (minutes, isLate) => {
  const now = new Date('2026-10-02T00:00:00Z');
  const endedAt = new Date(now.getTime() - minutes * 60_000).toISOString();
  const counts = { lookedAt: { order: 1 }, healed: {}, rolledOut: {}, sent: [], stopped: [] };
  const runs = [{ beganAt: endedAt, endedAt, ...counts }] as never;
  const found = { runs, ordersRead: { read: 0, unread: 0 }, differing: [], sent: [] };
  const { kind } = judgeRuns(found as never, { isScheduled: true }, now);
  expect(kind).toBe(isLate ? 'action required' : 'ok');
  expect(judgeRuns(found as never, {}, now).kind).toBe('ok');
});

const CONNECTOR = '../../../scripts/connector';
const nothingKept = {
  ...{ shop: connector.shops[0], id: '7', ids: new Set(['7']), contacts: [], orders: [] },
  ...{ items: [], letters: [], lettersHeld: 0, waits: [], unread: 0, store: undefined },
};
const moments = { until: Date.now() + 60_000, since: 0 };

it.each<[object, string]>([
  [{ letters: [{ letterId: 'a', body: '' }] }, '1 dead letter may be left'],
  [{ lettersNotSeen: 2 }, '2 dead letters may be left'],
  [{ items: [{ kind: 'order', entry: {}, isPersonal: true }] }, '1 item of the ledger and 0'],
  [{ waits: [moments] }, '0 items of the ledger and 1 waiting message'],
  [{ store: { kind: 'found', value: {} } }, 'has them still'],
  [{ unread: 3 }, 'Nothing of them was found. 3 messages could not be read'],
  [{}, 'Nothing of them is kept here'],
])(
  'an erasure that leaves %j says %s, and until when backups have the rest',
  async (left, said) => {
    const found = [nothingKept, { ...nothingKept, ...left }];
    const { eraseCustomer } = await load('repair/privacy', {
      [`${CONNECTOR}/repair/find-kept.ts`]: {
        ...{ findSubject: async () => nothingKept, findKept: async () => found.shift() },
      },
      [`${CONNECTOR}/repair/follow-letters.ts`]: { sendAndFollow: async () => ({}) },
    });
    const { verdict, data } = await eraseCustomer(openSession().session, { yes: true }, '7');
    expect(verdict.what).toContain(said);
    const days = data.elsewhere.map(({ until }: { until: string | null }) =>
      until === null ? null : Math.ceil((Date.parse(until) - Date.now()) / 86_400_000),
    );
    expect(days.slice(0, 4)).toEqual([14, 14, 35, connector.deployment.logRetentionDays]);
  },
);

it.each<[string, object, boolean]>([
  ['an order of theirs', { event: { shop: SHOP, kind: 'order', id: '9' } }, true],
  ['the same order of another shop', { event: { shop: 'x', kind: 'order', id: '9' } }, false],
  ['their telephone number', { body: 'call +1 (555) 010-9988' }, true],
  ['a number like their document, which is short', { body: '{"total":41-77}' }, false],
  ['their address, as JSON may write it', { body: '{"to":"\\u0061nna@example.org"}' }, true],
])('a dead letter with %s is found as theirs or not', async (_, letter, isTheirs) => {
  const { findKept } = await load('repair/find-kept', {
    '../../../shared/aws/read-ledger.ts': { async *readWholeLedger() {} },
    [`${GROUND}/checks/waiting-messages.ts`]: { readWaiting: async () => [] },
    [`${GROUND}/compare/find.ts`]: { ordersOf: async () => [{ id: '9' }] },
    [`${GROUND}/compare/sides.ts`]: { askService: async () => ({ kind: 'absent' }) },
    [`${GROUND}/letters/read-letters.ts`]: {
      openLetterQueues: () => [],
      async surveyLetters({ onLetters }: { onLetters: (some: object[]) => void }) {
        onLetters([{ body: '', ...letter }]);
        return { notSeen: 0 };
      },
    },
    [`${GROUND}/session/queues.ts`]: { readQueues: async () => [] },
    [`${GROUND}/session/deployment.ts`]: { openLists: () => ({}) },
    [`${GROUND}/session/services.ts`]: {
      openShopServices: () => ({
        loyalty: () => ({}),
        store: { readMember: async () => ({ kind: 'found', value: { phone: '+15550109988' } }) },
      }),
    },
  });
  const subject = { ...nothingKept, contacts: ['anna@example.org', '4177'] };
  const { letters } = await findKept(openSession().session, deployment, subject);
  expect(letters).toHaveLength(isTheirs ? 1 : 0);
});

it.each([
  [{ unread: [] }, true],
  [{ unread: ['7'] }, false],
  [{ unread: [], stopped: 'time-out' }, false],
])(
  'a recovery reads histories from what is missing on, and is whole after %j: %s',
  async (read, isWhole) => {
    const asked: Date[] = [];
    const recoverRedemptions = async (_: string, since: Date) => {
      asked.push(since);
      return { customers: 1, found: 0, ...read };
    };
    const { recover } = await load('repair/recover', {
      [`${CORE}/calls/shop-pause.ts`]: {
        readControl: async () => ({ operator: {}, ended: {} }),
        changeControl: async () => ({}),
      },
      [`${GROUND}/session/deployment.ts`]: {
        ...{ openLedger: () => ({ createdAt: async () => 5 }), openLists: () => ({}) },
        openSourceQueues: () => ({}),
      },
      [`${GROUND}/session/services.ts`]: { openShopServices: () => ({ loyalty: () => ({}) }) },
      [`${GROUND}/compare/settle.ts`]: {
        compareAndSettle: async () => ({
          ...{ comparison: { kind: 'ended' }, sent: 0, tookMs: 0 },
          outcomes: { handled: 0, failing: 0, underway: 0 },
          shops: [{ shop: SHOP, isWhole: true, sentAgain: 0, orders: { differing: 0, unread: 0 } }],
        }),
        judgeFollowed: () => ({ next: [] }),
      },
      '../../../shared/aws/read-ledger.ts': { listRecords: async () => [] },
      '../../../shared/rewards/redeem/recover-redemptions.ts': { recoverRedemptions },
      '@aws-sdk/client-secrets-manager': {
        SecretsManager: class {
          describeSecret = async () => ({});
        },
      },
    });
    const { data } = await recover(openSession().session, { since: 2, goLive: 9, yes: true });
    expect(asked).toEqual([new Date(5)]);
    expect(data.shops).toMatchObject([{ isWhole }]);
  },
);

it('go-live compares from when observing began, and counts what it woke', async () => {
  const asked: number[] = [];
  const waits = ['paused', 'paused', 'loyalty'].map((waitsFor) => ({ waitsFor }));
  const { goLive } = await load('set-up/go-live', {
    [`${CORE}/calls/shop-pause.ts`]: {
      readControl: async () => ({ operator: {}, ended: {}, observing: 1_000 }),
      changeControl: async () => ({}),
    },
    [`${GROUND}/session/deployment.ts`]: { openLedger: () => ({}) },
    [`${GROUND}/checks/waiting-messages.ts`]: {
      readWaiting: async () => waits,
      wake: async (_: unknown, [first]: object[]) => ({ woken: [first], gone: 1 }),
    },
    [`${GROUND}/compare/read-orders.ts`]: {
      async readChangedOrders(_: unknown, { since }: { since: number }) {
        asked.push(since);
        return { orders: [], isStopped: false };
      },
      groupsOf: () => ({ kind: 'text', text: '' }),
    },
    [`${GROUND}/compare/settle.ts`]: {
      compareAndSettle: async () => ({ sent: 4 }),
      judgeFollowed: () => ({ verdict: { kind: 'ok', what: '' }, next: [] }),
    },
  });
  const { session, counted } = openSession();
  await goLive(session, { from: 3_000, otherOffSince: 2_000, yes: true });
  expect(asked).toEqual([1_000, 1_000]);
  expect(counted).toEqual([{ sent: 4, woken: 1 }]);
});

it('a new secret has the tags of the stack, and those of the settings', async () => {
  const made: object[] = [];
  const { ResourceNotFoundException } = await import('@aws-sdk/client-secrets-manager');
  const { storeSecret } = await load('ground/checks/read-secret', {
    '@aws-sdk/client-secrets-manager': {
      SecretsManager: class {
        async putSecretValue() {
          throw new ResourceNotFoundException({ message: '', $metadata: {} });
        }
        createSecret = async (one: object) => void made.push(one);
      },
    },
  });
  const tagged = { ...connector, deployment: { ...connector.deployment, tags: { team: 'shop' } } };
  const [shop] = connector.shops;
  await storeSecret({ ...deployment, connector: tagged }, shop, 'store', { a: 'b' });
  const tags = { application: 'loyalty-connector', stage: 'prod', team: 'shop' };
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  expect(made).toMatchObject([{ SecretString: '{"a":"b"}', Tags }]);
});

it.each([
  ['loyalty', true],
  ['store', true],
  ['paused', false],
  ['planned', false],
])('a redemption that waits for %s can be tried now: %s', (waitsFor, isOffered) => {
  const found = [{ shop: SHOP, wait: { shop: SHOP, waitsFor } }] as never;
  expect(tryAgain(found)).toHaveLength(isOffered ? 1 : 0);
});

it('what an open call holds back is promised by the last of its moments', () => {
  const now = new Date('2026-10-01T00:00:00Z');
  const held = [40, 70].map((inSeconds) => ({ queue: 'orders', isHeldBack: true, inSeconds }));
  expect(wokenTexts(held as never, 'now', now).join()).toContain('by 00:01:10 UTC');
});

it.each([
  ['aws', 'prod', 'kestrel'],
  ['aws', 'test', 'kestrel.test'],
  ['local', 'prod', 'kestrel.local'],
])(
  "the app of a stack %s, %s is in the folder %s, and keeps the scope that is a person's",
  async (where, stage, name) => {
    const project = mkdtempSync(join(tmpdir(), 'commands-alone-'));
    const toml = join(project, 'shopify-app', name, 'shopify.app.toml');
    mkdirSync(dirname(toml), { recursive: true });
    writeFileSync(toml, '[access_scopes]\nscopes = "read_themes,read_all_orders"\n');
    const { appFolderCheck } = await load('set-up/shopify/app', {
      '../../../shared/config/folders.ts': { findProject: () => project },
      [`${GROUND}/checks/read-secret.ts`]: { readSecret: async () => ({ kind: 'unset' }) },
      '../../../app/build/build-app.ts': { readApp: async () => new Map() },
    });
    const output = () => 'https://hooks.example.com';
    const folders = { deployment: { ...deployment, where, stage, output }, shops: connector.shops };
    await appFolderCheck(folders, { clientId: 'a', agrees: async () => true }).fix();
    const written = readFileSync(toml, 'utf8');
    expect(written).toMatch(/^scopes = ".*\bread_all_orders\b/m);
    expect(written).not.toContain('read_themes');
    rmSync(project, { recursive: true });
  },
);
