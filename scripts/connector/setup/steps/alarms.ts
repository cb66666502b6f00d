import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { settingsFileOf } from '../../../../shared/config/settings-file.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import {
  absentAddresses,
  CONFIRM,
  judgeAlarms,
  readAlarmSubscriptions,
} from '../../doctor/check-alarms.ts';
import { done, type Found, left, open, type Step, say } from '../step.ts';
import { obtainValue, type WantedValue, type World, waitForUser } from '../world.ts';

const EMAIL: WantedValue = {
  question: 'an e-mail address for alarms (Enter: none)',
  variable: 'CONNECTOR_ALARM_EMAIL',
  shown: true,
};

export function alarmsStep(world: World, deployment: Deployment): Step {
  const { emails } = deployment.connector.alarms;
  const judge = async (): Promise<Found> => {
    const found = await readAlarmSubscriptions(deployment);
    const findings = judgeAlarms(emails, found);
    const wrong = findings.filter(({ verdict }) => verdict === 'warn');
    const [first] = wrong;
    if (!first) return done(findings.map(({ what }) => what).join(', '));
    return left(`Alarms: ${wrong.map(({ what }) => what).join('; ')}.`, first.fix ?? '');
  };
  return {
    title: 'Alarms',
    async look() {
      if (deployment.where === 'local') return done('they do not ring on this machine');
      const found = await readAlarmSubscriptions(deployment);
      if (found.length === 0) return open('No one gets alarms yet.');
      const isComplete = found.every(({ confirmed }) => confirmed);
      return isComplete && absentAddresses(emails, found).length === 0
        ? judge()
        : open('Some addresses get no alarms: they must confirm their subscription.');
    },
    async act() {
      const found = await readAlarmSubscriptions(deployment);
      const isFirst = found.length === 0 && emails.length === 0;
      const addresses = isFirst ? await askForAddress() : absentAddresses(emails, found);
      for (const address of addresses) await subscribe(address);
      if (found.length + addresses.length === 0) return judge();
      say(world.terminal, CONFIRM);
      await waitForUser('When that is done:');
      return judge();
    },
  };

  async function askForAddress(): Promise<readonly string[]> {
    const canAsk = process.stdin.isTTY || process.env[EMAIL.variable];
    const address = canAsk ? await obtainValue(EMAIL) : '';
    if (address === '') return [];
    const file = settingsFileOf(world.stage);
    say(world.terminal, `Add ${address} to alarms.emails in ${file} too, for other stacks.`);
    return [address];
  }

  async function subscribe(address: string): Promise<void> {
    await world.session.beginChange(deployment);
    const TopicArn = deployment.output('AlarmTopic');
    await new SNSClient(deployment.aws).send(
      new SubscribeCommand({ TopicArn, Protocol: 'email', Endpoint: address }),
    );
  }
}
