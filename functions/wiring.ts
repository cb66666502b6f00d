import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoDbLedger } from '../shared/aws/dynamodb-ledger.ts';
import { createDynamoDbTokenLine } from '../shared/aws/dynamodb-token-line.ts';
import { createEmfTelemetry, type EmfTelemetry } from '../shared/aws/emf-telemetry.ts';
import { createDynamoDbCalls } from '../shared/aws/function-clients.ts';
import type { JsonServiceSettings } from '../shared/aws/json-service.ts';
import type { Connector, Shop } from '../shared/config/connector-config.ts';
import type { Service, StorefrontService } from '../shared/config/metrics.ts';
import type { Storefront } from '../shared/config/storefront-settings.ts';
import type { Telemetry } from '../shared/core/batch/telemetry.ts';
import type { CallRate, CallRateSettings } from '../shared/core/sync/call-rate.ts';

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

/**
 * One line of tokens for each loyalty account; none, and no call to AWS, unless the settings limit the calls.
 * `create`: how calls wait for their turn.
 */
export function openCallRates(
  { loyalty }: Connector,
  aws: JsonServiceSettings,
  table: string,
  create: (settings: CallRateSettings) => CallRate,
) {
  const { callsPerSecond: perSecond } = loyalty;
  if (perSecond === undefined) return () => undefined;
  const client = createDynamoDbCalls(aws);
  const rates = new Map<string, CallRate>();
  return ({ domain, rules }: Shop): CallRate | undefined => {
    const account = rules.sharedAccount ? SHARED_ACCOUNT : domain;
    const line = createDynamoDbTokenLine({ client, table, account });
    const rate = rates.get(account) ?? create({ perSecond, line, now: Date.now, pause: sleep });
    rates.set(account, rate);
    return rate;
  };
}

/** Not a domain, so no shop has it. */
const SHARED_ACCOUNT = '*';
