import { type Deployment, nextCommand } from '../../deployment/deployment.ts';
import { EXIT, type ExitCode } from '../../exit.ts';
import type { Session } from '../../session.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { spanText } from '../../terminal/text.ts';
import { countLetters } from '../count-letters.ts';
import { describeFilter, familiesOf, type LetterFilter } from '../letter-filter.ts';
import { openLetterQueues } from '../letter-queues.ts';
import { notSeenText } from '../not-seen.ts';
import { letterReaderOf, OBSTACLES } from '../replay/prepare-replay.ts';
import { groupsAsJson, showGroups } from '../show-groups.ts';
import { createReplaySuggestions, type SuggestedReplay } from './suggest-replay.ts';
import { type Survey, surveyLetters } from './survey-letters.ts';

/** `loyalty-connector dead-letters list` */
export async function listLetters(session: Session, filter: LetterFilter): Promise<ExitCode> {
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const { terminal } = session;
  const progress = terminal.progress('Reading dead letters:');
  const replays = createReplaySuggestions(letterReaderOf(deployment.connector.shops));
  const survey = await surveyLetters({
    queues: openLetterQueues(deployment, familiesOf(filter, deployment.connector)),
    filter,
    signal,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
    onMatch: replays.add,
  });
  progress.end();
  const now = new Date();
  if (session.json) {
    const { groups, ...rest } = survey;
    terminal.json({ stack: deployment.stack, ...rest, groups: groupsAsJson(groups) });
    return EXIT.fine;
  }
  terminal.line(headline(survey, filter, deployment.stack));
  if (survey.groups.length > 0) {
    terminal.line();
    showGroups(survey.groups, terminal, now);
  }
  tellWhatWasNotSeen(survey, terminal);
  tellWhatExpires(survey, terminal, now);
  if (survey.groups.length > 0) suggestNext(survey, replays.best(filter), deployment, terminal);
  return EXIT.fine;
}

function headline({ matching, queues }: Survey, filter: LetterFilter, stack: string): string {
  const where = queues
    .filter((queue) => queue.matching > 0)
    .map((queue) => `${queue.matching} in the ${queue.family} queue`);
  const chosen = describeFilter(filter);
  const of = chosen ? ` with ${chosen}` : '';
  if (matching === 0) {
    const found = queues.some(({ notSeen }) => notSeen > 0) ? 'to be seen ' : '';
    return `No dead letters${of} ${found}in ${stack}.`;
  }
  return `${countLetters(matching)}${of} in ${stack}: ${where.join(', ')}.`;
}

function tellWhatWasNotSeen({ queues }: Survey, { line, paragraph }: Terminal): void {
  for (const { family, notSeen } of queues) {
    if (notSeen === 0) continue;
    line();
    paragraph(notSeenText(notSeen, family));
  }
}

/** SQS deletes what is too old, without asking. */
const WORTH_A_WARNING_MS = 3 * 86_400_000;

function tellWhatExpires({ groups, queues }: Survey, { line, style }: Terminal, now: Date): void {
  const oldest = Math.min(...groups.map((group) => group.oldest));
  const retentionMs = Math.min(...queues.map((queue) => queue.retentionSeconds)) * 1000;
  const leftMs = oldest + retentionMs - now.getTime();
  if (retentionMs === 0 || !(leftMs < WORTH_A_WARNING_MS)) return;
  line();
  line(style('yellow', `SQS deletes the oldest in ${spanText(leftMs)}: replay or drop it before.`));
}

function suggestNext(
  { groups: [first] }: Survey,
  replay: SuggestedReplay,
  deployment: Deployment,
  { line, style, paragraph }: Terminal,
): void {
  if (!first) return;
  const id = first.example.id ?? first.example.messageId;
  line();
  line(style('dim', `Look at one:  ${nextCommand(deployment, 'dead-letters show', id)}`));
  if (replay.kind === 'none') paragraph(`None can be sent again: ${OBSTACLES[replay.obstacle]}.`);
  else line(style('dim', `Send again:   ${nextCommand(deployment, replay.command)}`));
}
