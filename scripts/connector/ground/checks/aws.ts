import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import { concurrencyText } from '../../../../shared/config/concurrency.ts';
import { STACK_OUTPUTS } from '../../../../shared/config/stack-outputs.ts';
import {
  type Deployment,
  deployAgain,
  openLedger,
  versionDifference,
} from '../session/deployment.ts';
import { fitToAccount } from '../session/fit-to-account.ts';
import { readQueues } from '../session/queues.ts';
import { Problem } from '../terminal/exit.ts';
import { line } from '../terminal/line.ts';
import { type Check, type Finding, fail, info, pass, unknown, warn } from './check.ts';

export function stackCheck(deployment: Deployment): Check {
  const { stack, region, version, output } = deployment;
  return {
    name: 'stack',
    async look() {
      const missing = STACK_OUTPUTS.filter((name) => name !== 'Version' && !isThere(name));
      return [
        missing.length === 0
          ? pass(`${stack} ${version} (${region}) has all its outputs`)
          : fail(`${stack} lacks the outputs ${missing.join(', ')}`, deployAgain(deployment)),
        ...judgeVersions(deployment),
      ];
    },
  };

  function isThere(name: (typeof STACK_OUTPUTS)[number]): boolean {
    try {
      return output(name) !== '';
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }
}

function judgeVersions(deployment: Deployment): readonly Finding[] {
  const { version } = deployment;
  const difference = versionDifference(version);
  if (!difference) return [];
  const { what, older } = difference;
  const update = `Update the command: npm install --save-exact loyalty-connector@${version}`;
  return [warn(what, older === 'stack' ? deployAgain(deployment) : update)];
}

/** The read calls that the other commands make, each once. `unread`: the checks that a caller without secrets lacks. */
export function accessCheck(deployment: Deployment, unread: Promise<readonly string[]>): Check {
  const [{ domain: shop } = { domain: '' }] = deployment.connector.shops;
  return {
    name: 'AWS access',
    async look() {
      await readQueues(deployment);
      await openLedger(deployment).readMany([{ shop, kind: 'order', id: 'doctor' }]);
      const skipped = await unread;
      if (skipped.length === 0) return [pass('the queues, the ledger and the secrets can be read')];
      return [
        pass('the queues and the ledger can be read'),
        unknown(
          `your AWS credentials may not read secrets, so these were not checked: ${skipped.join(', ')}`,
          'docs/operator-access.md names the policy that allows it.',
        ),
      ];
    },
  };
}

/** Whether what is deployed is what `deploy` would choose for the account's quota today. */
export function concurrencyCheck(deployment: Deployment): Check {
  const { where, aws, stack, connector, output } = deployment;
  return {
    name: 'concurrency',
    async look() {
      if (where === 'local') return [info('no quota on this machine')];
      const fitted = await fitToAccount(aws, stack, connector);
      if (fitted.kind === 'refused') {
        const [what = '', ...ways] = fitted.why;
        return [warn(what, ...ways.map((way) => way.trim()))];
      }
      const deployed = output('Concurrency');
      if (concurrencyText(fitted.concurrency) === deployed) return [pass(fitted.summary)];
      const what = `deployed: ${deployed}; the quota allows: ${fitted.summary}`;
      return [warn(what, deployAgain(deployment))];
    },
  };
}

/** Who gets alarms: an address, or another target that was subscribed by hand. */
export interface AlarmSubscription {
  readonly endpoint: string;
  readonly confirmed: boolean;
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

export function alarmsCheck(deployment: Deployment): Check {
  return {
    name: 'alarms',
    async look() {
      if (deployment.where === 'local') return [info('not sent on this machine')];
      const found = await readAlarmSubscriptions(deployment);
      return judgeAlarms(deployment.connector.alarms.emails, found);
    },
  };
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

function judgeAlarms(
  wanted: readonly string[],
  found: readonly AlarmSubscription[],
): readonly Finding[] {
  const absent = absentAddresses(wanted, found);
  if (found.length + absent.length === 0) {
    return [warn('nobody is notified', 'Add an address to alarms.emails and deploy.')];
  }
  return [
    ...absent.map((endpoint) =>
      warn(`${endpoint} is in the settings, but gets no alarms`, {
        label: 'Subscribe it',
        say: 'Once the settings are deployed, this subscribes it:',
        line: line('setup'),
      }),
    ),
    ...found.map(({ endpoint, confirmed }) =>
      confirmed
        ? pass(`sent to ${endpoint}`)
        : warn(`${endpoint} has not confirmed its subscription and gets no alarms`, CONFIRM),
    ),
  ];
}
