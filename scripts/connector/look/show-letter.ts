import { readLettersAbout, readLettersById } from '../../../shared/aws/read-ledger.ts';
import {
  type ListedDeadLetter,
  type SummarizedDeadLetter,
  summarize,
  type WayOut,
} from '../../../shared/core/batch/dead-letter.ts';
import { isStoreEvent } from '../../../shared/core/events/event.ts';
import { type EntityEntry, readEntry } from '../../../shared/core/ledger/ledger.ts';
import { adviceOn } from '../../../shared/loyalty/error-advice.ts';
import {
  aboutCell,
  aboutOf,
  aboutText,
  BECAUSE,
  compareSince,
  expiryText,
  isoOf,
  type Names,
  namesOf,
  traceOf,
} from '../ground/letters/describe-letters.ts';
import {
  type ExaminingDeps,
  examiningDeps,
  foresee,
  type Prospect,
  prospectBlocks,
  prospectData,
  type RevealOptions,
} from '../ground/letters/foresee.ts';
import {
  entityIn,
  findUnlisted,
  isDelivered,
  NOT_SEEN,
  newestFirst,
  openLetterQueues,
  type ReadLetter,
  type SurveySettings,
  takeLetters,
} from '../ground/letters/read-letters.ts';
import { prepareReplay, readErasure } from '../ground/letters/replay-letters.ts';
import { EVENT_KINDS } from '../ground/session/arguments.ts';
import { type Deployment, nextCommand, openLists } from '../ground/session/deployment.ts';
import { isDenied } from '../ground/session/explain-aws-error.ts';
import { familiesOf } from '../ground/session/queues.ts';
import type { Session } from '../ground/session/session.ts';
import {
  type Block,
  type Document,
  facts,
  REVEALS,
  type Suggestion,
  text,
  type Verdict,
} from '../ground/terminal/document.ts';
import { Problem } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { utcText } from '../ground/terminal/text.ts';

/** `loyalty-connector dead-letters show ID`: of several about one thing the newest. */
export async function showLetter(
  session: Session,
  id: string,
  options: RevealOptions,
): Promise<Document> {
  const deployment = await session.findDeployment();
  const signal = session.interruption();
  const record = options.reveal ? await session.beginChange(deployment, 'reveal') : undefined;
  const progress = session.terminal.progress('Looking for it:');
  const { matching, letter, listed } = await findLetter(deployment, id, {
    ...{ signal, reveal: options.reveal ?? false },
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`),
  });
  progress.end();
  if (listed) return summaryDocument(listed, matching, deployment);
  if (!letter) {
    const hidden = `The queue does not give this dead letter now: ${NOT_SEEN}`;
    throw new Problem(
      matching === 0 ? `No dead letter is, or is about, ${id}.` : hidden,
      `To see what is there: ${nextCommand(deployment, 'dead-letters list')}`,
    );
  }
  record?.count({ revealed: 1 });
  const examined = await examineLetter(letter, examiningDeps(deployment));
  const data = letterData(examined, options);
  const about = aboutOf(letter);
  const names = await namesOf(deployment, [about]);
  return {
    title: letter.event
      ? `Dead letter about ${aboutText(about, names)} of ${letter.event.shop}`
      : `A dead letter ${letter.isNewer ? 'of a newer release' : 'that cannot be read'}`,
    verdict: letterVerdict(examined, data),
    blocks: letterBlocks(letter, data, names, deployment),
    next: [
      ...nextOf(examined, options),
      ...(matching > 1
        ? [
            {
              label: `See all ${matching} about it`,
              line: line('dead-letters list', [], { id, limit: 25 }),
            },
          ]
        : []),
      ...seeTrace(about),
    ],
    data: { matching, letter: data },
  };
}

/** By its summary, so that no more is received than it takes to reach it; by a scan where it has none. */
async function findLetter(
  deployment: Deployment,
  id: string,
  settings: Pick<SurveySettings, 'signal' | 'onProgress'> & { readonly reveal: boolean },
): Promise<{
  readonly matching: number;
  readonly letter?: ReadLetter | undefined;
  /** Its summary, where it left, or the caller may only look. */
  readonly listed?: SummarizedDeadLetter;
}> {
  const now = new Date();
  const summaries = openLists(deployment);
  const things = deployment.connector.shops.flatMap(({ domain: shop }) =>
    EVENT_KINDS.map((kind) => ({ shop, kind, id })),
  );
  const found = await Promise.all([
    readLettersById(summaries, [id], now),
    ...things.map((thing) => readLettersAbout(summaries, thing, now)),
  ]);
  const [newest, ...others] = found.flat().toSorted(newestFirst);
  if (newest?.gone) return { matching: 0, listed: newest };
  if (!newest) {
    const families = familiesOf(deployment.connector);
    const unlisted = await findUnlisted(deployment, families, { id: [id] }, settings);
    return { matching: unlisted.length, letter: unlisted[0] };
  }
  const received: ReadLetter[] = [];
  const matching = others.length + 1;
  const taken = takeLetters({
    queues: openLetterQueues(deployment, [newest.family]),
    letterIds: new Set([newest.letterId]),
    signal: settings.signal,
    async take(some) {
      received.push(...some);
      return [];
    },
  });
  return taken.then(
    () => ({ matching, letter: received[0] }),
    (error: unknown) => {
      if (settings.reveal || !isDenied(error)) throw error;
      return { matching, listed: newest };
    },
  );
}

const ONLY_LISTED =
  'It waits for a decision. You may only look: operators see the message and what a replay would send, because whoever receives it hides it from others.';

const LEFT: Readonly<Record<WayOut, string>> = {
  replayed: 'It was sent again',
  dropped: 'It was dropped',
  removed: 'It was removed without this connector: a scan did not find it',
};

/** What the list says of it, or when and how it left; what became of it since, `trace` says. */
async function summaryDocument(
  letter: SummarizedDeadLetter,
  matching: number,
  deployment: Deployment,
): Promise<Document> {
  const about = aboutOf(letter);
  const names = await namesOf(deployment, [about]);
  const { gone } = letter;
  const title = `The dead letter about ${aboutText(about, names)}`;
  return {
    title: gone ? `${title} left the queue` : title,
    ...(!gone && { verdict: { kind: 'action required', what: ONLY_LISTED } }),
    blocks: [
      ...(gone ? [text(`${LEFT[gone.how]} at ${utcText(gone.at)} UTC.`)] : []),
      facts(listedRows(letter, names)),
      ...(gone ? [] : [text(expiryText(letter, deployment.connector), 'waits')]),
    ],
    next: [
      ...seeTrace(about),
      { label: 'See the other dead letters', line: line('dead-letters list') },
    ],
    data: { matching, letter: { ...letter, at: isoOf(letter.at) } },
  };
}

function seeTrace(about: ReturnType<typeof aboutOf>): readonly Suggestion[] {
  const opens = traceOf(about);
  return opens ? [{ label: 'What happened to it', line: opens }] : [];
}

/** A dead letter and what would be sent; people in it are masked unless they are to be revealed. */
export function letterData({ letter, redactedAt, prospect }: Examined, options: RevealOptions) {
  const { receiptHandle: _, body: __, event, at, undecodable, ...known } = letter;
  const body = event && 'body' in event ? event.body : undefined;
  const advice = adviceOn(letter.code);
  return {
    ...known,
    ...(advice !== undefined && { advice }),
    at: isoOf(at),
    ...(undecodable !== undefined && { undecodable }),
    // As its summary has it: without its body, and without the balance in it.
    ...(event && { event: summarize(letter, event).event }),
    // The store asked to erase the person: not even on request.
    ...(options.reveal &&
      body &&
      redactedAt === undefined && { body: new TextDecoder().decode(body) }),
    ...(redactedAt !== undefined && { redacted: isoOf(redactedAt) }),
    now: prospectData(prospect, options),
  };
}

type LetterData = ReturnType<typeof letterData>;

function letterVerdict(
  { letter, entry, prospect }: Examined,
  { redacted, now }: LetterData,
): Verdict {
  if (redacted !== undefined) {
    const what = `The store asked to erase this person on ${redacted.slice(0, 10)}. The message is not shown, and nothing of the person is sent from it. Drop the dead letter.`;
    return { kind: 'action required', what };
  }
  if (isDelivered(letter, entry)) {
    const what =
      'The loyalty service got the same or a newer state since. Nothing is left to send: it can be dropped.';
    return { kind: 'well', what };
  }
  if (prospect.kind === 'obstacle') return { kind: 'action required', what: now.summary };
  return { kind: 'action required', what: 'It waits for a decision: send it again, or drop it.' };
}

const listedRows = (letter: ListedDeadLetter, names: Names): Parameters<typeof facts>[0] => [
  ['about', aboutCell(aboutOf(letter), names)],
  ['reason', { text: [letter.reason, letter.code].filter(Boolean).join(', '), tone: 'bad' }],
  ['why', letter.why],
  ['advice', adviceOn(letter.code)],
  ['given up', { at: isoOf(letter.at) }],
  ['attempts', letter.attempts],
  ['letter', `${letter.letterId}, dead letter of the ${letter.family} queue`],
];

export function letterBlocks(
  letter: ReadLetter,
  { body, now }: LetterData,
  names: Names,
  { connector }: Pick<Deployment, 'connector'>,
): readonly Block[] {
  const { event } = letter;
  return [
    facts([
      ...listedRows(letter, names),
      ['topic', event && `${event.topic}, delivery ${event.deliveryId}`],
      ['received', event && { at: event.receivedAt }],
      ...(event?.replays ?? []).map(({ at, by }) => ['sent again', `${at} by ${by}`] as const),
      ['cannot be read', letter.undecodable],
    ]),
    text(expiryText(letter, connector), 'waits'),
    { kind: 'section', title: 'If it were sent now', blocks: prospectBlocks(now) },
    ...(body === undefined ? [] : [{ kind: 'code', title: 'The message', text: body } as const]),
  ];
}

function nextOf(
  { letter, entry, redactedAt, prospect }: Examined,
  { reveal = false }: RevealOptions,
): readonly Suggestion[] {
  const { letterId: id } = letter;
  const isErased = redactedAt !== undefined;
  const isSent = prospect.kind !== 'obstacle' && !isErased && !isDelivered(letter, entry);
  const isHopeless = prospect.kind === 'obstacle' && prospect.obstacle === 'unreadable';
  const send = line('dead-letters replay', [], { id, wait: true });
  const whole = line('dead-letters show', [id], { reveal: true });
  return [
    ...(isSent ? [{ label: 'Send 1', line: send }] : []),
    ...(isHopeless ? compareSince(letter) : []),
    { label: 'Drop 1', line: line('dead-letters drop', [], { id }), asks: [BECAUSE] },
    ...(isErased || reveal ? [] : [{ label: 'Show the whole message', line: whole, say: REVEALS }]),
  ];
}

export interface Examined {
  readonly letter: ReadLetter;
  /** Undefined for what has no entry, and for an entity that the ledger does not know. */
  readonly entry: EntityEntry | undefined;
  /** When its person was redacted, in epoch milliseconds. */
  readonly redactedAt: number | undefined;
  readonly prospect: Prospect;
}

/** A dead letter beside what the ledger knows, and what a replay by today's code and settings would do. */
export async function examineLetter(letter: ReadLetter, deps: ExaminingDeps): Promise<Examined> {
  const key = entityIn(letter);
  const entry = key && (await readEntry(deps.ledger, key));
  const known = { letter, entry, redactedAt: await readErasure(letter, entry, deps) };
  const prepared = prepareReplay(letter, '', deps, new Date());
  if (prepared.kind === 'obstacle') return { ...known, prospect: prepared };
  const { event } = prepared;
  if (!isStoreEvent(event)) return { ...known, prospect: { kind: 'storefront' } };
  const prospect = await foresee(event, key, entry, deps);
  const isPreview = prospect.kind === 'preview';
  const { asksStore } = prepared;
  return { ...known, prospect: isPreview ? { ...prospect, asksStore } : prospect };
}
