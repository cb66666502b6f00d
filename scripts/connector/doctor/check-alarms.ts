import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import type { Deployment } from '../deployment/deployment.ts';
import { type AlarmSubscription, about, type Finding, info, pass, warn } from './finding.ts';

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
