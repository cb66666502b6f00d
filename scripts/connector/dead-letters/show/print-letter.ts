import type { EntityEntry } from '../../../../shared/core/ledger/ledger.ts';
import { adviceOn } from '../../../../shared/loyalty/error-advice.ts';
import type { CommonOptions } from '../../session.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable, relativeTime, wrap } from '../../terminal/text.ts';
import type { ReadLetter } from '../read-letter.ts';
import { describeProspect } from './describe-prospect.ts';
import type { Examined, Prospect } from './examine-letter.ts';
import { differencesOf, type FieldDifference } from './find-difference.ts';
import { isPersonal, maskCall } from './mask-personal.ts';

export interface PrintSettings {
  readonly terminal: Terminal;
  readonly options: CommonOptions & { readonly reveal?: boolean };
  readonly now: Date;
}

const LABEL_WIDTH = 12;

/** A letter for a person to read. */
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
