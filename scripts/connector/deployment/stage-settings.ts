import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Connector } from '../../../shared/config/connector-config.ts';
import { readSettingsFile, settingsFileOf } from '../../../shared/config/settings-file.ts';
import { Problem } from '../exit.ts';

/** The folder of the project, independent of the current folder. */
export const PROJECT_FOLDER = fileURLToPath(new URL('../../../', import.meta.url));

const STACK_PREFIX = 'loyalty-connector-';
const STAGE_NAME = /^[a-z0-9][a-z0-9-]*$/;

export function stageOfStack(stack: string): string {
  const stage = stack.startsWith(STACK_PREFIX) ? stack.slice(STACK_PREFIX.length) : '';
  if (STAGE_NAME.test(stage)) return stage;
  throw new Problem(
    `"${stack}" is not the name of a connector's stack: it must be ${STACK_PREFIX}<stage>.`,
    `For the settings in connector.config.ts that is ${STACK_PREFIX}prod.`,
  );
}

/** The checked settings of one stage, with which its functions were built. */
export async function readStageSettings(
  stage: string,
  file = settingsFileOf(stage),
): Promise<Connector> {
  if (!existsSync(`${PROJECT_FOLDER}${file}`)) {
    const known = readdirSync(PROJECT_FOLDER).filter((name) =>
      /^connector\.config.*\.ts$/.test(name),
    );
    throw new Problem(
      `There are no settings for the stage "${stage}": ${file} is not in ${PROJECT_FOLDER}`,
      `Settings found there: ${known.join(', ') || 'none'}.`,
    );
  }
  const read = await readSettingsFile(PROJECT_FOLDER, file);
  if (read.kind === 'settings') return read.connector;
  throw new Problem(read.faults.join('\n'), `Correct ${file}, then run the command again.`);
}
