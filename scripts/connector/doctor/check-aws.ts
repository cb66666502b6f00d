import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import type { Connector } from '../../../shared/config/connector-config.ts';
import { STACK_OUTPUTS } from '../../../shared/config/stack-outputs.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { Problem } from '../exit.ts';
import { readQueues } from '../status/read-queues.ts';
import { type Finding, fail, info, pass, warn } from './finding.ts';

export function checkOutputs({ stack, region, output }: Deployment): readonly Finding[] {
  const missing = STACK_OUTPUTS.filter((name) => {
    try {
      return output(name) === '';
    } catch (error) {
      if (error instanceof Problem) return true;
      throw error;
    }
  });
  if (missing.length === 0) return [pass(`${stack} (${region}) has all its outputs`)];
  return [fail(`${stack} lacks the outputs ${missing.join(', ')}`, 'Deploy it: npm run deploy')];
}

/** The read calls that the other commands make, each once. */
export async function checkAccess(
  deployment: Deployment,
  explain: (error: unknown) => string,
): Promise<readonly Finding[]> {
  const { aws, output, connector } = deployment;
  const [shop] = connector.shops;
  const looks = {
    queues: () => readQueues(new SQSClient(aws), deployment, async () => []),
    ledger: () =>
      createDynamoDbLedger({
        client: new DynamoDB(aws),
        table: output('LedgerTable'),
      }).readMany([{ shop: shop?.domain ?? '', kind: 'order', id: 'doctor' }]),
  };
  const faults = await Promise.all(
    Object.entries(looks).map(async ([name, look]): Promise<Finding[]> => {
      try {
        await look();
        return [];
      } catch (error) {
        const what = `the ${name} cannot be read: ${explain(error)}`;
        return [
          fail(what, 'docs/operator-access.md lists what an operator must be allowed to do.'),
        ];
      }
    }),
  );
  const found = faults.flat();
  return found.length > 0 ? found : [pass('the queues and the ledger can be read')];
}

export async function checkConcurrency({
  where,
  aws,
  connector,
}: Deployment): Promise<readonly Finding[]> {
  if (where === 'local') return [info('no quota on this machine')];
  const { AccountLimit } = await new LambdaClient(aws).send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: total, UnreservedConcurrentExecutions: unreserved } =
    AccountLimit ?? {};
  if (total === undefined || unreserved === undefined)
    return [info('AWS does not report the quota')];
  return judgeConcurrency({ total, unreserved }, connector.deployment);
}

/** The concurrency quota of the account in this region. */
export interface ConcurrencyLimits {
  readonly total: number;
  /** The part that no function has reserved. */
  readonly unreserved: number;
}

/** Receivers that should be able to run in parallel with the workers: the store sends in bursts. */
const RECEIVERS = 10;
/** AWS keeps this many for functions without a reservation ("Configuring reserved concurrency"). */
const KEPT_UNRESERVED = 100;

const RAISE = 'Ask for more in Service Quotas: "Concurrent executions" of AWS Lambda.';

/** Checks whether the settings fit the quota. A new account often has a quota of ten. */
export function judgeConcurrency(
  { total, unreserved }: ConcurrencyLimits,
  { maxConcurrency, reservedReceiverConcurrency }: Connector['deployment'],
): readonly Finding[] {
  const { orders, products, coupons } = maxConcurrency;
  const workers = orders + products + coupons;
  const quota = `the account runs at most ${total} functions at once`;
  if (
    reservedReceiverConcurrency !== undefined &&
    total < reservedReceiverConcurrency + KEPT_UNRESERVED
  ) {
    const what = `${quota}: reserving ${reservedReceiverConcurrency} for the receiver makes a deployment fail`;
    return [fail(what, `${RAISE} Or remove deployment.reservedReceiverConcurrency.`)];
  }
  const receivers = reservedReceiverConcurrency === undefined ? RECEIVERS : 0;
  if (unreserved < workers + receivers) {
    const what = `${quota}, ${unreserved} of them unreserved: ${workers} workers and the receiver may throttle each other`;
    return [warn(what, `${RAISE} Or lower deployment.maxConcurrency.`)];
  }
  return [pass(`${quota}; ${workers} workers and the receiver fit`)];
}
