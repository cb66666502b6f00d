import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQS,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Emulator, PLACE, startSqs } from '../../../local/stack/emulators.ts';
import { EventSource } from '../../../local/stack/functions/event-source.ts';
import type { InvocationResult } from '../../../local/stack/functions/function-worker.ts';

let emulator: Emulator;
let sqs: SQS;
let source: EventSource | undefined;
const problems: string[] = [];

beforeAll(async () => {
  emulator = await startSqs(undefined);
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  sqs = new SQS({ endpoint: emulator.endpoint, region: PLACE.region, credentials });
});
afterEach(async () => {
  await source?.stop();
});
afterAll(() => emulator.stop());

const arnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}.fifo`;
const urlOf = (name: string) => `${emulator.endpoint}/000000000000/${name}.fifo`;

/** By default a message that is received is hidden for longer than a busy machine needs to settle it. */
async function createQueue(name: string, attributes: Record<string, string> = {}) {
  await sqs.send(
    new CreateQueueCommand({
      QueueName: `${name}.fifo`,
      Attributes: { FifoQueue: 'true', VisibilityTimeout: '60', ...attributes },
    }),
  );
}

const send = (name: string, body: string) =>
  sqs.send(
    new SendMessageCommand({
      QueueUrl: urlOf(name),
      MessageBody: body,
      MessageGroupId: body,
      MessageDeduplicationId: body,
    }),
  );

async function count(name: string): Promise<number> {
  const { Attributes: counts = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf(name), AttributeNames: ['All'] }),
  );
  return (
    Number(counts.ApproximateNumberOfMessages) +
    Number(counts.ApproximateNumberOfMessagesNotVisible)
  );
}

function serve(
  name: string,
  invoke: (event: SQSEvent) => Promise<InvocationResult>,
  maximumConcurrency = 2,
): void {
  source = new EventSource({
    source: {
      queueArn: arnOf(name),
      target: 'f',
      batchSize: 2,
      maximumConcurrency,
      reportsItemFailures: true,
    },
    queueUrl: urlOf(name),
    client: sqs,
    invoke: (event) => invoke(event as SQSEvent),
    onProblem: (problem) => problems.push(problem),
  });
}

const success: InvocationResult = { kind: 'returned', json: '{"batchItemFailures":[]}' };
const patient = { timeout: 20_000, interval: 50 };

describe('an event source', () => {
  it('deletes messages that succeeded, and delivers failed ones again with a higher count', async () => {
    await createQueue('partial');
    const seen: [string, string][] = [];
    serve('partial', async ({ Records }) => {
      const failed = Records.filter(
        ({ body, attributes }) => body === 'b' && attributes.ApproximateReceiveCount === '1',
      );
      for (const { body, attributes } of Records)
        seen.push([body, attributes.ApproximateReceiveCount]);
      // Instead of the minute for which it is hidden.
      for (const { receiptHandle: ReceiptHandle } of failed) {
        const shown = { QueueUrl: urlOf('partial'), ReceiptHandle, VisibilityTimeout: 0 };
        await sqs.send(new ChangeMessageVisibilityCommand(shown));
      }
      const batchItemFailures = failed.map(({ messageId }) => ({ itemIdentifier: messageId }));
      return { kind: 'returned', json: JSON.stringify({ batchItemFailures }) };
    });
    await send('partial', 'a');
    await send('partial', 'b');
    await vi.waitFor(async () => expect(await count('partial')).toBe(0), patient);
    expect(seen.toSorted()).toEqual([
      ['a', '1'],
      ['b', '1'],
      ['b', '2'],
    ]);
  });

  it('lets the queue move a message that always fails to the dead-letter queue', async () => {
    await createQueue('poison-dead');
    const policy = { deadLetterTargetArn: arnOf('poison-dead'), maxReceiveCount: 2 };
    await createQueue('poison', {
      RedrivePolicy: JSON.stringify(policy),
      VisibilityTimeout: '1',
    });
    let tries = 0;
    serve('poison', async () => {
      tries += 1;
      return { kind: 'failed', errorType: 'Sandbox.Timedout', errorMessage: 'killed' };
    });
    await send('poison', 'poison');
    await vi.waitFor(async () => expect(await count('poison-dead')).toBe(1), patient);
    expect(tries).toBe(2);
    expect(await count('poison')).toBe(0);
    const { Messages: [letter] = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: urlOf('poison-dead') }),
    );
    expect(letter?.Body).toBe('poison');
  });

  it('receives batches of its size and never exceeds its concurrency', async () => {
    await createQueue('busy');
    let running = 0;
    let most = 0;
    let largest = 0;
    for (let n = 0; n < 12; n += 1) await send('busy', `message-${n}`);
    serve('busy', async ({ Records }) => {
      running += 1;
      most = Math.max(most, running);
      largest = Math.max(largest, Records.length);
      await vi.waitFor(() => expect(most).toBeGreaterThan(1), patient);
      // As long as another batch would take to arrive.
      await count('busy');
      running -= 1;
      return success;
    });
    await vi.waitFor(async () => expect(await count('busy')).toBe(0), patient);
    expect(most).toBe(2);
    expect(largest).toBe(2);
  });

  it('reports a problem with its queue once, and continues when it is solved', async () => {
    let served = 0;
    serve('later', async () => {
      served += 1;
      return success;
    });
    await vi.waitFor(() => expect(problems).toHaveLength(1), patient);
    expect(problems[0]).toContain('QueueDoesNotExist');
    await createQueue('later');
    await send('later', 'x');
    await vi.waitFor(() => expect(served).toBe(1), patient);
    expect(problems).toHaveLength(1);
  });
});
