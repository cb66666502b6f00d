import type { ReadSettings } from '../../../shared/aws/ledger-item.ts';
import { readLettersAbout, readLettersById } from '../../../shared/aws/read-ledger.ts';
import type {
  ListedDeadLetter,
  SummarizedDeadLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import type { QueuedEvent } from '../../../shared/core/events/event.ts';
import type { EntityEntry } from '../../../shared/core/ledger/ledger.ts';
import { adviceOn } from '../../../shared/loyalty/error-advice.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { CommonOptions, Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted, printable, relativeTime, wrap } from '../terminal/text.ts';
import {
  describeProspect,
  differencesOf,
  type Examined,
  examineLetter,
  examiningDeps,
  type FieldDifference,
  isPersonal,
  maskCall,
  type Prospect,
} from './examine.ts';
import { familiesOf, KINDS } from './filter.ts';
import {
  newestFirst,
  openLetterQueues,
  openSummaries,
  type ReadLetter,
  surveyLetters,
} from './read.ts';

const MOST_SHOWN = 5;

/** `loyalty-connector dead-letters show ID` */
export async function showLetter(
  session: Session,
  id: string,
  options: CommonOptions & { readonly reveal?: boolean },
): Promise<ExitCode> {
  const { terminal } = session;
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const record = options.reveal ? await session.beginChange(deployment, 'reveal') : undefined;
  const progress = terminal.progress('Looking for it:');
  const { matching, alike, received } = await findLetters(deployment, {
    ...{ id, most: MOST_SHOWN, signal },
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
  });
  progress.end();
  const look = `To see what is there: ${nextCommand(deployment, 'dead-letters list')}`;
  if (matching === 0) throw new Problem(`No dead letter is, or is about, ${id}.`, look);
  const deps = examiningDeps(deployment);
  const shown = [];
  for (const { newest, oldestAt, count } of alike.slice(0, MOST_SHOWN)) {
    const letter = received.get(newest.letterId);
    if (letter) shown.push({ examined: await examineLetter(letter, deps), oldestAt, count });
  }
  if (shown.length === 0) {
    const why = alike[0]?.newest.why ?? '';
    throw new Problem(
      `The queue does not return this dead letter now (${why}): another person or a killed run has received it, or it was removed without this command line. Look again in five minutes.`,
      look,
    );
  }
  record?.count({ revealed: shown.length });
  if (session.json) {
    const letters = shown.map(({ examined, oldestAt, count }) => ({
      ...letterAsJson(examined, options),
      ...{ alike: count, oldest: new Date(oldestAt).toISOString() },
    }));
    terminal.json({ matching, letters });
    return EXIT.fine;
  }
  const now = new Date();
  for (const [index, { examined, oldestAt, count }] of shown.entries()) {
    if (index > 0) terminal.line();
    printLetter(examined, { terminal, options, now });
    if (count === 1) continue;
    terminal.line();
    terminal.line(
      `The newest of ${count} dead letters that say the same, since ${relativeTime(oldestAt, now)}.`,
    );
  }
  const hidden = matching - shown.reduce((sum, { count }) => sum + count, 0);
  if (hidden > 0) {
    terminal.line();
    terminal.line(`Not shown: ${counted(hidden, 'dead letter')} about it, with other reasons.`);
  }
  return EXIT.fine;
}

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
  const summaries = await findSummaries(openSummaries(deployment), deployment, search.id);
  if (summaries.length === 0) return scanAll(deployment, search);
  const alike = foldAlike(summaries);
  const wanted = alike.slice(0, search.most).map(({ newest }) => newest);
  const families = [...new Set(wanted.map(({ family }) => family))];
  const received = new Map<string, ReadLetter>();
  await surveyLetters({
    queues: openLetterQueues(deployment, families),
    filter: { id: wanted.map(({ letterId }) => letterId) },
    ...search,
    most: wanted.length,
    onMatch: (letter) => received.set(letter.letterId, letter),
  });
  return { matching: summaries.length, alike, received };
}

/** All that are, or are about, this. */
async function findSummaries(
  settings: ReadSettings,
  { connector }: Deployment,
  id: string,
): Promise<readonly SummarizedDeadLetter[]> {
  const now = new Date();
  const things = connector.shops.flatMap(({ domain: shop }) =>
    KINDS.map((kind) => ({ shop, kind, id })),
  );
  const found = await Promise.all([
    readLettersById(settings, [id], now),
    ...things.map((thing) => readLettersAbout(settings, thing, now)),
  ]);
  return found.flat().filter(({ gone }) => !gone);
}

/** Of dead letters without a summary. */
async function scanAll(deployment: Deployment, search: Search): Promise<FoundLetters> {
  const letters: ReadLetter[] = [];
  const { matching } = await surveyLetters({
    queues: openLetterQueues(deployment, familiesOf({}, deployment.connector)),
    filter: { id: [search.id] },
    signal: search.signal,
    onProgress: search.onProgress,
    onMatch: (letter) => void letters.push(letter),
  });
  const received = new Map(letters.map((letter) => [letter.letterId, letter]));
  return { matching, alike: foldAlike(letters), received };
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

interface PrintSettings {
  readonly terminal: Terminal;
  readonly options: CommonOptions & { readonly reveal?: boolean };
  readonly now: Date;
}

const LABEL_WIDTH = 12;

/** A dead letter for a person to read. */
export function printLetter({ letter, entry, prospect }: Examined, settings: PrintSettings): void {
  const { terminal } = settings;
  const { event } = letter;
  const unread = letter.isNewer ? 'a message of a newer release' : 'an unreadable message';
  const title = event ? `${event.kind} ${event.id} of ${event.shop}` : unread;
  terminal.line(terminal.style('bold', printable(title)));
  printFacts(letter, settings);
  if (prospect.kind !== 'storefront') printEntry(entry, settings);
  printProspect(prospect, entry, settings);
}

/** What would be sent, and how it differs from what was applied last. */
export function printProspect(
  prospect: Prospect,
  entry: EntityEntry | undefined,
  { terminal, options }: PrintSettings,
): void {
  heading(terminal, 'If it were sent now');
  for (const line of wrap(describeProspect(prospect, options), terminal.width - 2)) {
    terminal.line(`  ${printable(line)}`);
  }
  if (prospect.kind !== 'preview') return;
  const isRevealed = options.reveal === true;
  for (const call of prospect.preview.calls) {
    const { operation, id, body } = call;
    terminal.line();
    terminal.line(terminal.style('dim', printable(`  ${[operation, id].join(' ').trim()}`)));
    if (!body) continue;
    printJson(isRevealed ? body : maskCall(call), terminal);
    const differences = differencesOf(call, entry);
    if (differences) printDifferences(differences, isRevealed, terminal);
  }
}

function printFacts(letter: ReadLetter, { terminal, options, now }: PrintSettings): void {
  const { event, attempts, code } = letter;
  const moment = (epochMs: number) =>
    `${new Date(epochMs).toISOString()} (${relativeTime(epochMs, now)})`;
  fact(terminal, 'letter', `${letter.letterId}, dead letter of the ${letter.family} queue`);
  fact(terminal, 'given up', `${moment(letter.at)}${attempts ? `, attempt ${attempts}` : ''}`);
  fact(terminal, 'reason', [letter.reason, code].filter(Boolean).join(', '));
  fact(terminal, 'why', letter.why);
  const advice = adviceOn(code);
  if (advice !== undefined) fact(terminal, 'advice', advice);
  if (!event) return;
  fact(terminal, 'topic', `${event.topic}, delivery ${event.deliveryId}`);
  fact(terminal, 'received', moment(Date.parse(event.receivedAt)));
  for (const { at, by } of event.replays ?? []) {
    fact(terminal, 'replayed', `${moment(Date.parse(at))} by ${by}`);
  }
  if (!('body' in event)) return;
  const size = event.body ? `${event.body.length} bytes` : 'none: the store is asked';
  fact(terminal, 'body', options.reveal || !event.body ? size : `${size} (--reveal shows it)`);
  if (options.reveal && event.body) {
    terminal.line(printable(new TextDecoder().decode(event.body)));
  }
}

function printEntry(entry: EntityEntry | undefined, { terminal, now }: PrintSettings): void {
  heading(terminal, 'The ledger');
  if (!entry) {
    terminal.line('  knows nothing of it');
    return;
  }
  const settled = entry.version > 0 ? new Date(entry.version).toISOString() : 'none settled';
  fact(terminal, 'version', settled);
  const applied = entry.appliedKey === undefined ? 'nothing so far' : 'yes';
  fact(terminal, 'applied', entry.uncertain ? `${applied}, but uncertain: will be sent` : applied);
  for (const { at, outcome, topic, why } of entry.outcomes) {
    const when = relativeTime(Date.parse(at), now);
    fact(terminal, when, [outcome, topic, why].filter(Boolean).join(', '));
  }
}

function printDifferences(
  differences: readonly FieldDifference[],
  isRevealed: boolean,
  terminal: Terminal,
): void {
  heading(terminal, 'Against what was applied last');
  for (const { field, applied, now } of differences) {
    const values = `${JSON.stringify(applied)} before, ${JSON.stringify(now)} now`;
    fact(terminal, field, isRevealed || !isPersonal(field) ? values : 'differs (--reveal)');
  }
  if (differences.length === 0) {
    terminal.line('  it differs, but in no field whose value the ledger remembers');
  }
}

function printJson(value: object, { line }: Terminal): void {
  for (const text of JSON.stringify(value, null, 2).split('\n')) line(`  ${printable(text)}`);
}

function heading({ line, style }: Terminal, text: string): void {
  line();
  line(style('bold', text));
}

function fact({ line, style, width }: Terminal, label: string, text: string): void {
  const [first = '', ...rest] = wrap(printable(text), width - LABEL_WIDTH - 4);
  line(`  ${style('dim', label.padEnd(LABEL_WIDTH))}  ${first}`);
  for (const more of rest) line(' '.repeat(LABEL_WIDTH + 4) + more);
}

/** A dead letter for a program to read; people in it are masked unless they are to be revealed. */
export function letterAsJson(
  { letter, entry, prospect }: Examined,
  options: CommonOptions & { readonly reveal?: boolean },
) {
  const { receiptHandle: _, body: __, event, at, undecodable, ...facts } = letter;
  const body = event && 'body' in event ? event.body : undefined;
  const advice = adviceOn(letter.code);
  return {
    ...facts,
    ...(advice !== undefined && { advice }),
    at: new Date(at).toISOString(),
    ...(undecodable !== undefined && { undecodable }),
    ...(event && { event: withoutValues(event) }),
    ...(options.reveal && body && { body: new TextDecoder().decode(body) }),
    ledger: entry ? withoutRemembered(entry) : null,
    now: prospectAsJson(prospect, entry, options),
  };
}

function withoutRemembered({ remembered: _, ...known }: EntityEntry) {
  return known;
}

/** What would be sent, and how it differs from what was applied last. */
export function prospectAsJson(
  prospect: Prospect,
  entry: EntityEntry | undefined,
  options: CommonOptions & { readonly reveal?: boolean },
) {
  const calls = prospect.kind === 'preview' ? prospect.preview.calls : [];
  return {
    summary: describeProspect(prospect, options),
    ...(prospect.kind === 'preview' && { outcome: prospect.preview.outcome }),
    calls: calls.map((call) => {
      const differences = differencesOf(call, entry);
      return {
        ...call,
        ...(call.body && !options.reveal && { body: maskCall(call) }),
        ...(differences && {
          differences: shownDifferences(differences, options.reveal === true),
        }),
      };
    }),
  };
}

/** Against what was applied last; of what is about people only that it differs. */
function shownDifferences(differences: readonly FieldDifference[], reveal: boolean) {
  return differences.map((one) => (reveal || !isPersonal(one.field) ? one : { field: one.field }));
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
