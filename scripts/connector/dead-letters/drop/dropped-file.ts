import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DeadLetter } from '../../../../shared/core/batch/dead-letter.ts';

/** Keeps what is about to be dropped. Bodies hold personal data: only the user may read it. */
export interface DroppedFile {
  /** Resolves when the disk holds the letters: only then may they be removed. */
  keep(letters: readonly DeadLetter[]): Promise<void>;
  close(): Promise<void>;
}

interface Circumstances {
  readonly because: string;
  readonly by: string;
  readonly now: () => Date;
}

/** Made with the first letter: where nothing matches, there is no file. Refuses one that exists. */
export function createDroppedFile(path: string, { because, by, now }: Circumstances): DroppedFile {
  let file: FileHandle | undefined;
  return {
    async keep(letters) {
      file ??= await create(path);
      const droppedAt = now().toISOString();
      const lines = letters.map(({ receiptHandle: _, ...letter }) =>
        JSON.stringify({
          droppedAt,
          by,
          because,
          ...letter,
          at: new Date(letter.at).toISOString(),
        }),
      );
      await file.appendFile(lines.map((line) => `${line}\n`).join(''));
      await file.datasync();
    },
    close: async () => file?.close(),
  };
}

async function create(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'ax', 0o600);
  await syncFolder(dirname(path));
  return file;
}

/** Else a power failure could leave the letters removed and the file without a name. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } finally {
    await folder?.close();
  }
}
