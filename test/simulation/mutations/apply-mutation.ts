import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Mutation } from './mutations.ts';

const PROJECT = new URL('../../../', import.meta.url);

/** The source with the bug in it. Throws when the place is not there, or not there only once. */
export function mutate({ name, file, find, replace }: Mutation): string {
  const source = readFileSync(new URL(file, PROJECT), 'utf8');
  const found = source.split(find).length - 1;
  if (found === 1) return source.replace(find, () => replace);
  throw new Error(`${name}: its place was found ${found} times in ${file}, and must be there once`);
}

/** From here on the file is loaded with the bug. It must not have been loaded before. */
export function loadMutated(mutation: Mutation): void {
  const source = mutate(mutation);
  const url = new URL(mutation.file, pathToFileURL(`${PROJECT.pathname}/`)).href;
  registerHooks({
    load(asked, context, nextLoad) {
      const loaded = nextLoad(asked, context);
      return asked === url ? { ...loaded, source } : loaded;
    },
  });
}
