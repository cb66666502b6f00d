import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type DeadLetter,
  type DeadLetterQueue,
  noteDropped,
} from '../../../shared/core/batch/dead-letter.ts';
import { inBatches, isEntityKind } from '../../../shared/core/events/event.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { openLedger } from '../deployment/deployment.ts';
import { localUser } from '../deployment/read-caller.ts';
import { BadArguments, EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/text.ts';
import { describeFilter, type LetterFilter, matchesFilter } from './filter.ts';
import { showGroups } from './groups.ts';
import { openLetterQueues, readLetter, scanLetters, searchScope, surveyLetters } from './read.ts';

export interface DropOptions {
  readonly because: string;
  readonly yes?: boolean;
}

/** `loyalty-connector dead-letters drop` */
export async function dropCommand(
  session: Session,
  filter: LetterFilter,
  { because, yes }: DropOptions,
): Promise<ExitCode> {
  if (Object.keys(filter).length === 0) {
    throw new BadArguments(
      'say which dead letters: at least one of --kind, --id, --code, --reason, …',
    );
  }
  const { terminal } = session;
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const { families, most, retire } = await searchScope(deployment, filter);
  const queues = openLetterQueues(deployment, families);
  let agreed: Set<string> | undefined;
  if (!yes) {
    agreed = await askFor(session, { queues, filter, signal, most });
    if (!agreed) return EXIT.failed;
  }
  const change = await session.beginChange(deployment);
  const path = fileFor(deployment.stack, new Date());
  const by = localUser();
  const file = createDroppedFile(path, { because, by, now: () => new Date() });
  const progress = terminal.progress('Dropping dead letters:', agreed?.size);
  let dropped = 0;
  try {
    const onDropped = (count: number) => {
      dropped = count;
      progress.report(count);
    };
    const deps = { queues, file, ledger: openLedger(deployment), now: () => new Date() };
    const leave = (letters: readonly DeadLetter[]) => retire(letters, 'dropped');
    await dropLetters({ ...deps, retire: leave, filter, most, agreed, signal, onDropped });
  } finally {
    progress.end();
    change.count({ dropped });
    await file.close();
    const keptIn = dropped === 0 ? null : path;
    if (session.json) terminal.json({ stack: deployment.stack, dropped, because, file: keptIn });
    else if (keptIn) terminal.line(`Dropped ${counted(dropped, 'dead letter')}, kept in ${keptIn}`);
    else terminal.line('Nothing was dropped.');
  }
  return EXIT.fine;
}

/** The dead letters that the person agreed to lose; undefined when they did not. */
async function askFor(
  session: Session,
  deps: Pick<Parameters<typeof surveyLetters>[0], 'queues' | 'filter' | 'signal' | 'most'>,
): Promise<Set<string> | undefined> {
  const { terminal } = session;
  const agreed = new Set<string>();
  const progress = terminal.progress('Reading dead letters:');
  const { groups } = await surveyLetters({
    ...deps,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
    onMatch: ({ messageId }) => void agreed.add(messageId),
  });
  progress.end();
  const chosen = describeFilter(deps.filter);
  if (agreed.size === 0) {
    terminal.note(`No dead letter matches ${chosen}. Nothing was dropped.`);
    return undefined;
  }
  if (!session.json) {
    showGroups(groups, terminal, new Date());
    terminal.line();
  }
  if (
    await terminal.confirm(
      `Drop ${counted(agreed.size, 'dead letter')}? What they are about is not sent again until it changes in the store.`,
    )
  )
    return agreed;
  const say = session.json ? terminal.note : terminal.hint;
  say('Nothing was dropped. Type "yes" to agree, or use --yes.');
  return undefined;
}

/** In the folder the command was started in, beside the files that no commit takes up. */
function fileFor(stack: string, now: Date): string {
  const stamp = now.toISOString().replace(/[:.]/g, '-');
  return join(process.cwd(), '.connector', 'dropped', `${stack}-${stamp}.jsonl`);
}

export interface DropDeps {
  readonly queues: readonly DeadLetterQueue[];
  readonly file: Pick<DroppedFile, 'keep'>;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  /** Takes dead letters from the lists, before they leave the queue. */
  readonly retire: (letters: readonly DeadLetter[]) => Promise<void>;
  readonly now: () => Date;
  readonly filter: LetterFilter;
  /** No more than this match: the scan ends when it has seen them. */
  readonly most?: number | undefined;
  /** Undefined for all that match, else only those that the person was shown. */
  readonly agreed: ReadonlySet<string> | undefined;
  readonly signal: AbortSignal;
  readonly onDropped: (dropped: number) => void;
}

/**
 * Removes dead letters, each after the file holds it and the ledger says so; one queue after the other. What
 * they were about is not healed until it changes in the store.
 */
export async function dropLetters(deps: DropDeps): Promise<number> {
  const { queues, file, filter, agreed, onDropped, most } = deps;
  const found = new AbortController();
  const signal = AbortSignal.any([deps.signal, found.signal]);
  let dropped = 0;
  const isMeant = (letter: DeadLetter) =>
    matchesFilter(readLetter(letter), filter) && (agreed?.has(letter.messageId) ?? true);
  for (const queue of queues) {
    await scanLetters({ queue, signal }, async (letters) => {
      const meant = letters.filter(isMeant);
      if (meant.length > 0) await file.keep(meant);
      await inBatches(meant, (letter) => note(letter, deps));
      await deps.retire(meant);
      await queue.remove(meant.map(({ receiptHandle }) => receiptHandle));
      dropped += meant.length;
      if (dropped >= (most ?? Number.POSITIVE_INFINITY)) found.abort();
      onDropped(dropped);
      return letters.filter((letter) => !meant.includes(letter));
    });
  }
  return dropped;
}

async function note(letter: DeadLetter, { ledger, now }: DropDeps): Promise<void> {
  const { event } = readLetter(letter);
  if (!event || !isEntityKind(event.kind)) return;
  const key = { shop: event.shop, kind: event.kind, id: event.id };
  await noteDropped(key, event.topic, { ledger, now: now() });
}

/** Keeps what is about to be dropped. Bodies hold personal data: only the user may read it. */
interface DroppedFile {
  /** Resolves when the disk holds the dead letters: only then may they be removed. */
  keep(letters: readonly DeadLetter[]): Promise<void>;
  close(): Promise<void>;
}

interface Circumstances {
  readonly because: string;
  readonly by: string;
  readonly now: () => Date;
}

/** Made with the first letter: where nothing matches, there is no file. Refuses one that exists. */
function createDroppedFile(path: string, { because, by, now }: Circumstances): DroppedFile {
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

/** Else a power failure could leave the dead letters removed and the file without a name. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } finally {
    await folder?.close();
  }
}
