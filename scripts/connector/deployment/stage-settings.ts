import { existsSync, readdirSync } from 'node:fs';
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
  // What "npm start" adds to the settings is in a file of its own; their faults are in that of the stage.
  const own = settingsFileOf(stage);
  const faults = read.faults.map((fault) => fault.replace(file, own));
  throw new Problem(faults.join('\n'), `Correct ${own}, then run the command again.`);
}
