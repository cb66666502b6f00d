// The second process of the replay bench: an emulated SQS with dead letters.
import { randomBytes } from 'node:crypto';
import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { awsSettings } from '../../scripts/connector/ground/session/deployment.ts';
import { encodeEvent } from '../../shared/core/events/message-body.ts';
import { reportReady } from '../answering-process.ts';
import type { ReplayQueues, ReplayTask } from './replay.ts';

const { count, shop } = JSON.parse(process.argv[2] ?? '') as ReplayTask;
const app = buildApp({ logger: false });
const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };
const client = new SQSClient(awsSettings({ region: 'us-east-1', endpoint, credentials }));

async function createQueue(name: string): Promise<string> {
  const Attributes = { FifoQueue: 'true' };
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
  // The emulator returns a subdomain of `localhost`, which not every machine can resolve.
  return `${endpoint}${new URL(QueueUrl ?? '').pathname}`;
}

function letter(index: number): string {
  return encodeEvent({
    shop,
    kind: 'product',
    id: String(index),
    claim: 'changed',
    origin: 'webhook',
    topic: 'products/update',
    deliveryId: `delivery-${index}`,
    receivedAt: new Date().toISOString(),
    body: new TextEncoder().encode(JSON.stringify(productOf(index))),
  });
}

/** A small product whose description does not compress. */
function productOf(index: number) {
  return {
    id: index,
    admin_graphql_api_id: `gid://shopify/Product/${index}`,
    title: `Product ${index}`,
    handle: `product-${index}`,
    status: 'active',
    updated_at: '2026-10-09T12:00:00Z',
    body_html: randomBytes(1_200).toString('base64'),
    variants: [{ id: index, price: '10.00' }],
  };
}

const deadLetterUrl = await createQueue('dead.fifo');
const url = await createQueue('products.fifo');
for (let start = 0; start < count; start += 10) {
  const Entries = Array.from({ length: 10 }, (_, offset) => ({
    Id: String(offset),
    MessageBody: letter(start + offset),
    MessageGroupId: `letter-${start + offset}`,
    MessageDeduplicationId: `letter-${start + offset}`,
    MessageAttributes: { reason: { DataType: 'String', StringValue: 'rejected' } },
  }));
  await client.send(new SendMessageBatchCommand({ QueueUrl: deadLetterUrl, Entries }));
}
reportReady({ endpoint, url, deadLetterUrl } satisfies ReplayQueues);
