import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, listen } from '../../local/stack/emulators.ts';
import { readAlarmSubscriptions } from '../../scripts/connector/ground/checks/aws.ts';
import { waitsIn } from '../../scripts/connector/ground/checks/waiting-messages.ts';
import { changedOrders } from '../../scripts/connector/ground/compare/find.ts';
import { readSummaries } from '../../scripts/connector/ground/letters/read-letters.ts';
import {
  readAudit,
  recordBegin,
  recordEnd,
} from '../../scripts/connector/ground/session/audit-records.ts';
import { awsSettings } from '../../scripts/connector/ground/session/deployment.ts';
import {
  createCloudWatchFigures,
  readLastDay,
  readLastHour,
} from '../../scripts/connector/ground/session/figures.ts';
import { readLogs } from '../../scripts/connector/ground/session/read-logs.ts';
import { planReplay } from '../../scripts/connector/repair/change-letters.ts';
import { copyLedger } from '../../scripts/connector/repair/recover.ts';
import { readPast } from '../../scripts/connector/set-up/backfill.ts';
import { checkRows } from '../../scripts/connector/set-up/run-import.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { toItem } from '../../shared/aws/ledger-item.ts';
import {
  listNotices,
  listRecords,
  readLettersAbout,
  readWholeLedger,
} from '../../shared/aws/read-ledger.ts';
import { writeSummary } from '../../shared/core/batch/dead-letter.ts';
import { recordWaiting } from '../../shared/core/batch/waiting.ts';
import type { LedgerKey } from '../../shared/core/ledger/ledger.ts';
import { storeCoupon } from '../fixtures/store-entities.ts';
import { letterEvent, letterReason } from '../support/parked-letters.ts';

const SHOP = letterEvent().shop;
const NOW = new Date('2026-10-31T12:10:00.000Z');
const agoMs = (minutes: number) => NOW.getTime() - minutes * 60_000;
const SEVEN = [1, 2, 3, 4, 5, 6, 7] as const;

type Item = Record<string, AttributeValue>;
/** Another order, and pages that end anywhere: the first may be empty, the last may come with a token to an empty one. */
type Cut = <Thing>(things: readonly Thing[]) => readonly (readonly Thing[])[];

const whole: Cut = (things) => [things];
const inPages =
  (sizes: readonly number[]): Cut =>
  (things) => {
    const rest = [...things];
    return [...sizes.map((size) => rest.splice(0, size)), rest];
  };
const shuffled =
  (weights: readonly number[]): Cut =>
  (things) => {
    const weighed = things.map((thing, index) => ({ thing, weight: weights[index] ?? 0 }));
    return [weighed.toSorted((one, other) => one.weight - other.weight).map(({ thing }) => thing)];
  };

/** Of the pages the one that the token names. A reader that does not go on, or never ends, fails. */
function pageOf<Thing>(pages: readonly (readonly Thing[])[], token: string | undefined) {
  const at = token === undefined ? 0 : Number(/^page-(\d+)$/.exec(token)?.[1]);
  const things = pages[at];
  if (!things) throw new Error(`no page has the token ${token}`);
  return { things, ...(at + 1 < pages.length && { next: `page-${at + 1}` }) };
}

const inNoOrder = (found: readonly unknown[]) => found.map((one) => JSON.stringify(one)).toSorted();
const all = async <Thing>(pages: AsyncIterable<readonly Thing[]>) =>
  inNoOrder((await Array.fromAsync(pages)).flat());

/** Where its caller asks for page after page. */
async function* toEnd<Page extends { readonly next?: string }>(
  read: (from: string | undefined) => Promise<Page>,
) {
  for (let from: string | undefined, isLast = false; !isLast; isLast = from === undefined) {
    const found = await read(from);
    yield found;
    from = found.next;
  }
}

/** A table of DynamoDB: only a missing key says that a page was the last ("Paginating table query results"). */
function openTable(items: readonly Item[], cut: Cut) {
  interface Asked {
    readonly ExclusiveStartKey?: Item;
    readonly ExpressionAttributeValues?: Item;
  }
  const nextPage = async ({ ExclusiveStartKey: from, ExpressionAttributeValues: by }: Asked) => {
    const listing = (by?.[':listing'] ?? by?.[':list'])?.S;
    const listed = (item: Item) => [item.d?.S, item.l?.S].includes(listing);
    const pages = cut(items.filter((item) => listing === undefined || listed(item)));
    const { things, next } = pageOf(pages, from?.entity?.S);
    return { Items: things, ...(next && { LastEvaluatedKey: { entity: { S: next } } }) };
  };
  const copied: Item[] = [];
  const client = {
    ...{ query: nextPage, scan: nextPage },
    putItem: async ({ Item: item }: { readonly Item: Item }) => void copied.push(item),
    async batchGetItem({ RequestItems }: { RequestItems: Record<string, { Keys: Item[] }> }) {
      const wanted = RequestItems.ledger?.Keys.map(({ entity }) => entity?.S);
      const ledger = cut(items.filter(({ entity }) => wanted?.includes(entity?.S))).flat();
      return { Responses: { ledger } };
    },
  } as never;
  const settings = { client, table: 'ledger', pause: async () => {}, random: () => 0.5 };
  return { copied, client, settings, ledger: createDynamoDbLedger({ client, table: 'ledger' }) };
}

const PLAIN = { version: 1, uncertain: false, outcomes: [] };
const itemOf = (key: LedgerKey, more = {}) => toItem(key, { ...PLAIN, ...more }, 1, 'w');

/** What these writes leave. */
async function written(write: (ledger: never, n: number) => Promise<unknown>) {
  const items: Item[] = [];
  const ledger = {
    async write(key: LedgerKey, entry: object) {
      items.push(itemOf(key, entry));
      return { kind: 'written', revision: 1 };
    },
  };
  for (const n of SEVEN) await write(ledger as never, n);
  return items;
}

const ORDERS = SEVEN.map((n) => itemOf({ shop: SHOP, kind: 'order', id: String(n) }));

const LETTERS = await written((ledger, n) => {
  // Two of one moment.
  const reason = letterReason({ at: new Date(agoMs(n === 7 ? 6 : n)).toISOString() });
  const facts = { ...reason, family: 'orders' as const };
  return writeSummary({ messageId: `letter-${n}`, body: '' }, letterEvent(), facts, ledger);
});

/** Of one message the attempts 8 to 11, of which only the last says whether it waits; and three messages. */
const WAITS = await written((ledger, n) => {
  const message = {
    ...{ messageId: n > 4 ? `message-${n}` : 'message', receiptHandle: `handle-${n}` },
    attempts: n + 7,
  };
  const wait = { begins: new Date(agoMs(-n)), seconds: 60 };
  return recordWaiting(
    [{ message, event: letterEvent() } as never],
    { why: 'time-out' },
    wait,
    ledger,
  );
});

const AUDIT = await written(async (ledger, n) => {
  // Of three months, from the 31st back: months have different lengths.
  const at = new Date(agoMs(n * 10 * 24 * 60));
  const change = { command: `pause ${n}`, arguments: {}, version: '1' };
  const key = await recordBegin(ledger, { userId: 'AIDA', arn: 'arn' } as never, change, at);
  if (n % 2) await recordEnd(ledger, key, { result: 'finished', counts: { n } }, at);
});

const page = async <Thing>(cut: Cut, things: readonly Thing[], after?: string) => {
  const { things: changed, next } = pageOf(cut(things), after);
  return { kind: 'found', value: { changed, ...(next && { next }) } } as const;
};

/** What a backfill would send. */
async function pastOf(kind: 'orders' | 'discounts', cut: Cut) {
  const ids = SEVEN.map((n) => ({ id: String(n) }));
  const coupons = SEVEN.map((n) => storeCoupon({ code: `C${n}` }));
  const codes = (from?: string) => {
    const { things, ...rest } = pageOf(cut(coupons), from);
    return { kind: 'found', value: { automatic: false, coupons: things, ...rest } } as const;
  };
  const store = {
    changedOrders: (_: string, __: unknown, after?: string) => page(cut, ids, after),
    changedDiscounts: (_: string, __: unknown, after?: string) =>
      page(cut, [{ id: 'one', value: codes().value }], after),
    readDiscount: async (_: string, __: string, from: string) => codes(from),
  };
  const at = NOW.toISOString();
  const progress = { place: {}, sent: 0, startedAt: at, savedAt: at };
  const ledger = { readMany: async () => new Map(), write: async () => ({ kind: 'written' }) };
  const deps = { store, ledger, now: () => NOW, pause: async () => {}, signal };
  const state = { shop: SHOP, kind, run: 1, ...progress };
  const portions = await Array.fromAsync(readPast(state, deps as never, () => {}));
  const sent = await Promise.all(portions.map(({ count, events }) => events(0, count)));
  return inNoOrder(sent.flat().map((event) => `${event.kind} ${event.id}`));
}

const { signal } = new AbortController();
const subscriptionXml = (n: number) =>
  `<member><Endpoint>${n}@example.com</Endpoint><SubscriptionArn>arn:${n}</SubscriptionArn></member>`;
let aws: Emulator;
let served: Cut = whole;
beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const asked = body.startsWith('{') ? JSON.parse(body) : {};
    const token = asked.nextToken ?? new URLSearchParams(body).get('NextToken') ?? undefined;
    const { things, next } = pageOf(served(SEVEN), token);
    if (asked.logGroupName) {
      const events = things.map((n) => ({ message: `${asked.logGroupName} ${n}` }));
      return void response.end(JSON.stringify({ events, ...(next && { nextToken: next }) }));
    }
    const listed = `<Subscriptions>${things.map(subscriptionXml).join('')}</Subscriptions>${next ? `<NextToken>${next}</NextToken>` : ''}`;
    const name = 'ListSubscriptionsByTopic';
    response.end(`<${name}Response><${name}Result>${listed}</${name}Result></${name}Response>`);
  });
  aws = await listen(server);
});
afterAll(() => aws.stop());

/** One address for CloudWatch Logs and SNS. */
function deployedAt(cut: Cut) {
  served = cut;
  const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };
  const place = { region: 'eu-central-1', endpoint: aws.endpoint, credentials };
  return {
    aws: awsSettings(place),
    output: (name: string) => (name === 'LogGroups' ? 'a,b' : name),
  };
}

/** Seven minutes with a value of each figure. */
function figuresOf(cut: Cut) {
  const client = new CloudWatchClient({ region: 'eu-central-1' });
  const send = async ({
    input,
  }: {
    input: { MetricDataQueries: { Id: string }[]; NextToken?: string };
  }) => {
    const points = input.MetricDataQueries.flatMap(({ Id }, index) =>
      SEVEN.map((n) => ({ Id, value: index + n, at: new Date(agoMs(n)) })),
    );
    const { things, next } = pageOf(cut(points), input.NextToken);
    const MetricDataResults = [...Map.groupBy(things, ({ Id }) => Id)].map(([Id, some]) => ({
      ...{ Id, Values: some.map(({ value }) => value), Timestamps: some.map(({ at }) => at) },
    }));
    return { MetricDataResults, NextToken: next };
  };
  return createCloudWatchFigures(Object.assign(client, { send } as object), 'prod', NOW);
}

/** Every row is of a member whom the report has; nobody is asked for alone. */
function unknownMembers(cut: Cut) {
  const listCustomersReport = async ({ pageNumber }: { pageNumber: number }) => {
    const pages = cut(SEVEN.map((n) => ({ OriginalId: String(n) })));
    const { things: Items, next } = pageOf(
      pages,
      pageNumber === 1 ? undefined : `page-${pageNumber - 1}`,
    );
    return { kind: 'success', value: { Items, HasNextPage: next !== undefined } };
  };
  const row = (n: number) => ({ line: n, id: String((n % 7) + 1), state: 'none' });
  // A page for every 25 of them is read at most.
  const rows = Array.from({ length: 1_000 }, (_, n) => row(n));
  const readPace = { window: 25, before: () => 0 };
  const deps = { loyalty: { listCustomersReport }, readPace, pause: async () => {}, signal };
  return checkRows(rows as never, { ...deps, now: () => NOW } as never);
}

/** Each gives what it read; in an order of its own where it promises one. */
const READERS: Readonly<Record<string, (cut: Cut) => Promise<unknown>>> = {
  'the entities of the ledger': async (cut) => {
    const { ledger } = openTable(ORDERS, cut);
    const pages = await Array.fromAsync(toEnd((from) => ledger.scanEntities(from)));
    return inNoOrder(pages.flatMap(({ entries }) => entries));
  },
  'the whole ledger': (cut) => all(readWholeLedger(openTable(ORDERS, cut).settings)),
  'a restored ledger that is copied': async (cut) => {
    const { client, copied } = openTable(ORDERS, cut);
    const counted = await copyLedger(client, { from: 'restored', to: 'ledger' }, signal);
    return { counted, copied: inNoOrder(copied) };
  },
  'the codes of a discount': async (cut) => {
    const keys = SEVEN.map((n) => ({ shop: SHOP, kind: 'coupon', id: `C${n}` }) as const);
    const { ledger } = openTable(
      keys.map((key) => itemOf(key, { discountId: '7' })),
      cut,
    );
    const pages = await Array.fromAsync(toEnd((from) => ledger.listCodes(SHOP, '7', from)));
    return inNoOrder(pages.flatMap(({ codes }) => codes));
  },
  'the notices of a shop': (cut) => {
    const items = SEVEN.map((n) => {
      const outcome = { at: new Date(agoMs(n)).toISOString(), outcome: 'x', version: 1, topic: '' };
      const key = { shop: SHOP, kind: 'notice', id: `data-request/${n}` } as const;
      return itemOf(key, { outcomes: [outcome] });
    });
    return listNotices(openTable(items, cut).settings, SHOP);
  },
  'the dead letters, and which of them a replay with --limit sends': async (cut) => {
    const letters = await readSummaries(openTable(LETTERS, cut).settings, NOW);
    const list = { letters, matching: letters, queues: [] };
    const shops = [{ domain: SHOP }] as never;
    return [letters, planReplay(list, 3, { connector: { shops } }).sent];
  },
  'the dead letters about one order': async (cut) => {
    const found = await readLettersAbout(openTable(LETTERS, cut).settings, letterEvent(), NOW);
    return [found.map(({ at }) => at), inNoOrder(found)];
  },
  'the messages that wait': async (cut) => {
    const records = await listRecords(openTable(WAITS, cut).settings, SHOP, 'waiting');
    return inNoOrder(waitsIn(SHOP, records, NOW));
  },
  'the records of operators': (cut) => {
    const span = { since: new Date(agoMs(90 * 24 * 60)), until: NOW, now: NOW };
    return Array.fromAsync(readAudit(openTable(AUDIT, cut).settings, span));
  },
  'the log lines of all functions': async (cut) =>
    inNoOrder(await Array.fromAsync(readLogs(deployedAt(cut), { since: 0, until: 1 }))),
  'who gets alarms': async (cut) => inNoOrder(await readAlarmSubscriptions(deployedAt(cut))),
  'the figures of the last hour': (cut) => readLastHour(figuresOf(cut), NOW),
  'the figures of the last day': (cut) => readLastDay(figuresOf(cut), NOW),
  'the orders that a store changed': (cut) => {
    const store = {
      changedOrders: (_: string, __: unknown, after?: string) => page(cut, SEVEN, after),
    };
    return all(changedOrders(store as never, SHOP, 0, signal));
  },
  'the orders of a backfill': (cut) => pastOf('orders', cut),
  'the codes of a backfill': (cut) => pastOf('discounts', cut),
  'the members whom an import does not find': unknownMembers,
};

const RUNS = { numRuns: 40 };

describe.each(Object.entries(READERS))('%s', (_, read) => {
  it('are the same from pages of any size, empty ones included', async () => {
    const expected = await read(whole);
    expect(await read(() => [[]]).catch(String)).not.toEqual(expected);
    // Each once.
    if (Array.isArray(expected)) expect(new Set(inNoOrder(expected)).size).toBe(expected.length);
    const sizes = fc.array(fc.nat(3), { maxLength: 9 });
    const law = fc.asyncProperty(sizes, async (cuts) => {
      expect(await read(inPages(cuts))).toEqual(expected);
    });
    await fc.assert(law, RUNS);
  });

  it('are the same in any order, the latest first included', async () => {
    const expected = await read(whole);
    const weights = fc.array(fc.nat(99), { minLength: 7, maxLength: 200 });
    const law = fc.asyncProperty(weights, async (some) => {
      expect(await read(shuffled(some))).toEqual(expected);
    });
    await fc.assert(law, { ...RUNS, examples: [[SEVEN.map((n) => -n)]] });
  });
});
