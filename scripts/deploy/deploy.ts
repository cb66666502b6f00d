import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StackOutputs } from '../../shared/config/stack-outputs.ts';
import type { DeployOptions } from './arguments.ts';
import { explainFailure } from './explain-failure.ts';
import type { CdkRun } from './run-cdk.ts';

export interface DeployWorld {
  runCdk(words: readonly string[]): Promise<CdkRun>;
  /** False where nobody can answer. */
  confirm(question: string): Promise<boolean>;
  say(text: string): void;
}

export type Deployed = 'deployed' | 'unchanged' | 'declined' | 'failed';

/** Made once: what is shown and agreed to is what is deployed. */
const ASSEMBLY = 'cdk.out';
const NOTHING_NEW = /Number of stacks with differences: 0\b/;

/** Check → show → ask → deploy → say what comes next. */
export async function deploy(options: DeployOptions, world: DeployWorld): Promise<Deployed> {
  const stack = `loyalty-connector-${options.stage}`;
  const folder = mkdtempSync(join(tmpdir(), 'connector-deploy-'));
  const outputs = join(folder, 'outputs.json');
  try {
    world.say(`Checking the settings of ${stack}`);
    const stage = ['--context', `stage=${options.stage}`];
    const checked = await world.runCdk(['synth', '--quiet', ...stage, '--output', ASSEMBLY]);
    // Its faults are told in words already.
    if (!checked.ok) return 'failed';

    const shown = await world.runCdk(['diff', stack, '--app', ASSEMBLY]);
    if (!shown.ok) return failed(shown, world);
    if (NOTHING_NEW.test(shown.said)) {
      world.say(`${stack} is already deployed as it is described here.`);
      return 'unchanged';
    }
    if (!options.yes && !(await world.confirm(`Deploy these changes to ${stack}?`))) {
      world.say('Nothing was deployed. Where nobody can answer, --yes deploys without asking.');
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
