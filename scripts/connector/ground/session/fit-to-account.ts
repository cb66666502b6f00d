import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  type Concurrency,
  type ConcurrencyLimits,
  defaultConcurrency,
  type FittedConcurrency,
  fitConcurrency,
  readConcurrency,
} from '../../../../shared/config/concurrency.ts';
import type { Connector } from '../../../../shared/config/connector-config.ts';
import type { AwsSettings } from './deployment.ts';
import { readStack } from './find-deployment.ts';

/** Undefined when AWS does not say. `deployed`: what this stack has now, if there is one. */
async function readConcurrencyLimits(
  lambda: LambdaClient,
  deployed: Concurrency | undefined,
): Promise<ConcurrencyLimits | undefined> {
  const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: total, UnreservedConcurrentExecutions: unreserved } =
    AccountLimit ?? {};
  if (total === undefined || unreserved === undefined) return undefined;
  return { total, unreserved, own: (deployed?.receiver ?? 0) + 2 * (deployed?.storefront ?? 0) };
}

/**
 * What to deploy as this stack in this account. Rejects when AWS does not answer, unless the settings state
 * every number: then there is nothing to choose.
 */
export async function fitToAccount(
  aws: AwsSettings,
  stack: string,
  connector: Connector,
): Promise<FittedConcurrency> {
  try {
    const text = (await readStack(aws, stack))?.outputs.Concurrency;
    const deployed = text === undefined ? undefined : readConcurrency(text);
    const limits = await readConcurrencyLimits(new LambdaClient(aws), deployed);
    if (!limits) throw new Error('AWS does not report the quota of concurrent executions');
    return fitConcurrency(limits, connector, aws.region);
  } catch (error) {
    const { orders, products, coupons } = connector.deployment.maxConcurrency;
    if (orders === undefined || products === undefined || coupons === undefined) throw error;
    const concurrency = defaultConcurrency(connector);
    const why = String(error).replace(/\s+/g, ' ');
    const summary = `what the settings state, because the quota could not be read: ${why}`;
    return { kind: 'fits', concurrency, summary };
  }
}
