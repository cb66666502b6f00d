import { nextCommand } from '../../deployment/deployment.ts';
import { EXIT, type ExitCode, Problem } from '../../exit.ts';
import type { CommonOptions, Session } from '../../session.ts';
import { relativeTime } from '../../terminal/text.ts';
import { countLetters } from '../count-letters.ts';
import { familiesOf } from '../letter-filter.ts';
import { openLetterQueues } from '../letter-queues.ts';
import { surveyLetters } from '../list/survey-letters.ts';
import type { ReadLetter } from '../read-letter.ts';
import { examineLetter, examiningWorld } from './examine-letter.ts';
import { letterAsJson } from './letter-as-json.ts';
import { printLetter } from './print-letter.ts';

/** An entity that fails again and again has many letters, and they tell the same: the newest is shown. */
interface Alike {
  newest: ReadLetter;
  oldestAt: number;
  count: number;
}

const MOST_SHOWN = 5;

/** `loyalty-connector dead-letters show ID` */
export async function showLetter(
  session: Session,
  id: string,
  options: CommonOptions & { readonly reveal?: boolean },
): Promise<ExitCode> {
  const { terminal } = session;
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const record = options.reveal ? await session.beginChange(deployment, 'reveal') : undefined;
  const folded = new Map<string, Alike>();
  const progress = terminal.progress('Looking for it:');
  const { matching } = await surveyLetters({
    queues: openLetterQueues(deployment, familiesOf({}, deployment.connector)),
    filter: { id },
    signal,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
    onMatch: (letter) => fold(letter, folded),
  });
  progress.end();
  if (folded.size === 0) {
    throw new Problem(
      `No dead letter is, or is about, ${id}.`,
      `To see what is there: ${nextCommand(deployment, 'dead-letters list')}`,
    );
  }
  const newestFirst = [...folded.values()].toSorted((a, b) => b.newest.at - a.newest.at);
  const world = examiningWorld(deployment);
  const shown = [];
  for (const { newest, oldestAt, count } of newestFirst.slice(0, MOST_SHOWN)) {
    shown.push({ examined: await examineLetter(newest, world), oldestAt, count });
  }
  record?.count({ revealed: shown.length });
  if (session.json) {
    const letters = shown.map(({ examined, oldestAt, count }) => ({
      ...letterAsJson(examined, options),
      ...{ alike: count, oldest: new Date(oldestAt).toISOString() },
    }));
    terminal.json({ matching, letters });
    return EXIT.fine;
  }
  const now = new Date();
  for (const [index, { examined, oldestAt, count }] of shown.entries()) {
    if (index > 0) terminal.line();
    printLetter(examined, { terminal, options, now });
    if (count === 1) continue;
    terminal.line();
    terminal.line(
      `The newest of ${count} letters that say the same, since ${relativeTime(oldestAt, now)}.`,
    );
  }
  const hidden = matching - shown.reduce((sum, { count }) => sum + count, 0);
  if (hidden > 0) {
    terminal.line();
    terminal.line(`Not shown: ${countLetters(hidden)} about it, with other reasons.`);
  }
  return EXIT.fine;
}

function fold(letter: ReadLetter, folded: Map<string, Alike>): void {
  const { family, reason, code, why, event, at } = letter;
  const key = JSON.stringify([family, event?.kind, event?.topic, reason, code, why]);
  const known = folded.get(key);
  if (!known) {
    folded.set(key, { newest: letter, oldestAt: at, count: 1 });
    return;
  }
  known.count += 1;
  known.oldestAt = Math.min(known.oldestAt, at);
  if (at >= known.newest.at) known.newest = letter;
}
