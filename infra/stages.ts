import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Connector } from '../shared/config/connector-config.ts';

/** One deployment: its name and the file that describes it. */
export interface Stage {
  readonly name: string;
  /** `connector.config.ts`, or `connector.config.<name>.ts` for every stage but `prod`. */
  readonly file: string;
}

export interface ConfiguredStage extends Stage {
  readonly connector: Connector;
}

const FILE = /^connector\.config(?:\.([a-z][a-z0-9-]{0,19}))?\.ts$/;

/** Every stage that has a file in the folder, `prod` first. */
export function findStages(folder: string): Stage[] {
  return readdirSync(folder)
    .flatMap((file) => {
      const found = FILE.exec(file);
      return found ? [{ name: found[1] ?? 'prod', file }] : [];
    })
    .sort((a, b) => a.file.length - b.file.length || a.file.localeCompare(b.file));
}

export async function configure(folder: string, stage: Stage): Promise<ConfiguredStage> {
  const module = await import(pathToFileURL(join(folder, stage.file)).href);
  return { ...stage, connector: module.default };
}
