import { readLettersAbout, readLettersById } from '../../../shared/aws/read-ledger.ts';
import {
  type SummarizedDeadLetter,
  summarize,
  type WayOut,
} from '../../../shared/core/batch/dead-letter.ts';
import { type EntityEntry, readEntry } from '../../../shared/core/ledger/ledger.ts';
import { adviceOn } from '../../../shared/loyalty/error-advice.ts';
import {
  type About,
  aboutCell,
  aboutOf,
  aboutText,
  afterHand,
  BECAUSE,
  codeText,
  expiryText,
  firstOf,
  isHopeless,
  isMendedFirst,
  isoOf,
  traceOf,
  whyText,
  withNames,
} from '../ground/letters/describe-letters.ts';
import {
  entityIn,
  findUnlisted,
  isDelivered,
  NOT_SEEN,
  newestFirst,
  openLetterQueues,
  type ReadLetter,
  readSummaries,
  type SurveySettings,
  takeLetters,
} from '../ground/letters/read-letters.ts';
import {
  letterReaderOf,
  OBSTACLES,
  previewReplay,
  readErasure,
} from '../ground/letters/replay-letters.ts';
import { EVENT_KINDS } from '../ground/session/arguments.ts';
import {
  type Deployment,
  nextCommand,
  openLedger,
  openLists,
} from '../ground/session/deployment.ts';
import { familiesOf } from '../ground/session/queues.ts';
import type { Session } from '../ground/session/session.ts';
import {
  type Document,
  type FactsBlock,
  facts,
  REVEALS,
  type Suggestion,
  text,
  type Verdict,
} from '../ground/terminal/document.ts';
import { Problem } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { utcText } from '../ground/terminal/text.ts';

/**
 * `loyalty-connector dead-letters show ID`: of several about one thing the newest, as its summary has it, or when and
 * how it left. What would be sent is what `trace` shows. Only to reveal its body it is received.
 */
export async function showLetter(
  session: Session,
  id: string,
  { reveal = false }: { readonly reveal?: boolean },
): Promise<Document> {
  const deployment = await session.findDeployment();
  const signal = session.interruption();
  const record = reveal ? await session.beginChange(deployment, 'reveal') : undefined;
  const progress = session.terminal.progress('Looking for it:');
  const onProgress = (seen: number, total: number) => progress.report(seen, `of about ${total}`);
  const [letter, ...others] = await findLetters(deployment, id, { signal, onProgress });
  const list = `To list all: ${nextCommand(deployment, 'dead-letters list')}`;
  if (!letter) {
    const left = 'If it was sent again or dropped, "trace" shows what happened to its order.';
    throw new Problem(`There is no dead letter ${id}.`, `${left} ${list}`);
  }
  const key = entityIn(letter);
  const ledger = openLedger(deployment);
  const entry = key && (await readEntry(ledger, key));
  const known = { letter, entry, redactedAt: entry?.redactedAt, isRevealed: reveal };
  let shown: ShownLetter = known;
  if (reveal && !letter.gone) {
    const received = await receive(deployment, letter, signal);
    const hidden = `This dead letter cannot be read now: ${NOT_SEEN}`;
    if (!received) throw new Problem(hidden, list);
    record?.count({ revealed: 1 });
    const reader = { ledger, ...letterReaderOf(deployment.connector.shops) };
    const redactedAt = await readErasure(received, entry, reader);
    shown = { ...known, redactedAt, ...revealedIn(received, redactedAt) };
  }
  const [about = aboutOf(letter)] = await withNames(deployment, [aboutOf(letter)]);
  return documentOf(shown, about, others.length + 1, deployment);
}

/** The newest first; by a scan where it has no summary. */
async function findLetters(
  deployment: Deployment,
  id: string,
  settings: Pick<SurveySettings, 'signal' | 'onProgress'>,
): Promise<readonly SummarizedDeadLetter[]> {
  const now = new Date();
  const summaries = openLists(deployment);
  const possible = deployment.connector.shops.flatMap(({ domain: shop }) =>
    EVENT_KINDS.map((kind) => ({ shop, kind, id })),
  );
  const found = await Promise.all([
    readLettersById(summaries, [id], now),
    ...possible.map((thing) => readLettersAbout(summaries, thing, now)),
  ]);
  if (found.some((some) => some.length > 0)) return found.flat().toSorted(newestFirst);
  // As the list names it: `#1007`.
  const all = await readSummaries(summaries, now);
  const abouts = await withNames(deployment, all.map(aboutOf));
  const named = all.filter((_, at) => id !== '' && [id, `#${id}`].includes(abouts[at]?.name ?? ''));
  const things = new Set(named.map((one) => JSON.stringify(aboutOf(one))));
  if (things.size > 1) {
    const ids = named.map(({ letterId }) => letterId).join(', ');
    throw new Problem(`Several shops have dead letters about ${id}.`, `Give the id of one: ${ids}`);
  }
  if (named.length > 0) return named.toSorted(newestFirst);
  const families = familiesOf(deployment.connector);
  const unlisted = await findUnlisted(deployment, families, { id: [id] }, settings);
  return unlisted.map((letter) => summarize(letter, letter.event));
}

async function receive(
  deployment: Deployment,
  { letterId, family }: SummarizedDeadLetter,
  signal: AbortSignal,
): Promise<ReadLetter | undefined> {
  const received: ReadLetter[] = [];
  await takeLetters({
    queues: openLetterQueues(deployment, [family]),
    letterIds: new Set([letterId]),
    signal,
    async take(some) {
      received.push(...some);
      return [];
    },
  });
  return received[0];
}

interface ShownLetter {
  readonly letter: SummarizedDeadLetter;
  /** Undefined for what has no entry, and for an entity that the ledger does not know. */
  readonly entry: EntityEntry | undefined;
  /** When its person was redacted, in epoch milliseconds. */
  readonly redactedAt: number | undefined;
  readonly isRevealed: boolean;
  /** Of one that was revealed, if it has one. */
  readonly body?: string;
}

/** Of a person whom the store asked to erase nothing, not even on request. */
export function revealedIn(
  { event }: Pick<ReadLetter, 'event'>,
  redactedAt: number | undefined,
): { readonly body?: string } {
  const body = event && 'body' in event ? event.body : undefined;
  return body && redactedAt === undefined ? { body: new TextDecoder().decode(body) } : {};
}

const LEFT: Readonly<Record<WayOut, string>> = {
  replayed: 'It was sent again',
  dropped: 'It was dropped',
  removed: 'Something other than the connector removed it: a scan did not find it',
};

function documentOf(
  shown: ShownLetter,
  about: About,
  matching: number,
  { connector }: Pick<Deployment, 'connector'>,
): Document {
  const { letter, redactedAt, body } = shown;
  const { gone, letterId, at } = letter;
  const title = `Dead letter about ${aboutText(about)}`;
  const whose = about.shop === undefined ? '' : ` of ${about.shop}`;
  const advice = adviceOn(letter.code);
  const obstacle = previewReplay(letter, connector.shops);
  const trace = traceOf(about);
  const all = line('dead-letters list', [], { id: about.id ?? letterId, limit: 25 });
  const seeTrace = trace ? [{ label: `See ${aboutText(about)}`, line: trace }] : [];
  return {
    title: gone ? `${title} left the queue` : `${title}${whose}`,
    ...(!gone && { verdict: verdictOf(shown, obstacle) }),
    blocks: [
      text(gone && `${LEFT[gone.how]} at ${utcText(gone.at)} UTC.`),
      factsOf(letter, about),
      text(!gone && !isDelivered(letter, shown.entry) && expiryText(letter, connector), 'pending'),
      ...(body === undefined ? [] : [{ kind: 'code', title: 'The message', text: body } as const]),
    ],
    next: gone
      ? [...seeTrace, { label: 'See the other dead letters', line: line('dead-letters list') }]
      : [
          ...actionsOn(shown, obstacle !== undefined, seeTrace),
          ...(matching > 1 ? [{ label: `See all ${matching} about it`, line: all }] : []),
        ],
    data: {
      matching,
      letter: {
        ...{ ...letter, at: isoOf(at) },
        ...(advice !== undefined && { advice }),
        ...(obstacle && { obstacle }),
        ...(body !== undefined && { body }),
        ...(redactedAt !== undefined && { redacted: isoOf(redactedAt) }),
      },
    },
  };
}

function verdictOf(
  { letter, entry, redactedAt }: ShownLetter,
  obstacle: ReturnType<typeof previewReplay>,
): Verdict {
  const kind = 'action required';
  if (redactedAt !== undefined) {
    const what = `The store asked to erase this person on ${isoOf(redactedAt).slice(0, 10)}. The message is not shown, and nothing about the person is sent from it. Drop the dead letter.`;
    return { kind, what };
  }
  if (isDelivered(letter, entry)) {
    const what =
      'Not needed any more: the loyalty service has the same or a newer state. You can drop it.';
    return { kind: 'ok', what };
  }
  if (obstacle) return { kind, what: `It cannot be sent again: ${OBSTACLES[obstacle]}.` };
  const ways = isHopeless(letter) ? 'drop it' : 'send it again, or drop it';
  const mend = afterHand(letter) ? 'Do what the reason says.' : adviceOn(letter.code);
  const then = isMendedFirst(letter) ? 'Then' : 'Your decision is needed:';
  return { kind, what: [mend, `${then} ${ways}.`].filter(Boolean).join(' ') };
}

function factsOf(letter: SummarizedDeadLetter, about: About): FactsBlock {
  const { reason, code, at, attempts, letterId, family, event } = letter;
  return facts([
    ['About', aboutCell(about)],
    ['Reason', { text: reason, tone: 'bad' }],
    ['Code', codeText(code)],
    ['Why', whyText(letter)],
    ['Received', event && { at: event.receivedAt }],
    ['Attempts', attempts],
    ['Given up', { at: isoOf(at) }],
    ...(event?.replays ?? []).map(
      ({ at, by }) => ['Sent again', `${utcText(at)} UTC by ${by}`] as const,
    ),
    ['Topic', event?.topic],
    ['Queue', family],
    ['Dead letter', letterId],
  ]);
}

/** What must be done by hand comes first. */
export function actionsOn(
  { letter, entry, redactedAt, isRevealed }: ShownLetter,
  isHindered: boolean,
  seeTrace: readonly Suggestion[],
): readonly Suggestion[] {
  const { letterId: id } = letter;
  const isErased = redactedAt !== undefined;
  const isOver = isHindered || isErased || isDelivered(letter, entry);
  const send = line('dead-letters replay', [], { id, wait: true });
  const whole = line('dead-letters show', [id], { reveal: true });
  const isByHand = !isOver && isMendedFirst(letter);
  const once = isByHand && { say: 'Once that is done:' };
  const or = isByHand && { say: 'Or give it up:' };
  return [
    ...(isByHand ? seeTrace : []),
    ...(isOver ? [] : firstOf(letter)),
    ...(isOver || isHopeless(letter) ? [] : [{ label: 'Send again', ...once, line: send }]),
    { label: 'Drop', ...or, line: line('dead-letters drop', [], { id }), asks: [BECAUSE] },
    ...(isErased || isRevealed
      ? []
      : [{ label: 'Show the whole message', line: whole, say: REVEALS }]),
    ...(isByHand ? [] : seeTrace),
  ];
}
