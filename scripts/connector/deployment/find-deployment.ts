import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { findProject } from '../../../shared/config/folders.ts';
import { Problem } from '../exit.ts';
import type { CommonOptions } from '../session.ts';
import { awsSettings, type Deployment, outputsOf } from './deployment.ts';
import { describeChangedSettings, readStageSettings } from './stage-settings.ts';

/**
 * The deployed stack that was named, by option or by CONNECTOR_STACK, else the one that runs on this
 * machine. The local stack never replaces a named one: a command for production must not change the
 * wrong deployment.
 */
export async function findDeployment(options: CommonOptions): Promise<Deployment> {
  const stack = options.stack ?? process.env.CONNECTOR_STACK;
  if (stack === undefined || stack === '') {
    const local = await findLocalStack();
    if (local) return local;
    throw new Problem('No connector runs on this machine.', START);
  }
  const { findDeployedStack } = await import('./deployed-stack.ts');
  return findDeployedStack({ ...options, stack });
}

/** Written by "npm start" while it runs. */
const STACK_FILE = '.connector/stack.json';

const localStack = v.object({
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  stack: v.string(),
  stage: v.string(),
  settings: v.optional(v.string()),
  region: v.string(),
  endpoint: v.string(),
  credentials: v.object({ accessKeyId: v.string(), secretAccessKey: v.string() }),
  outputs: v.record(v.string(), v.string()),
  storeAddress: v.string(),
  loyaltyAddress: v.string(),
  metricsAddress: v.string(),
});

const START =
  'Start it with "npm start", or name a deployed one: --stack loyalty-connector-prod --region REGION.';

/** The connector that runs on this machine; undefined when none was started. */
export async function findLocalStack(): Promise<Deployment | undefined> {
  const described = await readStackFile();
  if (!described) return undefined;
  const { file, text, writtenAt } = described;
  const parsed = v.safeParse(localStack, parseJson(text));
  if (!parsed.success) {
    throw new Problem(
      `${file} was not written by "npm start", or is damaged.`,
      'Delete it and run "npm start".',
    );
  }
  const { pid, stack, stage, settings, region, endpoint, credentials, outputs, ...sandbox } =
    parsed.output;
  if (!isAlive(pid)) {
    throw new Problem(
      'The connector on this machine is no longer running, but its description file remains.',
      START,
    );
  }
  const output = outputsOf(outputs, 'The connector on this machine', 'Start it again: npm start.');
  return {
    where: 'local',
    stage,
    stack,
    region,
    version: output('Version'),
    aws: awsSettings({ region, endpoint, credentials }),
    output,
    connector: await readStageSettings(stage, settings),
    ...(settings !== undefined && { settingsFile: settings }),
    note: () => describeChangedSettings(stage, writtenAt),
    sandbox,
  };
}

interface StackFile {
  readonly file: string;
  readonly text: string;
  readonly writtenAt: Date;
}

async function readStackFile(): Promise<StackFile | undefined> {
  const file = join(findProject(), STACK_FILE);
  try {
    return { file, text: await readFile(file, 'utf8'), writtenAt: (await stat(file)).mtime };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 only checks; it is never delivered.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
