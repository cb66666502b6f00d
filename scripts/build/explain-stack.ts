import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

/** The path of our code in Lambda, and in the bundles on this machine. */
const PLACE = /(?:file:\/\/)?[^\s()]*\/index\.js:(\d+):(\d+)/g;

/** Replaces every position in a bundle by the position in the source. */
export function explainStack(stack: string, map: SourceMap): string {
  return stack.replace(PLACE, (place, line: string, column: string) => {
    const origin = map.findOrigin(Number(line), Number(column));
    if (!('fileName' in origin) || origin.fileName === undefined) return place;
    return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { stage: { type: 'string', default: 'prod' } },
    allowPositionals: true,
  });
  const [name] = positionals;
  if (name === undefined) {
    console.error(
      'Usage: npm run explain-stack -- FUNCTION [--stage NAME] < FILE\nFUNCTION is what the log calls "service": sync-orders and so on.',
    );
    process.exitCode = 2;
    return;
  }
  const file = `cdk.out/bundles/${values.stage}/source-maps/${name}.js.map`;
  if (!existsSync(file)) {
    console.error(`${file} does not exist: run "npm run synth" on the commit that was deployed.`);
    process.exitCode = 1;
    return;
  }
  const map = new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  // Logs carry a stack in JSON, with its ends of lines escaped.
  console.log(explainStack((await text(process.stdin)).replaceAll('\\n', '\n'), map));
}

if (import.meta.main) await main();
