import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { QueueFamily } from '../../shared/core/events/event.ts';

type Handler = (...given: never[]) => Promise<unknown>;

const HOURS_MS = 6 * 3_600_000;
/** The time limits that a function set, by function. */
const limitsHere = new AsyncLocalStorage<Set<AbortController>>();
const { timeout } = AbortSignal;

/**
 * A function as Lambda keeps it: built hours before its first invocation, and frozen for hours between two. What
 * had a time limit when it was built or in an earlier invocation is over. Otherwise a limit that is set once
 * for a process would outlast a test.
 */
export function buildWarm<H extends Handler>(build: () => H): H {
  AbortSignal.timeout = limitedHere;
  const limits = new Set<AbortController>();
  let running = 0;
  const letHoursPass = () => {
    for (const limit of limits) limit.abort();
    limits.clear();
  };
  const handler = limitsHere.run(limits, () => hoursAgo(build));
  letHoursPass();
  return (async (...given) => {
    running += 1;
    try {
      return await limitsHere.run(limits, () => handler(...given));
    } finally {
      running -= 1;
      if (running === 0) letHoursPass();
    }
  }) as H;
}

function limitedHere(ms: number): AbortSignal {
  const limits = limitsHere.getStore();
  if (!limits) return timeout.call(AbortSignal, ms);
  const limit = new AbortController();
  limits.add(limit);
  return AbortSignal.any([timeout.call(AbortSignal, ms), limit.signal]);
}

/** What the function keeps of the clock, `Date.now` itself for example, goes right after it was built. */
function hoursAgo<T>(build: () => T): T {
  const { Date: present } = globalThis;
  let behindMs = HOURS_MS;
  const now = () => present.now() - behindMs;
  globalThis.Date = new Proxy(present, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, made),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  try {
    return build();
  } finally {
    behindMs = 0;
    globalThis.Date = present;
  }
}

const FAMILIES = ['orders', 'products', 'coupons', 'balances'] as const;
/** Longer than a busy machine needs to receive every dead letter. */
const HIDDEN_SECONDS = 600;

export interface DeadLetter {
  readonly family: QueueFamily;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The queues of one connector, each with its dead-letter queue. */
export async function createConnectorQueues(client: SQSClient, endpoint: string, name: string) {
  const create = (family: QueueFamily) => createSourceQueue(client, endpoint, `${name}-${family}`);
  const urls: Readonly<Record<QueueFamily, SourceQueueUrls>> = {
    orders: await create('orders'),
    products: await create('products'),
    coupons: await create('coupons'),
    balances: await create('balances'),
  };
  return {
    urls,

    /** One batch for each worker; returns the number of messages. */
    async poll(workers: Readonly<Partial<Record<QueueFamily, Worker>>>): Promise<number> {
      let received = 0;
      for (const family of FAMILIES) {
        const worker = workers[family];
        if (worker) received += await pollOnce(client, urls[family].url, worker, `sync-${family}`);
      }
      return received;
    },

    /** All messages on the queues, visible or not. */
    async waiting(): Promise<number> {
      const counts = FAMILIES.map((family) => countMessages(client, urls[family].url));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },

    /** Every dead letter once; they stay in their queues. */
    async deadLetters(): Promise<readonly DeadLetter[]> {
      const letters: DeadLetter[] = [];
      for (const family of FAMILIES) {
        const url = urls[family].deadLetterUrl;
        const received: Message[] = [];
        for (;;) {
          const messages = await receive(client, url, HIDDEN_SECONDS);
          if (messages.length === 0) break;
          received.push(...messages);
        }
        await release(client, url, received);
        letters.push(...received.map((message) => toLetter(family, message)));
      }
      return letters;
    },
  };
}

function toLetter(family: QueueFamily, { Body = '', MessageAttributes = {} }: Message): DeadLetter {
  const attributes = Object.entries(MessageAttributes).map(([name, { StringValue }]) => [
    name,
    StringValue ?? '',
  ]);
  return { family, body: Body, attributes: Object.fromEntries(attributes) };
}

/** The context of an invocation. */
export function invocationOf(functionName: string, timeoutSeconds: number): Context {
  const end = performance.now() + timeoutSeconds * 1000;
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '256',
    awsRequestId: '5d3e0000-0000-4000-8000-000000000000',
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: '2026/10/09/[$LATEST]0',
    getRemainingTimeInMillis: () => Math.floor(end - performance.now()),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

/** As deployed: the worker's time-out, six times that as the visibility of its queue, and its retention. */
const WORKER_TIMEOUT_SECONDS = 60;
const VISIBILITY_SECONDS = 6 * WORKER_TIMEOUT_SECONDS;
const RETENTION_SECONDS = 14 * 86_400;

export interface SourceQueueUrls {
  readonly url: string;
  readonly deadLetterUrl: string;
}

/** A FIFO queue with its dead-letter queue. */
async function createSourceQueue(
  client: SQSClient,
  endpoint: string,
  name: string,
): Promise<SourceQueueUrls> {
  const deadLetterUrl = await createQueue(client, endpoint, `${name}-dead`, {});
  const { Attributes: dead } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
  );
  const url = await createQueue(client, endpoint, name, {
    VisibilityTimeout: String(VISIBILITY_SECONDS),
    MessageRetentionPeriod: String(RETENTION_SECONDS),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead?.QueueArn, maxReceiveCount: 1000 }),
  });
  return { url, deadLetterUrl };
}

async function createQueue(
  client: SQSClient,
  endpoint: string,
  name: string,
  attributes: Record<string, string>,
): Promise<string> {
  const { QueueUrl: url } = await client.send(
    new CreateQueueCommand({
      QueueName: `${name}.fifo`,
      Attributes: { FifoQueue: 'true', ...attributes },
    }),
  );
  // The emulator returns a host below `localhost`, which not every machine can resolve.
  return `${endpoint}${new URL(url ?? '').pathname}`;
}

/** Makes received messages visible again. */
export async function release(
  client: SQSClient,
  url: string,
  messages: readonly Message[],
): Promise<void> {
  for (const { ReceiptHandle } of messages) {
    await client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 }),
    );
  }
}

/** All messages of a queue, visible or not. */
export async function countMessages(client: SQSClient, url: string): Promise<number> {
  const { Attributes: counts = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
  );
  return (
    Number(counts.ApproximateNumberOfMessages) +
    Number(counts.ApproximateNumberOfMessagesNotVisible) +
    Number(counts.ApproximateNumberOfMessagesDelayed)
  );
}

export async function receive(
  client: SQSClient,
  url: string,
  visibilitySeconds?: number,
): Promise<readonly Message[]> {
  const { Messages: messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
      ...(visibilitySeconds !== undefined && { VisibilityTimeout: visibilitySeconds }),
    }),
  );
  return messages;
}

export type Worker = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/**
 * One cycle of Lambda's event source: receives a batch, invokes the worker, deletes what it does not report
 * as failed. Returns the number of messages.
 */
async function pollOnce(
  client: SQSClient,
  url: string,
  worker: Worker,
  functionName: string,
): Promise<number> {
  const messages = await receive(client, url);
  if (messages.length === 0) return 0;
  const context = invocationOf(functionName, WORKER_TIMEOUT_SECONDS);
  const { batchItemFailures } = await worker({ Records: messages.map(toRecord) }, context);
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const settled = messages.filter(({ MessageId: id }) => !failed.has(id ?? ''));
  if (settled.length === 0) return messages.length;
  const { Failed: kept = [] } = await client.send(
    new DeleteMessageBatchCommand({
      QueueUrl: url,
      Entries: settled.map(({ ReceiptHandle: handle }, index) => ({
        Id: String(index),
        ReceiptHandle: handle,
      })),
    }),
  );
  if (kept.length > 0) throw new Error(`${kept.length} messages could not be deleted`);
  return messages.length;
}

function toRecord({
  MessageId,
  ReceiptHandle,
  Body,
  Attributes = {},
  MD5OfBody,
}: Message): SQSRecord {
  return {
    messageId: MessageId ?? '',
    receiptHandle: ReceiptHandle ?? '',
    body: Body ?? '',
    attributes: Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: {},
    md5OfBody: MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:queue.fifo',
    awsRegion: 'us-east-1',
  };
}
