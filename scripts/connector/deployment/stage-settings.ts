import { existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Connector } from '../../../shared/config/connector-config.ts';
import { findProject, SETTINGS_FILE } from '../../../shared/config/folders.ts';
import { readSettingsFile, settingsFileOf } from '../../../shared/config/settings-file.ts';
import { Problem } from '../exit.ts';

const STACK_PREFIX = 'loyalty-connector-';
const STAGE_NAME = /^[a-z0-9][a-z0-9-]*$/;

/** Undefined: not a stack that `deploy` makes. It may hold the connector as a construct. */
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

/** For a running stack whose settings file was changed after its start; undefined: it was not. */
export async function describeChangedSettings(
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
