// Queues and table, in their own process: accepted messages must survive a kill of it.
import { startDynamoDb, startSqs } from '../../local/stack/emulators.ts';
import { reportReady } from '../answering-process.ts';

export interface AwsTask {
  /** Absent: in memory. */
  readonly dataFolder?: string;
  readonly ports: { readonly sqs: number; readonly dynamodb: number };
}

export interface AwsReady {
  readonly sqs: string;
  readonly dynamodb: string;
}

const { dataFolder, ports } = JSON.parse(process.argv[2] ?? '') as AwsTask;
// The functions survive and still hold messages, which become visible only after their time-out, as on AWS.
const sqs = await startSqs(dataFolder, { port: ports.sqs, keepInFlight: true });
const dynamoDb = await startDynamoDb(dataFolder, ports.dynamodb);
reportReady({ sqs: sqs.endpoint, dynamodb: dynamoDb.endpoint } satisfies AwsReady);
