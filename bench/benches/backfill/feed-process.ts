// The measured process: the backfill as the command runs it, without the questions to the user.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDynamoDbClient, createSqsClient } from '../../../local/harness/sdk-clients.ts';
import { createPace } from '../../../scripts/connector/ground/compare/send.ts';
import { openBackfills, runBackfill } from '../../../scripts/connector/set-up/run-backfill.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { createSqsEventQueue } from '../../../shared/aws/sqs-queues.ts';
import { questionsOf } from '../../../shared/shopify/admin/admin-store.ts';
import { type Ask, createAdminClient } from '../../../shared/shopify/admin/client/admin-client.ts';
import { API_VERSION } from '../../../shared/shopify/entity-id.ts';
import { reportReady } from '../../answering-process.ts';
import type { FeedMeasure, FeedTask } from './measure.ts';

const { store, aws } = JSON.parse(process.argv[2] ?? '') as FeedTask;
const calls = { store: 0, queue: 0, ledger: 0 };
const budget = { connectMs: 10_000, attemptMs: 60_000, attempts: 2 };
const sqs = createSqsClient({ budget, emulator: { endpoint: aws.sqs } });
const dynamoDb = createDynamoDbClient({ budget, emulator: { endpoint: aws.dynamoDb } });
sqs.middlewareStack.add((next) => (args) => count('queue', () => next(args)), { step: 'build' });
dynamoDb.middlewareStack.add((next) => (args) => count('ledger', () => next(args)), {
  step: 'build',
});

function count<T>(kind: keyof typeof calls, call: () => T): T {
  calls[kind] += 1;
  return call();
}

const token = { kind: 'static', accessToken: store.accessToken } as const;
const client = createAdminClient({
  shop: store.domain,
  secret: { get: async () => token, refresh: async () => token },
  sandboxAddress: store.address,
  timeoutMs: 60_000,
}).until(undefined);
const ask: Ask = (document, variables) => count('store', () => client(document, variables));

const ledger = createDynamoDbLedger({ client: dynamoDb, table: 'ledger' });
const now = () => new Date();
const backfills = openBackfills(ledger, store.domain, now);
const at = now().toISOString();
const state = {
  ...({ shop: store.domain, kind: 'orders', run: 1 } as const),
  ...{ startedAt: at, savedAt: at, place: {}, sent: 0 },
};
const revision = await backfills.save(state, undefined);
const begun = performance.now();
const { sent } = await runBackfill(
  { state, revision },
  {
    store: questionsOf(
      () => ask,
      () => ({}),
    ),
    ledger,
    backfills,
    queue: createSqsEventQueue(sqs, { orders: aws.queueUrl }, { requestsAtOnce: 4 }),
    depth: { of: async () => ({ ready: 0, hidden: 0 }) },
    pace: createPace(Number.MAX_SAFE_INTEGER),
    mostWaiting: Number.POSITIVE_INFINITY,
    now,
    pause: sleep,
    signal: new AbortController().signal,
    onProgress: () => {},
  },
);
reportReady({
  sent,
  seconds: (performance.now() - begun) / 1000,
  heapBytes: heapWithoutGarbage(),
  points: await pointsUsed(),
  calls,
} satisfies FeedMeasure);

function heapWithoutGarbage(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** What the store says is left; its bucket was full. */
async function pointsUsed(): Promise<number> {
  const answer = await fetch(`${store.address}/admin/api/${API_VERSION}/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-shopify-access-token': store.accessToken },
    body: JSON.stringify({ query: '{ shop { id } }' }),
  });
  const { extensions } = (await answer.json()) as CostAnswer;
  const { maximumAvailable, currentlyAvailable } = extensions.cost.throttleStatus;
  return maximumAvailable - currentlyAvailable;
}

interface CostAnswer {
  readonly extensions: {
    readonly cost: {
      readonly throttleStatus: {
        readonly maximumAvailable: number;
        readonly currentlyAvailable: number;
      };
    };
  };
}
