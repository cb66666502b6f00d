import { readLettersAbout, readLettersById } from '../../../shared/aws/read-ledger.ts';
import {
  type EntityKey,
  isEntityKind,
  isStoreEvent,
  type QueuedEvent,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import type { Outcome } from '../../../shared/core/events/outcome.ts';
import {
  type EntityEntry,
  type Ledger,
  ledgerKeyText,
} from '../../../shared/core/ledger/ledger.ts';
import type { CouponForm, OrderForm } from '../../../shared/core/mapping/wanted-state.ts';
import type { ReadEvent, Task } from '../../../shared/core/store/store.ts';
import {
  type Preview,
  type PreviewDeps,
  type PreviewedCall,
  previewSync,
} from '../../../shared/core/sync/preview-sync.ts';
import { adviceOn } from '../../../shared/loyalty/error-advice.ts';
import { createEventReader } from '../../../shared/shopify/webhooks/read-event.ts';
import { type Deployment, nextCommand, openLedger } from '../deployment/deployment.ts';
import { explainAwsError } from '../deployment/explain-aws-error.ts';
import { openShopServices } from '../deployment/services.ts';
import {
  type Block,
  type Document,
  facts,
  REVEALS,
  type Suggestion,
  text,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import type { CommonOptions, Session } from '../session/session.ts';
import { Problem } from '../terminal/exit.ts';
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
    next: nextOf(
      letter,
      data,
      deployment,
      matching > 1 ? { id, matching } : undefined,
      options.reveal === true,
    ),
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
      ['body', size > 0 && !redacted ? `${size} bytes` : undefined],
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
  isRevealed: boolean,
): readonly Suggestion[] {
  const { letterId: id } = letter;
  const reader = letterReaderOf(connector.shops);
  // As it is, else by what the store says; neither where it would only come back.
  const how = [false, true].find(
    (refetch) => prepareReplay(letter, { refetch, by: '' }, reader, new Date()).kind === 'event',
  );
  const send = line('dead-letters replay', [], { id, refetch: how, wait: true });
  const because = { name: 'because', label: 'Why it may go' };
  return [
    ...(how === undefined || redacted !== undefined ? [] : [{ label: 'Send 1', line: send }]),
    { label: 'Drop 1', line: line('dead-letters drop', [], { id }), asks: [because] },
    ...(redacted === undefined && !isRevealed
      ? [
          {
            label: 'Show the whole message',
            line: line('dead-letters show', [id], { reveal: true }),
            say: REVEALS,
          },
        ]
      : []),
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

interface ExaminingDeps {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly read: ReadEvent;
  readonly shop: (domain: string) => PreviewDeps;
}

/** What would become of a dead letter if it were sent now. */
export type Prospect =
  | { readonly kind: 'preview'; readonly preview: Preview }
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'unreadable'; readonly why: string }
  /** No event of the store: its worker decides by what it then finds. */
  | { readonly kind: 'storefront' }
  /** The store, or a secret that opens it, could not be had. */
  | { readonly kind: 'unknown'; readonly error: unknown };

export interface Examined {
  readonly letter: ReadLetter;
  /** Undefined for what has no entry, and for an entity that the ledger does not know. */
  readonly entry: EntityEntry | undefined;
  readonly prospect: Prospect;
}

/** A dead letter beside what the ledger knows, and what today's code and settings would make of it. */
export async function examineLetter(letter: ReadLetter, deps: ExaminingDeps): Promise<Examined> {
  const { event } = letter;
  if (!event) {
    const why = letter.undecodable ?? letter.why;
    return { letter, entry: undefined, prospect: { kind: 'unreadable', why } };
  }
  if (!isStoreEvent(event)) {
    return { letter, entry: undefined, prospect: { kind: 'storefront' } };
  }
  const key = keyOf(event);
  const entries = await deps.ledger.readMany(key ? [key] : []);
  const entry = key && entries.get(ledgerKeyText(key));
  return { letter, entry, prospect: await foresee(event, key, entry, deps) };
}

/** What a worker would do with the event now. */
export async function foresee(
  event: StoreEvent,
  key: EntityKey | undefined,
  entry: EntityEntry | undefined,
  deps: ExaminingDeps,
): Promise<Prospect> {
  const reading = deps.read(event);
  if (reading.kind === 'unreadable') return reading;
  if (reading.kind === 'task') return reading;
  if (!key) return { kind: 'unreadable', why: 'it is neither about an entity nor a task' };
  try {
    const preview = await previewSync(key, { event, reading }, entry, deps.shop(event.shop));
    return { kind: 'preview', preview };
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

const keyOf = ({ shop, kind, id }: StoreEvent): EntityKey | undefined =>
  isEntityKind(kind) ? { shop, kind, id } : undefined;

/** As the workers of this deployment see it. */
export function examiningDeps(deployment: Deployment): ExaminingDeps {
  const { connector } = deployment;
  const { store } = openShopServices(deployment);
  const ledger = openLedger(deployment);
  return {
    ledger,
    read: createEventReader(new Set(connector.shops.map(({ domain }) => domain))),
    shop(domain) {
      const shop = connector.shops.find((one) => one.domain === domain);
      if (!shop) throw new Error(`unknown shop: ${domain}`);
      const { assumptions } = connector.loyalty;
      return { store, ledger, rules: shop.rules, assumptions, now: () => new Date() };
    },
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

/** One sentence on what would happen to the dead letter now. */
function describeProspect(prospect: Prospect, options: CommonOptions): string {
  switch (prospect.kind) {
    case 'unreadable':
      return `A replay would only bring it back: ${prospect.why}.`;
    case 'storefront':
      return 'Its worker would decide by what it finds then: an older balance never replaces a newer one, and a redemption goes on from where it stands.';
    case 'task':
      return describeTask(prospect.task);
    case 'unknown': {
      const { error } = prospect;
      const known = explainAwsError(error, options)?.message;
      const words = known ?? (error instanceof Error ? error.message : String(error));
      return `This is not known now, because the store could not be asked: ${words}`;
    }
    case 'preview': {
      const asked = prospect.preview.storeAsked ? ' The store was asked.' : '';
      return `${describeOutcome(prospect.preview.outcome)}${asked}`;
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
      return 'Nothing would be sent: a newer version is settled already.';
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

function describeTask(task: Task): string {
  switch (task.kind) {
    case 'fan-out':
      return 'The codes of the discount would be read from the store and sent one by one.';
    case 'sync-code':
      return 'The code would be read from the store and sent.';
    case 'skip':
      return `Nothing would be sent: it is skipped (${task.why}).`;
    case 'redact':
      return 'What the ledger remembers of the customer would be erased.';
    case 'merge':
      return 'It would be asked whether the customer who is gone still has points.';
    case 'notify':
      return `A notice would be recorded for a person: ${task.why}.`;
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

/** The form as it is built, without what it says of people. */
export function maskPersonal(form: object): object {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => {
      // The settings name what is there; only the values can be a person's.
      if (name === 'Metadatas') return [name, maskAll(value, 'Name')];
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
