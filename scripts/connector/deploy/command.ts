import { join } from 'node:path';
import type { Command } from 'commander';
import { findProject } from '../../../shared/config/folders.ts';
import { stageName } from '../arguments.ts';
import { EXIT } from '../exit.ts';
import { runAction } from '../run-action.ts';

const STAGE = [
  '--stage <name>',
  'the stage of connector.config.NAME.ts; prod is connector.config.ts',
] as const;

interface SynthOptions {
  readonly stage?: string;
  readonly explain?: string;
}

interface DeployOptions {
  readonly stage: string;
  readonly yes?: boolean;
  readonly rollBack?: boolean;
  readonly allowLoss?: readonly string[];
}

const SYNTH_EXAMPLES = `
Examples:
  npx loyalty-connector synth                every stage
  npx loyalty-connector synth --stage dev
  npx loyalty-connector synth --stage prod --explain sync-orders < stack-trace.txt

A stack trace in the logs points into bundled code. --explain reads it from standard input and prints it with
the files and lines of the source; use the settings and the version that were deployed.
`;

/** `loyalty-connector synth` */
export function registerSynth(program: Command): void {
  program
    .command('synth')
    .summary('write the CloudFormation templates; needs no AWS account')
    .description('Checks the settings, bundles the functions and writes the templates to cdk.out.')
    .option(STAGE[0], `${STAGE[1]} (default: every stage)`, stageName)
    .option('--explain <function>', 'then explain a stack trace of this function, as logs name it')
    .addHelpText('after', SYNTH_EXAMPLES)
    .action(
      runAction<SynthOptions>(async ({ terminal }, { stage, explain }) => {
        const { ASSEMBLY, runCdk, SYNTH } = await import('./synth.ts');
        const only = stage === undefined ? [] : ['--context', `stage=${stage}`];
        if (!(await runCdk([...SYNTH, ...only], {})).ok) return EXIT.failed;
        const { describeAssembly } = await import('./synth.ts');
        if (explain !== undefined) {
          const { explainStack, readSourceMaps } = await import('./synth.ts');
          const { text } = await import('node:stream/consumers');
          const maps = readSourceMaps(
            join(findProject(), 'cdk.out/bundles', stage ?? 'prod'),
            explain,
          );
          terminal.line(explainStack(await text(process.stdin), maps).trimEnd());
          return EXIT.fine;
        }
        terminal.note(describeAssembly(join(findProject(), ASSEMBLY)));
        return EXIT.fine;
      }),
    );
}

const DEPLOY_EXAMPLES = `
Examples:
  npx loyalty-connector deploy --region eu-west-1
  npx loyalty-connector deploy --stage dev --yes    without a question, for a script
  npx loyalty-connector deploy --roll-back          after you installed an older version

It asks AWS first, so that missing credentials are noticed before anything is bundled.
`;

/** `loyalty-connector deploy` */
export function registerDeploy(program: Command): void {
  program
    .command('deploy')
    .summary('show what would change on AWS, ask, deploy, and print the next command')
    .option(...STAGE, stageName, 'prod')
    .option('--yes', 'deploy without asking')
    .option('--roll-back', 'deploy although the deployed version is newer')
    .option(
      '--allow-loss <ids...>',
      'let these resources, which hold state, be replaced or deleted',
    )
    .addHelpText('after', DEPLOY_EXAMPLES)
    .action(
      runAction<DeployOptions>(async ({ terminal }, { stage, ...options }) => {
        const { yes = false, region, profile } = options;
        const place = { ...(region && { region }), ...(profile && { profile }) };
        const { deploy } = await import('./deploy.ts');
        const { runCdk } = await import('./synth.ts');
        const { openStackAccess } = await import('./stack-access.ts');
        const { openAws } = await import('../deployment/find-deployment.ts');
        const { fitToAccount } = await import('../deployment/fit-to-account.ts');
        const { readStageSettings } = await import('../deployment/find-deployment.ts');
        const aws = await openAws(place);
        const result = await deploy(
          { ...options, stage, yes },
          {
            fitConcurrency: async (stack) =>
              fitToAccount(aws, stack, await readStageSettings(stage)),
            runCdk: (words) => runCdk(words, place),
            access: openStackAccess(`loyalty-connector-${stage}`, aws),
            project: findProject(),
            confirm: terminal.confirm,
            say: terminal.note,
            suggest: (command) => terminal.note(`\nNext: ${command}`),
          },
        );
        return result === 'deployed' || result === 'unchanged' ? EXIT.fine : EXIT.failed;
      }),
    );
}
