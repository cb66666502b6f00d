import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Connector } from '../../shared/config/connector-config.ts';
import { readSettingsFile, settingsFileOf } from '../../shared/config/settings-file.ts';
import { type Assembly, readAssembly } from './template/assembly.ts';

/** Something that a person can set right; its message says how. */
export class CannotStart extends Error {}

export const PROJECT = join(import.meta.dirname, '../..');

const stackNameOf = (stage: string): string => `loyalty-connector-${stage}`;

/** The settings of a stage, as the deployed functions have them. */
export async function loadConnector(
  stage: string,
  file = settingsFileOf(stage),
): Promise<Connector> {
  if (!existsSync(join(PROJECT, file))) {
    throw new CannotStart(`There is no stage ${stage}: ${file} is missing in ${PROJECT}.`);
  }
  const read = await readSettingsFile(PROJECT, file);
  if (read.kind === 'settings') return read.connector;
  throw new CannotStart(read.faults.join('\n'));
}

interface SynthesisOptions {
  /** Stands for the settings file of the stage. */
  readonly settings?: string | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Describes the deployment anew: the very program that `cdk deploy` runs, in a process of its own.
 * For this stage only, and without CloudFormation's own check of the template: that one takes most of
 * the time, changes nothing, and whoever deploys has it.
 */
export async function synthesize(
  stage: string,
  folder: string,
  { settings, signal }: SynthesisOptions = {},
): Promise<Assembly> {
  rmSync(folder, { recursive: true, force: true });
  const child = spawn(process.execPath, ['infra/app.ts'], {
    cwd: PROJECT,
    env: {
      ...process.env,
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify({ stage, settings }),
      CDK_VALIDATION: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new CannotStart(`The stack cannot be synthesized.\n${said.trim()}`);
  return readAssembly(folder, stackNameOf(stage));
}
