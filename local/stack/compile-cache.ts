import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** A process of this environment compiles nothing that this one, or another with its cache, has compiled. */
export function compileCache(): { readonly NODE_COMPILE_CACHE?: string } {
  const compiled = getCompileCacheDir();
  return compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) };
}
