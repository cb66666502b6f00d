import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { settingsFileOf } from '../../../../shared/config/settings-file.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import { CONFIRM, judgeAlarms, readAlarmSubscriptions } from '../../doctor/check-alarms.ts';
import { done, type Found, left, open, type Step, say } from '../step.ts';
import { obtainValue, type WantedValue, type World, waitForUser } from '../world.ts';

const EMAIL: WantedValue = {
  question: 'an e-mail address for alarms (Enter: none)',
  variable: 'CONNECTOR_ALARM_EMAIL',
  shown: true,
};

export function alarmsStep(world: World, deployment: Deployment): Step {
  const judge = async (): Promise<Found> => {
    const found = await readAlarmSubscriptions(deployment);
    const findings = judgeAlarms(deployment.connector.alarms.emails, found);
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
      return found.every(({ confirmed }) => confirmed)
        ? judge()
        : open('Some addresses have not confirmed their subscription.');
    },
    async act() {
      if ((await readAlarmSubscriptions(deployment)).length === 0 && !(await subscribe())) {
        return judge();
      }
      say(world.terminal, CONFIRM);
      await waitForUser('When that is done:');
      return judge();
    },
  };

  async function subscribe(): Promise<boolean> {
    const canAsk = process.stdin.isTTY || process.env[EMAIL.variable];
    const address = canAsk ? await obtainValue(EMAIL) : '';
    if (address === '') return false;
    const TopicArn = deployment.output('AlarmTopic');
    await world.session.beginChange(deployment);
    await new SNSClient(deployment.aws).send(
      new SubscribeCommand({ TopicArn, Protocol: 'email', Endpoint: address }),
    );
    const file = settingsFileOf(world.stage);
    say(world.terminal, `Subscribed. Add it to alarms.emails in ${file} too, for other stacks.`);
    return true;
  }
}
