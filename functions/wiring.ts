import { createDynamoDbLedger } from '../shared/aws/dynamodb-ledger.ts';
import { createEmfTelemetry, type EmfTelemetry } from '../shared/aws/emf-telemetry.ts';
import { createDynamoDbCalls } from '../shared/aws/function-clients.ts';
import type { JsonServiceSettings } from '../shared/aws/json-service.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import type { Service, StorefrontService } from '../shared/config/metrics.ts';
import type { Storefront } from '../shared/config/storefront-settings.ts';
import type { Telemetry } from '../shared/core/batch/telemetry.ts';

/** The named variables of the environment; throws once, with all that are missing. */
export function readEnvironment<const Name extends string>(
  names: readonly Name[],
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<Name, string>> {
  const missing = names.filter((name) => !environment[name]);
  if (missing.length > 0) {
    throw new Error(`not set in the function's environment: ${missing.join(', ')}`);
  }
  return Object.fromEntries(names.map((name) => [name, environment[name]])) as Record<Name, string>;
}

export function openTelemetry(
  { deployment }: Connector,
  service: Service | StorefrontService,
  namespace: string,
): EmfTelemetry {
  return createEmfTelemetry({ namespace, service, monitoring: deployment.monitoring });
}

/** The functions of the storefront are deployed only where it is configured. */
export function storefrontOf({ storefront }: Connector): Storefront {
  if (storefront) return storefront;
  throw new Error('connector.config.ts has no storefront, but a function of it is running');
}

/** The ledger of a function, which logs damaged items. */
export function createLoggedLedger(
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
