// Emulated queues and table, in a process of their own.

import {
  createFifoQueue,
  createLedgerTable,
  startDynamoDbEmulator,
  startSqsEmulator,
} from '../../../test/support/emulators.ts';
import { createDynamoDbClient, createSqsClient } from '../../../test/support/sdk-clients.ts';

const budget = { connectMs: 10_000, attemptMs: 60_000, attempts: 2 };
const sqs = await startSqsEmulator();
const dynamoDb = await startDynamoDbEmulator();
const queueUrl = await createFifoQueue(createSqsClient({ budget, emulator: sqs }), 'orders');
await createLedgerTable(createDynamoDbClient({ budget, emulator: dynamoDb }), 'ledger');
process.send?.({ sqs: sqs.endpoint, dynamoDb: dynamoDb.endpoint, queueUrl });
process.on('disconnect', () => process.exit());
