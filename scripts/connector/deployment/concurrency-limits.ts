import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Concurrency, ConcurrencyLimits } from '../../../shared/config/concurrency.ts';

/** Undefined: AWS does not say. `deployed`: what this stack has now, if there is one. */
export async function readConcurrencyLimits(
  lambda: LambdaClient,
  deployed: Concurrency | undefined,
): Promise<ConcurrencyLimits | undefined> {
  const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: total, UnreservedConcurrentExecutions: unreserved } =
    AccountLimit ?? {};
  if (total === undefined || unreserved === undefined) return undefined;
  return { total, unreserved, own: deployed?.receiver ?? 0 };
}
