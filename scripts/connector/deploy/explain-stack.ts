import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { Problem } from '../exit.ts';

/** The path of our code in Lambda, and in the bundles on this machine: a function has some files. */
const PLACE = /(?:file:\/\/)?[^\s()]*\/([\w-]+\.js):(\d+):(\d+)/g;

/** By the name of the file: `index.js`. */
export type SourceMaps = ReadonlyMap<string, SourceMap>;

/** Replaces every position in a bundle by the position in the source. */
export function explainStack(stack: string, maps: SourceMaps): string {
  const explain = (place: string, file: string, line: string, column: string) => {
    const origin = maps.get(file)?.findOrigin(Number(line), Number(column));
    if (!origin || !('fileName' in origin) || origin.fileName === undefined) return place;
    return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
  };
  // Logs carry a stack in JSON, with its ends of lines escaped.
  return stack.replaceAll('\\n', '\n').replace(PLACE, explain);
}

/** The maps that `synth` or `deploy` wrote beside the bundles of a stage. */
export function readSourceMaps(bundles: string, service: string): SourceMaps {
  const folder = join(bundles, 'source-maps', service);
  if (existsSync(folder)) {
    const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const files = readdirSync(folder);
    return new Map(files.map((file) => [file.replace(/\.map$/, ''), new SourceMap(read(file))]));
  }
  throw new Problem(
    `${folder} does not exist.`,
    'Is this the name of a function, as the logs call it: sync-orders?',
  );
}
