import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LambdaFunctionURLResult, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleFunctions } from '../infra/bundle-functions.ts';
import { type CapturedOutput, captureOutput } from '../local/harness/captured-output.ts';
import { type Emulator, listen } from '../local/stack/emulators.ts';
import { createAwsAnswers } from './endpoints/aws-answers.ts';
import { batchEvent, webhookEvent } from './traffic/events.ts';
import { createOrderWriter, SIZES, type WriteOrder } from './traffic/orders.ts';

type Handle<Event, Result> = (event: Event, context: object) => Promise<Result>;

const folder = mkdtempSync(join(tmpdir(), 'connector-calls-'));
const answers = createAwsAnswers();
/** Since the last reset, by name. */
let calls: Record<string, number> = {};
/** Faults of the next calls to AWS. */
const faults: ('drop' | 'hang')[] = [];
let aws: Emulator;
let loyalty: Emulator;
let receive: Handle<unknown, Exclude<LambdaFunctionURLResult, string>>;
let apply: Handle<SQSEvent, SQSBatchResponse>;
let writeOrder: WriteOrder;
let output: CapturedOutput;
const context = { getRemainingTimeInMillis: () => 240_000 };

const LOYALTY_ANSWER = JSON.stringify({ HasError: false, Result: { Id: 1, OriginalId: '1' } });

async function answerAws(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = String(request.headers['x-amz-target']);
  const body = await text(request);
  count(target.slice(target.indexOf('.') + 1));
  const fault = faults.shift();
  if (fault === 'drop') request.socket.destroy();
  else if (fault === undefined) response.end(JSON.stringify(answers.answer(target, body)));
}

async function answerLoyalty(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await text(request);
  count('loyalty');
  response.end(LOYALTY_ANSWER);
}

function count(name: string): void {
  calls[name] = (calls[name] ?? 0) + 1;
}

/** Uses the deployed bundles, with the environment of Lambda. */
beforeAll(async () => {
  aws = await listen(createServer(answerAws));
  loyalty = await listen(createServer(answerLoyalty));
  writeOrder = await createOrderWriter();
  const bundles = await bundleFunctions({
    ...{ platforms: ['shopify'], storefront: false },
    functions: ['receive-webhook', 'sync-orders'],
    configFile: 'bench/bench.config.ts',
    outFolder: folder,
  });
  const queue = 'https://sqs.us-east-1.amazonaws.com/000000000000/orders.fifo';
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    AWS_ENDPOINT_URL: aws.endpoint,
    LOYALTY_SANDBOX_ADDRESS: loyalty.endpoint,
    ORDERS_QUEUE_URL: queue,
    PRODUCTS_QUEUE_URL: queue,
    COUPONS_QUEUE_URL: queue,
    SOURCE_QUEUE_URL: queue,
    DEAD_LETTER_QUEUE_URL: queue,
    LEDGER_TABLE: 'ledger',
    WORKERS: '10',
    SECRETS_PREFIX: 'loyalty-connector/test',
    METRICS_NAMESPACE: 'LoyaltyConnector/test',
  });
  output = captureOutput();
  const load = createRequire(import.meta.url);
  receive = load(bundles.folderOf('receive-webhook')).handler;
  apply = load(bundles.folderOf('sync-orders')).handler;
});
afterAll(async () => {
  output?.stop();
  rmSync(folder, { recursive: true });
  await aws?.stop();
  await loyalty?.stop();
});
beforeEach(() => {
  calls = {};
});

const ORDERS = 10;
const HOUR_MS = 3_600_000;

/** A batch of ten orders, as the receiver enqueues them. */
async function enqueue(version: number, subtotal: string): Promise<SQSEvent> {
  const updatedAt = new Date(Date.now() - HOUR_MS + version * 60_000);
  for (let id = 1; id <= ORDERS; id += 1) {
    const body = writeOrder({ id, updatedAt, subtotal, ...SIZES['8k'] });
    expect(await receive(webhookEvent(body), context)).toMatchObject({ statusCode: 200 });
  }
  return batchEvent(answers.takeSent());
}

describe('the calls per event of the deployed bundles', () => {
  it('are one for a webhook, and one more for the secret in a new process', async () => {
    const body = writeOrder({ id: 99, updatedAt: new Date(), ...SIZES['8k'] });
    await receive(webhookEvent(body), context);
    expect(calls).toEqual({ GetSecretValue: 1, SendMessage: 1 });
    calls = {};
    for (let sent = 0; sent < 5; sent += 1) await receive(webhookEvent(body), context);
    expect(calls).toEqual({ SendMessage: 5 });
    answers.takeSent();
  });

  /**
   * The read has the entries of the orders, and of their customers whether they changed since. An order that is
   * sent needs two writes: the mark, so that a call whose answer is lost is repeated with the same amounts, and the
   * record.
   */
  it('are one read for ten orders; two writes and one loyalty call for each that is sent, one write for each that did not change', async () => {
    const settled = { batchItemFailures: [] };
    const first = await enqueue(1, '10.50');
    calls = {};
    expect(await apply(first, context)).toEqual(settled);
    // The secret and the moment of go-live are read once per process.
    expect(calls).toEqual({
      GetSecretValue: 1,
      DescribeTable: 1,
      BatchGetItem: 1,
      PutItem: 20,
      loyalty: 10,
    });

    const changed = await enqueue(2, '11.50');
    calls = {};
    expect(await apply(changed, context)).toEqual(settled);
    expect(calls).toEqual({ BatchGetItem: 1, PutItem: 20, loyalty: 10 });

    const unchanged = await enqueue(3, '11.50');
    calls = {};
    expect(await apply(unchanged, context)).toEqual(settled);
    expect(calls).toEqual({ BatchGetItem: 1, PutItem: 10 });

    calls = {};
    expect(await apply(changed, context)).toEqual(settled);
    expect(calls, 'superseded by the applied state').toEqual({ BatchGetItem: 1 });
  });

  it('are one more after a lost connection', async () => {
    faults.push('drop');
    const body = writeOrder({ id: 98, updatedAt: new Date(), ...SIZES['8k'] });
    expect(await receive(webhookEvent(body), context)).toMatchObject({ statusCode: 200 });
    expect(calls).toEqual({ SendMessage: 2 });
    const batch = batchEvent(answers.takeSent());
    calls = {};
    faults.push('drop');
    expect(await apply(batch, context)).toEqual({ batchItemFailures: [] });
    expect(calls).toEqual({ BatchGetItem: 2, PutItem: 2, loyalty: 1 });
  });

  it('are bounded when an endpoint hangs, so that the store gets an answer', async () => {
    faults.push('hang', 'hang');
    const body = writeOrder({ id: 97, updatedAt: new Date(), ...SIZES['8k'] });
    expect(await receive(webhookEvent(body), context)).toMatchObject({ statusCode: 503 });
    expect(calls).toEqual({ SendMessage: 2 });
  });
});
