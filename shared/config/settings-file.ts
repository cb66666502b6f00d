import { dirname, relative, resolve } from 'node:path';
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
    const place = placeIn(error, folder) ?? `${file} could not be read`;
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return faulty(`${place}: ${why}`);
  }
}

/** Before the message, Node shows the file and the line, and marks the mistake unless it is the end of the file. */
const SHOWN_LINE = /^((?:file:\/)?\/.*:\d+)\n(?:(?:.+\n)*?( *)\^)?/;
/** A frame in a file; those of Node begin with `node:`. */
const FRAME = /^ +at (?:[^(]*\()?((?:file:\/)?\/.*):(\d+:\d+)\)?$/;

/** `connector.config.ts:4:6`: file, line and, if it is known, column. Undefined if the error has no place. */
function placeIn(error: unknown, folder: string): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, shown, indent] = SHOWN_LINE.exec(stack) ?? [];
  const column = indent === undefined ? '' : `:${indent.length + 1}`;
  if (shown !== undefined) return `${nameIn(folder, shown)}${column}`;
  const frames = stack.split('\n').flatMap((line) => {
    const [, path, position] = FRAME.exec(line) ?? [];
    return path === undefined ? [] : [{ path, position }];
  });
  // Its true place, also in a file that the settings import; what a package throws is for its caller.
  const frame = frames.find(({ path }) => !isForeign(path)) ?? frames[0];
  return frame && `${nameIn(folder, frame.path)}:${frame.position}`;
}

const isForeign = (path: string): boolean =>
  path.includes('/node_modules/') || dirname(pathOf(path)) === import.meta.dirname;

const pathOf = (path: string): string => (path.startsWith('file:') ? fileURLToPath(path) : path);

const nameIn = (folder: string, path: string): string => relative(folder, pathOf(path));

function faulty(...faults: readonly string[]): ReadSettings {
  return { kind: 'faulty', faults };
}
