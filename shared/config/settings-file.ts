import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Connector, isConnector, SettingsError } from './connector-config.ts';

/** The settings file of a stage: `connector.config.ts` for `prod`, else `connector.config.<stage>.ts`. */
export function settingsFileOf(stage: string): string {
  return stage === 'prod' ? 'connector.config.ts' : `connector.config.${stage}.ts`;
}

export type ReadSettings =
  | { readonly kind: 'settings'; readonly connector: Connector }
  /** Sentences for the author of the file; each names the file. */
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

/** Reads a settings file that exists. */
export async function readSettingsFile(folder: string, file: string): Promise<ReadSettings> {
  try {
    const { default: connector } = await import(pathToFileURL(resolve(folder, file)).href);
    if (isConnector(connector)) return { kind: 'settings', connector };
    return faulty(`${file} must end in: export default defineConnector({ … })`);
  } catch (error) {
    if (error instanceof SettingsError) {
      return faulty(...new SettingsError(error.faults, file).message.split('\n'));
    }
    const why = error instanceof Error ? error.message : String(error);
    return faulty(`${file} could not be read: ${why}`);
  }
}

function faulty(...faults: readonly string[]): ReadSettings {
  return { kind: 'faulty', faults };
}
