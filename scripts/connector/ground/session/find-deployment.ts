import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';
import type { Connector } from '../../../../shared/config/connector-config.ts';
import { findProject, runningNote } from '../../../../shared/config/folders.ts';
import {
  digestOfSettings,
  readSettingsFile,
  settingsFileOf,
  unknownStage,
} from '../../../../shared/config/settings-file.ts';
import type { StackOutput } from '../../../../shared/config/stack-outputs.ts';
import { Problem } from '../terminal/exit.ts';
import { shellWord } from '../terminal/text.ts';
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
    const elsewhere = foldersOfRunning();
    if (elsewhere.length === 0) throw new Problem('No connector runs on this machine.', START);
    throw new Problem(
      `No connector runs in ${findProject()}, but on this machine ${elsewhere.length === 1 ? 'one runs' : `${elsewhere.length} run`} in: ${elsewhere.join(', ')}`,
      elsewhere.length === 1
        ? `Run the command there, after: cd ${shellWord(elsewhere[0] ?? '')}`
        : 'Run the command in one of them.',
    );
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
  settingsDigest: v.optional(v.string()),
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
  const file = join(findProject(), STACK_FILE);
  if (!existsSync(file)) return undefined;
  const parsed = v.safeParse(
    v.pipe(v.string(), v.parseJson(), localStack),
    readFileSync(file, 'utf8'),
  );
  if (!parsed.success) {
    throw new Problem(
      `${file} was not written by "npm start", or is damaged.`,
      'Delete it and run "npm start".',
    );
  }
  const { pid, stack, stage, settings, settingsDigest, ...running } = parsed.output;
  const { region, endpoint, credentials, outputs, ...sandbox } = running;
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
    note: () => describeChangedSettings('local', stage, settingsDigest),
    sandbox,
  };
}

/** Of the stacks that this user has started. Another user's note could lead to a folder with other code. */
function foldersOfRunning(): readonly string[] {
  const names = existsSync(tmpdir()) ? readdirSync(tmpdir()) : [];
  return names.flatMap((name) => {
    const pid = Number(/^loyalty-connector-(\d+)\.running$/.exec(name)?.[1]);
    if (!(pid > 0 && isAlive(pid))) return [];
    const note = lstatSync(runningNote(pid), { throwIfNoEntry: false });
    const isOwn = note?.isFile() && note.uid === (process.getuid?.() ?? note.uid);
    return isOwn ? readFileSync(runningNote(pid), 'utf8') : [];
  });
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

/** The account and the region that are meant; rejects when no region is set. */
export async function openAws(place: Omit<StackOptions, 'stack'>): Promise<AwsSettings> {
  const account = place.profile === undefined ? {} : { profile: place.profile };
  const client = new CloudFormation({
    ...CLIENT_LIMITS,
    ...account,
    // If undefined, the SDK reads it from the environment and the profile.
    ...(place.region !== undefined && { region: place.region }),
  });
  return awsSettings({ region: await client.config.region(), ...account });
}

interface DescribedStack {
  /** `UPDATE_COMPLETE` */
  readonly status: string;
  readonly outputs: Partial<Readonly<Record<StackOutput | 'BootstrapVersion', string>>>;
  readonly isProtected: boolean;
}

/** What CloudFormation says of a stack; undefined when there is none. */
export async function readStack(
  aws: AwsSettings,
  name: string,
): Promise<DescribedStack | undefined> {
  const cloudFormation = new CloudFormation(aws);
  const asked = cloudFormation.describeStacks({ StackName: name });
  const described = await asked.catch((error: unknown) => {
    // CloudFormation has no other error for a stack that does not exist; the name itself is valid.
    if (error instanceof Error && error.name === 'ValidationError') return undefined;
    throw error;
  });
  const found = described?.Stacks?.[0];
  if (!found) return undefined;
  const outputs = (found.Outputs ?? []).map((one) => [one.OutputKey ?? '', one.OutputValue ?? '']);
  return {
    status: found.StackStatus ?? '',
    outputs: Object.fromEntries(outputs),
    isProtected: found.EnableTerminationProtection ?? false,
  };
}

async function findDeployedStack({
  stack,
  ...place
}: StackOptions & { readonly stack: string }): Promise<Deployment> {
  const aws = await openAws(place);
  const { region } = aws;
  const found = await readStack(aws, stack);
  if (!found) {
    throw new Problem(
      `There is no stack ${stack} in ${region}.`,
      `Check --stack, --region and --profile; "npm run deploy" deploys one, and "aws cloudformation list-stacks --region ${region}" shows those of the account.`,
    );
  }
  const described = `The stack ${stack} in ${region} (${found.status})`;
  const output = outputsOf(found.outputs, described, 'Deploy this release: npm run deploy.');
  // Not from the name: as a construct, the connector may be in a stack of any name.
  const stage = output('SecretsPrefix').replace(/^.*\//, '');
  const read = digestOfSettings(findProject(), stage);
  return {
    where: 'aws',
    stage,
    stack,
    region,
    aws,
    version: output('Version'),
    output,
    connector: await readStageSettings(stage),
    note: () => describeChangedSettings('aws', stage, read),
  };
}

/** As `stackNameOf` makes it. */
const STACK_NAME = /^(?:[a-z][a-z0-9-]*-)?loyalty-connector-([a-z0-9][a-z0-9-]*)$/;

/** Undefined when it is not a stack that `deploy` makes. It may hold the connector as a construct. */
export function stageOfStack(stack: string): string | undefined {
  return STACK_NAME.exec(stack)?.[1];
}

/** The checked settings of one stage, with which its functions were built. */
export async function readStageSettings(
  stage: string,
  file = settingsFileOf(stage),
): Promise<Connector> {
  const project = findProject();
  if (!existsSync(resolve(project, file))) throw new Problem(...unknownStage(project, stage));
  const read = await readSettingsFile(project, file);
  if (read.kind === 'settings') return read.connector;
  throw new Problem(read.faults.join('\n'), `Correct ${file}, then run the command again.`);
}

/** For a stack or a console that runs with the settings of its start; undefined when they were not changed since. */
export async function describeChangedSettings(
  where: Deployment['where'],
  stage: string,
  digest: string | undefined,
): Promise<string | undefined> {
  const file = settingsFileOf(stage);
  const now = digestOfSettings(findProject(), stage);
  if (digest === undefined || now === undefined || now === digest) return undefined;
  if (where === 'aws') {
    return `${file} has changed since this console was started, and it still uses what it read then. After the deployment, stop it and start it again.`;
  }
  const read = await readSettingsFile(findProject(), file);
  const faults = read.kind === 'faulty' ? [...read.faults, `Correct ${file}.`] : [];
  return [
    `${file} has changed since the start. What you see still runs with the older settings.`,
    ...faults,
    'To use the new ones, stop "npm start" and start it again.',
  ].join('\n');
}
