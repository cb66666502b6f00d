import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
import { findProject, moduleFile } from '../../../shared/config/folders.ts';
import type { CommonOptions } from '../session.ts';

export const ASSEMBLY = 'cdk.out';

/** A shell starts the app, so its words are quoted. Not the first one: CDK would remove that quote. */
const APP = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(moduleFile('infra/app'))}`;

/** Makes every stage of the project, without a file that says how: the app comes with the connector. */
export const SYNTH = ['synth', '--quiet', '--app', APP, '--output', ASSEMBLY] as const;

export interface CdkRun {
  readonly ok: boolean;
  /** The whole output, which was also shown. */
  readonly said: string;
}

/** Starts CDK's command line in the project, never through a shell. */
export async function runCdk(
  words: readonly string[],
  { profile, region }: Pick<CommonOptions, 'profile' | 'region'>,
): Promise<CdkRun> {
  const { stdout, stderr } = process;
  const project = findProject();
  // The project may have its own version of CDK's command line.
  const { resolve } = createRequire(import.meta.url);
  const cdk = resolve('aws-cdk/bin/cdk', { paths: [project, import.meta.dirname] });
  const options = profile === undefined ? [] : ['--profile', profile];
  const child = spawn(process.execPath, [cdk, ...words, '--no-notices', ...options], {
    cwd: project,
    stdio: ['inherit', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      // cdk has no option for the region; it reads these. A pipe is no reason to lose the colours.
      ...(region !== undefined && { AWS_REGION: region, AWS_DEFAULT_REGION: region }),
      ...(stderr.isTTY && { FORCE_COLOR: '1' }),
    },
  });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    said.push(chunk);
    stdout.write(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.push(chunk);
    stderr.write(chunk);
  });
  const code = await new Promise<number | null>((end, fail) => {
    child.once('error', fail);
    child.once('close', end);
  });
  return { ok: code === 0, said: stripVTControlCharacters(Buffer.concat(said).toString('utf8')) };
}
