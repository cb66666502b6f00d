import { isDeepStrictEqual } from 'node:util';
import {
  aboutOf,
  aboutText,
  afterHand,
  BECAUSE,
  deletedAt,
  expiryText,
  firstOf,
  groupsOf,
  groupsTable,
  isHopeless,
  isoOf,
  type LetterGroup,
  type LetterList,
  namedGroups,
  noticesOf,
  openIn,
  openList,
  othersIn,
  scanNext,
  showLine,
  withNames,
} from '../ground/letters/describe-letters.ts';
import {
  type LetterFilter,
  matchesFilter,
  NOT_SEEN,
  openLetterQueues,
  optionsOf,
  readSummaries,
  rebuildSummaries,
} from '../ground/letters/read-letters.ts';
import { previewReplay } from '../ground/letters/replay-letters.ts';
import { type Deployment, openLedger, openLists } from '../ground/session/deployment.ts';
import { familiesOf } from '../ground/session/queues.ts';
import type { Session } from '../ground/session/session.ts';
import {
  type Document,
  type Suggestion,
  type TableBlock,
  table,
  text,
  type Verdict,
} from '../ground/terminal/document.ts';
import { type Line, line } from '../ground/terminal/line.ts';
import { counted, countedWith } from '../ground/terminal/text.ts';

export interface ListOptions {
  readonly limit?: number;
}

const FRESH_SECONDS = 30;

/** Of a cause that a person opens on a page. */
const PER_PAGE = 25;

/** The causes that have commands: at a terminal each is two lines. */
const MOST_OFFERED = 10;

export async function listLetters(
  session: Session,
  given: LetterFilter,
  { limit }: ListOptions,
): Promise<Document> {
  const { deployment, filter, list } = await openList(session, given);
  const { matching, queues } = list;
  const page = matching.slice(0, limit ?? 0);
  const [groups, abouts] = await Promise.all([
    namedGroups(groupsOf(matching), deployment),
    withNames(deployment, page.map(aboutOf)),
  ]);
  const oldest = openIn(list).at(-1);
  const offered = groups.slice(0, MOST_OFFERED);
  const causes = groups.map((group) => causeOf(group, groups, filter));
  const filterOf = (group: LetterGroup) => causes[groups.indexOf(group)] ?? filter;
  const narrow = (group: LetterGroup) =>
    line('dead-letters list', [], { ...optionsOf(filterOf(group)), limit: PER_PAGE });
  // Once of those that one filter finds.
  const isFirst = (group: LetterGroup) =>
    causes.findIndex((one) => isDeepStrictEqual(one, filterOf(group))) === groups.indexOf(group);
  const next = (group: LetterGroup) =>
    offered.includes(group) && isFirst(group)
      ? actionsOn(filterOf(group), group, list, deployment)
      : [];
  const verdict = verdictOf(list);
  return {
    title: `Dead letters of ${deployment.stack}`,
    ...(verdict && { verdict }),
    blocks: [
      ...noticesOf(list, filter),
      text(oldest && expiryText(oldest, deployment.connector, 'the oldest'), 'pending'),
      groupsTable(groups, { narrow, next }),
      // Where each cause has one, they are named above.
      ...(groups.length < matching.length ? [pageTable(page, abouts)] : []),
    ],
    next: nextOf(list, filter, limit),
    data: {
      ...{ stack: deployment.stack, matching: matching.length, others: othersIn(list) },
      ...{ queues, groups },
      ...(limit !== undefined && {
        letters: page.map(({ gone: _, at, ...letter }) => ({ ...letter, at: isoOf(at) })),
      }),
      ...(oldest && { oldestDeletedAt: deletedAt(oldest) }),
    },
    freshSeconds: FRESH_SECONDS,
  };
}

/** `ok` only if the queues were counted just now and are empty, or the ledger proves that nothing is left to send. */
function verdictOf(list: LetterList): Verdict | undefined {
  const { matching, queues } = list;
  const open = openIn(list);
  const say = (kind: Verdict['kind'], what: string): Verdict => ({ kind, what });
  if (open.length > 0) {
    const many = countedWith(open.length, 'dead letter', 'need');
    return say('action required', `${many} a decision.`);
  }
  if (matching.length > 0) {
    const many = counted(matching.length, 'dead letter');
    return say('ok', `${many}, already delivered: nothing is left to send.`);
  }
  if (othersIn(list) > 0) return undefined;
  const inQueues = queues.reduce((sum, one) => sum + one.counted, 0);
  if (inQueues === 0) return say('ok', 'No dead letters.');
  return say('unknown', `None is listed, but SQS counts ${inQueues}.`);
}

function pageTable(
  letters: LetterList['matching'],
  abouts: Awaited<ReturnType<typeof withNames>>,
): TableBlock {
  const rows = letters.map((letter, index) => [
    { text: aboutText(abouts[index] ?? aboutOf(letter)), opens: showLine(letter.letterId) },
    letter.delivered ? 'already delivered' : letter.reason,
    { at: isoOf(letter.at) },
    letter.letterId,
  ]);
  const about = { title: 'About', shrinks: true };
  return table([about, 'Reason', 'Given up', 'Letter'], rows, { title: 'Newest first' });
}

/** The filter that finds the dead letters of one cause, and no others. */
function causeOf(
  { reason, code, why, delivered }: LetterGroup,
  groups: readonly LetterGroup[],
  filter: LetterFilter,
): LetterFilter {
  if (delivered) return { ...filter, delivered: 'yes' };
  const alike = groups.filter((one) => one.reason === reason && one.code === code);
  const others = alike.flatMap((one) => (one.delivered || one.why === why ? [] : one.why));
  const { text = '' } = filter;
  const isFound = why.toLowerCase().includes(text.toLowerCase());
  return {
    ...{ ...filter, reason, ...(code !== undefined && { code }) },
    // A text that is not of the reason, such as a name, is the only one that a filter has.
    ...(others.length > 0 && isFound && { text: tellingPart(why, others) }),
    ...(groups.some((one) => one.delivered) && { delivered: 'no' }),
  };
}

const TELLING = 50;

/** As much of a reason as tells it from the others, beginning shortly before they differ. */
export function tellingPart(why: string, others: readonly string[]): string {
  const differsAt = (other: string) => [...why].findIndex((one, at) => one !== other[at]);
  const from = Math.max(0, Math.max(...others.map(differsAt)) - TELLING / 2);
  const part = why.slice(from, from + TELLING).trim();
  const isTelling = !others.some((one) => one.toLowerCase().includes(part.toLowerCase()));
  return isTelling ? part : why;
}

/** What can be done with all that the filter finds. Both commands show them first. */
function actionsOn(
  filter: LetterFilter,
  { delivered, example }: LetterGroup,
  list: LetterList,
  { connector }: Pick<Deployment, 'connector'>,
): readonly Suggestion[] {
  const all = list.matching.filter((letter) => matchesFilter(letter, filter));
  const sent = all.filter((one) => !isHopeless(one) && !previewReplay(one, connector.shops));
  // Of several groups with one each, no two buttons have the same name.
  const only = all.length === 1 ? aboutText(example) : undefined;
  const byHand = delivered ? undefined : all.findLast(afterHand);
  const look = byHand && { label: 'See what to do first', line: showLine(byHand.letterId) };
  const send = line('dead-letters replay', [], { ...optionsOf(filter), wait: true });
  return [
    ...(look ? [look] : all.flatMap(firstOf).slice(-1)),
    ...(delivered || sent.length === 0
      ? []
      : [{ label: `Send ${only ?? thingsIn(sent)} again`, line: send }]),
    {
      label: `Drop ${only ? `that of ${only}` : counted(all.length, 'dead letter')}`,
      line: line('dead-letters drop', [], optionsOf(filter)),
      asks: [BECAUSE],
    },
  ];
}

/** `2 orders`. */
function thingsIn(letters: LetterList['matching']): string {
  const [kind = 'dead letter', ...others] = new Set(letters.map(({ event }) => event?.kind));
  return counted(
    letters.length,
    others.length > 0 ? 'dead letter' : kind.replace('member', 'customer'),
  );
}

function nextOf(
  list: LetterList,
  filter: LetterFilter,
  limit: number | undefined,
): readonly Suggestion[] {
  const { matching } = list;
  const [newest] = openIn(list).length > 0 ? openIn(list) : matching;
  const label = matching.length === 1 ? 'See it' : 'See the newest';
  const others = othersIn(list);
  const more = Math.min((limit ?? 0) + 100, matching.length);
  const listWith = (by: LetterFilter, most: number | undefined): Line =>
    line('dead-letters list', [], { ...optionsOf(by), limit: most });
  return [
    ...(newest ? [{ label, line: showLine(newest.letterId) }] : []),
    ...(limit !== undefined && matching.length > limit
      ? [{ label: `Show ${more}`, line: listWith(filter, more) }]
      : []),
    ...(newest || others === 0
      ? []
      : [{ label: `See ${counted(others, 'other')}`, line: listWith({}, limit) }]),
    ...scanNext(list),
  ];
}

/**
 * `loyalty-connector dead-letters scan`: makes the list equal to what the queues hold. It hides each dead letter from
 * others for a moment and writes summaries, so it is recorded.
 */
export async function scanCommand(session: Session): Promise<Document> {
  const deployment = await session.findDeployment();
  const signal = session.interruption();
  const { stack } = deployment;
  const families = familiesOf(deployment.connector);
  const queues = openLetterQueues(deployment, families);
  const change = await session.beginChange(deployment);
  const progress = session.terminal.progress('Reading dead letters:');
  const all = await readSummaries(openLists(deployment), new Date());
  const listed = all.filter(({ family }) => families.includes(family));
  const onProgress = (seen: number, total: number) => progress.report(seen, `of about ${total}`);
  const settings = { queues, signal, onProgress };
  const rebuilt = await rebuildSummaries(listed, settings, openLedger(deployment));
  const { received, notSeen, restored, removed } = rebuilt;
  change.count({ restored, removed });
  const changed = `${restored} added to the list, ${removed} removed.`;
  return {
    title: `Scanned the dead-letter queues of ${stack}`,
    verdict: scanVerdict(received, notSeen),
    blocks: [text(restored + removed === 0 ? 'The list was already right.' : changed)],
    next: [{ label: 'See the list', line: line('dead-letters list') }],
    data: { stack, ...rebuilt },
  };
}

function scanVerdict(received: number, notSeen: number | undefined): Verdict {
  const some = counted(received, 'dead letter');
  if (notSeen === undefined) {
    return { kind: 'unknown', what: `Interrupted after ${some}.` };
  }
  return notSeen > 0
    ? { kind: 'unknown', what: `About ${notSeen} more cannot be read now: ${NOT_SEEN}` }
    : { kind: 'ok', what: `The list matches the queues: ${some}.` };
}
