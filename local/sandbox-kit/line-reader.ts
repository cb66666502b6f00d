import { readSync } from 'node:fs';

export interface Line {
  readonly text: string;
  /** False for a last one that no newline follows. */
  readonly isWhole: boolean;
}

const newline = 0x0a;
const chunkBytes = 1024 * 1024;

/** Needs memory for the longest line, not for the file: a text of Node ends at half a gigabyte. */
export function* readLines(file: number): Generator<Line> {
  let pieces: Buffer[] = [];
  for (;;) {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    let rest = buffer.subarray(0, readSync(file, buffer, 0, chunkBytes, null));
    if (rest.length === 0) break;
    // Searched as bytes: no part of a longer character of UTF-8 looks like a newline.
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      pieces.push(rest.subarray(0, end));
      yield { text: Buffer.concat(pieces).toString('utf8'), isWhole: true };
      pieces = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pieces.push(rest);
  }
  if (pieces.length > 0) yield { text: Buffer.concat(pieces).toString('utf8'), isWhole: false };
}
