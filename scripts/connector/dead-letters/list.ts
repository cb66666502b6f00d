import type {
  ListedDeadLetter,
  SummarizedDeadLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import { queueFamilyOf } from '../../../shared/core/events/event.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted, relativeTime, spanText } from '../terminal/text.ts';
import { describeFilter, familiesOf, type LetterFilter } from './filter.ts';
import { groupsAsJson, notSeenText, showGroups } from './groups.ts';
import {
  listedOf,
  newestFirst,
  openLetterQueues,
  openSummaries,
  type ReadLetter,
  readSummaries,
  type Survey,
  surveyLetters,
  surveySummaries,
} from './read.ts';
import {
  type LetterReader,
  letterReaderOf,
  OBSTACLES,
  type Obstacle,
  prepareReplay,
} from './replay.ts';

export interface ListOptions extends PageOptions {
  readonly scan?: boolean;
}

/** `loyalty-connector dead-letters list` */
export async function listLetters(
  session: Session,
  filter: LetterFilter,
  { scan = false, ...asked }: ListOptions,
): Promise<ExitCode> {
  const deployment = await session.findDeployment();
  const { terminal } = session;
  const progress = terminal.progress('Reading dead letters:');
  const reader = letterReaderOf(deployment.connector.shops);
  const replays = createReplaySuggestions();
  const queues = openLetterQueues(deployment, familiesOf(filter, deployment.connector));
  const found: ListedDeadLetter[] = [];
  const now = new Date();
  const survey = scan
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
  return `${counted(matching, 'dead letter')}${of} in ${stack}: ${where.join(', ')}.`;
}

function tellWhatWasNotSeen(
  { queues, source }: Survey,
  deployment: Deployment,
  { line, paragraph, style }: Terminal,
): void {
  const scan = `    ${nextCommand(deployment, 'dead-letters list --scan')}`;
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
    line(style('dim', scan));
  }
}

/** SQS deletes what is too old, without asking. */
const WORTH_A_WARNING_MS = 3 * 86_400_000;

/** Epoch milliseconds: when SQS deletes the oldest dead letter. */
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

interface PageOptions {
  readonly limit?: number;
  /** Where the page before ended. */
  readonly after?: string;
}

interface LetterPage {
  readonly letters: readonly ListedDeadLetter[];
  /** For `--after`; undefined when these are the last. */
  readonly next: string | undefined;
}

/** One page of dead letters, the newest first. A dead letter that arrives or leaves meanwhile moves no other page. */
function pageOf(
  letters: readonly ListedDeadLetter[],
  { limit = 0, after }: PageOptions,
): LetterPage {
  const rest = after === undefined ? letters : letters.filter((one) => placeOf(one) < after);
  const page = rest.toSorted(newestFirst).slice(0, limit);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return { letters: page, next: last && placeOf(last) };
}

function placeOf({ at, letterId }: ListedDeadLetter): string {
  return `${new Date(at).toISOString()}|${letterId}`;
}

export function pageAsJson({ letters, next }: LetterPage) {
  return {
    letters: letters.map(({ letterId, family, reason, code, why, attempts, at, event }) => ({
      ...{ letterId, family, reason, code, why, attempts, at: new Date(at).toISOString() },
      ...(event && { event }),
    })),
    ...(next !== undefined && { next }),
  };
}

function showPage({ letters }: LetterPage, { table }: Terminal, now: Date): void {
  table({
    columns: [
      { title: 'GIVEN UP' },
      { title: 'ABOUT', shrinks: true },
      { title: 'REASON' },
      { title: 'CODE', shrinks: true },
      { title: 'LETTER' },
    ],
    rows: letters.map(({ at, event, reason, code, letterId }) => [
      relativeTime(at, now),
      event ? `${event.kind} ${event.id}` : '-',
      reason,
      code ?? '-',
      letterId,
    ]),
    details: letters.map(({ why }) => why),
  });
}

type SuggestedReplay =
  | { readonly kind: 'replay'; readonly command: string }
  | { readonly kind: 'none'; readonly obstacle: Obstacle };

/** What a replay would make of a dead letter. */
type Foreseen =
  | { readonly kind: 'sent'; readonly refetch: boolean }
  | { readonly kind: 'obstacle'; readonly obstacle: Obstacle };

interface Replay {
  readonly by: Pick<LetterFilter, 'code' | 'reason'>;
  readonly refetch: boolean;
  count: number;
}

/** Finds the replay that would send most of the listed dead letters. */
function createReplaySuggestions() {
  const replays = new Map<string, Replay>();
  let obstacle: Obstacle = 'undecodable';
  return {
    add({ code, reason }: ListedDeadLetter, foreseen: Foreseen): void {
      if (foreseen.kind === 'obstacle') {
        obstacle = foreseen.obstacle;
        return;
      }
      const { refetch } = foreseen;
      const key = JSON.stringify([code ?? null, reason, refetch]);
      const by = code === undefined ? { reason } : { code };
      const known = replays.get(key) ?? { by, refetch, count: 0 };
      known.count += 1;
      replays.set(key, known);
    },

    /** Within the filter of the list: a replay must not send more than was shown. */
    best(filter: LetterFilter): SuggestedReplay {
      const [most] = [...replays.values()].toSorted((one, other) => other.count - one.count);
      if (!most) return { kind: 'none', obstacle };
      const chosen = describeFilter({ ...filter, ...most.by });
      const how = most.refetch ? ' --refetch' : '';
      return { kind: 'replay', command: `dead-letters replay ${chosen}${how}` };
    },
  };
}

/** By the message itself. */
function tryReplay(letter: ReadLetter, reader: LetterReader): Foreseen {
  const prepare = (refetch: boolean) =>
    prepareReplay(letter, { refetch, force: false, by: '' }, reader, new Date());
  const asItIs = prepare(false);
  const refetch = asItIs.kind === 'obstacle' && asItIs.obstacle === 'still-unreadable';
  const prepared = refetch ? prepare(true) : asItIs;
  return prepared.kind === 'obstacle' ? prepared : { kind: 'sent', refetch };
}

/** By what its worker found: what that could not read, it could not read from the same bytes again. */
function foreseeReplay(
  { event, reason }: SummarizedDeadLetter,
  { knowsShop }: Pick<LetterReader, 'knowsShop'>,
): Foreseen {
  const obstacle = (one: Obstacle) => ({ kind: 'obstacle', obstacle: one }) as const;
  if (!event) return obstacle(reason === 'newer-release' ? reason : 'undecodable');
  if (!knowsShop(event.shop)) return obstacle('shop-not-configured');
  if (reason !== 'unreadable' || queueFamilyOf(event.kind) === 'balances') {
    return { kind: 'sent', refetch: false };
  }
  return event.isInTheStore ? { kind: 'sent', refetch: true } : obstacle('unreadable-for-ever');
}
