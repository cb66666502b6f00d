import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { findProject } from '../../../shared/config/folders.ts';
import { Problem } from '../exit.ts';

/** The path of our code in Lambda, and in the bundles on this machine. */
const PLACE = /(?:file:\/\/)?[^\s()]*\/index\.js:(\d+):(\d+)/g;

/** Replaces every position in a bundle by the position in the source. */
export function explainStack(stack: string, map: SourceMap): string {
  // Logs carry a stack in JSON, with its ends of lines escaped.
  return stack.replaceAll('\\n', '\n').replace(PLACE, (place, line: string, column: string) => {
    const origin = map.findOrigin(Number(line), Number(column));
    if (!('fileName' in origin) || origin.fileName === undefined) return place;
    return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

/** The map that `synth` or `deploy` wrote beside the bundle of a function. */
export function readSourceMap(service: string, stage: string): SourceMap {
  const file = join(findProject(), 'cdk.out/bundles', stage, 'source-maps', `${service}.js.map`);
  if (existsSync(file)) return new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  throw new Problem(
    `${file} does not exist.`,
    'Run "npm run synth" with the settings and the version that were deployed.',
  );
}
