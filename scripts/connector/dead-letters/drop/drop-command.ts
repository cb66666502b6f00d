import { join } from 'node:path';
import type { DeadLetter } from '../../../../shared/core/batch/dead-letter.ts';
import { openLedger } from '../../deployment/open-ledger.ts';
import { BadArguments, EXIT, type ExitCode } from '../../exit.ts';
import type { Session } from '../../session.ts';
import { countLetters } from '../count-letters.ts';
import { describeFilter, type LetterFilter } from '../letter-filter.ts';
import { openLetterQueues } from '../letter-queues.ts';
import { surveyLetters } from '../list/survey-letters.ts';
import { searchScope } from '../search-scope.ts';
import { showGroups } from '../show-groups.ts';
import { whoIsAtTheKeyboard } from '../who.ts';
import { dropLetters } from './drop-letters.ts';
import { createDroppedFile } from './dropped-file.ts';

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
    throw new BadArguments('say which letters: at least one of --kind, --id, --code, --reason, …');
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
  const by = whoIsAtTheKeyboard();
  const file = createDroppedFile(path, { because, by, now: () => new Date() });
  const progress = terminal.progress('Dropping dead letters:', agreed?.size);
  let dropped = 0;
  try {
    const onDropped = (count: number) => {
      dropped = count;
      progress.report(count);
    };
    const world = { queues, file, ledger: openLedger(deployment), now: () => new Date() };
    const leave = (letters: readonly DeadLetter[]) => retire(letters, 'dropped');
    await dropLetters({ ...world, retire: leave, filter, most, agreed, signal, onDropped });
  } finally {
    progress.end();
    change.count({ dropped });
    await file.close();
    const keptIn = dropped === 0 ? null : path;
    if (session.json) terminal.json({ stack: deployment.stack, dropped, because, file: keptIn });
    else if (keptIn) terminal.line(`Dropped ${countLetters(dropped)}, kept in ${keptIn}`);
    else terminal.line('Nothing was dropped.');
  }
  return EXIT.fine;
}

/** The letters that the person agreed to lose; undefined when they did not. */
async function askFor(
  session: Session,
  world: Pick<Parameters<typeof surveyLetters>[0], 'queues' | 'filter' | 'signal' | 'most'>,
): Promise<Set<string> | undefined> {
  const { terminal } = session;
  const agreed = new Set<string>();
  const progress = terminal.progress('Reading dead letters:');
  const { groups } = await surveyLetters({
    ...world,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
    onMatch: ({ messageId }) => void agreed.add(messageId),
  });
  progress.end();
  const chosen = describeFilter(world.filter);
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
      `Drop ${countLetters(agreed.size)}? What they are about is not sent again until it changes in the store.`,
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
