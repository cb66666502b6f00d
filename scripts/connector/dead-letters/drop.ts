import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type DeadLetter,
  type DeadLetterQueue,
  noteDropped,
} from '../../../shared/core/batch/dead-letter.ts';
import { type EntityKey, inBatches, isEntityKind } from '../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { openLedger } from '../deployment/deployment.ts';
import { localUser } from '../deployment/read-caller.ts';
import { type Document, facts, text } from '../document/document.ts';
import { line } from '../document/line.ts';
import { BadArguments } from '../exit.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/text.ts';
import { createLetterGroups, filterText, groupsTable, type LetterGroup } from './describe.ts';
import {
  type LetterFilter,
  matchesFilter,
  openLetterQueues,
  optionsOf,
  type ReadLetter,
  readLetter,
  type SurveySettings,
  scanLetters,
  searchScope,
  surveyLetters,
} from './read.ts';

export interface DropOptions {
  readonly because: string;
  readonly yes?: boolean;
}

/** `loyalty-connector dead-letters drop` */
export async function dropCommand(
  session: Session,
  filter: LetterFilter,
  { because, yes }: DropOptions,
): Promise<Document> {
  if (Object.keys(filter).length === 0) {
    throw new BadArguments(
      'say which dead letters: at least one of --kind, --id, --code, --reason, …',
    );
  }
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const { stack } = deployment;
  const { families, most, retire } = await searchScope(deployment, filter);
  const queues = openLetterQueues(deployment, families);
  if (!yes) return previewDrop(session, { queues, filter, signal, most }, because);
  const change = await session.beginChange(deployment);
  const path = fileFor(stack, new Date());
  const file = createDroppedFile(path, { because, by: localUser(), now: () => new Date() });
  const progress = session.terminal.progress('Dropping dead letters:', most);
  const groups = createLetterGroups();
  let dropped = 0;
  let fault: unknown;
  try {
    await dropLetters({
      ...{ queues, file, ledger: openLedger(deployment), filter, most, signal },
      now: () => new Date(),
      retire: (letters) => retire(letters, 'dropped'),
      onDropped(letters) {
        letters.forEach(groups.add);
        dropped += letters.length;
        progress.report(dropped);
      },
    });
  } catch (error) {
    fault = error;
  }
  progress.end();
  change.count({ dropped });
  await file.close();
  const document = droppedDocument({ stack, dropped, because, path, groups: groups.all() });
  if (fault === undefined) return document;
  session.show(document);
  throw fault;
}

function droppedDocument(done: {
  readonly stack: string;
  readonly dropped: number;
  readonly because: string;
  readonly path: string;
  readonly groups: readonly LetterGroup[];
}): Document {
  const { stack, dropped, because, path, groups } = done;
  const title =
    dropped === 0 ? 'Nothing was dropped' : `Dropped ${counted(dropped, 'dead letter')}`;
  return {
    title,
    blocks:
      dropped === 0
        ? [text('No dead letter matches.')]
        : [
            groupsTable(groups),
            facts([
              ['kept in', path],
              ['because', because],
            ]),
          ],
    next: [{ label: 'See what is left', line: line('dead-letters list') }],
    data: { stack, dropped, because, file: dropped === 0 ? null : path },
  };
}

/** What would be dropped, without removing anything. The suggested command drops none that is given up later. */
async function previewDrop(
  { terminal }: Session,
  deps: Pick<SurveySettings, 'queues' | 'filter' | 'signal' | 'most'>,
  because: string,
): Promise<Document> {
  const { filter } = deps;
  const groups = createLetterGroups();
  const progress = terminal.progress('Reading dead letters:');
  let newest = 0;
  const { matching } = await surveyLetters({
    ...deps,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
    onMatch(letters) {
      letters.forEach(groups.add);
      newest = Math.max(newest, ...letters.map(({ at }) => at));
    },
  });
  progress.end();
  const data = { wouldDrop: matching, because };
  if (matching === 0) {
    const none = text(`No dead letter matches ${filterText(filter)}.`);
    return { title: 'Nothing to drop', blocks: [none], data };
  }
  const options = { ...optionsOf({ until: newest, ...filter }), because, yes: true };
  const after = 'What they are about is not sent again until it changes in the store.';
  return {
    title: `Would drop ${counted(matching, 'dead letter')}`,
    blocks: [groupsTable(groups.all()), text(`Nothing was dropped. ${after}`)],
    next: [{ label: `Drop ${matching}`, line: line('dead-letters drop', [], options) }],
    data,
  };
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
  readonly signal: AbortSignal;
  readonly onDropped: (letters: readonly ReadLetter[]) => void;
}

/**
 * Removes dead letters, each after the file holds it and the ledger says so; one queue after the other. What
 * they were about is not healed until it changes in the store.
 */
export async function dropLetters(deps: DropDeps): Promise<number> {
  const { queues, file, filter, onDropped, most } = deps;
  const found = new AbortController();
  const signal = AbortSignal.any([deps.signal, found.signal]);
  let dropped = 0;
  for (const queue of queues) {
    await scanLetters({ queue, signal }, async (letters) => {
      const meant = letters.map(readLetter).filter((one) => matchesFilter(one, filter));
      if (meant.length > 0) await file.keep(await withoutRedacted(meant, deps.ledger));
      await inBatches(meant, (letter) => note(letter, deps));
      await deps.retire(meant);
      await queue.remove(meant.map(({ receiptHandle }) => receiptHandle));
      dropped += meant.length;
      if (dropped >= (most ?? Number.POSITIVE_INFINITY)) found.abort();
      onDropped(meant);
      const gone = new Set(meant.map(({ messageId }) => messageId));
      return letters.filter(({ messageId }) => !gone.has(messageId));
    });
  }
  return dropped;
}

const keyIn = ({ event }: ReadLetter): EntityKey | undefined =>
  event && isEntityKind(event.kind)
    ? { shop: event.shop, kind: event.kind, id: event.id }
    : undefined;

async function note(letter: ReadLetter, { ledger, now }: DropDeps): Promise<void> {
  const key = keyIn(letter);
  if (key) await noteDropped(key, letter.event?.topic ?? '', { ledger, now: now() });
}

/** The file outlives the queue: what is about a person whom the store asked to erase goes there without its body. */
async function withoutRedacted(
  letters: readonly ReadLetter[],
  ledger: DropDeps['ledger'],
): Promise<readonly KeptLetter[]> {
  const entries = await ledger.readMany(letters.flatMap((letter) => keyIn(letter) ?? []));
  return letters.map((letter) => {
    const { event: _, undecodable: __, isNewer: ___, receiptHandle: ____, ...kept } = letter;
    const key = keyIn(letter);
    const isRedacted = key && entries.get(ledgerKeyText(key))?.redactedAt !== undefined;
    return isRedacted ? { ...kept, body: 'erased: the store asked to erase this person' } : kept;
  });
}

type KeptLetter = Omit<DeadLetter, 'receiptHandle'>;

/** Keeps what is about to be dropped. Bodies hold personal data: only the user may read it. */
interface DroppedFile {
  /** Resolves when the disk holds the dead letters: only then may they be removed. */
  keep(letters: readonly KeptLetter[]): Promise<void>;
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
      const lines = letters.map((letter) =>
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
