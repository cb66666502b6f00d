import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { nextCommand } from '../deployment/deployment.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Table } from '../terminal/terminal.ts';
import { shellWord } from '../terminal/text.ts';
import { AUDIT_DAYS, type AuditRecord, readAudit } from './audit-records.ts';

export interface HistoryOptions {
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly command?: string;
  readonly who?: string;
  readonly limit?: number;
}

/** For `--json`. */
export interface HistoryDocument {
  readonly stack: string;
  readonly changes: readonly AuditRecord[];
  /** ISO 8601: there are records before this moment. */
  readonly more?: string;
}

const DAY_MS = 86_400_000;
const DEFAULT_LIMIT = 50;

export async function showHistory(
  { terminal, json, findDeployment }: Session,
  options: HistoryOptions,
): Promise<ExitCode> {
  const deployment = await findDeployment();
  const { aws, output, stack } = deployment;
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
  if (json) {
    const document: HistoryDocument = { stack, changes, ...(more !== undefined && { more }) };
    terminal.json(document);
    return EXIT.fine;
  }
  if (changes.length === 0) terminal.line(`No such change of ${stack} is recorded.`);
  else terminal.table(tableOf(changes));
  if (more !== undefined) {
    terminal.line(
      `There are more: ${nextCommand(deployment, againWords({ ...options, until: more }))}`,
    );
  }
  return EXIT.fine;
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

function againWords({
  since,
  until,
  command,
  who,
  limit,
}: Omit<HistoryOptions, 'until'> & { readonly until: string }): string {
  return [
    'history',
    ...(since === undefined ? [] : [`--since ${new Date(since).toISOString()}`]),
    `--until ${until}`,
    ...(command === undefined ? [] : [`--command ${shellWord(command)}`]),
    ...(who === undefined ? [] : [`--who ${shellWord(who)}`]),
    ...(limit === undefined ? [] : [`--limit ${limit}`]),
  ].join(' ');
}

function isAsked({ command, who }: AuditRecord, asked: HistoryOptions): boolean {
  const isCommand =
    asked.command === undefined || `${command} `.startsWith(`${asked.command.trim()} `);
  return isCommand && (asked.who === undefined || who.includes(asked.who));
}

function tableOf(changes: readonly AuditRecord[]): Table {
  return {
    columns: [
      { title: 'BEGUN (UTC)' },
      { title: 'WHO', shrinks: true },
      { title: 'COMMAND' },
      { title: 'RESULT' },
      { title: 'CHANGED', shrinks: true },
    ],
    rows: changes.map(({ at, who, command, end }) => [
      at.slice(0, 19).replace('T', ' '),
      // The user, or the name of a role's session; the whole ARN is in the JSON document.
      who.split('/').at(-1) ?? who,
      command,
      end?.result ?? 'no end',
      Object.entries(end?.counts ?? {})
        .map(([name, count]) => `${count} ${name}`)
        .join(', ') || '-',
    ]),
    details: changes.map(({ arguments: given }) =>
      Object.entries(given)
        .map(([name, value]) => (/^\d+$/.test(name) ? value : `${name}=${shellWord(value)}`))
        .join(' '),
    ),
  };
}
