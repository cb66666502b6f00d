import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';
import type { Connector } from '../../../shared/config/connector-config.ts';
import { findProject, SETTINGS_FILE } from '../../../shared/config/folders.ts';
import { readSettingsFile, settingsFileOf } from '../../../shared/config/settings-file.ts';
import { Problem } from '../terminal/exit.ts';
import {
  type AwsSettings,
  awsSettings,
  CLIENT_LIMITS,
  type Deployment,
  outputsOf,
  type StackOptions,
} from './deployment.ts';

/**
 * The deployed stack that was named, by option or by CONNECTOR_STACK, else the one that runs on this
 * machine. The local stack never replaces a named one: a command for production must not change the
 * wrong deployment.
 */
export async function findDeployment(options: StackOptions): Promise<Deployment> {
  const stack = options.stack ?? process.env.CONNECTOR_STACK;
  if (stack === undefined || stack === '') {
    const local = await findLocalStack();
    if (local) return local;
    throw new Problem('No connector runs on this machine.', START);
  }
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
  shopAddress: v.optional(v.string()),
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

/** The account and the region that are meant; rejects when no region is set. */
export async function openAws(place: Omit<StackOptions, 'stack'>): Promise<AwsSettings> {
  const account = place.profile === undefined ? {} : { profile: place.profile };
  const client = new CloudFormationClient({
    ...CLIENT_LIMITS,
    ...account,
    // If undefined, the SDK reads it from the environment and the profile.
    ...(place.region !== undefined && { region: place.region }),
  });
  return awsSettings({ region: await client.config.region(), ...account });
}

/** Finds a stack on AWS by its CloudFormation outputs. */
export async function findDeployedStack({
  stack,
  ...place
}: StackOptions & { readonly stack: string }): Promise<Deployment> {
  const aws = await openAws(place);
  const { region } = aws;
  const { Stacks: stacks = [] } = await new CloudFormationClient(aws).send(
    new DescribeStacksCommand({ StackName: stack }),
  );
  const [found] = stacks;
  if (!found) throw new Problem(`CloudFormation did not describe the stack ${stack} in ${region}.`);
  const outputs: Record<string, string> = Object.fromEntries(
    (found.Outputs ?? []).map((one) => [one.OutputKey ?? '', one.OutputValue ?? '']),
  );
  const described = `The stack ${stack} in ${region} (${found.StackStatus})`;
  const output = outputsOf(outputs, described, 'Deploy this release: npm run deploy.');
  // Not from the name: as a construct, the connector may be in a stack of any name.
  const stage = output('SecretsPrefix').replace(/^.*\//, '');
  const readAt = new Date();
  return {
    where: 'aws',
    stage,
    stack,
    region,
    aws,
    version: output('Version'),
    output,
    connector: await readStageSettings(stage),
    note: async () => describeNewerSettings(stage, readAt),
  };
}

const STACK_PREFIX = 'loyalty-connector-';
const STAGE_NAME = /^[a-z0-9][a-z0-9-]*$/;

/** Undefined when it is not a stack that `deploy` makes. It may hold the connector as a construct. */
export function stageOfStack(stack: string): string | undefined {
  const stage = stack.startsWith(STACK_PREFIX) ? stack.slice(STACK_PREFIX.length) : '';
  return STAGE_NAME.test(stage) ? stage : undefined;
}

/** The checked settings of one stage, with which its functions were built. */
export async function readStageSettings(
  stage: string,
  file = settingsFileOf(stage),
): Promise<Connector> {
  const project = findProject();
  if (!existsSync(resolve(project, file))) {
    const known = readdirSync(project).filter((name) => SETTINGS_FILE.test(name));
    throw new Problem(
      `There are no settings for the stage "${stage}": ${file} is not in ${project}`,
      `Settings found there: ${known.join(', ') || 'none'}.`,
    );
  }
  const read = await readSettingsFile(project, file);
  if (read.kind === 'settings') return read.connector;
  throw new Problem(read.faults.join('\n'), `Correct ${file}, then run the command again.`);
}

/** For a running stack whose settings file was changed after its start; undefined when it was not. */
async function describeChangedSettings(
  stage: string,
  startedAt: Date,
): Promise<string | undefined> {
  const file = settingsFileOf(stage);
  if (!isChangedSince(file, startedAt)) return undefined;
  const read = await readSettingsFile(findProject(), file);
  const faults = read.kind === 'faulty' ? [...read.faults, `Correct ${file}.`] : [];
  return [
    `${file} has changed since the start. This command uses the settings that the stack runs with.`,
    ...faults,
    'To run with the changed settings: stop "npm start" and start it again.',
  ].join('\n');
}

/** For a console that was open when the settings of a stack on AWS changed: a module is loaded once. */
export function describeNewerSettings(stage: string, readAt: Date): string | undefined {
  const file = settingsFileOf(stage);
  if (!isChangedSince(file, readAt)) return undefined;
  return `${file} has changed since this console was started, and it still uses what it read then. After the deployment, stop it and start it again.`;
}

function isChangedSince(file: string, moment: Date): boolean {
  const found = statSync(resolve(findProject(), file), { throwIfNoEntry: false });
  return found !== undefined && found.mtime > moment;
}
