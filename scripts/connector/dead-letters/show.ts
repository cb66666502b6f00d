import { readLettersAbout, readLettersById } from '../../../shared/aws/read-ledger.ts';
import type {
  ListedDeadLetter,
  SummarizedDeadLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import type { QueuedEvent } from '../../../shared/core/events/event.ts';
import type { EntityEntry } from '../../../shared/core/ledger/ledger.ts';
import { adviceOn } from '../../../shared/loyalty/error-advice.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import {
  type Block,
  type Cell,
  type Document,
  facts,
  type SectionBlock,
  type Suggestion,
  text,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import { Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/text.ts';
import {
  aboutCell,
  aboutText,
  ENTITIES,
  EVENT_KINDS,
  expiryText,
  type OrderNames,
  readNames,
} from './describe.ts';
import {
  type Examined,
  examineLetter,
  examiningDeps,
  prospectBlocks,
  prospectData,
  type RevealOptions,
} from './examine.ts';
import {
  familiesOf,
  newestFirst,
  openLetterQueues,
  openSummaries,
  type ReadLetter,
  surveyLetters,
} from './read.ts';
import { letterReaderOf, prepareReplay } from './replay.ts';

const MOST_SHOWN = 5;

/** `loyalty-connector dead-letters show ID` */
export async function showLetter(
  session: Session,
  id: string,
  options: RevealOptions,
): Promise<Document> {
  const deployment = await session.findDeployment();
  const signal = session.interruption();
  const record = options.reveal ? await session.beginChange(deployment, 'reveal') : undefined;
  const progress = session.terminal.progress('Looking for it:');
  const { matching, alike, received } = await findLetters(deployment, {
    ...{ id, most: MOST_SHOWN, signal },
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
  });
  progress.end();
  const look = `To see what is there: ${nextCommand(deployment, 'dead-letters list')}`;
  if (matching === 0) throw new Problem(`No dead letter is, or is about, ${id}.`, look);
  const deps = examiningDeps(deployment);
  const shown: Shown[] = [];
  for (const { newest, oldestAt, count } of alike.slice(0, MOST_SHOWN)) {
    const letter = received.get(newest.letterId);
    if (!letter) continue;
    const examined = await examineLetter(letter, deps);
    shown.push({
      ...letterData(examined, options),
      ...{ alike: count, oldest: isoOf(oldestAt), ways: waysOf(letter, deployment) },
    });
  }
  if (shown.length === 0) {
    const why = alike[0]?.newest.why ?? '';
    throw new Problem(
      `The queue does not return this dead letter now (${why}): another person or a killed run has received it, or it was removed without this command line. Look again in five minutes.`,
      look,
    );
  }
  record?.count({ revealed: shown.length });
  const names = await readNames(
    deployment,
    shown.map(({ event }) => event ?? {}),
  );
  const hidden = matching - shown.reduce((sum, letter) => sum + letter.alike, 0);
  const sections = shown.map((letter) => sectionOf(letter, names, deployment));
  const [only] = sections;
  return {
    title: only && sections.length === 1 ? only.title : `Dead letters about ${id}`,
    blocks: [
      ...(only && sections.length === 1 ? only.blocks : sections),
      ...(hidden > 0
        ? [text(`Not shown: ${counted(hidden, 'dead letter')} about it, with other reasons.`)]
        : []),
    ],
    next: shown.flatMap((letter) => nextOf(letter, sections.length > 1)),
    data: { matching, letters: shown },
  };
}

const isoOf = (epochMs: number): string => new Date(epochMs).toISOString();

/** An entity that fails again and again has many dead letters, and they say the same: the newest is shown. */
interface Alike {
  newest: ListedDeadLetter;
  oldestAt: number;
  count: number;
}

interface FoundLetters {
  readonly matching: number;
  /** The newest first. */
  readonly alike: readonly Alike[];
  /** By dead letter id: those of `alike` whose message could be received. */
  readonly received: ReadonlyMap<string, ReadLetter>;
}

interface Search {
  readonly id: string;
  /** So many of `alike` are shown: only their messages are needed. */
  readonly most: number;
  readonly signal: AbortSignal;
  readonly onProgress: (seen: number, total: number) => void;
}

/** Finds dead letters by their summaries, and receives no more than it takes to reach their messages. */
async function findLetters(deployment: Deployment, search: Search): Promise<FoundLetters> {
  const summaries = await findSummaries(deployment, search.id);
  const alike = foldAlike(summaries);
  const wanted = alike.slice(0, search.most).map(({ newest }) => newest);
  const isListed = wanted.length > 0;
  const letters: ReadLetter[] = [];
  await surveyLetters({
    ...search,
    queues: openLetterQueues(
      deployment,
      isListed
        ? [...new Set(wanted.map(({ family }) => family))]
        : familiesOf({}, deployment.connector),
    ),
    filter: { id: isListed ? wanted.map(({ letterId }) => letterId) : [search.id] },
    most: isListed ? wanted.length : undefined,
    onMatch: (some) => void letters.push(...some),
  });
  const received = new Map(letters.map((letter) => [letter.letterId, letter]));
  return isListed
    ? { matching: summaries.length, alike, received }
    : { matching: letters.length, alike: foldAlike(letters), received };
}

/** All that are, or are about, this. */
async function findSummaries(
  deployment: Deployment,
  id: string,
): Promise<readonly SummarizedDeadLetter[]> {
  const settings = openSummaries(deployment);
  const now = new Date();
  const things = deployment.connector.shops.flatMap(({ domain: shop }) =>
    EVENT_KINDS.map((kind) => ({ shop, kind, id })),
  );
  const found = await Promise.all([
    readLettersById(settings, [id], now),
    ...things.map((thing) => readLettersAbout(settings, thing, now)),
  ]);
  return found.flat().filter(({ gone }) => !gone);
}

function foldAlike(letters: readonly ListedDeadLetter[]): readonly Alike[] {
  const folded = new Map<string, Alike>();
  for (const letter of letters.toSorted(newestFirst)) {
    const { family, reason, code, why, event, at } = letter;
    const key = JSON.stringify([family, event?.kind, event?.topic, reason, code, why]);
    const known = folded.get(key);
    if (known) {
      known.count += 1;
      known.oldestAt = at;
    } else folded.set(key, { newest: letter, oldestAt: at, count: 1 });
  }
  return [...folded.values()];
}

type Shown = ReturnType<typeof letterData> & {
  /** So many say the same. */
  readonly alike: number;
  /** ISO 8601, of them. */
  readonly oldest: string;
  readonly ways: ReturnType<typeof waysOf>;
};

/** A dead letter beside the ledger and what would be sent; people in it are masked unless they are to be revealed. */
export function letterData({ letter, entry, prospect }: Examined, options: RevealOptions) {
  const { receiptHandle: _, body: __, event, at, undecodable, ...known } = letter;
  const body = event && 'body' in event ? event.body : undefined;
  const advice = adviceOn(letter.code);
  const redactedAt = entry?.redactedAt;
  return {
    ...known,
    ...(advice !== undefined && { advice }),
    at: isoOf(at),
    ...(undecodable !== undefined && { undecodable }),
    ...(event && { event: withoutValues(event) }),
    // The store asked to erase the person: not even on request.
    ...(options.reveal &&
      body &&
      redactedAt === undefined && { body: new TextDecoder().decode(body) }),
    ...(redactedAt !== undefined && { redacted: isoOf(redactedAt) }),
    ledger: entry ? withoutRemembered(entry) : null,
    now: prospectData(prospect, entry, options),
  };
}

function withoutRemembered({ remembered: _, ...known }: EntityEntry) {
  return known;
}

/** An event without its body, and without the balance in it. */
function withoutValues(event: QueuedEvent) {
  if ('body' in event) {
    const { body, ...rest } = event;
    return { ...rest, bodyBytes: body?.length ?? 0 };
  }
  if (!('points' in event)) return event;
  const { points: _, cashback: __, ...rest } = event;
  return rest;
}

export function sectionOf(
  letter: Shown,
  names: OrderNames,
  { connector }: Pick<Deployment, 'connector'>,
): SectionBlock {
  const { event, now, ledger, body } = letter;
  const about = { ...letter, ...event };
  const unread = letter.isNewer ? 'A message of a newer release' : 'An unreadable message';
  const expiry = expiryText(
    { ...letter, at: Date.parse(letter.at), event },
    { deepScans: connector.healing.deepEveryDays !== false },
  );
  return {
    kind: 'section',
    title: event ? `Dead letter about ${aboutText(about, names)} of ${event.shop}` : unread,
    blocks: [
      letterFacts(letter, aboutCell(about, names)),
      text(expiry, 'waits'),
      ...(letter.redacted === undefined
        ? []
        : [
            text(
              `The store asked on ${letter.redacted.slice(0, 10)} to erase this person. The message is not shown, and nothing of the person is sent from it. Drop it.`,
              'bad',
            ),
          ]),
      { kind: 'section', title: 'If it were sent now', blocks: prospectBlocks(now) },
      ...(event && ENTITIES.has(event.kind) ? ledgerBlocks(ledger) : []),
      ...(body === undefined ? [] : [{ kind: 'code', title: 'The message', text: body } as const]),
    ],
  };
}

function letterFacts(letter: Shown, about: Cell): Block {
  const { event, code, attempts, alike } = letter;
  const bytes = event && 'bodyBytes' in event ? event.bodyBytes : undefined;
  const size = bytes ? `${bytes} bytes (--reveal shows it)` : 'none: the store is asked';
  return facts([
    ['about', about],
    ['reason', { text: [letter.reason, code].filter(Boolean).join(', '), tone: 'bad' }],
    ['why', letter.why],
    ['advice', letter.advice],
    ['given up', { at: letter.at }],
    ['attempts', attempts],
    [
      'alike',
      alike > 1 ? `the newest of ${alike} that say the same, since ${letter.oldest}` : undefined,
    ],
    ['letter', `${letter.letterId}, dead letter of the ${letter.family} queue`],
    ['topic', event && `${event.topic}, delivery ${event.deliveryId}`],
    ['received', event && { at: event.receivedAt }],
    ...(event?.replays ?? []).map(({ at, by }) => ['sent again', `${at} by ${by}`] as const),
    ['body', bytes === undefined ? undefined : size],
    ['cannot be read', letter.undecodable],
  ]);
}

function ledgerBlocks(entry: Shown['ledger']): readonly Block[] {
  if (!entry) return [text('The ledger knows nothing of it.')];
  const applied = entry.appliedKey === undefined ? 'nothing so far' : 'yes';
  return [
    facts(
      [
        ['version', entry.version > 0 ? isoOf(entry.version) : 'none settled'],
        ['applied', entry.uncertain ? `${applied}, but uncertain: will be sent` : applied],
      ],
      'The ledger',
    ),
    {
      kind: 'timeline',
      lines: entry.outcomes.map(({ at, outcome, topic, why }) => ({
        ...{ at, who: outcome, what: topic, ...(why !== undefined && { detail: why }) },
      })),
    },
  ];
}

/** Where several are shown, with the id of each. */
function nextOf({ letterId, redacted, ways }: Shown, isOneOfMany: boolean): readonly Suggestion[] {
  const which = isOneOfMany ? ` ${letterId}` : '';
  const drop = {
    label: `Drop 1${which}`,
    line: line('dead-letters drop', [], { id: letterId }),
    asks: [{ name: 'because', label: 'Why it may go' }],
  };
  if (redacted !== undefined || ways === undefined) return [drop];
  const send = line('dead-letters replay', [], { id: letterId, ...ways, wait: true });
  return [{ label: `Send 1${which}`, line: send }, drop];
}

/** With which options it can be sent again; undefined where it would only come back. */
function waysOf(letter: ReadLetter, { connector }: Pick<Deployment, 'connector'>) {
  const reader = letterReaderOf(connector.shops);
  return [false, true]
    .map((refetch) => ({ refetch, force: false, by: '' }))
    .filter((options) => prepareReplay(letter, options, reader, new Date()).kind === 'event')
    .map(({ refetch }) => ({ refetch }))[0];
}
