import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import type { Deployment } from './deployment.ts';

/** Apart from `services.ts`: a replay needs the ledger and little memory. */
export function openLedger(deployment: Deployment): Ledger {
  const client = new DynamoDB(deployment.aws);
  return createDynamoDbLedger({ client, table: deployment.output('LedgerTable') });
}
