import { closeSync, openSync, writeSync } from 'node:fs';

export interface LineFile {
  /** When this returns, the line outlives the process. */
  write(line: string): void;
  close(): void;
}

/** Goes on at the end of what is there. */
export function openLineFile(path: string): LineFile {
  const file = openSync(path, 'a');
  return {
    write: (line) => void writeSync(file, `${line}\n`),
    close: () => closeSync(file),
  };
}
