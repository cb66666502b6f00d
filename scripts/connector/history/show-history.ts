import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Table } from '../terminal/table.ts';
import { shellWord } from '../terminal/text.ts';
import { AUDIT_DAYS, type AuditRecord, readAudit } from './audit-records.ts';

export interface HistoryOptions {
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly command?: string;
  readonly who?: string;
  readonly limit?: number;
}

const DAY_MS = 86_400_000;
const DEFAULT_LIMIT = 50;

export async function showHistory(
  { terminal, json, findDeployment }: Session,
  options: HistoryOptions,
): Promise<ExitCode> {
  const { aws, output, stack } = await findDeployment();
  const settings = {
    client: new DynamoDB(aws),
    table: output('LedgerTable'),
    pause,
    random: Math.random,
  };
  const now = new Date();
  const since = new Date(options.since ?? now.getTime() - AUDIT_DAYS * DAY_MS);
  const changes: AuditRecord[] = [];
  for await (const record of readAudit(settings, { since, now })) {
    if (isAsked(record, options)) changes.push(record);
    if (changes.length === (options.limit ?? DEFAULT_LIMIT)) break;
  }
  if (json) terminal.json({ stack, changes });
  else if (changes.length === 0) terminal.line(`No such change of ${stack} is recorded.`);
  else terminal.table(tableOf(changes));
  return EXIT.fine;
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
