import { setTimeout as sleep } from 'node:timers/promises';
import { findProject } from '../../../../shared/config/folders.ts';
import { VERSION } from '../../../../shared/config/release.ts';
import { deploy } from '../../deploy/deploy.ts';
import { runCdk } from '../../deploy/run-cdk.ts';
import { openStackAccess } from '../../deploy/stack-access.ts';
import { describeStack } from '../../deployment/describe-stack.ts';
import { fitToAccount } from '../../deployment/fit-to-account.ts';
import { checkSettings } from '../../doctor/check-settings.ts';
import { blocked, done, open, type Step, say } from '../step.ts';
import type { World } from '../world.ts';

export function settingsStep(world: World): Step {
  return {
    title: 'Settings',
    async look() {
      const connector = await world.connector();
      const findings = checkSettings({ ...world, connector });
      const wrong = findings.filter(({ verdict }) => verdict === 'fail');
      if (wrong.length === 0) return done(findings.map(({ what }) => what).join(', '));
      return blocked(wrong.map(({ what }) => `${what}.`).join('\n'), 'Edit these settings.');
    },
  };
}

const POLL_MS = 5_000;

/** A deployment goes on at AWS when the command that started it is stopped. */
async function waitWhileChanging(world: World): Promise<void> {
  const progress = world.terminal.progress(`waiting for ${world.stack}`);
  for (let polls = 0; ; polls += 1) {
    const status = (await describeStack(world.aws, world.stack))?.StackStatus ?? '';
    if (!status.endsWith('_IN_PROGRESS') || status === 'REVIEW_IN_PROGRESS') break;
    progress.report(polls, status);
    await sleep(POLL_MS);
  }
  progress.end();
}

/** Only a comparison of the templates says whether the stack is as described here: `deploy` makes it. */
export function deployStep(world: World): Step {
  const { stage, stack, aws, options, terminal } = world;
  return {
    title: 'Deploy',
    async look() {
      await waitWhileChanging(world);
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
          fitConcurrency: async (name) => fitToAccount(aws, name, await world.connector()),
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
