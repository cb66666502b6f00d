import type { ListedLetter } from '../../../../shared/core/batch/dead-letter.ts';
import { type Deployment, nextCommand } from '../../deployment/deployment.ts';
import { EXIT, type ExitCode } from '../../exit.ts';
import type { Session } from '../../session.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { spanText } from '../../terminal/text.ts';
import { countLetters } from '../count-letters.ts';
import { describeFilter, familiesOf, type LetterFilter } from '../letter-filter.ts';
import { openLetterQueues } from '../letter-queues.ts';
import { notSeenText } from '../not-seen.ts';
import { listedOf } from '../read-letter.ts';
import { openSummaries, readSummaries } from '../read-summaries.ts';
import { letterReaderOf, OBSTACLES } from '../replay/prepare-replay.ts';
import { groupsAsJson, showGroups } from '../show-groups.ts';
import { type LetterPage, type PageOptions, pageAsJson, pageOf, showPage } from './letter-pages.ts';
import {
  createReplaySuggestions,
  foreseeReplay,
  type SuggestedReplay,
  tryReplay,
} from './suggest-replay.ts';
import { type Survey, surveyLetters, surveySummaries } from './survey-letters.ts';

export interface ListOptions extends PageOptions {
  readonly walk?: boolean;
}

/** `loyalty-connector dead-letters list` */
export async function listLetters(
  session: Session,
  filter: LetterFilter,
  { walk = false, ...asked }: ListOptions,
): Promise<ExitCode> {
  const deployment = await session.findDeployment();
  const { terminal } = session;
  const progress = terminal.progress('Reading dead letters:');
  const reader = letterReaderOf(deployment.connector.shops);
  const replays = createReplaySuggestions();
  const queues = openLetterQueues(deployment, familiesOf(filter, deployment.connector));
  const found: ListedLetter[] = [];
  const now = new Date();
  const survey = walk
    ? await surveyLetters({
        queues,
        filter,
        signal: session.interruption(),
        onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
        onMatch(letter) {
          if (asked.limit !== undefined) found.push(listedOf(letter));
          replays.add(letter, tryReplay(letter, reader));
        },
      })
    : await surveySummaries({
        queues,
        filter,
        letters: await readSummaries(openSummaries(deployment), deployment, now, progress.report),
        onMatch(letter) {
          found.push(letter);
          replays.add(letter, foreseeReplay(letter, reader));
        },
      });
  progress.end();
  const page = pageOf(found, asked);
  if (session.json) {
    terminal.json(
      listAsJson(deployment.stack, survey, asked.limit === undefined ? undefined : page),
    );
    return EXIT.fine;
  }
  terminal.line(headline(survey, filter, deployment.stack));
  if (survey.groups.length > 0) {
    terminal.line();
    if (asked.limit === undefined) showGroups(survey.groups, terminal, now);
    else showPage(page, terminal, now);
  }
  tellWhatWasNotSeen(survey, deployment, terminal);
  tellWhatExpires(survey, terminal, now);
  if (page.next !== undefined) {
    const chosen = describeFilter(filter);
    const next = `dead-letters list ${chosen} --limit ${asked.limit} --after '${page.next}'`;
    terminal.line();
    terminal.line(terminal.style('dim', `Older ones:   ${nextCommand(deployment, next)}`));
  }
  if (survey.groups.length > 0) suggestNext(survey, replays.best(filter), deployment, terminal);
  return EXIT.fine;
}

export function listAsJson(stack: string, survey: Survey, page: LetterPage | undefined) {
  const { groups, ...rest } = survey;
  const deletedAt = firstDeletion(survey);
  return {
    ...{ stack, ...rest, groups: groupsAsJson(groups) },
    ...(deletedAt !== undefined && { oldestDeletedAt: new Date(deletedAt).toISOString() }),
    ...(page && pageAsJson(page)),
  };
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

function tellWhatWasNotSeen(
  { queues, source }: Survey,
  deployment: Deployment,
  { line, paragraph, style }: Terminal,
): void {
  const walk = `    ${nextCommand(deployment, 'dead-letters list --walk')}`;
  for (const { family, notSeen, gone } of queues) {
    if (notSeen === 0 && gone === 0) continue;
    line();
    if (source === 'queues') {
      paragraph(notSeenText(notSeen, family));
      continue;
    }
    paragraph(
      notSeen > 0
        ? `About ${notSeen} more in the ${family} queue have no summary: SQS moved them there itself, because a worker died on them. This receives and shows them:`
        : `SQS counts ${gone} fewer in the ${family} queue: its count may be a minute old, or they were removed without this command line, and their summaries expire. To compare:`,
    );
    line(style('dim', walk));
  }
}

/** SQS deletes what is too old, without asking. */
const WORTH_A_WARNING_MS = 3 * 86_400_000;

/** Epoch milliseconds: when SQS deletes the oldest letter. */
function firstDeletion({ groups, queues }: Survey): number | undefined {
  const oldest = Math.min(...groups.map((group) => group.oldest));
  const retentionMs = Math.min(...queues.map((queue) => queue.retentionSeconds)) * 1000;
  return retentionMs > 0 && groups.length > 0 ? oldest + retentionMs : undefined;
}

function tellWhatExpires(survey: Survey, { line, style }: Terminal, now: Date): void {
  const leftMs = (firstDeletion(survey) ?? Number.POSITIVE_INFINITY) - now.getTime();
  if (leftMs >= WORTH_A_WARNING_MS) return;
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
  const id = first.example.id ?? first.example.letterId;
  line();
  line(style('dim', `Look at one:  ${nextCommand(deployment, 'dead-letters show', id)}`));
  if (replay.kind === 'none') paragraph(`None can be sent again: ${OBSTACLES[replay.obstacle]}.`);
  else line(style('dim', `Send again:   ${nextCommand(deployment, replay.command)}`));
}
