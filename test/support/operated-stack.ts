import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { createSqsClient } from '../../shared/aws/sdk-clients.ts';
import { createSqsDeadLetters } from '../../shared/aws/sqs-dead-letters.ts';
import { STACK_OUTPUTS } from '../../shared/config/stack-outputs.ts';
import { encodeEvent } from '../../shared/sync/encode-event.ts';
import type { QueueFamily } from '../../shared/sync/queue-family.ts';
import type { DeadLetterReason, StoreEvent } from '../../shared/sync/store-event.ts';
import { startSqsEmulator } from './emulators.ts';
import { createSourceQueue, type SourceQueueUrls } from './event-source.ts';
import { answering, startScriptedServer } from './scripted-server.ts';

export const STACK = 'loyalty-connector-prod';
export const SHOP = 'example-store.myshopify.com';

export type OperatedStack = Awaited<ReturnType<typeof startOperatedStack>>;

/** A deployed stack as the command line meets it: CloudFormation's answer and the queues it names. */
export async function startOperatedStack(outputs: Readonly<Record<string, string>> = {}) {
  const emulator = await startSqsEmulator();
  const cloudFormation = await startScriptedServer();
  const budget = { connectMs: 10_000, attemptMs: 30_000, attempts: 2 };
  const sqs = createSqsClient({ budget, emulator });
  const env = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'emulator',
    AWS_SECRET_ACCESS_KEY: 'emulator',
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    AWS_ENDPOINT_URL_SQS: emulator.endpoint,
    CONNECTOR_STACK: STACK,
  };
  let opened = 0;
  return {
    sqs,
    env,
    cloudFormation,

    /** Queues of their own for one test; from then on CloudFormation names these. */
    async openQueues() {
      opened += 1;
      const create = (family: QueueFamily) =>
        createSourceQueue(sqs, emulator.endpoint, `stack-${opened}-${family}`);
      const queues = {
        orders: await create('orders'),
        products: await create('products'),
        coupons: await create('coupons'),
      };
      cloudFormation.script = answering(200, describedStack({ ...outputsOf(queues), ...outputs }), {
        'content-type': 'text/xml',
      });
      return { ...queues, park: (family: QueueFamily) => parkIn(sqs, queues[family]) };
    },

    async stop() {
      sqs.destroy();
      await Promise.all([emulator.stop(), cloudFormation.stop()]);
    },
  };
}

export function outputsOf(queues: Readonly<Record<QueueFamily, SourceQueueUrls>>) {
  const given: Readonly<Record<string, string>> = {
    OrdersQueueUrl: queues.orders.url,
    ProductsQueueUrl: queues.products.url,
    CouponsQueueUrl: queues.coupons.url,
    OrdersDeadLetterQueueUrl: queues.orders.deadLetterUrl,
    ProductsDeadLetterQueueUrl: queues.products.deadLetterUrl,
    CouponsDeadLetterQueueUrl: queues.coupons.deadLetterUrl,
  };
  return Object.fromEntries(STACK_OUTPUTS.map((name) => [name, given[name] ?? `the ${name}`]));
}

/** What CloudFormation answers to DescribeStacks. */
export function describedStack(outputs: Readonly<Record<string, string>>): string {
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
    <DescribeStacksResult><Stacks><member>
      <StackName>${STACK}</StackName><CreationTime>2026-10-01T00:00:00Z</CreationTime>
      <StackStatus>UPDATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs>
    </member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
}

export function storeEvent(changes: Partial<StoreEvent> = {}): StoreEvent {
  return {
    shop: SHOP,
    kind: 'order',
    id: '1001',
    topic: 'orders/updated',
    deliveryId: 'delivery-1',
    receivedAt: '2026-10-09T12:00:00.000Z',
    body: undefined,
    ...changes,
  };
}

/** Dead letters as the workers park them, and as SQS itself moves them. */
function parkIn(sqs: SQSClient, { deadLetterUrl }: SourceQueueUrls) {
  const deadLetters = createSqsDeadLetters(sqs, deadLetterUrl);
  let parked = 0;
  return {
    async reasoned(event: StoreEvent | string, reason: Partial<DeadLetterReason> = {}) {
      parked += 1;
      const body = typeof event === 'string' ? event : encodeEvent(event);
      await deadLetters.park(
        { messageId: `source-${parked}-${Math.random()}`, body },
        {
          reason: 'rejected',
          why: 'sendOrder was refused: the order has no customer',
          attempts: 1,
          at: new Date().toISOString(),
          ...reason,
        },
      );
    },
    async crashed(event: StoreEvent, groupId: string) {
      parked += 1;
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: deadLetterUrl,
          MessageBody: encodeEvent(event),
          MessageGroupId: groupId,
          MessageDeduplicationId: `crashed-${parked}`,
        }),
      );
    },
  };
}
