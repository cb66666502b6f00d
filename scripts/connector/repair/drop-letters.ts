import {
  type DeadLetterQueue,
  type ListedDeadLetter,
  noteDropped,
  retireSummaries,
} from '../../../shared/core/batch/dead-letter.ts';
import { inBatches } from '../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import {
  groupsOf,
  isUnrecorded,
  namedGroups,
  noticesOf,
  openIn,
  readList,
  scanNext,
} from '../ground/letters/describe-letters.ts';
import {
  entityIn,
  type LetterFilter,
  NOT_SEEN,
  openLetterQueues,
  optionsOf,
  type ReadLetter,
  takeLetters,
} from '../ground/letters/read-letters.ts';
import {
  type LetterReader,
  letterReaderOf,
  readErasure,
} from '../ground/letters/replay-letters.ts';
import { type Deployment, openLedger } from '../ground/session/deployment.ts';
import {
  COPY_DAYS,
  createDroppedFile,
  fileFor,
  type KeptLetter,
} from '../ground/session/dropped-copies.ts';
import { localUser } from '../ground/session/read-caller.ts';
import { type Change, carryOut, type Session } from '../ground/session/session.ts';
import {
  type Block,
  type Document,
  facts,
  type TableBlock,
  text,
} from '../ground/terminal/document.ts';
import { BadArguments, type ExitCode } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { counted } from '../ground/terminal/text.ts';

export interface DropOptions {
  readonly because: string;
  readonly yes?: boolean;
}

/** `loyalty-connector dead-letters drop`: what would go → ask → keep in a file → remove. */
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
  const { matching, delivered } = list;
  const [newest] = matching;
  const many = counted(matching.length, 'dead letter');
  const causes = await namedGroups(groupsOf(matching, delivered), deployment);
  // None that is given up later: the person has not seen it.
  const shown = optionsOf({ until: newest?.at ?? 0, ...filter });
  const drop = line('dead-letters drop', [], { ...shown, because, yes: true });
  return carryOut(session, deployment, yes, {
    preview: () => ({
      title: newest ? `Would drop ${many}` : 'No dead letter to drop',
      blocks: [
        ...noticesOf(list, filter),
        causes,
        ...afterwards(openIn(list)),
        text('Nothing was dropped.'),
      ],
      next: newest ? [{ label: `Drop ${matching.length}`, line: drop }] : scanNext(list),
      data: { wouldDrop: matching.length, dropped: 0, because, file: null },
    }),
    question: newest && `Drop ${many}?`,
    act: (change) => dropListed(session, deployment, matching, { because, causes, change }),
  });
}

function afterwards(letters: readonly ListedDeadLetter[]): readonly Block[] {
  const lost = letters.filter(isUnrecorded);
  return [
    ...(letters.length > lost.length
      ? [text('What was rejected is not sent again until it changes in the store.')]
      : []),
    ...(lost.length > 0
      ? [text('What could not be read: if the store has what it is about, reconcile sends that.')]
      : []),
  ];
}

async function dropListed(
  session: Session,
  deployment: Deployment,
  letters: readonly ListedDeadLetter[],
  {
    because,
    causes,
    change,
  }: { readonly because: string; readonly causes: TableBlock; readonly change: Change },
): Promise<Document> {
  const signal = session.interruption();
  const { stack } = deployment;
  const letterIds = new Set(letters.map(({ letterId }) => letterId));
  const path = fileFor(stack, new Date());
  const file = createDroppedFile(path, { because, by: localUser() });
  const progress = session.terminal.progress('Dropping dead letters:', letterIds.size);
  let dropped = 0;
  try {
    await dropLetters({
      ...letterReaderOf(deployment.connector.shops),
      queues: openLetterQueues(deployment, [...new Set(letters.map(({ family }) => family))]),
      ...{ file, ledger: openLedger(deployment), letterIds, signal, now: () => new Date() },
      onDropped(some) {
        dropped += some;
        progress.report(dropped);
      },
    });
  } finally {
    progress.end();
    change.count({ dropped });
    await file.close();
  }
  const keptIn = dropped === 0 ? null : path;
  const left = Math.max(letters.length - dropped, 0);
  const what = `${counted(left, 'dead letter')} cannot be received now: ${NOT_SEEN}`;
  return {
    title: keptIn ? `Dropped ${counted(dropped, 'dead letter')}` : 'Nothing was dropped',
    ...(left > 0 && !signal.aborted && { verdict: { kind: 'action required', what } }),
    blocks: [
      ...(left === 0 ? [causes] : []),
      ...(keptIn ? [facts([['kept in', keptIn], KEPT_FOR])] : []),
      ...(left > 0 && signal.aborted ? [text(`Left ${left}: interrupted.`, 'soft')] : []),
    ],
    next: [{ label: 'See what is left', line: line('dead-letters list') }],
    data: { stack, dropped, because, file: keptIn },
  };
}

const KEPT_FOR = [
  'kept for',
  `${COPY_DAYS} days: then the next command in this folder deletes it`,
] as const;

export interface DropDeps extends LetterReader {
  readonly queues: readonly DeadLetterQueue[];
  readonly file: Pick<ReturnType<typeof createDroppedFile>, 'keep'>;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly now: () => Date;
  readonly letterIds: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly onDropped: (some: number) => void;
}

/**
 * Removes dead letters, each after the file holds it and the ledger says so. What was rejected is not healed until it
 * changes in the store.
 */
export async function dropLetters(deps: DropDeps): Promise<void> {
  const { queues, file, letterIds, ledger, signal } = deps;
  await takeLetters({
    ...{ queues, letterIds, signal },
    async take(letters, queue) {
      if (letters.length === 0) return [];
      const then = { ledger, now: deps.now(), by: localUser() };
      await file.keep(await withoutRedacted(letters, deps));
      await inBatches(letters, async (letter) => {
        const key = entityIn(letter);
        if (key) await noteDropped(key, letter.event?.topic ?? '', then);
      });
      await retireSummaries(letters, 'dropped', then);
      await queue.remove(letters.map(({ receiptHandle }) => receiptHandle));
      deps.onDropped(letters.length);
      return letters;
    },
  });
}

/** The file outlives the queue: what is about a person whom the store asked to erase goes there without its body. */
async function withoutRedacted(
  letters: readonly ReadLetter[],
  deps: DropDeps,
): Promise<readonly KeptLetter[]> {
  const entries = await deps.ledger.readMany(letters.flatMap((letter) => entityIn(letter) ?? []));
  const keep = async (letter: ReadLetter): Promise<KeptLetter> => {
    const { event: _, undecodable: __, isNewer: ___, receiptHandle: ____, ...kept } = letter;
    const key = entityIn(letter);
    const redactedAt = await readErasure(letter, key && entries.get(ledgerKeyText(key)), deps);
    if (redactedAt === undefined) return kept;
    return { ...kept, body: 'erased: the store asked to erase this person' };
  };
  return Promise.all(letters.map(keep));
}
