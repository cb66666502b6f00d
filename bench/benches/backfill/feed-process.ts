// The measured process: the backfill as the command runs it, without the questions to the user.
import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoDbClient, createSqsClient } from '../../../local/harness/sdk-clients.ts';
import {
  createPace,
  keepMemorySteady,
  openBackfills,
  runBackfill,
} from '../../../scripts/connector/backfill/run-backfill.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { createSqsEventQueue } from '../../../shared/aws/sqs-queues.ts';
import { type Ask, createAdminClient } from '../../../shared/shopify/admin/client/admin-client.ts';
import {
  bulkQuery,
  readBulkState,
  startBulkQuery,
} from '../../../shared/shopify/bulk/bulk-operation.ts';
import { FILE_START } from '../../../shared/shopify/bulk/read-entities.ts';
import { reportReady } from '../../answering-process.ts';
import type { FeedMeasure, FeedTask } from './measure.ts';

keepMemorySteady();
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
const queue = createSqsEventQueue(sqs, { orders: aws.queueUrl }, { requestsAtOnce: 4 });

const started = await startBulkQuery(ask, bulkQuery('orders', '', {}));
if (started.kind !== 'data' || started.data.kind !== 'started') throw new Error('no bulk query');
const { id: operationId } = started.data;
const state = {
  id: 'bench',
  shop: store.domain,
  kind: 'orders' as const,
  run: 1,
  startedAt: now().toISOString(),
  savedAt: now().toISOString(),
  operationId,
  place: FILE_START,
  sent: 0,
  unreadable: 0,
};
const revision = await backfills.save(state, undefined);
for (;;) {
  const answer = await readBulkState(ask, operationId);
  if (answer.kind !== 'data') throw new Error('the store does not answer');
  if (answer.data.kind === 'running') {
    await sleep(1_000);
    continue;
  }
  if (answer.data.kind !== 'completed') throw new Error(`the bulk query ${answer.data.kind}`);
  const file = answer.data;
  const begun = performance.now();
  const { sent } = await runBackfill({ state, revision }, file, {
    ledger,
    backfills,
    queue,
    depth: { of: async () => ({ ready: 0, hidden: 0 }) },
    pace: createPace(Number.MAX_SAFE_INTEGER),
    mostWaiting: Number.POSITIVE_INFINITY,
    now,
    pause: sleep,
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  reportReady({
    sent,
    seconds: (performance.now() - begun) / 1000,
    peakBytes: process.resourceUsage().maxRSS * 1024,
    fileBytes: file.bytes,
    calls,
  } satisfies FeedMeasure);
  break;
}
