import type {
  ListedDeadLetter,
  SummarizedDeadLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import { type QueueFamily, queueFamilyOf } from '../../../shared/core/events/event.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import {
  type Block,
  type Document,
  type Suggestion,
  type TableBlock,
  text,
  type Verdict,
} from '../document/document.ts';
import { type Line, line } from '../document/line.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/text.ts';
import {
  aboutText,
  createLetterGroups,
  deletedAt,
  expiryText,
  filterText,
  groupsTable,
  type LetterGroup,
  lettersText,
  type OrderNames,
  readNames,
  showLine,
} from './describe.ts';
import {
  familiesOf,
  type LetterFilter,
  matchesFilter,
  NOT_SEEN,
  newestFirst,
  openLetterQueues,
  openSummaries,
  optionsOf,
  readSummaries,
  rebuildSummaries,
} from './read.ts';
import { OBSTACLES, type Obstacle } from './replay.ts';

export interface ListOptions {
  readonly limit?: number;
  /** Where the page before ended. */
  readonly after?: string;
  readonly scan?: boolean;
}

interface ListData {
  readonly stack: string;
  /** What was read: the summaries in the ledger, or the dead letters themselves. */
  readonly source: 'summaries' | 'queues';
  readonly matching: number;
  /** They do not match. */
  readonly others: number;
  readonly queues: readonly QueueCount[];
  readonly groups: readonly LetterGroup[];
  /** With `--limit`: the newest first. */
  readonly letters?: readonly (Omit<ListedDeadLetter, 'at'> & { readonly at: string })[];
  /** For `--after`; absent when these are the last. */
  readonly next?: string;
  /** ISO 8601: when SQS deletes the oldest. */
  readonly oldestDeletedAt?: string;
}

interface QueueCount {
  readonly family: QueueFamily;
  readonly listed: number;
  readonly matching: number;
  /** As SQS counts: at times a minute late. */
  readonly counted: number;
}

const FRESH_SECONDS = 30;
/** Of a group that a person opens on a page. */
const PER_PAGE = 25;

/** `loyalty-connector dead-letters list` */
export async function listLetters(
  session: Session,
  filter: LetterFilter,
  asked: ListOptions,
): Promise<Document<ListData>> {
  const deployment = await session.findDeployment();
  const read = await readList(session, deployment, filter, asked.scan === true);
  const matching = read.letters.filter((letter) => matchesFilter(letter, filter));
  const groups = createLetterGroups();
  for (const letter of matching) groups.add(letter);
  const page = pageOf(matching, asked);
  const shown = [...groups.all().map(({ example }) => example), ...page.letters.map(aboutOf)];
  const names = await readNames(deployment, shown);
  const others = read.letters.length - matching.length;
  const queues = read.queues.map(
    (one): QueueCount => ({ ...one, matching: countOf(matching, one.family) }),
  );
  const oldest = matching.toSorted(newestFirst).at(-1);
  const data: ListData = {
    ...{ stack: deployment.stack, source: read.source, matching: matching.length, others, queues },
    groups: groups.all(),
    ...(asked.limit !== undefined && { letters: page.letters.map(letterData) }),
    ...(page.next !== undefined && { next: page.next }),
    ...(oldest && { oldestDeletedAt: deletedAt(oldest) }),
  };
  const verdict = verdictOf(matching, data, read.notSeen);
  const replay = suggestReplay(matching, filter, deployment);
  return {
    title: `Dead letters of ${deployment.stack}`,
    ...(verdict && { verdict }),
    blocks: [
      ...noticesOf(data, filter, read),
      ...(oldest ? [text(whatExpires(oldest, matching.length, deployment), 'waits')] : []),
      formOf(filter, asked, read.letters, deployment),
      ...(matching.length > 0
        ? [groupsTable(data.groups, { names, narrow: (group) => narrowed(filter, group, asked) })]
        : []),
      ...(page.letters.length > 0 ? [pageTable(page.letters, names)] : []),
      ...(replay.kind === 'none' ? [text(`None can be sent again: ${replay.why}.`)] : []),
    ],
    next: nextOf(data, replay, filter, asked),
    data,
    ...(read.source === 'summaries' && { freshSeconds: FRESH_SECONDS }),
  };
}

interface ReadList {
  readonly source: ListData['source'];
  readonly letters: readonly SummarizedDeadLetter[];
  readonly queues: readonly Omit<QueueCount, 'matching'>[];
  /** Of a scan: what SQS counted and did not give. */
  readonly notSeen: number;
  /** Of a scan: these credentials may not write, so the list of others stays as it was. */
  readonly isUnwritten: boolean;
}

/** The list of the ledger; a scan first makes it equal to what the queues hold. */
async function readList(
  session: Session,
  deployment: Deployment,
  filter: LetterFilter,
  isScan: boolean,
): Promise<ReadList> {
  const families = familiesOf(filter, deployment.connector);
  const queues = openLetterQueues(deployment, families);
  const counts = await Promise.all(queues.map((queue) => queue.counts()));
  const progress = session.terminal.progress('Reading dead letters:');
  const onProgress = (read: number) => progress.report(read);
  const all = await readSummaries(openSummaries(deployment), new Date(), { onProgress });
  const list = all.filter(({ family }) => families.includes(family));
  const scanned = isScan
    ? await rebuildSummaries(
        list,
        {
          queues,
          signal: session.interruption(),
          onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
        },
        openLedger(deployment),
      )
    : undefined;
  progress.end();
  const letters = scanned?.letters ?? list;
  return {
    ...{ source: scanned ? 'queues' : 'summaries', letters, notSeen: scanned?.notSeen ?? 0 },
    isUnwritten: scanned?.isUnwritten ?? false,
    queues: queues.map(({ family }, index) => {
      const { visible = 0, inFlight = 0 } = counts[index] ?? {};
      return { family, listed: countOf(letters, family), counted: visible + inFlight };
    }),
  };
}

const countOf = (letters: readonly ListedDeadLetter[], of: QueueFamily): number =>
  letters.filter(({ family }) => family === of).length;

/** `well` only if the queues were counted just now and are empty. */
function verdictOf(
  matching: readonly ListedDeadLetter[],
  { others, queues, source }: ListData,
  notSeen: number,
): Verdict | undefined {
  if (matching.length > 0) {
    const waits = matching.length === 1 ? 'waits' : 'wait';
    return { kind: 'action required', what: `${lettersText(matching)} ${waits} for a decision.` };
  }
  if (others > 0) return undefined;
  const inQueues = queues.reduce((sum, one) => sum + one.counted, 0);
  if (source === 'queues' ? notSeen === 0 : inQueues === 0) {
    return { kind: 'well', what: 'No dead letters: all queues are empty.' };
  }
  return { kind: 'not known', what: `None is listed, and SQS counts ${inQueues}.` };
}

/** Where list and queues differ, in one sentence. */
function noticesOf(
  { matching, others, queues, source }: ListData,
  filter: LetterFilter,
  { notSeen, isUnwritten }: ReadList,
): readonly Block[] {
  const notices: Block[] = [];
  if (matching === 0 && others > 0) {
    const waits = others === 1 ? 'other waits' : 'others wait';
    notices.push(text(`No dead letter matches ${filterText(filter)}; ${others} ${waits}.`));
  }
  if (isUnwritten) {
    const who = 'Your AWS credentials may not write the ledger';
    notices.push(text(`${who}: others still see the list as it was before this scan.`, 'soft'));
  }
  if (source === 'queues') {
    if (notSeen > 0) notices.push(text(`About ${notSeen} more cannot be seen now: ${NOT_SEEN}`));
    return notices;
  }
  const differing = queues.filter((one) => one.counted !== one.listed);
  if (differing.length === 0) return notices;
  const each = differing.map((one) => `${one.family} ${one.counted} instead of ${one.listed}`);
  notices.push(
    text(
      `SQS does not count what this list has: ${each.join(', ')}. Its count may be a minute old. Else a worker died on them, or they were removed without this connector: a scan reads the queues and corrects the list.`,
      'waits',
    ),
  );
  return notices;
}

function whatExpires(
  oldest: ListedDeadLetter,
  many: number,
  { connector }: Pick<Deployment, 'connector'>,
): string {
  const words = expiryText(oldest, { deepScans: connector.healing.deepEveryDays !== false });
  return many === 1 ? words : `The oldest: ${words}`;
}

/** On a page; what is not in the form stays as it is. */
function formOf(
  filter: LetterFilter,
  { limit }: ListOptions,
  letters: readonly ListedDeadLetter[],
  { connector }: Pick<Deployment, 'connector'>,
): Block {
  const { kind, topic, id } = filter;
  const day = (epochMs: number | undefined) =>
    epochMs === undefined ? '' : new Date(epochMs).toISOString().slice(0, 10);
  const choice = (name: 'reason' | 'code' | 'queue' | 'shop', label: string, found: string[]) => {
    const value = filter[name] ?? '';
    return { name, label, value, of: choicesOf(value, found) };
  };
  const shops = connector.shops.map(({ domain }) => domain);
  return {
    ...{ kind: 'form', label: 'Show only' },
    line: line('dead-letters list', [], { kind, topic, id, limit }),
    fields: [
      { name: 'text', label: 'Text', value: filter.text ?? '' },
      choice(
        'reason',
        'Reason',
        letters.map(({ reason }) => reason),
      ),
      choice(
        'code',
        'Code',
        letters.flatMap(({ code }) => code ?? []),
      ),
      choice(
        'queue',
        'Queue',
        letters.map(({ family }) => family),
      ),
      ...(shops.length > 1 ? [choice('shop', 'Shop', shops)] : []),
      { name: 'since', label: 'Since', value: day(filter.since), type: 'date' },
      { name: 'until', label: 'Until', value: day(filter.until), type: 'date' },
    ],
  };
}

function choicesOf(value: string, found: readonly string[]): Readonly<Record<string, string>> {
  const all = [...new Set([...(value === '' ? [] : [value]), ...found])].toSorted();
  return Object.fromEntries([['', 'all'], ...all.map((one) => [one, one])]);
}

function narrowed(
  filter: LetterFilter,
  { reason, code }: LetterGroup,
  { limit = PER_PAGE }: ListOptions,
): Line {
  const options = { ...optionsOf(filter), reason, ...(code !== undefined && { code }) };
  return line('dead-letters list', [], { ...options, limit });
}

interface LetterPage {
  readonly letters: readonly SummarizedDeadLetter[];
  readonly next: string | undefined;
}

/** One page of dead letters, the newest first. A dead letter that arrives or leaves meanwhile moves no other page. */
function pageOf(
  letters: readonly SummarizedDeadLetter[],
  { limit = 0, after }: ListOptions,
): LetterPage {
  const rest = after === undefined ? letters : letters.filter((one) => placeOf(one) < after);
  const page = rest.toSorted(newestFirst).slice(0, limit);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return { letters: page, next: last && placeOf(last) };
}

function placeOf({ at, letterId }: ListedDeadLetter): string {
  return `${new Date(at).toISOString()}|${letterId}`;
}

const aboutOf = ({ letterId, family, event }: ListedDeadLetter) => ({ letterId, family, ...event });

function letterData({ gone: _, at, ...letter }: SummarizedDeadLetter) {
  return { ...letter, at: new Date(at).toISOString() };
}

function pageTable(letters: readonly ListedDeadLetter[], names: OrderNames): TableBlock {
  const because = { name: 'because', label: 'Why they may go' };
  return {
    ...{ kind: 'table', title: 'One by one, the newest first' },
    columns: [
      { title: 'About', shrinks: true },
      { title: 'Reason' },
      { title: 'Code', shrinks: true },
      { title: 'Given up' },
      { title: 'Sent again' },
      { title: 'Letter' },
    ],
    rows: letters.map((letter) => ({
      key: letter.letterId,
      cells: [
        { text: aboutText(aboutOf(letter), names), opens: showLine(letter.letterId) },
        letter.reason,
        letter.code ?? '–',
        { at: new Date(letter.at).toISOString() },
        letter.event?.replays?.length ?? 0,
        letter.letterId,
      ],
      detail: letter.why,
    })),
    choose: {
      option: 'id',
      actions: [
        { label: 'Send', line: line('dead-letters replay', [], { wait: true }) },
        { label: 'Drop', line: line('dead-letters drop'), asks: [because] },
      ],
    },
  };
}

function nextOf(
  { groups: [first], matching, others, queues, source, next }: ListData,
  replay: SuggestedReplay,
  filter: LetterFilter,
  { limit }: ListOptions,
): readonly Suggestion[] {
  const differs = source === 'summaries' && queues.some((one) => one.counted !== one.listed);
  const same = { ...optionsOf(filter), limit };
  const list = (options: Line['options']) => line('dead-letters list', [], options);
  return [
    ...(first ? [{ label: 'Look at one', line: showLine(first.example.letterId) }] : []),
    ...(replay.kind === 'replay' ? [replay.suggestion] : []),
    ...(next === undefined ? [] : [{ label: 'Older ones', line: list({ ...same, after: next }) }]),
    ...(matching === 0 && others > 0
      ? [{ label: `See ${counted(others, 'other')}`, line: list({ limit }) }]
      : []),
    ...(differs
      ? [
          {
            ...{ label: 'Scan the queues', line: list({ ...same, scan: true }) },
            say: 'To read the queues and correct the list (others do not see the dead letters meanwhile):',
          },
        ]
      : []),
  ];
}

type SuggestedReplay =
  | { readonly kind: 'replay'; readonly suggestion: Suggestion }
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'nothing-listed' };

/** The replay that would send most of the listed dead letters, within the filter: it must not send more than was shown. */
function suggestReplay(
  letters: readonly SummarizedDeadLetter[],
  filter: LetterFilter,
  { connector }: Pick<Deployment, 'connector'>,
): SuggestedReplay {
  const shops = new Set(connector.shops.map(({ domain }) => domain));
  const replays = new Map<string, { line: Line; count: number }>();
  let obstacle: Obstacle | undefined;
  for (const letter of letters) {
    const foreseen = foreseeReplay(letter, shops);
    if (foreseen.kind === 'obstacle') {
      obstacle = foreseen.obstacle;
      continue;
    }
    const { code, reason } = letter;
    const by = code === undefined ? { reason } : { code };
    const options = { ...optionsOf({ ...filter, ...by }), refetch: foreseen.refetch };
    const key = JSON.stringify(options);
    const count = (replays.get(key)?.count ?? 0) + 1;
    replays.set(key, { line: line('dead-letters replay', [], options), count });
  }
  const [most] = [...replays.values()].toSorted((one, other) => other.count - one.count);
  if (!most) {
    return obstacle ? { kind: 'none', why: OBSTACLES[obstacle] } : { kind: 'nothing-listed' };
  }
  const say = `To send ${most.count} again when the cause is gone; without --yes it only shows which:`;
  return { kind: 'replay', suggestion: { label: `Send ${most.count}`, line: most.line, say } };
}

/** What a replay would make of a dead letter. */
type Foreseen =
  | { readonly kind: 'sent'; readonly refetch: boolean }
  | { readonly kind: 'obstacle'; readonly obstacle: Obstacle };

/** By what its worker found: what that could not read, it could not read from the same bytes again. */
function foreseeReplay(
  { event, reason }: SummarizedDeadLetter,
  shops: ReadonlySet<string>,
): Foreseen {
  const obstacle = (one: Obstacle) => ({ kind: 'obstacle', obstacle: one }) as const;
  if (!event) return obstacle(reason === 'newer-release' ? reason : 'undecodable');
  if (!shops.has(event.shop)) return obstacle('shop-not-configured');
  if (reason !== 'unreadable' || queueFamilyOf(event.kind) === 'balances') {
    return { kind: 'sent', refetch: false };
  }
  return event.isInTheStore ? { kind: 'sent', refetch: true } : obstacle('unreadable-for-ever');
}
