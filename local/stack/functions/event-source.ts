import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, SQS } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { EventSourceDescription } from '../template/describe-resources.ts';
import type { InvocationResult } from './function-worker.ts';

export interface EventSourceParts {
  readonly source: EventSourceDescription;
  readonly queueUrl: string;
  /** With the credentials of the function, as Lambda's poller uses its role. */
  readonly client: SQS;
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
  /** Called once for repeated failures of the same kind. */
  readonly onProblem: (problem: string) => void;
}

/** If the template sets no limit; more would not be faster on a laptop. */
const UNBOUNDED_CONCURRENCY = 10;
/** Short, so that a stop is quick; polls follow each other without a pause. */
const WAIT_SECONDS = 2;
const PAUSE_AFTER_PROBLEM_MS = 500;

/**
 * Lambda's poller of one queue: receives batches, invokes the function and deletes what was settled;
 * the rest becomes visible again. Never runs more invocations at once than the template allows.
 */
export class EventSource {
  readonly #parts: EventSourceParts;
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #polling: Promise<void>;
  #isChecked = false;
  #problem: string | undefined;

  constructor(parts: EventSourceParts) {
    this.#parts = parts;
    this.#polling = this.#poll();
  }

  /** How many batches are worked on. */
  get running(): number {
    return this.#running.size;
  }

  /** Receives no more messages. Does not wait for invocations that are running. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const { source } = this.#parts;
    const most = source.maximumConcurrency ?? UNBOUNDED_CONCURRENCY;
    while (!this.#stopped.signal.aborted) {
      try {
        if (this.#running.size >= most) await Promise.race(this.#running);
        if (!this.#isChecked) await this.#check();
        const messages = await this.#receive();
        this.#problem = undefined;
        if (messages.length > 0) this.#start(messages);
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        this.#report(error);
        await sleep(PAUSE_AFTER_PROBLEM_MS);
      }
    }
  }

  async #check(): Promise<void> {
    const { client, queueUrl } = this.#parts;
    const asked = { QueueUrl: queueUrl, AttributeNames: ['All' as const] };
    await client.getQueueAttributes(asked, { abortSignal: this.#stopped.signal });
    this.#isChecked = true;
  }

  async #receive(): Promise<readonly Message[]> {
    const { client, queueUrl, source } = this.#parts;
    const { Messages: messages = [] } = await client.receiveMessage(
      {
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(source.batchSize, 10),
        MessageSystemAttributeNames: ['All'],
        WaitTimeSeconds: WAIT_SECONDS,
      },
      { abortSignal: this.#stopped.signal },
    );
    return messages;
  }

  #start(messages: readonly Message[]): void {
    const work = this.#settle(messages)
      .catch((error) => this.#report(error))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #settle(messages: readonly Message[]): Promise<void> {
    const { source, invoke, client, queueUrl } = this.#parts;
    const result = await invoke(toSqsEvent(messages, source.queueArn));
    const settled = settledMessages(messages, result, source.reportsItemFailures);
    if (settled.length === 0 || this.#stopped.signal.aborted) return;
    const { Failed: kept = [] } = await client.deleteMessageBatch({
      QueueUrl: queueUrl,
      Entries: settled.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle })),
    });
    if (kept.length > 0) throw new Error(`${kept.length} messages could not be deleted`);
  }

  #report(error: unknown): void {
    const problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    if (problem === this.#problem || this.#stopped.signal.aborted) return;
    this.#problem = problem;
    this.#parts.onProblem(problem);
  }
}

/** The event that Lambda creates from a batch. */
function toSqsEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => toRecord(message, queueArn)) };
}

function toRecord(message: Message, eventSourceARN: string): SQSRecord {
  const { MessageId, ReceiptHandle, Body, Attributes = {} } = message;
  return {
    messageId: MessageId ?? '',
    receiptHandle: ReceiptHandle ?? '',
    body: Body ?? '',
    attributes: Attributes as unknown as SQSRecord['attributes'],
    // No function reads them.
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: eventSourceARN.split(':')[3] ?? '',
  };
}

/**
 * The messages to delete. If the function reports single failures, an invalid report means that the
 * whole batch failed ("Handling errors for an SQS event source in Lambda").
 */
export function settledMessages(
  messages: readonly Message[],
  result: InvocationResult,
  reportsItemFailures: boolean,
): readonly Message[] {
  if (result.kind !== 'returned') return [];
  if (!reportsItemFailures) return messages;
  const failures = readFailures(result.json);
  if (!failures) return [];
  const ids = new Set(messages.map(({ MessageId }) => MessageId));
  if (failures.some((id) => !ids.has(id))) return [];
  return messages.filter(({ MessageId }) => !failures.includes(MessageId ?? ''));
}

/** Undefined if not a list of identifiers. */
function readFailures(json: string): readonly string[] | undefined {
  const value: unknown = JSON.parse(json);
  // "null", "{}" and an empty list mean that all succeeded.
  if (value === null) return [];
  if (typeof value !== 'object') return undefined;
  const { batchItemFailures: list = [] } = value as { readonly batchItemFailures?: unknown };
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const ids = list.map((one: unknown) =>
    typeof one === 'object' && one !== null && 'itemIdentifier' in one ? one.itemIdentifier : '',
  );
  return ids.every((id): id is string => typeof id === 'string' && id !== '') ? ids : undefined;
}
