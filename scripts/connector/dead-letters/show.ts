import { readLettersAbout, readLettersById } from '../../../shared/aws/read-ledger.ts';
import {
  type ListedDeadLetter,
  type SummarizedDeadLetter,
  summarize,
  type WayOut,
} from '../../../shared/core/batch/dead-letter.ts';
import {
  type EntityKey,
  isStoreEvent,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import type { Outcome } from '../../../shared/core/events/outcome.ts';
import { type EntityEntry, type Ledger, readEntry } from '../../../shared/core/ledger/ledger.ts';
import type { CouponForm, OrderForm } from '../../../shared/core/mapping/wanted-state.ts';
import type { Task } from '../../../shared/core/store/store.ts';
import {
  type Preview,
  type PreviewDeps,
  type PreviewedCall,
  previewSync,
} from '../../../shared/core/sync/preview-sync.ts';
import { adviceOn } from '../../../shared/loyalty/error-advice.ts';
import { workerRewards } from '../../../shared/services/rewards.ts';
import { byDomain } from '../../../shared/services/shop-loyalty.ts';
import { type Deployment, nextCommand, openLedger, openLists } from '../deployment/deployment.ts';
import { explainAwsError, isDenied } from '../deployment/explain-aws-error.ts';
import { openShopServices } from '../deployment/services.ts';
import {
  type Block,
  type Document,
  facts,
  REVEALS,
  type Suggestion,
  text,
  type Verdict,
  type VerdictKind,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import { EVENT_KINDS } from '../session/arguments.ts';
import type { CommonOptions, Session } from '../session/session.ts';
import { Problem } from '../terminal/exit.ts';
import { utcText } from '../terminal/text.ts';
import {
  aboutCell,
  aboutOf,
  aboutText,
  BECAUSE,
  compareSince,
  expiryText,
  isoOf,
  isUnrecorded,
  type Names,
  namesOf,
  traceOf,
} from './describe.ts';
import {
  entityIn,
  familiesOf,
  findUnlisted,
  isDelivered,
  NOT_SEEN,
  newestFirst,
  openLetterQueues,
  type ReadLetter,
  type SurveySettings,
  takeLetters,
} from './read.ts';
import {
  type LetterReader,
  letterReaderOf,
  OBSTACLES,
  type Obstacle,
  prepareReplay,
  readErasure,
} from './replay.ts';

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
  const { matching, letter, gone, listed } = await findLetter(deployment, id, {
    ...{ signal, reveal: options.reveal ?? false },
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
  });
  progress.end();
  if (gone) return goneDocument(gone, deployment);
  if (listed) return listedDocument(listed, matching, deployment);
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
  const opens = traceOf(about);
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
      ...(opens ? [{ label: 'What happened to it', line: opens }] : []),
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
  readonly gone?: SummarizedDeadLetter;
  /** Its summary, where the caller may only look. */
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
  if (newest?.gone) return { matching: 0, gone: newest };
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

/** What the list says of it. */
async function listedDocument(
  letter: SummarizedDeadLetter,
  matching: number,
  deployment: Deployment,
): Promise<Document> {
  const about = aboutOf(letter);
  const names = await namesOf(deployment, [about]);
  const opens = traceOf(about);
  return {
    title: `Dead letter about ${aboutText(about, names)}`,
    verdict: { kind: 'action required', what: ONLY_LISTED },
    blocks: [
      facts(listedRows(letter, names)),
      text(expiryText(letter, deployment.connector), 'waits'),
    ],
    next: opens ? [{ label: 'What happened to it', line: opens }] : [],
    data: { matching, letter: { ...letter, at: isoOf(letter.at) } },
  };
}

/** The ledger may have an outcome before a replay has marked the dead letter as gone. */
const BEFORE_GONE_MS = 5_000;

/** It left the queue: when, how, and what became of it since. */
async function goneDocument(
  letter: SummarizedDeadLetter,
  deployment: Deployment,
): Promise<Document> {
  const about = aboutOf(letter);
  const names = await namesOf(deployment, [about]);
  const key = entityIn(letter);
  const entry = key && (await readEntry(openLedger(deployment), key));
  const { at = '', how = 'removed' } = letter.gone ?? {};
  const since = Date.parse(at) - BEFORE_GONE_MS;
  const last = entry?.outcomes.findLast((one) => Date.parse(one.at) >= since)?.outcome;
  const way = how === 'dropped' && isUnrecorded(letter) ? 'unrecorded' : how;
  const [kind, end] = ENDS[how === 'replayed' ? (last ?? 'replayed') : way] ?? NOTHING_NEW;
  const opens = traceOf(about);
  return {
    title: `The dead letter about ${aboutText(about, names)} left the queue`,
    verdict: { kind, what: `${LEFT[how]} at ${utcText(at)} UTC${end}.` },
    blocks: [],
    next: [
      ...(opens ? [{ label: 'What happened to it', line: opens }] : []),
      { label: 'See the other dead letters', line: line('dead-letters list') },
    ],
    data: { matching: 0, gone: letter.gone, outcome: last },
  };
}

const LEFT: Readonly<Record<WayOut, string>> = {
  replayed: 'It was sent again',
  dropped: 'It was dropped',
  removed: 'A scan did not find it',
};

const NOTHING_NEW = ['well', ': nothing new had to be sent'] as const;
/** By how it left, or by the outcome since it was sent again. */
const ENDS: Readonly<Record<string, readonly [VerdictKind, string]>> = {
  dropped: ['well', ', and is not sent until it changes in the store'],
  unrecorded: ['not known', '. If the store has what it is about, reconcile sends that'],
  removed: ['not known', ': it was removed without this connector'],
  applied: ['well', ': delivered'],
  rejected: ['action required', ', and failed again: a new dead letter says why'],
  replayed: ['not known', '. No outcome is recorded for it yet'],
};

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

interface ExaminingDeps extends LetterReader {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly shop: (domain: string) => PreviewDeps;
}

/** What would become of a message if it were sent now. */
export type Prospect =
  | { readonly kind: 'preview'; readonly preview: Preview; readonly asksStore?: boolean }
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'obstacle'; readonly obstacle: Obstacle }
  /** No event of the store: its worker decides by what it then finds. */
  | { readonly kind: 'storefront' }
  /** The store, or a secret that opens it, could not be had. */
  | { readonly kind: 'unknown'; readonly error: unknown };

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

/** What a worker would do with the event now. */
export async function foresee(
  event: StoreEvent,
  key: EntityKey | undefined,
  entry: EntityEntry | undefined,
  deps: ExaminingDeps,
): Promise<Prospect> {
  const reading = deps.read(event);
  if (reading.kind === 'task') return reading;
  if (reading.kind === 'unreadable' || !key) return { kind: 'obstacle', obstacle: 'unreadable' };
  try {
    const preview = await previewSync(key, { event, reading }, entry, deps.shop(event.shop));
    return { kind: 'preview', preview };
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

/** As the workers of this deployment see it. */
export function examiningDeps(deployment: Deployment): ExaminingDeps {
  const { connector } = deployment;
  const { store } = openShopServices(deployment);
  const ledger = openLedger(deployment);
  return {
    ledger,
    ...letterReaderOf(connector.shops),
    shop: byDomain(connector, ({ rules }) => {
      const { assumptions } = connector.loyalty;
      const rewards = workerRewards(connector);
      return { store, ledger, rules, assumptions, rewards, now: () => new Date() };
    }),
  };
}

export type RevealOptions = CommonOptions & { readonly reveal?: boolean };

/** What would be sent. People are masked unless they are to be revealed. */
export function prospectData(prospect: Prospect, options: RevealOptions) {
  const { calls = [], outcome } = prospect.kind === 'preview' ? prospect.preview : {};
  return {
    ...{ summary: describeProspect(prospect, options), ...(outcome && { outcome }) },
    calls: calls.map((call) => ({
      ...call,
      ...(call.body && !options.reveal && { body: maskCall(call) }),
    })),
  };
}

export function prospectBlocks({ summary, calls }: ReturnType<typeof prospectData>) {
  const shown = calls.map(({ operation, id, body }) => ({
    ...{ kind: 'code' as const, title: [operation, id].join(' ').trim() },
    text: body ? JSON.stringify(body, null, 2) : '(without a body)',
  }));
  return [text(summary), ...shown];
}

/** One sentence on what would happen to the message now. */
function describeProspect(prospect: Prospect, options: CommonOptions): string {
  switch (prospect.kind) {
    case 'obstacle':
      return `It cannot be sent again: ${OBSTACLES[prospect.obstacle]}.`;
    case 'storefront':
      return 'Its worker would decide by what it finds then: an older balance never replaces a newer one, and a redemption goes on from where it stands.';
    case 'task':
      return prospect.task.kind === 'skip'
        ? `Nothing would be sent: it is skipped (${prospect.task.why}).`
        : 'It is no state to send: its worker would do what it asks for.';
    case 'unknown': {
      const { error } = prospect;
      const known = explainAwsError(error, options)?.message;
      const words = known ?? (error instanceof Error ? error.message : String(error));
      return `This is not known now, because the store could not be asked: ${words}`;
    }
    case 'preview': {
      const { asksStore, preview } = prospect;
      const first = asksStore ? 'Its body cannot be used, so the store is asked instead. ' : '';
      const asked = preview.storeAsked && !asksStore ? ' The store was asked.' : '';
      return `${first}${describeOutcome(preview.outcome)}${asked}`;
    }
  }
}

function describeOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'applied':
      return `It would be sent: ${outcome.calls.join(', then ')}.`;
    case 'unchanged':
      return 'Nothing would be sent: it is applied already (resend --force sends it all the same).';
    case 'superseded':
      return 'Nothing would be sent: a newer version was applied already.';
    case 'skipped':
      return `Nothing would be sent: it is skipped (${outcome.why}).`;
    case 'handled':
      return `It would be handled (${outcome.how}).`;
    case 'retry':
      return `It would wait and be tried again (${outcome.why}).`;
    case 'rejected':
      return `It would be refused again: ${outcome.why}.`;
  }
}

/** Of what goes to the loyalty service, the parts that are about a person, or may be. */
const PERSONAL: ReadonlySet<string> = new Set<keyof OrderForm | keyof CouponForm>([
  'Customer',
  'SalesPerson',
  // What a merchant's own function puts there is not known here.
  'Metadatas',
]);

const MASK = '•••';

/**
 * What the connector itself puts into metadata. A merchant's function may put something else under the same names, so
 * only values that cannot be a person's: no capitals but a currency's, no number without Shopify's sign of an order.
 */
const IMPERSONAL: ReadonlyMap<unknown, (value: string) => boolean> = new Map([
  ['currency', (value) => Intl.supportedValuesOf('currency').includes(value)],
  ['order_name', (value) => /^#\d{1,9}$/.test(value)],
]);

function maskMetadatas(value: unknown): unknown {
  if (!Array.isArray(value)) return maskAll(value, 'Name');
  return value.map((one) =>
    IMPERSONAL.get(one.Name)?.(String(one.Value)) ? one : maskAll(one, 'Name'),
  );
}

/** The form as it is built, without what it says of people. */
export function maskPersonal(form: object): object {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => {
      // The settings name what is there; only the values can be a person's.
      if (name === 'Metadatas') return [name, maskMetadatas(value)];
      return [name, PERSONAL.has(name) ? maskAll(value, 'OriginalId') : value];
    }),
  );
}

/** A form that is about nothing but a person. An id identifies a person only for those who may look it up. */
export function maskPerson(form: object): object {
  return Object(maskAll(form, 'OriginalId'));
}

/** The body of a call, without what it says of people. */
export function maskCall({ operation, body = {} }: PreviewedCall): object {
  return operation === 'upsertCustomer' ? maskPerson(body) : maskPersonal(body);
}

/** Every text and number in it but those of the field that is `shown`. */
function maskAll(value: unknown, shown: string): unknown {
  if (Array.isArray(value)) return value.map((one) => maskAll(one, shown));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        name === shown ? field : maskAll(field, shown),
      ]),
    );
  }
  return typeof value === 'string' || typeof value === 'number' ? MASK : value;
}
