import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startSqs } from '../../../local/stack/emulators.ts';
import { createData } from '../../../local/stack/start-parts.ts';

let sqs: Emulator;
let client: SQS;

beforeAll(async () => {
  sqs = await startSqs(undefined);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new SQS({ endpoint: sqs.endpoint, region: 'us-east-1', credentials });
});
afterAll(async () => {
  client.destroy();
  await sqs.stop();
});

const queue = (visibility: string) => ({
  name: 'orders.fifo',
  arn: 'arn:aws:sqs:us-east-1:000000000000:orders.fifo',
  url: `${sqs.endpoint}/000000000000/orders.fifo`,
  keyArn: undefined,
  attributes: { FifoQueue: 'true', VisibilityTimeout: visibility },
});

describe('the queues of a restarted stack', () => {
  it('are updated when the template has changed', async () => {
    // There is no table to make, so nobody is asked for one.
    const clients = { sqs: client, dynamoDb: undefined as never };
    const create = (visibility: string) =>
      createData({ queues: [queue(visibility)], tables: [] }, clients);
    await create('60');
    await create('1440');
    const { Attributes } = await client.getQueueAttributes({
      QueueUrl: queue('').url,
      AttributeNames: ['All'],
    });
    expect(Attributes?.VisibilityTimeout).toBe('1440');
  });
});
