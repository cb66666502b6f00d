import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { PlantedBug } from './mutation.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
/** Where a deliberate bug may be planted. */
const SOURCES = '{shared,functions,scripts,local/stack}/**/*.ts';

let sources: ReadonlyMap<string, string> | undefined;

function readSources(): ReadonlyMap<string, string> {
  const files = globSync(SOURCES, { cwd: PROJECT }).map((name) => join(PROJECT, name));
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

/** The file that the bug changes, and its source with the bug in it. Throws unless the text occurs exactly once. */
export function mutate({ bug, find, replace }: PlantedBug) {
  sources ??= readSources();
  const places = [...sources].flatMap(([file, source]) => {
    const count = source.split(find).length - 1;
    return Array.from({ length: count }, () => ({ file, source }));
  });
  const [place, ...others] = places;
  if (place && others.length === 0) {
    return { file: place.file, source: place.source.replace(find, () => replace) };
  }
  const found = places.map(({ file }) => file.slice(PROJECT.length)).join(', ') || 'nowhere';
  throw new Error(`${bug}: its text must be in the sources once, and was found in: ${found}`);
}

/** The file must not have been loaded before. */
export function loadMutated(mutation: PlantedBug): void {
  const { file, source } = mutate(mutation);
  const url = pathToFileURL(file).href;
  registerHooks({
    load(asked, context, nextLoad) {
      const loaded = nextLoad(asked, context);
      return asked === url ? { ...loaded, source } : loaded;
    },
  });
}

export interface Noticed {
  readonly name: string;
  /** How many seeds, or states of a search, were tried until the bug was noticed, or in all. */
  readonly tried: number;
  /** Undefined: no oracle failed, or a search was asked. */
  readonly oracle?: string | undefined;
  /** Undefined: nothing went wrong. */
  readonly what: string | undefined;
}

export const noticeMutation = (name: string, most: number, events = 200): Promise<Noticed> =>
  inThread({ name, events, most });

export const noticeInSearch = (name: string, search: string): Promise<Noticed> =>
  inThread({ name, search });

/** In a thread, so that the bug does not stay in this process. */
function inThread(workerData: object): Promise<Noticed> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./mutation-thread.ts', import.meta.url), { workerData });
    worker.on('message', resolve);
    worker.on('error', reject);
  });
}
