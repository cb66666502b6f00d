import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import {
  AUDIT_DAYS,
  type AuditRecord,
  type ChangeEnded,
  readAudit,
} from '../deployment/audit-records.ts';
import type { Block, Document, Row, TableBlock, Tone } from '../document/document.ts';
import { line } from '../document/line.ts';
import type { Session } from '../session/session.ts';
import { personOf, shellWord } from '../terminal/text.ts';

export interface HistoryOptions {
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly command?: string;
  readonly who?: string;
  readonly limit?: number;
}

interface HistoryData {
  readonly stack: string;
  readonly changes: readonly AuditRecord[];
  /** ISO 8601: there are records before this moment. */
  readonly more?: string;
}

const DAY_MS = 86_400_000;
const DEFAULT_LIMIT = 50;

export async function showHistory(
  { findDeployment }: Session,
  options: HistoryOptions,
): Promise<Document<HistoryData>> {
  const { aws, output, stack } = await findDeployment();
  const settings = {
    client: new DynamoDB(aws),
    table: output('LedgerTable'),
    pause,
    random: Math.random,
  };
  // A clock that is ahead of this one must hide nothing.
  const until = new Date(options.until ?? Date.now() + DAY_MS);
  const since = new Date(options.since ?? until.getTime() - AUDIT_DAYS * DAY_MS);
  const { changes, more } = await takePage(readAudit(settings, { since, until }), options);
  return {
    title: `What was done in ${stack}`,
    blocks: [filterOf(options), tableOf(changes)],
    ...(more !== undefined && {
      next: [{ label: 'Earlier', line: line('history', [], { ...givenIn(options), until: more }) }],
    }),
    data: { stack, changes, ...(more !== undefined && { more }) },
  };
}

/** `more`: the records before this moment are not on the page. */
async function takePage(
  records: AsyncIterable<AuditRecord>,
  options: HistoryOptions,
): Promise<{ readonly changes: readonly AuditRecord[]; readonly more?: string }> {
  const { limit = DEFAULT_LIMIT } = options;
  const changes: AuditRecord[] = [];
  for await (const record of records) {
    if (!isAsked(record, options)) continue;
    const last = changes.at(-1)?.at;
    // Of one millisecond all or none: the next page begins before it.
    if (changes.length >= limit && last !== undefined && record.at !== last) {
      return { changes, more: last };
    }
    changes.push(record);
  }
  return { changes };
}

const givenIn = ({ since, command, who, limit }: HistoryOptions) => ({
  since: since === undefined ? undefined : new Date(since).toISOString(),
  ...{ command, who, limit },
});

function isAsked({ command, who }: AuditRecord, asked: HistoryOptions): boolean {
  const isCommand =
    asked.command === undefined || `${command} `.startsWith(`${asked.command.trim()} `);
  return isCommand && (asked.who === undefined || who.includes(asked.who));
}

function filterOf({ who = '', command = '' }: HistoryOptions): Block {
  return {
    ...{ kind: 'form', label: 'Show only', line: line('history') },
    fields: [
      { name: 'who', label: 'Who', value: who },
      { name: 'command', label: 'Command', value: command },
    ],
  };
}

const RESULTS: Readonly<Record<ChangeEnded['result'], Tone>> = {
  finished: 'well',
  failed: 'bad',
  interrupted: 'waits',
};

function tableOf(changes: readonly AuditRecord[]): TableBlock {
  return {
    kind: 'table',
    columns: [
      { title: 'Begun' },
      { title: 'Who', shrinks: true },
      { title: 'Command' },
      { title: 'Result' },
      { title: 'Changed', shrinks: true },
    ],
    rows: changes.map(rowOf),
    empty: 'No such change is recorded.',
  };
}

function rowOf({ at, who, command, arguments: given, end }: AuditRecord): Row {
  const counts = Object.entries(end?.counts ?? {}).filter(([, count]) => count > 0);
  return {
    cells: [
      { at },
      // The whole ARN is in the JSON document.
      personOf(who),
      command,
      end
        ? { text: end.result, tone: RESULTS[end.result] }
        : { text: 'still runs, or its process was ended', tone: 'waits' },
      counts.map(([name, count]) => `${inWords(name)} ${count}`).join(', ') || '–',
    ],
    detail: Object.entries(given).map(wordOf).join(' '),
  };
}

/** `notReplayed` → `not replayed` */
const inWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Operands are recorded by their number. */
function wordOf([name, value]: readonly [string, string]): string {
  if (/^\d+$/.test(name)) return value;
  return value === 'true' ? `--${name}` : `--${name} ${shellWord(value)}`;
}
