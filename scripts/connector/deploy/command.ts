import type { Command } from 'commander';
import { stageName } from '../arguments.ts';
import { openAws } from '../deployment/deployed-stack.ts';
import { readStageSettings } from '../deployment/stage-settings.ts';
import { EXIT } from '../exit.ts';
import { runAction } from '../run-action.ts';

const STAGE = [
  '--stage <name>',
  'the stage of connector.config.NAME.ts; prod is connector.config.ts',
] as const;

interface SynthOptions {
  readonly stage?: string;
}

interface DeployOptions {
  readonly stage: string;
  readonly yes?: boolean;
}

/** `loyalty-connector synth` */
export function registerSynth(program: Command): void {
  program
    .command('synth')
    .summary('write the CloudFormation templates; needs no AWS account')
    .description('Checks the settings, bundles the functions and writes the templates to cdk.out.')
    .option(STAGE[0], `${STAGE[1]} (default: every stage)`, stageName)
    .action(
      runAction<SynthOptions>(async (_session, { stage }) => {
        const { runCdk, SYNTH } = await import('./run-cdk.ts');
        const only = stage === undefined ? [] : ['--context', `stage=${stage}`];
        return (await runCdk([...SYNTH, ...only], {})).ok ? EXIT.fine : EXIT.failed;
      }),
    );
}

/** `loyalty-connector deploy` */
export function registerDeploy(program: Command): void {
  program
    .command('deploy')
    .summary('show what would change on AWS, ask, deploy, and print the next command')
    .option(...STAGE, stageName, 'prod')
    .option('--yes', 'deploy without asking')
    .action(
      runAction<DeployOptions>(async ({ terminal }, { stage, yes = false, ...aws }) => {
        const { deploy } = await import('./deploy.ts');
        const { runCdk } = await import('./run-cdk.ts');
        const { fitToAccount } = await import('../deployment/fit-to-account.ts');
        const result = await deploy(
          { stage, yes },
          {
            fitConcurrency: async (stack) =>
              fitToAccount(await openAws(aws), stack, await readStageSettings(stage)),
            runCdk: (words) => runCdk(words, aws),
            confirm: terminal.confirm,
            say: terminal.note,
          },
        );
        return result === 'deployed' || result === 'unchanged' ? EXIT.fine : EXIT.failed;
      }),
    );
}
