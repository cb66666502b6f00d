import { setTimeout as sleep } from 'node:timers/promises';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { findProject } from '../../../shared/config/folders.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { settingsFileOf } from '../../../shared/config/settings-file.ts';
import {
  absentAddresses,
  alarmsCheck,
  CONFIRM,
  readAlarmSubscriptions,
} from '../ground/checks/aws.ts';
import { fail, info, pass } from '../ground/checks/check.ts';
import { settingsCheck } from '../ground/checks/settings.ts';
import { obtainValue, type SetupDeps, type Step, waitForUser } from '../ground/checks/step.ts';
import type { Deployment } from '../ground/session/deployment.ts';
import { readStack } from '../ground/session/find-deployment.ts';
import { fitToAccount } from '../ground/session/fit-to-account.ts';
import { readCaller } from '../ground/session/read-caller.ts';
import { askLine } from '../ground/terminal/terminal.ts';
import { deploy } from './deploy.ts';
import { runCdk } from './synth.ts';

const accountOf = (arn: string): string => arn.split(':')[4] ?? '';

export const accountStep = ({ aws, stack, where }: SetupDeps): Step => ({
  title: where === 'aws' ? 'AWS account' : 'AWS on this machine',
  async look() {
    const { arn } = await readCaller(aws);
    return [pass(`${stack} in ${aws.region}, account ${accountOf(arn)}, as ${arn}`)];
  },
});

export const settingsStep = (deps: SetupDeps): Step => ({
  title: 'Settings',
  look: async () => settingsCheck({ ...deps, connector: await deps.connector() }).look(),
});

/** The stack that `cdk bootstrap` makes; its name is CDK's default. */
const BOOTSTRAP_STACK = 'CDKToolkit';
/** What CDK's assets need ("Bootstrap template version history"). */
const LEAST_VERSION = 6;

export function bootstrapStep({ aws, agrees }: SetupDeps): Step {
  return {
    title: 'CDK bootstrap',
    async look() {
      const found = await readStack(aws, BOOTSTRAP_STACK);
      const version = Number(found?.outputs.BootstrapVersion ?? 0);
      return [
        version >= LEAST_VERSION
          ? pass(`${BOOTSTRAP_STACK} has version ${version}`)
          : fail(`${aws.region} is not prepared for CDK: its bucket and roles are missing`),
      ];
    },
    async fix() {
      const { arn } = await readCaller(aws);
      const place = `aws://${accountOf(arn)}/${aws.region}`;
      const command = `cdk bootstrap ${place}`;
      if (!(await agrees(`Run ${command}?`))) {
        return [fail('the account is not prepared for CDK', `Agree, or run: npx ${command}`)];
      }
      const { ok } = await runCdk(['bootstrap', place], aws);
      return ok ? [] : [fail('cdk bootstrap failed', 'Its output above says why.')];
    },
  };
}

/** `deploy` fits the workers to the quota; here the user learns of it before the first deployment. */
export const quotaStep = ({ aws, stack, connector }: SetupDeps): Step => ({
  title: 'Lambda quota',
  async look() {
    const fitted = await fitToAccount(aws, stack, await connector());
    if (fitted.kind === 'fits') return [pass(fitted.summary)];
    const [what = '', ...ways] = fitted.why;
    return [fail(what, ways.join('\n'))];
  },
});

const POLL_MS = 5_000;

/** A deployment goes on at AWS when the command that started it is stopped. */
async function waitWhileChanging({ terminal, stack, aws }: SetupDeps) {
  const progress = terminal.progress(`waiting for ${stack}`);
  for (let polls = 0; ; polls += 1) {
    const found = await readStack(aws, stack);
    const status = found?.status ?? '';
    if (!status.endsWith('_IN_PROGRESS') || status === 'REVIEW_IN_PROGRESS') {
      progress.end();
      return found;
    }
    progress.report(polls, status);
    await sleep(POLL_MS);
  }
}

/** Only a comparison of the templates says whether the stack is as described here: `deploy` makes it. */
export function deployStep(deps: SetupDeps): Step {
  const { stage, stack, aws, options, terminal } = deps;
  let isDeployed = false;
  return {
    title: 'Deploy',
    async look() {
      if (isDeployed) return [pass(`${stack} is deployed, in version ${VERSION}`)];
      const found = await waitWhileChanging(deps);
      if (!found) return [fail(`${stack} does not exist yet`)];
      const { status, outputs } = found;
      return [fail(`${stack} is ${status}, in version ${outputs.Version ?? 'not known'}`)];
    },
    async fix() {
      await deploy(
        { stage, yes: options.yes === true },
        {
          ...{ aws, terminal, project: findProject(), connector: deps.connector },
          runCdk: (words) => runCdk(words, aws),
        },
      );
      isDeployed = true;
      return [];
    },
  };
}

const EMAIL = {
  question: 'an e-mail address for alarms (Enter: none)',
  variable: 'CONNECTOR_ALARM_EMAIL',
};

export function alarmsStep({ stage, session }: SetupDeps, deployment: Deployment): Step {
  const { emails } = deployment.connector.alarms;
  return {
    title: 'Alarms',
    look: alarmsCheck(deployment).look,
    fixesWarnings: true,
    async fix() {
      const found = await readAlarmSubscriptions(deployment);
      const isFirst = found.length === 0 && emails.length === 0;
      const addresses = isFirst ? await askForAddress() : absentAddresses(emails, found);
      for (const address of addresses) await subscribe(address);
      if (found.length + addresses.length === 0) return [];
      await waitForUser(CONFIRM);
      const file = settingsFileOf(stage);
      return isFirst
        ? addresses.map((one) => info(`add ${one} to alarms.emails in ${file} too`))
        : addresses.map((one) => info(`${one} is subscribed`));
    },
  };

  async function askForAddress(): Promise<readonly string[]> {
    const address = await obtainValue(EMAIL, async (question) => (await askLine(question)) ?? '');
    return address === '' ? [] : [address];
  }

  async function subscribe(Endpoint: string): Promise<void> {
    await session.beginChange(deployment);
    const TopicArn = deployment.output('AlarmTopic');
    const subscription = new SubscribeCommand({ TopicArn, Protocol: 'email', Endpoint });
    await new SNSClient(deployment.aws).send(subscription);
  }
}
