import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { PlantedBug } from './mutation.ts';

const PROJECT = new URL('../../..', import.meta.url);

/** The source with the bug in it. Throws unless the text occurs exactly once. */
export function mutate({ bug, file, find, replace }: PlantedBug): string {
  const source = readFileSync(new URL(file, PROJECT), 'utf8');
  const found = source.split(find).length - 1;
  if (found === 1) return source.replace(find, () => replace);
  throw new Error(`${bug}: its place was found ${found} times in ${file}, and must be there once`);
}

/** The file must not have been loaded before. */
export function loadMutated(mutation: PlantedBug): void {
  const source = mutate(mutation);
  const url = new URL(mutation.file, pathToFileURL(`${PROJECT.pathname}/`)).href;
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
