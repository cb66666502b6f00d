import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import type { Deployment } from './deployment.ts';

/** The ledger of a deployment. */
export function openLedger(deployment: Deployment): Ledger {
  const client = new DynamoDB(deployment.aws);
  return createDynamoDbLedger({ client, table: deployment.output('LedgerTable') });
}
