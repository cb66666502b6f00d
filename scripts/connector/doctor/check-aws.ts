import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
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
import { sandboxAddressOf } from '../../../shared/services/shop-loyalty.ts';
import { secretName } from '../../../shared/services/shop-secrets.ts';
import {
  type AlarmSubscription,
  about,
  type Finding,
  fail,
  info,
  pass,
  warn,
} from '../checks/check.ts';
import {
  type Deployment,
  deployCommand,
  RESTART,
  versionDifference,
} from '../deployment/deployment.ts';
import { isDenied } from '../deployment/explain-aws-error.ts';
import { readConcurrencyLimits } from '../deployment/fit-to-account.ts';
import { Problem } from '../exit.ts';
import { readSecret } from '../secrets/read-secret.ts';
import { readQueues } from '../status/collect-status.ts';

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

/** From SNS, which alone knows whether an address has confirmed its subscription. */
export async function readAlarmSubscriptions({
  aws,
  output,
}: Pick<Deployment, 'aws' | 'output'>): Promise<readonly AlarmSubscription[]> {
  const found: AlarmSubscription[] = [];
  const pages = paginateListSubscriptionsByTopic(
    { client: new SNSClient(aws) },
    { TopicArn: output('AlarmTopic') },
  );
  for await (const { Subscriptions: page = [] } of pages) {
    // Until it is confirmed, a word stands in place of the ARN.
    const read = page.map(({ Endpoint: endpoint = '', SubscriptionArn: arn = '' }) => ({
      endpoint,
      confirmed: arn.startsWith('arn:'),
    }));
    found.push(...read);
  }
  return found;
}

export async function checkAlarms(deployment: Deployment): Promise<readonly Finding[]> {
  if (deployment.where === 'local') return [info('do not ring on this machine')];
  const found = await readAlarmSubscriptions(deployment);
  return judgeAlarms(deployment.connector.alarms.emails, found);
}

export const CONFIRM =
  'Follow the link in the e-mail "AWS Notification - Subscription Confirmation" within two days.';

/** SNS deletes what is not confirmed for 48 hours, and a deployment does not notice that. */
export function absentAddresses(
  wanted: readonly string[],
  found: readonly AlarmSubscription[],
): readonly string[] {
  const known = new Set(found.map(({ endpoint }) => endpoint));
  return wanted.filter((address) => !known.has(address));
}

/** `wanted`: the addresses in the settings. */
export function judgeAlarms(
  wanted: readonly string[],
  found: readonly AlarmSubscription[],
): readonly Finding[] {
  const absent = absentAddresses(wanted, found);
  if (found.length + absent.length === 0) {
    return [warn('notify no one', 'Add an address to alarms.emails and deploy.')];
  }
  const address = (one: AlarmSubscription) => ({ kind: 'alarm-address', ...one }) as const;
  return [
    ...absent.map((endpoint) =>
      about(
        address({ endpoint, confirmed: false }),
        warn(`${endpoint} is in the settings, but gets no alarms`, {
          say: 'Once the settings are deployed, this subscribes it:',
          run: 'npx loyalty-connector setup',
        }),
      ),
    ),
    ...found.map((one) =>
      about(
        address(one),
        one.confirmed
          ? pass(`go to ${one.endpoint}`)
          : warn(`${one.endpoint} has not confirmed its subscription and gets no alarms`, CONFIRM),
      ),
    ),
  ];
}

const TIMEOUT_MS = 10_000;

/** Reads the `Date` header of each service; any answer has one. */
export async function readClocks({
  connector,
  output,
  sandbox,
}: Deployment): Promise<readonly ClockReading[]> {
  const [shop = { domain: '' }] = connector.shops;
  const here = (addresses: string | undefined) => sandboxAddressOf(connector, shop, addresses);
  const places = {
    AWS: output('WebhookAddress'),
    'the loyalty service': here(sandbox?.loyaltyAddress) ?? connector.loyalty.address,
    'the store': here(sandbox?.storeAddress) ?? `https://${shop.domain}`,
  };
  return Promise.all(
    Object.entries(places).map(async ([whose, address]) => {
      const date = await askDate(address);
      return { whose, date, at: Date.now() };
    }),
  );
}

async function askDate(address: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(address, { method: 'HEAD', redirect: 'manual', signal });
    return answer.headers.get('date') ?? undefined;
  } catch {
    // Other checks report a service that cannot be reached.
    return undefined;
  }
}

/** One answer's `Date` header against our own clock. */
interface ClockReading {
  readonly whose: string;
  readonly date: string | undefined;
  /** Epoch milliseconds when the answer came. */
  readonly at: number;
}

/** The header counts whole seconds, and the answer was on its way. */
const TOLERANCE_SECONDS = 30;

/** AWS refuses requests that are five minutes off, and latency is measured across clocks. */
export function judgeClock(readings: readonly ClockReading[]): readonly Finding[] {
  const skews = readings.flatMap(({ whose, date, at }) => {
    const theirs = Date.parse(date ?? '');
    return Number.isFinite(theirs) ? [{ whose, seconds: Math.round((at - theirs) / 1000) }] : [];
  });
  if (skews.length === 0) return [info('no answer had a time to compare with')];
  const off = skews.filter(({ seconds }) => Math.abs(seconds) > TOLERANCE_SECONDS);
  if (off.length === 0) return [pass(`within ${TOLERANCE_SECONDS} s of ${listOf(skews)}`)];
  return off.map(({ whose, seconds }) =>
    warn(
      `this machine's clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of ${whose}`,
      'Synchronise the clock over the network (timedatectl set-ntp true).',
    ),
  );
}

const listOf = (skews: readonly { readonly whose: string }[]) =>
  skews.map(({ whose }) => whose).join(', ');
