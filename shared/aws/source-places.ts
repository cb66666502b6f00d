import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/** A path begins after a space, a bracket or `file://`: tried at every slash, a long text would take a minute. */
const PLACE = /(?<=[\s(]|file:\/\/)(\/[^\s():]+\.js):(\d+):(\d+)/g;

/**
 * Replaces the places in a bundle by those in the source, by the map beside the bundle. The map is read when something
 * breaks, and never by the runtime at a cold start: no bundle names its map.
 */
export function sourcePlaces(stack: string): string {
  return stack.replace(PLACE, (place: string, file: string, line: string, column: string) => {
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    if (!origin || !('fileName' in origin) || origin.fileName === undefined) return place;
    return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Sources that run as they are have none, and a log line must not fail because of one.
    return undefined;
  }
}
