import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import type { Deployment } from './deployment.ts';

/** Apart from `services.ts`: a replay needs the ledger and little memory. */
export function openLedger(
  deployment: Deployment,
  table = deployment.output('LedgerTable'),
): Ledger {
  return createDynamoDbLedger({ client: new DynamoDB(deployment.aws), table });
}
