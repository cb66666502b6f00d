import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concurrencyText, type FittedConcurrency } from '../../../shared/config/concurrency.ts';
import type { StackOutputs } from '../../../shared/config/stack-outputs.ts';
import { ASSEMBLY, type CdkRun, SYNTH } from './run-cdk.ts';

export interface DeployWorld {
  /** How many functions may run at once in the account, or why it cannot be deployed there. */
  fitConcurrency(stack: string): Promise<FittedConcurrency>;
  runCdk(words: readonly string[]): Promise<CdkRun>;
  /** False where there is no terminal to answer. */
  confirm(question: string): Promise<boolean>;
  say(text: string): void;
}

export type Deployed = 'deployed' | 'unchanged' | 'declined' | 'failed';

const NOTHING_NEW = /Number of stacks with differences: 0\b/;

/** Fit → check → show → ask → deploy → print the next command. */
export async function deploy(options: DeployOptions, world: DeployWorld): Promise<Deployed> {
  const stack = `loyalty-connector-${options.stage}`;
  const folder = mkdtempSync(join(tmpdir(), 'connector-deploy-'));
  const outputs = join(folder, 'outputs.json');
  try {
    world.say(`Checking the settings of ${stack}`);
    const fitted = await world.fitConcurrency(stack);
    if (fitted.kind === 'refused') {
      world.say(fitted.why.join('\n'));
      return 'failed';
    }
    world.say(`Fitted to the quota of Lambda: ${fitted.summary}`);
    const concurrency = concurrencyText(fitted.concurrency);
    const chosen = [
      '--context',
      `stage=${options.stage}`,
      '--context',
      `concurrency=${concurrency}`,
    ];
    // Synthesized once: the changes that were shown and confirmed are deployed.
    const checked = await world.runCdk([...SYNTH, ...chosen]);
    // The faults are already printed.
    if (!checked.ok) return 'failed';

    const shown = await world.runCdk(['diff', stack, '--app', ASSEMBLY]);
    if (!shown.ok) return failed(shown, world);
    if (NOTHING_NEW.test(shown.said)) {
      world.say(`${stack} is already deployed as it is described here.`);
      return 'unchanged';
    }
    if (!options.yes && !(await world.confirm(`Deploy these changes to ${stack}?`))) {
      world.say('Nothing was deployed. To deploy without a question: --yes.');
      return 'declined';
    }
    const agreed = ['--require-approval', 'never', '--outputs-file', outputs];
    const done = await world.runCdk(['deploy', stack, '--app', ASSEMBLY, ...agreed]);
    if (!done.ok) return failed(done, world);
    const { WebhookAddress, NextCommand } = readOutputs(outputs, stack);
    world.say(
      `Deployed. Webhooks go to ${WebhookAddress}/<path of the shop>\n\nNext: ${NextCommand}`,
    );
    return 'deployed';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function failed({ said }: CdkRun, { say }: DeployWorld): 'failed' {
  const explanation = explainFailure(said);
  if (explanation !== undefined) say(`\n${explanation}`);
  return 'failed';
}

function readOutputs(file: string, stack: string): StackOutputs {
  return JSON.parse(readFileSync(file, 'utf8'))[stack];
}

export interface DeployOptions {
  readonly stage: string;
  /** Deploy without asking. */
  readonly yes: boolean;
}

/** Advice for the most common failures. */
const KNOWN: readonly { readonly when: RegExp; readonly advice: string }[] = [
  {
    when: /cdk-bootstrap|(?:is|been|not) bootstrapped|bootstrap stack version/i,
    advice: `This account and region are not prepared for CDK yet. Once per account and region:
  npx cdk bootstrap
(with the same --profile, and the region in AWS_REGION)`,
  },
  {
    when: /expired/i,
    advice: 'Your AWS credentials have expired. Sign in again (aws sso login), then deploy again.',
  },
  {
    when: /credentials|Unable to resolve AWS account|security token.*invalid/i,
    advice:
      'No valid AWS credentials were found. Sign in (aws configure, or aws sso login) or give --profile NAME.',
  },
  {
    when: /secret.*already exists|already exists.*secret/i,
    advice: `Secrets with these names exist already, created by another stack or by hand. Delete them
(aws secretsmanager delete-secret --force-delete-without-recovery --secret-id NAME), then deploy again.`,
  },
  {
    when: /ROLLBACK_COMPLETE|ROLLBACK_IN_PROGRESS/,
    advice: `AWS has rolled everything back. The first line above with CREATE_FAILED or
UPDATE_FAILED says why; fix that and deploy again.`,
  },
];

function explainFailure(said: string): string | undefined {
  return KNOWN.find(({ when }) => when.test(said))?.advice;
}
