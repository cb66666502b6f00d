import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
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
      return faulty(...error.faults.map(({ path, problem }) => `${file}: ${path} ${problem}`));
    }
    const place = placeIn(error, folder, file) ?? `${file} could not be read`;
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return faulty(`${place}: ${why}`);
  }
}

/** Before the message, Node shows the file and the line, and marks the mistake unless it is the end of the file. */
const SHOWN_LINE = /^((?:file:\/)?\/.*:\d+)\n(?:(?:.+\n)*?( *)\^)?/;
/** A frame in a file; those of Node begin with `node:`. */
const FRAME = /^ +at (?:[^(]*\()?((?:file:\/)?\/.*):(\d+:\d+)\)?$/;

/** `connector.config.ts:4:6`: file, line and, if it is known, column. Undefined if the error has no place. */
function placeIn(error: unknown, folder: string, file: string): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, shown, indent] = SHOWN_LINE.exec(stack) ?? [];
  const column = indent === undefined ? '' : `:${indent.length + 1}`;
  if (shown !== undefined) return `${nameIn(folder, shown)}${column}`;
  const frames = stack.split('\n').flatMap((line) => {
    const [, path, position] = FRAME.exec(line) ?? [];
    return path === undefined ? [] : [{ name: nameIn(folder, path), position }];
  });
  // What the settings call may have thrown it.
  const frame = frames.find(({ name }) => name === file) ?? frames[0];
  return frame && `${frame.name}:${frame.position}`;
}

function nameIn(folder: string, path: string): string {
  return relative(folder, path.startsWith('file:') ? fileURLToPath(path) : path);
}

function faulty(...faults: readonly string[]): ReadSettings {
  return { kind: 'faulty', faults };
}
