import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import {
  type Concurrency,
  type ConcurrencyLimits,
  concurrencyText,
  fitConcurrency,
  readConcurrency,
} from '../../../shared/config/concurrency.ts';
import { STACK_OUTPUTS } from '../../../shared/config/stack-outputs.ts';
import { secretName } from '../../../shared/services/shop-secrets.ts';
import { versionDifference } from '../deployment/compare-release.ts';
import { type Deployment, deployCommand, RESTART } from '../deployment/deployment.ts';
import { isDenied } from '../deployment/explain-aws-error.ts';
import { readConcurrencyLimits } from '../deployment/fit-to-account.ts';
import { Problem } from '../exit.ts';
import { readSecret } from '../secrets/read-secret.ts';
import { readQueues } from '../status/read-queues.ts';
import { type Finding, fail, info, pass, warn } from './finding.ts';

export function checkOutputs(deployment: Deployment): readonly Finding[] {
  const { stack, region, version, output } = deployment;
  const differs = judgeVersions(deployment);
  const missing = STACK_OUTPUTS.filter((name) => {
    if (name === 'Version') return false;
    try {
      return output(name) === '';
    } catch (error) {
      if (error instanceof Problem) return true;
      throw error;
    }
  });
  if (missing.length === 0) {
    return [pass(`${stack} ${version} (${region}) has all its outputs`), ...differs];
  }
  const lacks = `${stack} lacks the outputs ${missing.join(', ')}`;
  return [fail(lacks, deployAgain(deployment)), ...differs];
}

function judgeVersions(deployment: Deployment): readonly Finding[] {
  const { version } = deployment;
  const difference = versionDifference(version);
  if (!difference) return [];
  const { what, older } = difference;
  if (older === 'stack') return [warn(what, deployAgain(deployment))];
  const run = `npm install --save-exact loyalty-connector@${version}`;
  return [warn(what, { say: 'Update the command:', run })];
}

export function deployAgain(deployment: Parameters<typeof deployCommand>[0]) {
  const run = deployCommand(deployment);
  return run === undefined ? RESTART : { say: 'Deploy again:', run };
}

/** Whether the caller may read the secrets, which tells an operator from one who may only look. */
export async function mayReadSecrets(
  client: SecretsManagerClient,
  { connector, output }: Deployment,
): Promise<boolean> {
  const [shop] = connector.shops;
  const name = secretName(output('SecretsPrefix'), shop?.path ?? '', 'webhook');
  try {
    await readSecret(client, name, 'webhook');
    return true;
  } catch (error) {
    // Another fault is for the checks to report.
    return !isDenied(error);
  }
}

/** The read calls that the other commands make, each once. */
export async function checkAccess(
  deployment: Deployment,
  explain: (error: unknown) => string,
  readsSecrets: boolean,
): Promise<readonly Finding[]> {
  const { aws, output, connector } = deployment;
  const [shop] = connector.shops;
  const looks = {
    queues: () => readQueues(new SQSClient(aws), deployment),
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
        return [fail(what, 'docs/operator-access.md names the two policies for people.')];
      }
    }),
  );
  const found = faults.flat();
  if (found.length > 0) return found;
  return [
    readsSecrets
      ? pass('the queues, the ledger and the secrets can be read')
      : info(
          'you may only look: the queues and the ledger can be read, the secrets cannot (docs/operator-access.md)',
        ),
  ];
}

export async function checkConcurrency(deployment: Deployment): Promise<readonly Finding[]> {
  if (deployment.where === 'local') return [info('no quota on this machine')];
  const deployed = readConcurrency(deployment.output('Concurrency'));
  const limits = await readConcurrencyLimits(new LambdaClient(deployment.aws), deployed);
  return limits
    ? [judgeConcurrency(limits, deployed, deployment)]
    : [info('AWS does not report the quota')];
}

/** Whether what is deployed is what `deploy` would choose for the account's quota today. */
export function judgeConcurrency(
  limits: ConcurrencyLimits,
  deployed: Concurrency,
  deployment: Pick<Deployment, 'connector' | 'where' | 'stage' | 'region' | 'aws'>,
): Finding {
  const { connector, region } = deployment;
  const fitted = fitConcurrency(limits, connector, region);
  if (fitted.kind === 'refused') {
    const [what = '', ...ways] = fitted.why;
    return warn(what, ways.map((way) => way.trim()).join(' '));
  }
  if (concurrencyText(fitted.concurrency) === concurrencyText(deployed))
    return pass(fitted.summary);
  const what = `deployed is ${concurrencyText(deployed)}; what fits the quota of ${limits.total} is ${fitted.summary}`;
  return warn(what, deployAgain(deployment));
}
