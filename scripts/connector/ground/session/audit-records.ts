import { randomBytes } from 'node:crypto';
import { DuplicateItemException, DynamoDB } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import manifest from '../../../../package.json' with { type: 'json' };
import { type ReadSettings, toItem } from '../../../../shared/aws/ledger-item.ts';
import { listRecords } from '../../../../shared/aws/read-ledger.ts';
import {
  expiresAfter,
  type Ledger,
  type RecordKey,
} from '../../../../shared/core/ledger/ledger.ts';
import type { VerdictKind } from '../terminal/document.ts';
import type { Deployment } from './deployment.ts';
import { type Caller, readCaller } from './read-caller.ts';

export const AUDIT_DAYS = 400;
const VERDICTS = ['ok', 'pending', 'action required', 'unknown'] as const satisfies VerdictKind[];

const counts = v.record(v.string(), v.number());
const begun = v.object({
  who: v.string(),
  command: v.string(),
  arguments: v.record(v.string(), v.string()),
  version: v.string(),
});
const ended = v.object({
  at: v.string(),
  result: v.picklist(['finished', 'failed', 'interrupted']),
  /** Of the document that a finished command answered with. */
  verdict: v.exactOptional(v.picklist(VERDICTS)),
  counts,
});

/** What a record is about: a change, or that personal data was shown. */
export type Recorded = 'change' | 'reveal';

/** What a command is about to change or to show. Without secrets and personal data. */
type ChangeBegun = Omit<v.InferOutput<typeof begun>, 'who'>;
type ChangeCounts = v.InferOutput<typeof counts>;
export type ChangeEnded = v.InferOutput<typeof ended>;

export interface AuditRecord extends ChangeBegun {
  /** ISO 8601. */
  readonly at: string;
  /** The caller's `aws:userid`, from the record's key alone: IAM lets nobody write under another one. */
  readonly who: string;
  /** The ARN, as the writer's machine says it; absent where the record is not readable. */
  readonly claims?: string;
  /** Absent: the command still runs, or its process was ended. */
  readonly end?: ChangeEnded;
}

/**
 * Two items, which are written once and never changed: one before the change begins, and one after it.
 * Their keys begin with the month, by which they are listed, and the caller's own id: a policy can compare
 * it with `aws:userid`, so that an operator writes under no other name. Those of a reveal end with a word of their
 * own, because a person who may only look can write them and no others (infra/operator-policies.ts).
 */
export async function recordBegin(
  ledger: Pick<Ledger, 'write'>,
  caller: Caller,
  change: ChangeBegun,
  now: Date,
  recorded: Recorded = 'change',
): Promise<RecordKey<'audit'>> {
  const at = now.toISOString();
  const random = randomBytes(4).toString('hex');
  const id = `${caller.userId}|${at}|${recorded === 'reveal' ? `reveal-${random}` : random}`;
  const key: RecordKey<'audit'> = { shop: monthOf(now), kind: 'audit', id };
  await append(ledger, key, { who: caller.arn, ...change }, now);
  return key;
}

export function recordEnd(
  ledger: Pick<Ledger, 'write'>,
  { id, ...key }: RecordKey<'audit'>,
  end: Omit<ChangeEnded, 'at'>,
  now: Date,
): Promise<void> {
  const kept = { at: now.toISOString(), ...end };
  return append(ledger, { ...key, id: `${id}${END}` }, kept, now);
}

/** The records of that time, the newest first. Those after `now`, by a wrong clock, are mostly none: asked at once. */
export async function* readAudit(
  settings: ReadSettings,
  { since, until, now = new Date() }: Record<'since' | 'until', Date> & { readonly now?: Date },
): AsyncGenerator<AuditRecord> {
  const readMonth = async (month: string): Promise<readonly AuditRecord[]> => {
    const [ofPeople, ofWorkflows] = await Promise.all([
      listRecords(settings, month, 'audit'),
      // Under no name of an operator: a function writes them.
      listRecords(settings, month, 'given'),
    ]);
    const found = [
      ...ofPeople,
      ...ofWorkflows.map((one) => ({ ...one, id: `${WORKFLOW}${one.id}` })),
    ];
    const texts = new Map(found.map(({ id, entry }) => [id, entry.remembered ?? '']));
    const records = [...texts].flatMap(([id, text]) => {
      const [userId = '', at = ''] = id.split('|');
      const begunAt = Date.parse(at);
      const isMeant = begunAt >= since.getTime() && begunAt < until.getTime();
      if (id.endsWith(END) || !isMeant) return [];
      const change = v.safeParse(v.pipe(v.string(), v.parseJson(), begun), text);
      // Its writer must not be able to hide it.
      if (!change.success) return [{ at, who: userId, ...NOT_READABLE }];
      const end = v.safeParse(v.pipe(v.string(), v.parseJson(), ended), texts.get(`${id}${END}`));
      const { who: claims, ...rest } = change.output;
      return [{ at, who: userId, claims, ...rest, ...(end.success && { end: end.output }) }];
    });
    return records.toSorted((one, other) => other.at.localeCompare(one.at));
  };
  const months = [...monthsBack(until, since)];
  const isAhead = (month: string) => month > monthOf(now);
  yield* (await Promise.all(months.filter(isAhead).map(readMonth))).flat();
  for (const month of months) if (!isAhead(month)) yield* await readMonth(month);
}

const END = '|end';
const WORKFLOW = 'workflow of ';
const NOT_READABLE = { command: '(the record is not readable)', arguments: {}, version: '' };

async function append(
  ledger: Pick<Ledger, 'write'>,
  key: RecordKey<'audit'>,
  value: object,
  now: Date,
): Promise<void> {
  const remembered = JSON.stringify(value);
  const plain = { version: now.getTime(), uncertain: false, outcomes: [] };
  const entry = { ...plain, remembered, ...expiresAfter(AUDIT_DAYS, now) };
  const { kind } = await ledger.write(key, entry, undefined);
  if (kind === 'conflict') throw new Error(`this audit record exists already: ${key.id}`);
}

/**
 * Its writes can only create, in a way that IAM knows: `INSERT` is an action of its own, and the policies of people
 * allow no other for these keys (infra/operator-policies.ts).
 */
function openRecords({ aws, output }: Deployment): Pick<Ledger, 'write'> {
  const client = new DynamoDB(aws);
  return {
    async write(key, entry) {
      const item = toItem(key, entry, 1, '');
      const fields = Object.keys(item).map((name) => `'${name}': ?`);
      try {
        await client.executeStatement({
          Statement: `INSERT INTO "${output('LedgerTable')}" VALUE {${fields.join(', ')}}`,
          Parameters: Object.values(item),
        });
      } catch (error) {
        // Repeated after an answer was lost: keys are random, so the item is that of the first attempt.
        const isOurs =
          error instanceof DuplicateItemException && (error.$metadata.attempts ?? 1) > 1;
        if (!isOurs) throw error;
      }
      return { kind: 'written', revision: 1 };
    },
  };
}

/** Takes the place of a shop in the key: `operators-2026-11`. */
function monthOf(moment: Date): string {
  return `operators-${moment.toISOString().slice(0, 7)}`;
}

function* monthsBack(until: Date, since: Date): Generator<string> {
  const month = new Date(until);
  // The first day: months have different lengths.
  month.setUTCDate(1);
  for (; monthOf(month) >= monthOf(since); month.setUTCMonth(month.getUTCMonth() - 1)) {
    yield monthOf(month);
  }
}

export interface RecordedChange {
  /** How much was changed so far, by name; a later count of the same name replaces it. */
  count(counts: ChangeCounts): void;
  end(ended: Omit<ChangeEnded, 'at' | 'counts'>): Promise<void>;
}

export interface CommandLine {
  /** `dead-letters replay` */
  readonly command: string;
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

export async function recordChange(
  deployment: Deployment,
  line: CommandLine,
  recorded: Recorded,
): Promise<RecordedChange> {
  const ledger = openRecords(deployment);
  const caller = await readCaller(deployment.aws);
  const { version } = manifest;
  const change = { command: line.command, arguments: argumentsOf(line), version };
  const key = await recordBegin(ledger, caller, change, new Date(), recorded);
  const counted: Record<string, number> = {};
  return {
    count: (counts) => void Object.assign(counted, counts),
    end: (ended) => recordEnd(ledger, key, { ...ended, counts: counted }, new Date()),
  };
}

const MOST_CHARACTERS = 200;
/** The parser of a date gives epoch milliseconds; every other number is smaller. */
const FIRST_DATE = Date.parse('2000-01-01');

/** What was typed, without what may be personal or secret. */
export function argumentsOf({
  operands,
  options,
}: Omit<CommandLine, 'command'>): Readonly<Record<string, string>> {
  const given = [
    ...operands.map((value, index) => [`${index + 1}`, value] as const),
    // As it was typed: `--no-other` is the option `other` without a value.
    ...Object.entries(options).map(([name, value]) =>
      value === false ? ([`no-${name}`, true] as const) : ([name, value] as const),
    ),
  ];
  return Object.fromEntries(
    given
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, textOf(value).slice(0, MOST_CHARACTERS)]),
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'number' && value >= FIRST_DATE) return new Date(value).toISOString();
  const text = String(value);
  // The path of an address may be a token.
  if (/^https?:/i.test(text)) return URL.parse(text)?.origin ?? '(an address)';
  return text.replace(/[^\s"'<>]+@[^\s"'<>]+/g, '(an e-mail address)');
}
