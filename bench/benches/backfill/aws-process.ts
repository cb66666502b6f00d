// Emulated queues and table, in their own process.

import {
  createDynamoDbClient,
  createFifoQueue,
  createLedgerTable,
  createSqsClient,
} from '../../../local/harness/sdk-clients.ts';
import { startDynamoDb, startSqs } from '../../../local/stack/emulators.ts';
import { reportReady } from '../../answering-process.ts';

const budget = { connectMs: 10_000, attemptMs: 60_000, attempts: 2 };
const sqs = await startSqs();
const dynamoDb = await startDynamoDb();
const queueUrl = await createFifoQueue(createSqsClient({ budget, emulator: sqs }), 'orders');
await createLedgerTable(createDynamoDbClient({ budget, emulator: dynamoDb }), 'ledger');
reportReady({ sqs: sqs.endpoint, dynamoDb: dynamoDb.endpoint, queueUrl });
