import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareEverything, resultOf } from '../../../scripts/connector/ground/compare/settle.ts';
import type { Deployment } from '../../../scripts/connector/ground/session/deployment.ts';
import type { Session } from '../../../scripts/connector/ground/session/session.ts';
import { BadArguments } from '../../../scripts/connector/ground/terminal/exit.ts';
import {
  copyLedger,
  endOf,
  findLost,
  type RecoverOptions,
  recover,
  takeoverOf,
} from '../../../scripts/connector/repair/recover.ts';
import { ITEM } from '../../../shared/aws/ledger-item.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { changeControl } from '../../../shared/core/calls/shop-pause.ts';
import { cursorKey, openCursor } from '../../../shared/core/reconcile/dependencies.ts';
import { LEDGER_POSITION_KEY } from '../../../shared/core/reconcile/scan-ledger.ts';
import { createMemoryLedger } from '../../support/memory-ledger.ts';

it.each<[string, RecoverOptions]>([
  [
    'to copy for one shop, because a table holds all',
    { from: 'restored', shop: 'one.myshopify.com' },
  ],
])('recover refuses %s, before anything is looked at', async (_, options) => {
  await expect(recover({} as Session, options)).rejects.toThrow(BadArguments);
});

type Item = Record<string, AttributeValue>;
type Put = { readonly Item: Item; readonly ConditionExpression?: string };

const SHOP = 'one.myshopify.com';
const itemOf = (kind: string, id: string, text: string): Item => ({
  [ITEM.key]: { S: `${kind}|${SHOP}|${id}` },
  text: { S: text },
});

/** Pages of one item. */
function tables(from: readonly Item[], to: readonly Item[]) {
  const held = new Map(to.map((item) => [item[ITEM.key]?.S, item]));
  const client = {
    async scan({ ExclusiveStartKey: after }: { ExclusiveStartKey?: Item }) {
      const at = Number(after?.at?.N ?? 0);
      const last = at + 1 < from.length && { LastEvaluatedKey: { at: { N: String(at + 1) } } };
      return { Items: from.slice(at, at + 1), ...last };
    },
    async putItem({ Item: item, ConditionExpression: isNew }: Put) {
      const key = item[ITEM.key]?.S;
      if (isNew && held.has(key)) {
        throw Object.assign(new Error(), { name: 'ConditionalCheckFailedException' });
      }
      held.set(key, item);
    },
  };
  const texts = () => Object.fromEntries([...held].map(([key, { text }]) => [key, text?.S]));
  return { client: client as unknown as Parameters<typeof copyLedger>[0], texts };
}

const OLD = [
  itemOf('order', '1', 'old'),
  itemOf('control', 'calls', 'old'),
  itemOf('order', '2', 'old'),
];
const NEW = [itemOf('order', '1', 'new'), itemOf('control', 'calls', 'new')];

it('copies what is lacking from all pages, and what pauses a shop never', async () => {
  const { client, texts } = tables(OLD, NEW);
  const signal = new AbortController().signal;
  expect(await copyLedger(client, { from: 'from', to: 'to' }, signal)).toEqual({
    ...{ read: 2, copied: 1 },
  });
  expect(texts()).toEqual({
    [`order|${SHOP}|1`]: 'new',
    [`order|${SHOP}|2`]: 'old',
    [`control|${SHOP}|calls`]: 'new',
  });
});

it('copies nothing where it is interrupted while workers may still be at work', async () => {
  const { client } = tables(OLD, NEW);
  const names = { from: 'from', to: 'to' };
  expect(await copyLedger(client, names, AbortSignal.abort())).toEqual({ read: 0, copied: 0 });
});

const [SECRET_MADE, BEGAN, TABLE_MADE] = [1_000_000, 2_000_000, 3_000_000];

/** Secrets Manager, which says when the secret was made. */
const secrets = createServer((_, response) => {
  response.setHeader('content-type', 'application/x-amz-json-1.1');
  response.end(JSON.stringify({ CreatedDate: SECRET_MADE / 1_000 }));
});
beforeAll(() => new Promise<void>((done) => secrets.listen(0, '127.0.0.1', done)));
afterAll(() => secrets.close());

function found(recorded?: number, given: Parameters<typeof findLost>[2] = {}, goLive?: string) {
  const { port } = secrets.address() as AddressInfo;
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
  const aws = { endpoint: `http://127.0.0.1:${port}`, region: 'eu-west-1', credentials };
  const deployment = { aws, output: () => 'prefix' } as unknown as Deployment;
  const shop = { domain: SHOP, path: 'one', rules: { goLive } } as unknown as Shop;
  const control = { operator: {}, ended: {}, ...(recorded !== undefined && { goLive: recorded }) };
  const ledger = { createdAt: async () => TABLE_MADE };
  return findLost(deployment, shop, given, control, ledger);
}

const LAUNCH = TABLE_MADE + 1;
const AT_LAUNCH = new Date(LAUNCH).toISOString();

// In doubt was what came after go-live: a code from before it was left to a backfill, also once it had ended.
it.each<[string, Parameters<typeof found>, goLive: number, from: string, since: number]>([
  ['the ledger and older secrets', [BEGAN], BEGAN, 'the ledger', SECRET_MADE],
  ['the secrets', [], SECRET_MADE, 'the date of', SECRET_MADE],
  ['them, where a new table says less', [TABLE_MADE], SECRET_MADE, 'the date of', SECRET_MADE],
  ['the operator', [BEGAN, { goLive: 5 }], 5, '--go-live', 5],
  ['settings, before a launch', [BEGAN, {}, AT_LAUNCH], LAUNCH, 'rules.goLive', SECRET_MADE],
  ['--since', [BEGAN, { since: BEGAN }, AT_LAUNCH], LAUNCH, 'rules.goLive', BEGAN],
  ['the secrets where --since is earlier', [BEGAN, { since: 5 }], BEGAN, 'the ledger', SECRET_MADE],
])('go-live, and what a ledger may have lost, by %s', async (_, given, at, from, since) => {
  const text = expect.stringContaining(from);
  expect(await found(...given)).toEqual({ goLive: { at, from: text }, since });
});

const MINUTE_MS = 60_000;
/** How long a command waits for a run that never says that it ended. */
const WAITS_MS = 17 * MINUTE_MS;

describe('the comparison of a ledger in doubt', () => {
  /** `run`: what each start does before it breaks off without a record. */
  async function compare(run: (start: number, keep: Keep) => Promise<void>) {
    const ledger = createMemoryLedger();
    await changeControl(ledger, SHOP, (control) => ({ ...control, doubt: { since: 0, until: 1 } }));
    const notes: string[] = [];
    let [ms, starts] = [Date.parse('2026-11-17T12:00:00.000Z'), 0];
    const keep: Keep = async (id, state) => {
      const key = id === '*' ? LEDGER_POSITION_KEY : cursorKey(SHOP, id);
      await (await openCursor(ledger, key)).keep(state, ms);
    };
    const comparison = await compareEverything([SHOP], {
      ...{ ledger, signal: new AbortController().signal, now: () => new Date(ms) },
      async start() {
        ms += WAITS_MS;
        starts += 1;
        if (starts > 40) throw new Error('started again and again');
        await run(starts, keep);
        if (starts === 30) {
          const doubt = { since: 0, until: 1, comparedAt: 2 };
          await changeControl(ledger, SHOP, (control) => ({ ...control, doubt }));
        }
        return () => false;
      },
      note: (text) => notes.push(text),
      async pause(forMs) {
        ms += forMs;
      },
    });
    return { comparison, notes, starts };
  }
  type Keep = (id: string, state: object) => Promise<void>;

  it('ends, says so and names the place to look at, where every run breaks off', async () => {
    // What changed lately is compared anew by each run: no progress.
    const { comparison, notes, starts } = await compare((start, keep) =>
      keep('scan/order', { since: 0, doneUntil: start }),
    );
    expect(comparison).toEqual({ kind: 'stuck', starts: 2 });
    expect(starts).toBe(2);
    expect(notes.join()).toContain('it left no record');
    expect(notes.join()).not.toContain('undefined');
    const shops = [resultWith(undefined)];
    const { verdict } = endOf('', { ...ended, comparison, shops });
    expect(verdict?.kind).toBe('action required');
    expect(verdict?.what).toMatch(
      /started 2 times and made no progress for .*see the log of the function "reconcile"/,
    );
  });

  it.each<[string, string, (start: number) => object]>([
    [
      'pages of a deep scan',
      'deep',
      (n) => ({ began: 1, phase: 'order', scan: { after: `${n}` } }),
    ],
    ['the scan of the ledger', '*', (n) => ({ began: 1, from: `${n}`, missed: [], oldest: {} })],
    [
      'pages of changes',
      'scan/order',
      (n) => ({ since: 0, doneUntil: 0, scan: { after: `${n}` } }),
    ],
  ])('goes on while runs get further in %s', async (_, id, stateOf) => {
    const { comparison, starts } = await compare((start, keep) => keep(id, stateOf(start)));
    expect({ comparison, starts }).toEqual({ comparison: { kind: 'ended' }, starts: 30 });
  });
});

describe('what the comparison of a shop came to', () => {
  const UNTIL = Date.parse('2026-11-17T12:00:00.000Z');

  it.each([
    ['everything was compared', UNTIL + 1, 0, true],
    ['not all orders could be read', UNTIL + 1, 1, false],
    ['it has not ended', undefined, 0, false],
    ['it has not ended, nor could all be read', undefined, 1, false],
  ])('says whether %s', async (_, comparedAt, unread, isWhole) => {
    const ledger = createMemoryLedger();
    const doubt = { since: 0, until: UNTIL, ...(comparedAt !== undefined && { comparedAt }) };
    await changeControl(ledger, SHOP, (control) => ({ ...control, doubt }));
    const differing = [
      { id: '1', at: UNTIL },
      { id: '2', at: UNTIL, lately: true },
    ];
    const deep = { began: 1, phase: 'done', ordersRead: { read: 9, unread }, differing };
    await (await openCursor(ledger, cursorKey(SHOP, 'deep'))).keep(deep, UNTIL);
    expect(await resultOf(SHOP, ledger)).toMatchObject({
      isWhole,
      // What differs for a moment is for nobody.
      orders: { unread, differing: 1 },
    });
  });
});

const resultWith = (comparedAt: string | undefined) => ({
  ...{ shop: SHOP, goLive: { at: 0, from: '' }, since: 0, comparedAt, sentAgain: 0 },
  ...{ orders: { unread: 0, differing: 0 }, isWhole: comparedAt !== undefined },
  redemptions: { customers: 0, found: 0, unread: [] },
});
const ended = { tookMs: 1, copied: undefined, sent: 0, outcomes: {} };

// It was dropped where the restored table had it, and what the other one had taken was taken once more.
it('knows again when another integration was switched off: by the ledger, what is restored, or a person', () => {
  const shop = { otherOrderIds: ['name'] } as const;
  const none = { operator: {}, ended: {} };
  const lost = { ...none, takeover: { until: 5 } };
  const kept = { ...none, takeover: { until: 4, offSince: 2, ids: ['own'] } };
  expect(takeoverOf(shop, [none, none])).toBeUndefined();
  expect(takeoverOf(shop, [lost, none])).toEqual(lost.takeover);
  expect(takeoverOf(shop, [lost, kept])).toEqual(kept.takeover);
  const said = { until: expect.any(Number), offSince: 3, ids: ['name'] };
  expect(takeoverOf(shop, [none, none], 3)).toEqual(said);
  expect(takeoverOf(shop, [lost, none], 3)).toEqual({ ...said, until: 5 });
  expect(takeoverOf(shop, [kept, none], 3)).toEqual({ ...kept.takeover, offSince: 3 });
});
