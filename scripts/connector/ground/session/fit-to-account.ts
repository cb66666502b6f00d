import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  defaultConcurrency,
  type FittedConcurrency,
  fitConcurrency,
  readConcurrency,
} from '../../../../shared/config/concurrency.ts';
import type { Connector } from '../../../../shared/config/connector-config.ts';
import type { AwsSettings } from './deployment.ts';
import { readStack } from './find-deployment.ts';

/** What to deploy in this account. Rejects when AWS does not answer, unless the settings state every number. */
export async function fitToAccount(
  aws: AwsSettings,
  stack: string,
  connector: Connector,
): Promise<FittedConcurrency> {
  try {
    // What this stack has now, if there is one.
    const text = (await readStack(aws, stack))?.outputs.Concurrency;
    const { receiver = 0, storefront = 0 } =
      (text === undefined ? {} : readConcurrency(text)) ?? {};
    const { AccountLimit } = await new LambdaClient(aws).send(new GetAccountSettingsCommand({}));
    const { ConcurrentExecutions: total, UnreservedConcurrentExecutions: unreserved } =
      AccountLimit ?? {};
    if (total === undefined || unreserved === undefined) {
      throw new Error('AWS does not report the quota of concurrent executions');
    }
    const own = receiver + 2 * storefront;
    return fitConcurrency({ total, unreserved, own }, connector, aws.region);
  } catch (error) {
    const { orders, products, coupons } = connector.deployment.maxConcurrency;
    if (orders === undefined || products === undefined || coupons === undefined) throw error;
    const concurrency = defaultConcurrency(connector);
    const why = String(error).replace(/\s+/g, ' ');
    const summary = `what the settings state, because the quota could not be read: ${why}`;
    return { kind: 'fits', concurrency, summary };
  }
}
