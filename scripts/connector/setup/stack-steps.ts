import { setTimeout as sleep } from 'node:timers/promises';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { findProject } from '../../../shared/config/folders.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { settingsFileOf } from '../../../shared/config/settings-file.ts';
import { settingsCheck } from '../checks/settings.ts';
import { deploy } from '../deploy/deploy.ts';
import { openStackAccess } from '../deploy/stack-access.ts';
import { runCdk } from '../deploy/synth.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { describeStack, fitToAccount } from '../deployment/fit-to-account.ts';
import { readCaller } from '../deployment/read-caller.ts';
import { absentAddresses, CONFIRM, judgeAlarms, readAlarmSubscriptions } from '../doctor/aws.ts';
import {
  blocked,
  done,
  type Found,
  left,
  obtainValue,
  open,
  type SetupDeps,
  type Step,
  say,
  type WantedValue,
  waitForUser,
} from './setup-step.ts';

const accountOf = (arn: string): string => arn.split(':')[4] ?? '';

export function accountStep(deps: SetupDeps): Step {
  const { aws, stack, where } = deps;
  return {
    title: where === 'aws' ? 'AWS account' : 'AWS on this machine',
    async look() {
      const { arn } = await readCaller(aws);
      return done(`${stack} in ${aws.region}, account ${accountOf(arn)}, as ${arn}`);
    },
  };
}

/** The stack that `cdk bootstrap` makes; its name is CDK's default. */
const BOOTSTRAP_STACK = 'CDKToolkit';
/** What CDK's assets need ("Bootstrap template version history"). */
const LEAST_VERSION = 6;

export function bootstrapStep(deps: SetupDeps): Step {
  const { aws } = deps;
  return {
    title: 'CDK bootstrap',
    async look() {
      const outputs = (await describeStack(aws, BOOTSTRAP_STACK))?.Outputs ?? [];
      const output = outputs.find(({ OutputKey }) => OutputKey === 'BootstrapVersion');
      const version = Number(output?.OutputValue ?? 0);
      return version >= LEAST_VERSION
        ? done(`${BOOTSTRAP_STACK} has version ${version}`)
        : open(`${aws.region} is not prepared for CDK: its bucket and roles are missing.`);
    },
    async act() {
      const { arn } = await readCaller(aws);
      const place = `aws://${accountOf(arn)}/${aws.region}`;
      const command = `cdk bootstrap ${place}`;
      if (!(await deps.agrees(`Run ${command}?`))) {
        return blocked('The account is not prepared for CDK.', `Agree, or run: npx ${command}`);
      }
      const { ok } = await runCdk(['bootstrap', place], aws);
      return ok ? undefined : blocked('cdk bootstrap failed.', 'Its output above says why.');
    },
  };
}

/** `deploy` fits the workers to the quota; here the user learns of it before the first deployment. */
export function quotaStep(deps: SetupDeps): Step {
  const { aws, stack } = deps;
  return {
    title: 'Lambda quota',
    async look() {
      const fitted = await fitToAccount(aws, stack, await deps.connector());
      if (fitted.kind === 'fits') return done(fitted.summary);
      const [what = '', ...ways] = fitted.why;
      return blocked(what, ways.join('\n'));
    },
  };
}

export function settingsStep(deps: SetupDeps): Step {
  return {
    title: 'Settings',
    async look() {
      const connector = await deps.connector();
      const findings = await settingsCheck({ ...deps, connector }).look();
      const wrong = findings.filter(({ verdict }) => verdict === 'fail');
      if (wrong.length === 0) return done(findings.map(({ what }) => what).join(', '));
      return blocked(wrong.map(({ what }) => `${what}.`).join('\n'), 'Edit these settings.');
    },
  };
}

const POLL_MS = 5_000;

/** A deployment goes on at AWS when the command that started it is stopped. */
async function waitWhileChanging(deps: SetupDeps): Promise<void> {
  const progress = deps.terminal.progress(`waiting for ${deps.stack}`);
  for (let polls = 0; ; polls += 1) {
    const status = (await describeStack(deps.aws, deps.stack))?.StackStatus ?? '';
    if (!status.endsWith('_IN_PROGRESS') || status === 'REVIEW_IN_PROGRESS') break;
    progress.report(polls, status);
    await sleep(POLL_MS);
  }
  progress.end();
}

/** Only a comparison of the templates says whether the stack is as described here: `deploy` makes it. */
export function deployStep(deps: SetupDeps): Step {
  const { stage, stack, aws, options, terminal } = deps;
  return {
    title: 'Deploy',
    async look() {
      await waitWhileChanging(deps);
      const found = await describeStack(aws, stack);
      if (!found) return open(`${stack} does not exist yet.`);
      const version = found.Outputs?.find((one) => one.OutputKey === 'Version')?.OutputValue;
      return open(`${stack} is ${found.StackStatus}, in version ${version ?? 'not known'}.`);
    },
    async act() {
      const { yes = false } = options;
      const deployed = await deploy(
        { stage, yes },
        {
          fitConcurrency: async (name) => fitToAccount(aws, name, await deps.connector()),
          runCdk: (words) => runCdk(words, aws),
          access: openStackAccess(stack, aws),
          project: findProject(),
          confirm: (question) => terminal.confirm(question),
          say: (text) => say(terminal, text),
          suggest: () => {},
        },
      );
      switch (deployed) {
        case 'deployed':
        case 'unchanged':
          return done(`${stack} is deployed, in version ${VERSION}`);
        case 'declined':
          return blocked('The stack was not deployed.', 'Agree to the changes, or give --yes.');
        case 'refused':
          return blocked('The stack was not deployed.', 'Do what the output above says.');
        case 'failed':
          return blocked('The deployment failed.', 'The output above says why.');
      }
    },
  };
}

const EMAIL: WantedValue = {
  question: 'an e-mail address for alarms (Enter: none)',
  variable: 'CONNECTOR_ALARM_EMAIL',
  shown: true,
};

export function alarmsStep(deps: SetupDeps, deployment: Deployment): Step {
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
      say(deps.terminal, CONFIRM);
      await waitForUser('When that is done:');
      return judge();
    },
  };

  async function askForAddress(): Promise<readonly string[]> {
    const canAsk = process.stdin.isTTY || process.env[EMAIL.variable];
    const address = canAsk ? await obtainValue(EMAIL) : '';
    if (address === '') return [];
    const file = settingsFileOf(deps.stage);
    say(deps.terminal, `Add ${address} to alarms.emails in ${file} too, for other stacks.`);
    return [address];
  }

  async function subscribe(address: string): Promise<void> {
    await deps.session.beginChange(deployment);
    const TopicArn = deployment.output('AlarmTopic');
    await new SNSClient(deployment.aws).send(
      new SubscribeCommand({ TopicArn, Protocol: 'email', Endpoint: address }),
    );
  }
}
