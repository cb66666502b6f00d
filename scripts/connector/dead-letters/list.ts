import type {
  ListedDeadLetter,
  SummarizedDeadLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
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
import type { Session } from '../session/session.ts';
import { counted } from '../terminal/text.ts';
import {
  aboutOf,
  aboutText,
  deletedAt,
  expiryText,
  filterText,
  groupsOf,
  groupsTable,
  isoOf,
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
  openLetterQueues,
  openSummaries,
  optionsOf,
  readSummaries,
  rebuildSummaries,
} from './read.ts';
import { foreseeReplay } from './replay.ts';

export interface ListOptions {
  readonly limit?: number;
  /** Where the page before ended. */
  readonly after?: string;
}

const FRESH_SECONDS = 30;
/** Of a group that a person opens on a page. */
const PER_PAGE = 25;

/** `loyalty-connector dead-letters list` */
export async function listLetters(
  session: Session,
  filter: LetterFilter,
  asked: ListOptions,
): Promise<Document> {
  const deployment = await session.findDeployment();
  const list = await readList(session, deployment, filter);
  const { matching, queues } = list;
  const groups = groupsOf(matching);
  const page = pageOf(matching, asked);
  const shown = [...groups.map(({ example }) => example), ...page.letters.map(aboutOf)];
  const names = await readNames(deployment, shown);
  const oldest = matching.at(-1);
  const verdict = verdictOf(list);
  const narrow = ({ reason, code }: LetterGroup) =>
    listLine({ ...filter, reason, ...(code !== undefined && { code }) }, { limit: PER_PAGE });
  return {
    title: `Dead letters of ${deployment.stack}`,
    ...(verdict && { verdict }),
    blocks: [
      ...noticesOf(list, filter),
      ...(oldest ? [text(`Oldest: ${expiryText(oldest, deployment.connector)}`, 'waits')] : []),
      ...(list.letters.length > 0 ? [formOf(filter, asked, list.letters, deployment)] : []),
      ...(oldest ? [groupsTable(groups, { names, narrow })] : []),
      ...(page.letters.length > 0 ? [pageTable(page.letters, names)] : []),
    ],
    next: nextOf(list, page.next, filter, asked, deployment),
    data: {
      ...{ stack: deployment.stack, matching: matching.length, others: othersIn(list) },
      ...{ queues, groups },
      ...(asked.limit !== undefined && {
        letters: page.letters.map(({ gone: _, at, ...letter }) => ({ ...letter, at: isoOf(at) })),
      }),
      ...(page.next !== undefined && { next: page.next }),
      ...(oldest && { oldestDeletedAt: deletedAt(oldest) }),
    },
    freshSeconds: FRESH_SECONDS,
  };
}

export interface LetterList {
  /** Of all queues, the newest first. */
  readonly letters: readonly SummarizedDeadLetter[];
  readonly matching: readonly SummarizedDeadLetter[];
  readonly queues: readonly {
    readonly family: QueueFamily;
    readonly listed: number;
    readonly matching: number;
    /** As SQS counts: at times a minute late. */
    readonly counted: number;
  }[];
}

/** By the summaries in the ledger: none is received. */
export async function readList(
  session: Session,
  deployment: Deployment,
  filter: LetterFilter,
): Promise<LetterList> {
  // Also of those that the filter leaves out: a person must see that others wait.
  const families = familiesOf({}, deployment.connector);
  const queues = openLetterQueues(deployment, families);
  const counts = await Promise.all(queues.map((queue) => queue.counts()));
  const progress = session.terminal.progress('Reading dead letters:');
  const all = await readSummaries(openSummaries(deployment), new Date(), {
    onProgress: (read) => progress.report(read),
  });
  progress.end();
  const letters = all.filter(({ family }) => families.includes(family));
  const matching = letters.filter((letter) => matchesFilter(letter, filter));
  return {
    ...{ letters, matching },
    queues: families.map((family, index) => {
      const { visible = 0, inFlight = 0 } = counts[index] ?? {};
      const countOf = (some: readonly ListedDeadLetter[]) =>
        some.filter((letter) => letter.family === family).length;
      const inList = { listed: countOf(letters), matching: countOf(matching) };
      return { family, ...inList, counted: visible + inFlight };
    }),
  };
}

const othersIn = ({ letters, matching }: LetterList): number => letters.length - matching.length;

/** `well` only if the queues were counted just now and are empty. */
function verdictOf(list: LetterList): Verdict | undefined {
  const { matching, queues } = list;
  if (matching.length > 0) {
    const waits = matching.length === 1 ? 'waits' : 'wait';
    return { kind: 'action required', what: `${lettersText(matching)} ${waits} for a decision.` };
  }
  if (othersIn(list) > 0) return undefined;
  const inQueues = queues.reduce((sum, one) => sum + one.counted, 0);
  return inQueues === 0
    ? { kind: 'well', what: 'No dead letters: all queues are empty.' }
    : { kind: 'not known', what: `None is listed, and SQS counts ${inQueues}.` };
}

const differs = ({ queues }: LetterList): boolean =>
  queues.some((one) => one.counted !== one.listed);

/** What the list does not have, each in one sentence. */
export function noticesOf(list: LetterList, filter: LetterFilter): readonly Block[] {
  const { matching, queues } = list;
  const others = othersIn(list);
  const waits = others === 1 ? 'other waits' : 'others wait';
  const each = queues
    .filter((one) => one.counted !== one.listed)
    .map((one) => `${one.counted} instead of ${one.listed} in the ${one.family} queue`);
  return [
    ...(matching.length === 0 && others > 0
      ? [text(`No dead letter matches ${filterText(filter)}; ${others} ${waits}.`)]
      : []),
    ...(differs(list)
      ? [
          text(
            `SQS counts ${each.join(', ')}. Its count may be a minute old. Else a worker died on them, or they were removed without this connector: a scan reads the queues and corrects the list.`,
            'waits',
          ),
        ]
      : []),
  ];
}

/** On a page; what is not in the form stays as it is. */
function formOf(
  filter: LetterFilter,
  { limit }: ListOptions,
  letters: readonly ListedDeadLetter[],
  { connector }: Pick<Deployment, 'connector'>,
): Block {
  const { kind, topic, id, since, until } = filter;
  const choice = (name: 'reason' | 'code' | 'queue' | 'shop', label: string, found: string[]) => {
    const value = filter[name] ?? '';
    const all = new Set([...found, value].filter(Boolean).toSorted());
    return { name, label, value, of: Object.fromEntries([...all].map((one) => [one, one])) };
  };
  const day = (epochMs?: number) => (epochMs === undefined ? '' : isoOf(epochMs).slice(0, 10));
  const shops = connector.shops.map(({ domain }) => domain);
  const reasons = letters.map(({ reason }) => reason);
  const codes = letters.flatMap(({ code }) => code ?? []);
  const families = [...familiesOf({}, connector)];
  return {
    ...{ kind: 'form', label: 'Show only' },
    line: line('dead-letters list', [], { kind, topic, id, limit }),
    fields: [
      { name: 'text', label: 'Text', value: filter.text ?? '' },
      choice('reason', 'Reason', reasons),
      choice('code', 'Code', codes),
      choice('queue', 'Queue', families),
      ...(shops.length > 1 ? [choice('shop', 'Shop', shops)] : []),
      { name: 'since', label: 'Since', value: day(since), type: 'date' },
      { name: 'until', label: 'Until', value: day(until), type: 'date' },
    ],
  };
}

/** One page of dead letters, the newest first. A dead letter that arrives or leaves meanwhile moves no other page. */
function pageOf(letters: readonly SummarizedDeadLetter[], { limit = 0, after }: ListOptions) {
  const rest = after === undefined ? letters : letters.filter((one) => placeOf(one) < after);
  const page = rest.slice(0, limit);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return { letters: page, next: last && placeOf(last) };
}

const placeOf = ({ at, letterId }: ListedDeadLetter): string => `${isoOf(at)}|${letterId}`;

function pageTable(letters: readonly ListedDeadLetter[], names: OrderNames): TableBlock {
  return {
    ...{ kind: 'table', title: 'One by one, the newest first' },
    columns: [
      { title: 'About', shrinks: true },
      { title: 'Reason' },
      { title: 'Code', shrinks: true },
      { title: 'Given up' },
      { title: 'Letter' },
    ],
    rows: letters.map((letter) => ({
      key: letter.letterId,
      cells: [
        { text: aboutText(aboutOf(letter), names), opens: showLine(letter.letterId) },
        letter.reason,
        letter.code ?? '–',
        { at: isoOf(letter.at) },
        letter.letterId,
      ],
      detail: letter.why,
    })),
    choose: {
      option: 'id',
      actions: [
        { label: 'Send', line: line('dead-letters replay', [], { wait: true }) },
        {
          ...{ label: 'Drop', line: line('dead-letters drop') },
          asks: [{ name: 'because', label: 'Why they may go' }],
        },
      ],
    },
  };
}

const listLine = (filter: LetterFilter, options: Line['options']): Line =>
  line('dead-letters list', [], { ...optionsOf(filter), ...options });

function nextOf(
  list: LetterList,
  after: string | undefined,
  filter: LetterFilter,
  { limit }: ListOptions,
  deployment: Deployment,
): readonly Suggestion[] {
  const { matching } = list;
  const [newest] = matching;
  const others = othersIn(list);
  return [
    ...(newest ? [{ label: 'Look at one', line: showLine(newest.letterId) }] : []),
    ...suggestReplay(matching, filter, deployment),
    ...(after === undefined ? [] : [{ label: 'Older', line: listLine(filter, { limit, after }) }]),
    ...(newest || others === 0
      ? []
      : [{ label: `See ${counted(others, 'other')}`, line: listLine({}, { limit }) }]),
    ...scanNext(list),
  ];
}

/** Where the list is not what SQS counts. */
export function scanNext(list: LetterList): readonly Suggestion[] {
  const say =
    'To read the queues and correct the list (meanwhile others cannot receive the dead letters):';
  return differs(list) ? [{ label: 'Scan the queues', line: line('dead-letters scan'), say }] : [];
}

/**
 * `loyalty-connector dead-letters scan`: makes the list equal to what the queues hold. It hides each dead letter from
 * others for a moment and writes summaries, so it is recorded.
 */
export async function scanCommand(session: Session): Promise<Document> {
  const deployment = await session.findDeployment();
  const signal = session.interruption();
  const { stack } = deployment;
  const families = familiesOf({}, deployment.connector);
  const queues = openLetterQueues(deployment, families);
  const change = await session.beginChange(deployment);
  const progress = session.terminal.progress('Reading dead letters:');
  const all = await readSummaries(openSummaries(deployment), new Date());
  const listed = all.filter(({ family }) => families.includes(family));
  const onProgress = (seen: number, total: number) =>
    progress.report(seen, `of about ${total}`, seen / total);
  const { matching, notSeen, restored, removed } = await rebuildSummaries(
    listed,
    { queues, signal, onProgress },
    openLedger(deployment),
  );
  progress.end();
  change.count({ restored, removed });
  return {
    title: `Scanned the dead-letter queues of ${stack}`,
    verdict: scanVerdict(matching, notSeen),
    blocks: [
      text(
        restored + removed === 0
          ? 'Nothing in the list was changed.'
          : `${restored} added to the list, ${removed} taken from it.`,
      ),
    ],
    next: [{ label: 'See the list', line: line('dead-letters list') }],
    data: { stack, received: matching, notSeen, restored, removed },
  };
}

function scanVerdict(received: number, notSeen: number | undefined): Verdict {
  const some = counted(received, 'dead letter');
  if (notSeen === undefined) {
    return { kind: 'not known', what: `Interrupted after ${some}.` };
  }
  return notSeen > 0
    ? { kind: 'not known', what: `About ${notSeen} more cannot be received now: ${NOT_SEEN}` }
    : { kind: 'well', what: `The list has what the queues hold: ${some}.` };
}

/** The replay that would send most of the listed dead letters, within the filter: it must not send more than was shown. */
function suggestReplay(
  letters: readonly SummarizedDeadLetter[],
  filter: LetterFilter,
  { connector }: Pick<Deployment, 'connector'>,
): readonly Suggestion[] {
  const lines = letters.flatMap((letter) => {
    const { code, reason } = letter;
    const refetch = reason === 'unreadable' && letter.event?.isInTheStore === true;
    // From the same bytes a worker would read the same.
    const isHopeless = reason === 'unreadable' && !refetch && letter.family !== 'balances';
    if (isHopeless || foreseeReplay(letter, { refetch }, connector.shops)) return [];
    const by = { ...filter, ...(code === undefined ? { reason } : { code }) };
    return [line('dead-letters replay', [], { ...optionsOf(by), refetch })];
  });
  const alike = [...Map.groupBy(lines, (one) => JSON.stringify(one)).values()];
  const [most = []] = alike.toSorted((one, other) => other.length - one.length);
  const say = `When the cause is gone, see which ${most.length} would be sent again:`;
  return most[0] ? [{ label: `Send ${most.length}`, line: most[0], say }] : [];
}
