import { nextCommand } from '../../deployment/deployment.ts';
import { EXIT, type ExitCode, Problem } from '../../exit.ts';
import type { CommonOptions, Session } from '../../session.ts';
import { relativeTime } from '../../terminal/text.ts';
import { countLetters } from '../count-letters.ts';
import { examineLetter, examiningWorld } from './examine-letter.ts';
import { findLetters } from './find-letters.ts';
import { letterAsJson } from './letter-as-json.ts';
import { printLetter } from './print-letter.ts';

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
  const progress = terminal.progress('Looking for it:');
  const { matching, alike, received } = await findLetters(deployment, {
    ...{ id, most: MOST_SHOWN, signal },
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
  });
  progress.end();
  const look = `To see what is there: ${nextCommand(deployment, 'dead-letters list')}`;
  if (matching === 0) throw new Problem(`No dead letter is, or is about, ${id}.`, look);
  const world = examiningWorld(deployment);
  const shown = [];
  for (const { newest, oldestAt, count } of alike.slice(0, MOST_SHOWN)) {
    const letter = received.get(newest.letterId);
    if (letter) shown.push({ examined: await examineLetter(letter, world), oldestAt, count });
  }
  if (shown.length === 0) {
    const why = alike[0]?.newest.why ?? '';
    throw new Problem(
      `The queue does not give this letter now (${why}): another person or a killed run has received it, or it was removed without this command line. Look again in five minutes.`,
      look,
    );
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
