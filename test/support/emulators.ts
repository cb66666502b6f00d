import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateTableCommand,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import dynalite from 'dynalite';
import { buildApp } from 'fauxqs';
import { ITEM, LISTING_INDEX } from '../../shared/aws/ledger-item.ts';

export interface Emulator {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** fauxqs on a free loopback port: SQS over HTTP. Its own starter would listen to the whole network. */
export async function startSqsEmulator(): Promise<Emulator> {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  return { endpoint, stop: () => app.close() };
}

/** Gives the queue's address. */
export async function createFifoQueue(client: SQSClient, name: string): Promise<string> {
  const { QueueUrl: url } = await client.send(
    new CreateQueueCommand({ QueueName: `${name}.fifo`, Attributes: { FifoQueue: 'true' } }),
  );
  if (url === undefined) throw new Error(`the emulator made no queue ${name}`);
  return url;
}

/** dynalite on a free loopback port: DynamoDB over HTTP. */
export async function startDynamoDbEmulator(): Promise<Emulator> {
  return listen(dynalite({ createTableMs: 0 }));
}

/** The ledger's table as it is deployed, except for what dynalite has not (TTL). */
export async function createLedgerTable(client: DynamoDBClient, table: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: table,
      AttributeDefinitions: [
        { AttributeName: ITEM.key, AttributeType: 'S' },
        { AttributeName: ITEM.listing, AttributeType: 'S' },
      ],
      KeySchema: [{ AttributeName: ITEM.key, KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: LISTING_INDEX,
          KeySchema: [{ AttributeName: ITEM.listing, KeyType: 'HASH' }],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [ITEM.listedId] },
        },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 10 }, { TableName: table });
}

/** Listens on a free loopback port. */
export async function listen(server: Server): Promise<Emulator> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      // Kept-alive connections would hold it open.
      server.closeAllConnections();
      await closed;
    },
  };
}
