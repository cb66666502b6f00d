import { AUDIT_DAYS, type AuditRecord, readAudit } from '../ground/session/audit-records.ts';
import { openLists } from '../ground/session/deployment.ts';
import { MOST_SKEW_MS } from '../ground/session/read-caller.ts';
import type { Session } from '../ground/session/session.ts';
import {
  type Document,
  type TimelineBlock,
  type Tone,
  text,
  type VerdictKind,
} from '../ground/terminal/document.ts';
import { line } from '../ground/terminal/line.ts';
import { personOf, shellWord, shorten } from '../ground/terminal/text.ts';

export interface HistoryOptions {
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly command?: string;
  readonly who?: string;
  readonly limit?: number;
}

const DAY_MS = 86_400_000;
const DEFAULT_LIMIT = 50;

export async function showHistory(
  { findDeployment }: Session,
  options: HistoryOptions,
): Promise<Document> {
  const deployment = await findDeployment();
  const { stack } = deployment;
  const now = new Date();
  const kept = AUDIT_DAYS * DAY_MS;
  // A clock that is a little ahead must hide nothing; one that is more so begins no change.
  const until = new Date(options.until ?? now.getTime() + DAY_MS);
  const since = new Date(options.since ?? Math.min(until.getTime(), now.getTime()) - kept);
  const records = readAudit(openLists(deployment), { since, until, now });
  const { changes, more } = await takePage(records, options);
  return {
    title: `What was done in ${stack}`,
    blocks: [
      changes.length > 0
        ? timelineOf(changes, now)
        : text(`No such change in the last ${AUDIT_DAYS} days.`),
    ],
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

function isAsked({ command, who, claims = '' }: AuditRecord, asked: HistoryOptions): boolean {
  const isCommand =
    asked.command === undefined || `${command} `.startsWith(`${asked.command.trim()} `);
  return isCommand && (asked.who === undefined || `${who} ${claims}`.includes(asked.who));
}

/** One record must not bury the others. The whole text is in the JSON document. */
const MOST_SHOWN = 1_000;

/** The newest first. */
export const timelineOf = (changes: readonly AuditRecord[], now: Date): TimelineBlock => ({
  kind: 'timeline',
  lines: changes.map((record) => {
    const isAhead = Date.parse(record.at) > now.getTime() + MOST_SKEW_MS;
    const { tone, text: ended } = isAhead ? AHEAD : endOf(record);
    return {
      at: record.at,
      who: nameOf(record),
      what: shorten(lineOf(record), MOST_SHOWN),
      detail: ended,
      ...(tone && { tone }),
    };
  }),
});

const AHEAD: End = { text: 'dated in the future, by a wrong clock', tone: 'bad' };

/** As long as AWS allows the name of a user or of a session ("IAM and AWS STS quotas"). */
const LONGEST_NAME = 64;

/**
 * First what the key proves: the name of a role's session ends the id. The id of a user names nobody, so the name that
 * the record claims stands beside it. The whole ARN is in the JSON document.
 */
function nameOf({ who, claims }: AuditRecord): string {
  const [, session] = who.split(':');
  const proven = shorten(session ?? who, LONGEST_NAME);
  const claimed = claims === undefined ? proven : shorten(personOf(claims), LONGEST_NAME);
  if (claimed === proven) return proven;
  return session === undefined
    ? `${proven} (${claimed})`
    : `${proven}, who claims to be ${claimed}`;
}

interface End {
  readonly text: string;
  readonly tone?: Tone;
}

const VERDICTS: Readonly<Record<VerdictKind, End>> = {
  ok: { text: 'done' },
  pending: { text: 'done; some were not finished by then' },
  'action required': { text: 'done; a problem remained', tone: 'pending' },
  unknown: { text: 'done; not everything could be read', tone: 'pending' },
};

const BROKEN_OFF: Readonly<Record<'failed' | 'interrupted', End>> = {
  failed: { text: 'failed before it was complete', tone: 'bad' },
  interrupted: { text: 'interrupted before it was complete', tone: 'pending' },
};

function endOf({ end }: AuditRecord): End {
  if (!end) return { text: 'still running, or its process was killed', tone: 'pending' };
  const { result, verdict = 'ok', counts } = end;
  const { text, tone } = result === 'finished' ? VERDICTS[verdict] : BROKEN_OFF[result];
  const known = Object.entries(counts).filter(([, count]) => count > 0);
  const counted = known.map(([name, count]) => `${count.toLocaleString('en')} ${wordsOf(name)}`);
  return { text: [text, ...counted].join(', '), ...(tone && { tone }) };
}

const COUNTS = { begun: 'paused', woken: 'retried', held: 'held by a pause' };

/** `notReplayed`: `not replayed`. */
const wordsOf = (name: string) =>
  COUNTS[name as keyof typeof COUNTS] ??
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** As it was typed; operands are recorded by their number. */
function lineOf({ command, arguments: given }: AuditRecord): string {
  const words = Object.entries(given).flatMap(([name, value]) => {
    // Beside an operand, kind and id are what `beginChange` adds about it.
    if (name === 'yes' || ('1' in given && ['kind', 'id'].includes(name))) return [];
    if (/^\d+$/.test(name)) return [shellWord(value)];
    return value === 'true' ? [`--${name}`] : [`--${name} ${shellWord(value)}`];
  });
  return [command, ...words].join(' ');
}
