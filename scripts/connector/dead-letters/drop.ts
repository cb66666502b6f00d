import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type DeadLetter,
  type DeadLetterQueue,
  type ListedDeadLetter,
  noteDropped,
  retireSummaries,
  summarize,
} from '../../../shared/core/batch/dead-letter.ts';
import { type EntityKey, inBatches, isEntityKind } from '../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { localUser } from '../deployment/read-caller.ts';
import { type Document, facts, text, type Verdict } from '../document/document.ts';
import { line } from '../document/line.ts';
import type { Session } from '../session/session.ts';
import { BadArguments, EXIT, type ExitCode } from '../terminal/exit.ts';
import { counted } from '../terminal/text.ts';
import { groupsOf, groupsTable } from './describe.ts';
import { type LetterList, noticesOf, readList, scanNext } from './list.ts';
import {
  type LetterFilter,
  NOT_SEEN,
  newestFirst,
  openLetterQueues,
  optionsOf,
  type ReadLetter,
  readLetter,
  scanLetters,
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
): Promise<Document | ExitCode> {
  if (Object.keys(filter).length === 0) {
    throw new BadArguments(
      'say which dead letters: at least one of --kind, --id, --code, --reason, …',
    );
  }
  const deployment = await session.findDeployment();
  const list = await readList(session, deployment, filter);
  const preview = previewOf(list, filter, because);
  if (list.matching.length === 0) return preview;
  if (!yes) {
    session.show(preview);
    const many = counted(list.matching.length, 'dead letter');
    if (!(await session.terminal.confirm(`Drop ${many}?`))) return EXIT.fine;
  }
  return dropListed(session, deployment, list.matching, because);
}

async function dropListed(
  session: Session,
  deployment: Deployment,
  letters: readonly ListedDeadLetter[],
  because: string,
): Promise<Document> {
  const signal = session.interruption();
  const { stack } = deployment;
  const queues = openLetterQueues(deployment, [...new Set(letters.map(({ family }) => family))]);
  const letterIds = new Set(letters.map(({ letterId }) => letterId));
  const ledger = openLedger(deployment);
  const change = await session.beginChange(deployment);
  const path = fileFor(stack, new Date());
  const file = createDroppedFile(path, { because });
  const progress = session.terminal.progress('Dropping dead letters:', letterIds.size);
  const dropped: ListedDeadLetter[] = [];
  let fault: unknown;
  try {
    await dropLetters({
      ...{ queues, file, ledger, letterIds, signal, now: () => new Date() },
      retire: (some) => retireSummaries(some, 'dropped', { ledger, now: new Date() }),
      onDropped(some) {
        dropped.push(...some.map((letter) => summarize(letter, letter.event)));
        progress.report(dropped.length);
      },
    });
  } catch (error) {
    fault = error;
  }
  progress.end();
  change.count({ dropped: dropped.length });
  await file.close();
  const keptIn = dropped.length === 0 ? null : path;
  const left = letters.length - dropped.length;
  const isReceivable = left <= 0 || fault !== undefined || signal.aborted;
  const verdict: Verdict = {
    kind: 'action required',
    what: `${left} of ${counted(letters.length, 'dead letter')} cannot be received now, and stay.`,
  };
  const document: Document = {
    title: keptIn ? `Dropped ${counted(dropped.length, 'dead letter')}` : 'Nothing was dropped',
    ...(!isReceivable && { verdict }),
    blocks: [
      ...(keptIn ? [groupsTable(groupsOf(dropped.toSorted(newestFirst)))] : []),
      ...(keptIn ? [facts([['kept in', keptIn]])] : []),
      ...(isReceivable ? [] : [text(`${left} cannot be received now: ${NOT_SEEN}`, 'waits')]),
      ...(isReceivable && left > 0 ? [text(`Left ${left}: interrupted.`, 'soft')] : []),
    ],
    next: [{ label: 'See what is left', line: line('dead-letters list') }],
    data: { stack, dropped: dropped.length, because, file: keptIn },
  };
  if (fault === undefined) return document;
  session.show(document);
  throw fault;
}

/** What would be dropped. The suggested command drops none that is given up later: the person has not seen it. */
function previewOf(list: LetterList, filter: LetterFilter, because: string): Document {
  const [newest] = list.matching;
  const many = list.matching.length;
  const options = { ...optionsOf({ until: newest?.at ?? 0, ...filter }), because, yes: true };
  const after = 'What they are about is not sent again until it changes in the store.';
  return {
    title: newest ? `Would drop ${counted(many, 'dead letter')}` : 'No dead letter to drop',
    blocks: [
      ...noticesOf(list, filter),
      ...(newest ? [groupsTable(groupsOf(list.matching)), text(after)] : []),
      text('Nothing was dropped.'),
    ],
    next: newest
      ? [{ label: `Drop ${many}`, line: line('dead-letters drop', [], options) }]
      : scanNext(list),
    data: { wouldDrop: many, dropped: 0, because, file: null },
  };
}

/** In the folder the command was started in, beside the files that no commit takes up. */
function fileFor(stack: string, now: Date): string {
  const stamp = now.toISOString().replace(/[:.]/g, '-');
  return join(process.cwd(), '.connector', 'dropped', `${stack}-${stamp}.jsonl`);
}

export interface DropDeps {
  readonly queues: readonly DeadLetterQueue[];
  readonly file: Pick<ReturnType<typeof createDroppedFile>, 'keep'>;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  /** Takes dead letters from the lists, before they leave the queue. */
  readonly retire: (letters: readonly DeadLetter[]) => Promise<void>;
  readonly now: () => Date;
  /** Of those to drop: the scan ends when it has seen them. */
  readonly letterIds: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly onDropped: (letters: readonly ReadLetter[]) => void;
}

/**
 * Removes dead letters, each after the file holds it and the ledger says so; one queue after the other. What
 * they were about is not healed until it changes in the store.
 */
export async function dropLetters(deps: DropDeps): Promise<number> {
  const { queues, file, letterIds, onDropped } = deps;
  const found = new AbortController();
  const signal = AbortSignal.any([deps.signal, found.signal]);
  const seen = new Set<string>();
  let dropped = 0;
  for (const queue of queues) {
    await scanLetters({ queue, signal }, async (letters) => {
      const meant = letters.map(readLetter).filter((one) => letterIds.has(one.letterId));
      if (meant.length > 0) await file.keep(await withoutRedacted(meant, deps.ledger));
      await inBatches(meant, (letter) => note(letter, deps));
      await deps.retire(meant);
      await queue.remove(meant.map(({ receiptHandle }) => receiptHandle));
      dropped += meant.length;
      // A message that was parked twice is two dead letters with one id.
      for (const { letterId } of meant) seen.add(letterId);
      if (seen.size >= letterIds.size) found.abort();
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
  if (!key) return;
  const by = localUser();
  await noteDropped(key, letter.event?.topic ?? '', { ledger, now: now(), by });
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

/**
 * Keeps what is about to be dropped. Bodies hold personal data: only the user may read it. Made with the first dead
 * letter: where nothing matches, there is no file. Refuses one that exists.
 */
function createDroppedFile(path: string, circumstances: { readonly because: string }) {
  let file: FileHandle | undefined;
  return {
    /** Resolves when the disk holds the dead letters: only then may they be removed. */
    async keep(letters: readonly KeptLetter[]): Promise<void> {
      file ??= await create(path);
      const facts = { droppedAt: new Date().toISOString(), by: localUser(), ...circumstances };
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
