import { createDynamoDbLedger } from '../shared/aws/dynamodb-ledger.ts';
import { createDynamoDbCalls } from '../shared/aws/function-clients.ts';
import type { JsonServiceSettings } from '../shared/aws/json-service.ts';
import type { Telemetry } from '../shared/core/batch/telemetry.ts';

/** The ledger of a function, which logs an item that nobody can read whole. */
export function createWatchedLedger(
  aws: JsonServiceSettings,
  table: string,
  telemetry: Pick<Telemetry, 'log'>,
) {
  return createDynamoDbLedger({
    client: createDynamoDbCalls(aws),
    table,
    onDamagedItem: (entity, attributes) =>
      telemetry.log('error', 'an item of the ledger is damaged', {
        entity,
        attributes: attributes.join(','),
      }),
  });
}
