import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import type { Deployment } from '../deployment/deployment.ts';
import { type Finding, info, pass, warn } from './finding.ts';

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
  const pending = found.filter(({ confirmed }) => !confirmed);
  const findings = [
    ...absentAddresses(wanted, found).map((address) =>
      warn(
        `${address} is in the settings, but gets no alarms`,
        'npx loyalty-connector setup subscribes it, once the settings are deployed.',
      ),
    ),
    ...pending.map(({ endpoint }) =>
      warn(`${endpoint} has not confirmed its subscription and gets no alarms`, CONFIRM),
    ),
  ];
  if (findings.length > 0) return findings;
  return found.length > 0
    ? [pass(`go to ${found.length} confirmed addresses`)]
    : [warn('notify no one', 'Add an address to alarms.emails and deploy.')];
}
