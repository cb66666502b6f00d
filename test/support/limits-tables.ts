import { PARALLEL } from '../../functions/sync-entities.ts';
import { RECONCILE_TIMEOUT, RETENTION } from '../../infra/storage.ts';
import {
  costOfWork,
  describeStack,
  monthlyCost,
  PRICES,
  REQUESTS_PER_CONCURRENCY,
  sum,
  WORKLOAD,
} from '../../local/harness/cost.ts';
import { DEFAULT_RATE } from '../../scripts/connector/ground/compare/send.ts';
import { MOST_HIDDEN } from '../../shared/aws/sqs-queues.ts';
import { fitConcurrency } from '../../shared/config/concurrency.ts';
import { defineConnector } from '../../shared/config/connector-config.ts';
import { synthesizeStack } from './synthesized-stack.ts';

const DAY_SECONDS = 86_400;
/** Points a second by plan (Shopify, "GraphQL Admin API rate limits"). */
const STORE_POINTS = { Standard: 100, Plus: 1_000 };
const ORDERS_OF_A_PAGE = 7;
/** Query cost points of the store, counted once in a backfill: docs/backfill.md. */
const POINTS_OF_AN_ORDER = 38;
/** "DynamoDB on-demand capacity mode", "Quotas in Amazon DynamoDB". */
const ON_DEMAND = { newWrites: 4_000, newReads: 12_000, table: 40_000 };
/** What one partition reads in a second, of 4 KB each; half of that if a read may be old, as a scan's. */
const PARTITION_READS = 3_000;

/** "DynamoDB burst and adaptive capacity". */
const WRITES_OF_AN_ITEM = 1_000;
/** A worker books its calls once a second, with up to two writes. */
const WRITES_OF_A_WORKER = 2;

/** Of one worker that is never idle. */
const BALANCES_A_SECOND = 20;

const address = 'https://loyalty.example.com';
const SHOP = { domain: 'example-store.myshopify.com' };

const count = (number: number) => Math.floor(number).toLocaleString('en');
const dollars = (amount: number) => `$${amount.toFixed(amount < 10 ? 2 : 0)}`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The usual quota of an account. */
function usualConcurrency() {
  const connector = defineConnector({ shops: [SHOP], loyalty: { address }, storefront: {} });
  const limits = { total: 1_000, unreserved: 1_000, own: 0 };
  const fitted = fitConcurrency(limits, connector, 'us-east-1');
  if (fitted.kind === 'refused') throw new Error(fitted.why.join('\n'));
  return fitted.concurrency;
}

/** The tables of docs/limits.md by their names there, from the constants of the code. `npm run cost` writes them. */
export function limitsTables(): Readonly<Record<'scale' | 'ledger', string>> {
  return { scale: scaleTable(), ledger: ledgerTable() };
}

function scaleTable(): string {
  const head = ['with', 'what happens', 'the first wall', 'what to set', 'it costs'];
  return table(head, [flashSale(), manyShops(), largeLedger(), backfill(), slowService()]);
}

function flashSale(): readonly string[] {
  const orders = 1_000_000;
  const webhooks = orders * WORKLOAD.webhooksPerEntity;
  const { orders: workers, balances = 0, receiver = 0 } = usualConcurrency();
  // A quarter of the day's orders in its busiest hour.
  const busiest = Math.ceil(webhooks / 4 / 3_600);
  const accepted = receiver * REQUESTS_PER_CONCURRENCY;
  const atOnce = workers * PARALLEL;
  const worked = Math.floor(atOnce / (WORKLOAD.workerMs / 1000));
  const stack = describeStack(synthesizeStack().toJSON() as never);
  const ofDay = costOfWork(stack, {
    ...{ deliveries: webhooks, messages: webhooks, calls: orders },
    queueRequests: webhooks * WORKLOAD.queueRequests,
    ledgerReads: webhooks * WORKLOAD.ledgerReads,
    ledgerWrites: webhooks * WORKLOAD.ledgerWrites,
  });
  return [
    `a flash sale: ${count(orders)} orders in a day`,
    `with a quarter in one hour ${count(busiest)} webhooks a second come; ${count(accepted)} are accepted, and ${workers} workers make ${atOnce} calls at once, about ${count(worked)} a second. With a storefront ${count(busiest / WORKLOAD.webhooksPerEntity)} point events a second come, and ${balances} workers write about ${balances * BALANCES_A_SECOND}. What is more waits in the queue`,
    'the loyalty service: at twice the time for an answer, half as many a second',
    '`deployment.maxConcurrency` (`orders`, `balances`), `loyalty.callsPerSecond` as the service allows',
    `${dollars(ofDay)} for the day`,
  ];
}

function manyShops(): readonly string[] {
  const shops = 500;
  const template = synthesizeStack({ storefront: {} }).toJSON();
  const priced = describeStack(template as never, shops);
  const { fixed } = monthlyCost(priced, 0, { orderRetentionDays: 400 });
  return [
    `${shops} shops with a storefront`,
    `${Object.keys(template.Resources).length} resources, as with one shop; ${count(priced.secrets)} secrets. They share queues and workers`,
    'the price of secrets',
    'another stage, or an account for each merchant',
    `${dollars(sum(fixed))} a month before the first webhook, ${dollars(priced.secrets * PRICES.secret.perMonth)} of it for secrets`,
  ];
}

function largeLedger(): readonly string[] {
  const items = 50_000_000;
  const kilobytes = items * WORKLOAD.ledgerItemKb;
  const { storagePerGbMonth, recoveryPerGbMonth, perRead } = PRICES.dynamoDb;
  const gigabytes = kilobytes / 1e6;
  const reads = kilobytes / 4 / 2;
  const minutes = Math.ceil(reads / PARTITION_READS / 60);
  const runs = Math.ceil(minutes / RECONCILE_TIMEOUT.toMinutes());
  return [
    `${count(items)} ledger items`,
    'reads and writes stay as fast: each names its item',
    `the scan of the deep reconcile, one for all shops, ${count(reads)} reads and one for the customer of each order: at least ${minutes} minutes, so ${runs} runs`,
    '`orderRetentionDays`, `healing.deepEveryDays`',
    `${dollars(gigabytes * (storagePerGbMonth + recoveryPerGbMonth))} a month, and ${dollars((reads + items) * perRead)} for each scan`,
  ];
}

function backfill(): readonly string[] {
  const orders = 5_000_000;
  const days = (rate: number) => (orders / rate / DAY_SECONDS).toFixed(1);
  const stack = describeStack(synthesizeStack().toJSON() as never);
  const price = costOfWork(stack, {
    ...{ deliveries: 0, messages: orders, calls: orders },
    // A page in one request; received and deleted one by one at worst.
    queueRequests: orders * (WORKLOAD.queueRequests - 1 + 1 / ORDERS_OF_A_PAGE),
    ledgerReads: orders * WORKLOAD.ledgerReads,
    ledgerWrites: orders * (WORKLOAD.ledgerWrites + 1 / ORDERS_OF_A_PAGE),
  });
  const { Standard, Plus } = STORE_POINTS;
  const ofPlan = (points: number) => days(points / POINTS_OF_AN_ORDER);
  return [
    `a backfill of ${count(orders)} orders`,
    `${days(DEFAULT_RATE)} days at ${DEFAULT_RATE} a second; live orders go first`,
    `the store's query cost points, about ${POINTS_OF_AN_ORDER} an order: ${ofPlan(Plus)} days with the ${count(Plus)} a second of Plus, ${ofPlan(Standard)} with the ${Standard} of a standard plan`,
    '`--since`: older orders stay out',
    dollars(price),
  ];
}

function slowService(): readonly string[] {
  const perSecond = 5;
  const perDay = perSecond * DAY_SECONDS;
  const { orders: workers } = usualConcurrency();
  const bookings = workers * WRITES_OF_A_WORKER * DAY_SECONDS * PRICES.dynamoDb.perWrite;
  return [
    `a service that allows ${perSecond} calls a second`,
    `${count(perDay)} orders a day; more wait in the queue without a call, at most ${count(MOST_HIDDEN)} of them hidden, and shoppers do not wait: they have half`,
    `SQS keeps a message for ${RETENTION.toDays()} days: a backlog of ${count(perDay * RETENTION.toDays())} is the most that can be worked off`,
    `\`loyalty.callsPerSecond: ${perSecond}\`, \`deployment.maxConcurrency: { orders: 2 }\``,
    `up to ${dollars(bookings)} a day for bookings, with ${workers} workers that never rest`,
  ];
}

function ledgerTable(): string {
  const { ledgerReads, ledgerWrites } = WORKLOAD;
  const { newWrites, newReads, table: most } = ON_DEMAND;
  return table(
    ['limit of DynamoDB, on demand', 'a second', 'reached at'],
    [
      [
        'a new table, writes',
        count(newWrites),
        `${count(newWrites / ledgerWrites)} webhooks a second`,
      ],
      [
        'a new table, consistent reads',
        count(newReads),
        `${count(newReads / ledgerReads)} webhooks a second`,
      ],
      ['any table, before you ask for more', count(most), `${count(most / ledgerWrites)} webhooks`],
      [
        'one item, writes',
        count(WRITES_OF_AN_ITEM),
        `${count(WRITES_OF_AN_ITEM / WRITES_OF_A_WORKER)} workers with \`loyalty.callsPerSecond\`: the settings allow no more`,
      ],
      [
        'the codes of one discount, which share a key of the index',
        count(WRITES_OF_AN_ITEM),
        `${count(WRITES_OF_AN_ITEM)} codes of one discount: the alarm "Ledger throttled"`,
      ],
      [
        'the list of dead letters, which all shops share as one key of an index',
        count(WRITES_OF_AN_ITEM),
        `${count(WRITES_OF_AN_ITEM)} dead letters of all shops: the same alarm. They are parked all the same, and the next scan lists them`,
      ],
    ],
  );
}
