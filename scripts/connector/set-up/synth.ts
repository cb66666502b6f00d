import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { findProject, moduleFile } from '../../../shared/config/folders.ts';
import { findingsBlock, runChecks } from '../ground/checks/check.ts';
import { settingsCheck } from '../ground/checks/settings.ts';
import { readStageSettings, stageOfStack } from '../ground/session/find-deployment.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import { type Document, text } from '../ground/terminal/document.ts';
import { Problem } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';

export const ASSEMBLY = 'cdk.out';

/** A shell starts the app, so its words are quoted. Not the first one: CDK would remove that quote. */
const APP = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(moduleFile('infra/app'))}`;

/** Makes every stage of the project, without a file that says how: the app comes with the connector. */
export const SYNTH = ['synth', '--quiet', '--app', APP, '--output', ASSEMBLY] as const;

/** After what the app has said itself, CDK adds how it was started. */
const SUBPROCESS = /^.*Subprocess exited with error \d+.*\n?/m;

export interface CdkRun {
  readonly ok: boolean;
  /** The whole output, which was also shown. */
  readonly said: string;
}

/** Starts CDK's command line in the project, never through a shell. Standard output is for the answer of the command. */
export async function runCdk(
  words: readonly string[],
  { profile, region }: Pick<CommonOptions, 'profile' | 'region'>,
): Promise<CdkRun> {
  const { stderr } = process;
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
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said.push(chunk);
      stderr.write(chunk.toString('utf8').replace(SUBPROCESS, ''));
    });
  }
  const code = await new Promise<number | null>((end, fail) => {
    child.once('error', fail);
    child.once('close', end);
  });
  return { ok: code === 0, said: stripVTControlCharacters(Buffer.concat(said).toString('utf8')) };
}

interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { readonly properties?: { readonly templateFile?: string } }>
  >;
}

/** Writes the templates of one stage or of all. */
export async function synth(_: Session, { stage }: { readonly stage?: string }): Promise<Document> {
  const only = stage === undefined ? [] : ['--context', `stage=${stage}`];
  if (!(await runCdk([...SYNTH, ...only], {})).ok) {
    throw new Problem('The templates were not written: the output above says why.');
  }
  const folder = join(findProject(), ASSEMBLY);
  const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8');
  const { artifacts }: Manifest = JSON.parse(manifest);
  const stages = Object.entries(artifacts).flatMap(([stack, { properties }]) =>
    properties?.templateFile === undefined ? [] : [stageOfStack(stack) ?? 'prod'],
  );
  const checks = stages.map(async (one) =>
    settingsCheck({ where: 'aws', stage: one, connector: await readStageSettings(one) }),
  );
  const found = findingsBlock(await runChecks(await Promise.all(checks)), { all: false }).findings;
  const isReady = !found.some(({ tone }) => tone === 'bad');
  // No fault of a template: to be corrected before it is deployed.
  const findings = found.map((one) => ({ ...one, tone: 'pending' as const }));
  const next = line('deploy', [], { stage: stages[0] === 'prod' ? undefined : stages[0] });
  return {
    title: 'Templates',
    blocks: [
      text('Nothing was deployed.'),
      text(`The templates are in ${folder}`),
      { kind: 'findings', title: 'Before you deploy', findings },
    ],
    next: isReady
      ? [{ label: 'Deploy', say: 'See what would change on AWS, and deploy it:', line: next }]
      : [],
  };
}
