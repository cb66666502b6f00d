import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { PlantedBug } from './mutation.ts';

const PROJECT = new URL('../../../', import.meta.url);

const SOURCES = '{functions,local,scripts,shared}/**/*.ts';

/** The file of the bug, by its address, and its text with the bug in it. Throws unless the place is there once. */
export function mutate({ bug, find, replace }: PlantedBug) {
  const found = globSync(SOURCES, { cwd: PROJECT }).flatMap((file) => {
    const { href } = new URL(file, PROJECT);
    const parts = readFileSync(new URL(href), 'utf8').split(find);
    return parts.slice(1).map(() => ({ href, source: parts.join(replace) }));
  });
  const [place, ...more] = found;
  if (place && more.length === 0) return place;
  const files = found.map(({ href }) => href.slice(PROJECT.href.length));
  throw new Error(`${bug}: its place must be there once, and is in [${files.join(', ')}]`);
}

/** The file must not have been loaded before. */
export function loadMutated(mutation: PlantedBug): void {
  const { href, source } = mutate(mutation);
  registerHooks({
    load(asked, context, nextLoad) {
      const loaded = nextLoad(asked, context);
      return asked === href ? { ...loaded, source } : loaded;
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
