import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DeadLetter } from '../../../../shared/core/batch/dead-letter.ts';

/** As long as anybody asks why: bodies hold personal data, which no redaction finds here. */
export const COPY_DAYS = 30;
const SUFFIX = '.jsonl';

/** In the folder the command was started in, beside the files that no commit takes up. */
const folder = () => join(process.cwd(), '.connector', 'dropped');

export function fileFor(stack: string, now: Date): string {
  const stamp = now.toISOString().replace(/[:.]/g, '-');
  return join(folder(), `${stack}-${stamp}${SUFFIX}`);
}

/** Deletes the copies in this folder that are old enough. Every command calls it: a later `drop` may never come. */
export async function deleteOldCopies(now: Date): Promise<void> {
  for (const name of await readdir(folder()).catch(() => [])) {
    const path = join(folder(), name);
    // Another command may have deleted it.
    const { mtimeMs } = (await stat(path).catch(() => undefined)) ?? { mtimeMs: now.getTime() };
    const isOver = name.endsWith(SUFFIX) && now.getTime() - mtimeMs > COPY_DAYS * 86_400_000;
    // A copy that cannot be deleted must not stop the command; the next one tries again.
    if (isOver) await rm(path, { force: true }).catch(() => {});
  }
}

export type KeptLetter = Omit<DeadLetter, 'receiptHandle'>;

/**
 * Keeps what is about to be dropped. Bodies hold personal data: only the user may read it. Made with the first dead
 * letter: where nothing matches, there is no file. Refuses one that exists.
 */
export function createDroppedFile(
  path: string,
  circumstances: { readonly because: string; readonly by: string },
) {
  let file: FileHandle | undefined;
  return {
    /** Resolves when the disk holds the dead letters: only then may they be removed. */
    async keep(letters: readonly KeptLetter[]): Promise<void> {
      file ??= await create(path);
      const facts = { droppedAt: new Date().toISOString(), ...circumstances };
      const lines = letters.map((letter) =>
        JSON.stringify({ ...facts, ...letter, at: new Date(letter.at).toISOString() }),
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
  // Else a power failure could leave the dead letters removed and the file without a name.
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
  return file;
}
