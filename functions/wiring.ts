import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoDbLedger } from '../shared/aws/dynamodb-ledger.ts';
import { createDynamoDbTokenLine } from '../shared/aws/dynamodb-token-line.ts';
import { createEmfTelemetry } from '../shared/aws/emf-telemetry.ts';
import {
  createDynamoDbCalls,
  createSecretsCalls,
  createSqsCalls,
  settingsFromEnvironment,
} from '../shared/aws/function-clients.ts';
import type { JsonServiceSettings } from '../shared/aws/json-service.ts';
import type { Connector, Shop } from '../shared/config/connector-config.ts';
import type { Service, StorefrontService } from '../shared/config/metrics.ts';
import type { Storefront } from '../shared/config/storefront-settings.ts';
import type { CallRate, CallRateSettings } from '../shared/core/calls/rate-limit.ts';
import { createPauses } from '../shared/core/calls/shop-pause.ts';
import type { QueueFamily } from '../shared/core/events/event.ts';
import { createShopSecrets } from '../shared/services/shop-secrets.ts';

/** What every function has. `names`: the variables of its environment beside those of all. */
export function openFunction<const Name extends string>(
  { deployment }: Connector,
  service: Service | StorefrontService,
  names: readonly Name[],
  budget: Parameters<typeof settingsFromEnvironment>[0],
) {
  const environment = readEnvironment([...names, 'SECRETS_PREFIX', 'METRICS_NAMESPACE']);
  const { METRICS_NAMESPACE: namespace, SECRETS_PREFIX: prefix } = environment;
  const aws = settingsFromEnvironment(budget);
  const telemetry = createEmfTelemetry({ namespace, service, monitoring: deployment.monitoring });
  const secrets = createShopSecrets(createSecretsCalls(aws), prefix, telemetry);
  return { environment, aws, sqs: createSqsCalls(aws), telemetry, secrets };
}

/**
 * The same with the ledger, and what it says about calls to the loyalty service: whether a shop is paused, and whose
 * turn it is. `create`: how calls wait for their turn.
 */
export function openWithLedger<const Name extends string>(
  connector: Connector,
  service: Service | StorefrontService,
  names: readonly Name[],
  budget: Parameters<typeof settingsFromEnvironment>[0],
  create: (settings: CallRateSettings) => CallRate,
  queue?: QueueFamily,
) {
  const opened = openFunction(connector, service, [...names, 'LEDGER_TABLE'], budget);
  const { environment, aws, telemetry } = opened;
  const table = environment.LEDGER_TABLE;
  const ledger = createDynamoDbLedger({
    client: createDynamoDbCalls(aws),
    table,
    onDamagedItem: (entity, attributes) =>
      telemetry.log('error', 'an item of the ledger is damaged', {
        entity,
        attributes: attributes.join(','),
      }),
  });
  const pauses = createPauses({ ledger, telemetry, queue });
  return { ...opened, ledger, pauses, rateOf: openCallRates(connector, aws, table, create) };
}

/** The named variables of the environment; throws once, with all that are missing. */
export function readEnvironment<const Name extends string>(
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const { env } = process;
  const missing = names.filter((name) => !env[name]);
  if (missing.length > 0) {
    throw new Error(`not set in the function's environment: ${missing.join(', ')}`);
  }
  return Object.fromEntries(names.map((name) => [name, env[name]])) as Record<Name, string>;
}

/** The functions of the storefront are deployed only where it is configured. */
export function storefrontOf({ storefront }: Connector): Storefront {
  if (storefront) return storefront;
  throw new Error('connector.config.ts has no storefront, but a function of it is running');
}

/** One line of tokens for each loyalty account; none, and no call to AWS, unless the settings limit the calls. */
function openCallRates(
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
