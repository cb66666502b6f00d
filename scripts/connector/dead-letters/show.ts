import { readLettersAbout, readLettersById } from '../../../shared/aws/read-ledger.ts';
import type { QueuedEvent } from '../../../shared/core/events/event.ts';
import { adviceOn } from '../../../shared/loyalty/error-advice.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { type Block, type Document, facts, type Suggestion, text } from '../document/document.ts';
import { line } from '../document/line.ts';
import { Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import {
  aboutCell,
  aboutOf,
  aboutText,
  ENTITIES,
  EVENT_KINDS,
  expiryText,
  isoOf,
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
  NOT_SEEN,
  newestFirst,
  openLetterQueues,
  openSummaries,
  type ReadLetter,
  type SurveySettings,
  surveyLetters,
} from './read.ts';
import { letterReaderOf, prepareReplay } from './replay.ts';

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
  const { matching, letter } = await findLetter(deployment, id, {
    signal,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
  });
  progress.end();
  const look = `To see what is there: ${nextCommand(deployment, 'dead-letters list')}`;
  if (matching === 0) throw new Problem(`No dead letter is, or is about, ${id}.`, look);
  if (!letter) {
    const why = `The queue does not give this dead letter now: ${NOT_SEEN}`;
    throw new Problem(`${why} Or it was removed without this connector.`, look);
  }
  record?.count({ revealed: 1 });
  const data = letterData(await examineLetter(letter, examiningDeps(deployment)), options);
  const names = await readNames(deployment, [aboutOf(letter)]);
  return {
    title: letter.event
      ? `Dead letter about ${aboutText(aboutOf(letter), names)} of ${letter.event.shop}`
      : `A dead letter ${letter.isNewer ? 'of a newer release' : 'that cannot be read'}`,
    blocks: letterBlocks(letter, data, names, deployment),
    next: nextOf(letter, data, deployment, matching > 1 ? { id, matching } : undefined),
    data: { matching, letter: data },
  };
}

/** By its summary, so that no more is received than it takes to reach it; by a scan of all where it has none. */
async function findLetter(
  deployment: Deployment,
  id: string,
  settings: Pick<SurveySettings, 'signal' | 'onProgress'>,
): Promise<{ readonly matching: number; readonly letter: ReadLetter | undefined }> {
  const now = new Date();
  const summaries = openSummaries(deployment);
  const things = deployment.connector.shops.flatMap(({ domain: shop }) =>
    EVENT_KINDS.map((kind) => ({ shop, kind, id })),
  );
  const found = await Promise.all([
    readLettersById(summaries, [id], now),
    ...things.map((thing) => readLettersAbout(summaries, thing, now)),
  ]);
  const listed = found.flat().filter(({ gone }) => !gone);
  const [newest] = listed.toSorted(newestFirst);
  const families = newest ? [newest.family] : familiesOf({}, deployment.connector);
  const received: ReadLetter[] = [];
  const { matching } = await surveyLetters({
    ...settings,
    queues: openLetterQueues(deployment, families),
    filter: { id: [newest?.letterId ?? id] },
    most: newest && 1,
    onMatch: (letters) => void received.push(...letters),
  });
  const [letter] = received.toSorted(newestFirst);
  return { matching: Math.max(matching, listed.length), letter };
}

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
    ledger: entry ? { ...entry, remembered: undefined } : null,
    now: prospectData(prospect, options),
  };
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

type LetterData = ReturnType<typeof letterData>;

export function letterBlocks(
  letter: ReadLetter,
  { advice, redacted, body, ledger, now }: LetterData,
  names: OrderNames,
  { connector }: Pick<Deployment, 'connector'>,
): readonly Block[] {
  const { event, code, attempts, letterId, family } = letter;
  const size = event && 'body' in event && event.body ? event.body.length : 0;
  const erase =
    'The message is not shown, and nothing of the person is sent from it. Drop the dead letter.';
  return [
    facts([
      ['about', aboutCell(aboutOf(letter), names)],
      ['reason', { text: [letter.reason, code].filter(Boolean).join(', '), tone: 'bad' }],
      ['why', letter.why],
      ['advice', advice],
      ['given up', { at: isoOf(letter.at) }],
      ['attempts', attempts],
      ['letter', `${letterId}, dead letter of the ${family} queue`],
      ['topic', event && `${event.topic}, delivery ${event.deliveryId}`],
      ['received', event && { at: event.receivedAt }],
      ...(event?.replays ?? []).map(({ at, by }) => ['sent again', `${at} by ${by}`] as const),
      ['body', size > 0 && !redacted ? `${size} bytes (--reveal shows it)` : undefined],
      ['cannot be read', letter.undecodable],
    ]),
    text(expiryText(letter, connector), 'waits'),
    ...(redacted === undefined
      ? []
      : [
          text(`The store asked to erase this person on ${redacted.slice(0, 10)}. ${erase}`, 'bad'),
        ]),
    { kind: 'section', title: 'If it were sent now', blocks: prospectBlocks(now) },
    ...(event && ENTITIES.has(event.kind) ? ledgerBlocks(ledger) : []),
    ...(body === undefined ? [] : [{ kind: 'code', title: 'The message', text: body } as const]),
  ];
}

function ledgerBlocks(entry: LetterData['ledger']): readonly Block[] {
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

function nextOf(
  letter: ReadLetter,
  { redacted }: LetterData,
  { connector }: Pick<Deployment, 'connector'>,
  all: { readonly id: string; readonly matching: number } | undefined,
): readonly Suggestion[] {
  const { letterId: id } = letter;
  const reader = letterReaderOf(connector.shops);
  // As it is, else by what the store says; neither where it would only come back.
  const how = [false, true].find(
    (refetch) =>
      prepareReplay(letter, { refetch, force: false, by: '' }, reader, new Date()).kind === 'event',
  );
  const send = line('dead-letters replay', [], { id, refetch: how, wait: true });
  const because = { name: 'because', label: 'Why it may go' };
  return [
    ...(how === undefined || redacted !== undefined ? [] : [{ label: 'Send 1', line: send }]),
    { label: 'Drop 1', line: line('dead-letters drop', [], { id }), asks: [because] },
    ...(all
      ? [
          {
            label: `See all ${all.matching} about it`,
            line: line('dead-letters list', [], { id: all.id, limit: 25 }),
          },
        ]
      : []),
  ];
}
