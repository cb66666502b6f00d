import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Booking, SharedRate } from '../core/calls/rate-limit.ts';
import { batchesOf } from '../core/events/event.ts';
import { LEDGER_FORMAT } from '../core/events/formats.ts';
import {
  type Ledger,
  LedgerEntries,
  type LedgerKey,
  ledgerKeyText,
  NewerItem,
  type RedactionMark,
} from '../core/ledger/ledger.ts';
import { type DynamoDbCalls, failedCondition } from './aws-client.ts';
import {
  fromItem,
  ITEM,
  itemKeyOf,
  keyOnly,
  NO_REVISION,
  newerFormatIn,
  type ReadSettings,
  readItems,
  toItem,
} from './ledger-item.ts';
import { listCodes, scanEntities } from './read-ledger.ts';

export interface DynamoDbLedgerOptions extends Partial<ReadSettings> {
  readonly client: DynamoDbCalls;
  readonly table: string;
  /** Called for damaged items, with the key's text and the names of the attributes. */
  readonly onDamagedItem?: (keyText: string, attributes: readonly string[]) => void;
  /** Different at every call. */
  readonly newWriteId?: () => string;
}

const REDACTIONS_AT_ONCE = 10;

/**
 * Needs permission for BatchGetItem, PutItem and UpdateItem on the table and Query on its index; Scan
 * only for `scanEntities`, which no worker calls; DescribeTable only for `createdAt`.
 */
export function createDynamoDbLedger({
  client,
  table,
  onDamagedItem = () => {},
  pause = sleep,
  random = Math.random,
  // The last twelve digits of a UUID are random. Node caches random bytes for UUIDs, so this is fast.
  newWriteId = () => randomUUID().slice(-12),
}: DynamoDbLedgerOptions): Ledger {
  const settings = { client, table, pause, random };
  let creation: Promise<number> | undefined;

  async function readCreation(): Promise<number> {
    const { Table } = await client.describeTable({ TableName: table });
    const createdAt = Table?.CreationDateTime?.getTime();
    if (createdAt === undefined) throw new Error('DynamoDB does not say when the table was made');
    // Orders are dated in whole seconds.
    return Math.floor(createdAt / 1000) * 1000;
  }

  /**
   * A write whose answer was lost is repeated, and the repetition fails on the revision of the first
   * write. That is not a conflict, which would cost a needless second call to the service.
   */
  async function isOurs(attempts: number, itemKey: string, writeId: string): Promise<boolean> {
    if (attempts < 2) return false;
    const [item] = await readItems(settings, [itemKey]);
    return item?.[ITEM.writeId]?.S === writeId;
  }

  async function redactOne(key: LedgerKey, mark: RedactionMark): Promise<void> {
    const text = ledgerKeyText(key);
    const itemKey = itemKeyOf(text);
    const redacting = client.updateItem({
      TableName: table,
      Key: keyOnly(itemKey),
      // A newer release may keep personal data in other attributes.
      ConditionExpression: 'attribute_not_exists(#format) OR #format <= :format',
      // A new revision, so that a worker that read the personal data before cannot write it back.
      UpdateExpression:
        'SET #redactedAt = :at, #expiresAt = :expires, #writeId = :writeId, #version = if_not_exists(#version, :none), #uncertain = if_not_exists(#uncertain, :false) REMOVE #remembered ADD #revision :one',
      ExpressionAttributeNames: names(
        ...(['redactedAt', 'expiresAt', 'writeId', 'version', 'uncertain'] as const),
        ...(['remembered', 'revision', 'format'] as const),
      ),
      ExpressionAttributeValues: {
        ':at': { N: String(mark.redactedAt) },
        ':expires': { N: String(mark.expiresAt) },
        ':writeId': { S: newWriteId() },
        ':none': { N: '0' },
        ':false': { BOOL: false },
        ':one': { N: '1' },
        ':format': { N: String(LEDGER_FORMAT) },
      },
    });
    await redacting.catch(async (error: unknown) => {
      if (!failedCondition(error)) throw error;
      const [item] = await readItems(settings, [itemKey]);
      const newer = item && newerFormatIn(item);
      if (newer !== undefined) throw new NewerItem(text, newer);
    });
  }

  return {
    async readMany(keys) {
      const textOf = new Map(keys.map(ledgerKeyText).map((text) => [itemKeyOf(text), text]));
      const items = await readItems(settings, [...textOf.keys()]);
      const entries = new LedgerEntries();
      for (const item of items) {
        const text = textOf.get(item[ITEM.key]?.S ?? '');
        if (text === undefined) continue;
        const newer = newerFormatIn(item);
        if (newer !== undefined) {
          entries.newer.set(text, newer);
          continue;
        }
        const { entry, faults } = fromItem(item);
        if (faults.length > 0) onDamagedItem(text, faults);
        entries.set(text, entry);
      }
      return entries;
    },

    async write(key, entry, readRevision) {
      const itemKey = itemKeyOf(ledgerKeyText(key));
      const revision = (readRevision ?? 0) + 1;
      const writeId = newWriteId();
      try {
        await client.putItem({
          TableName: table,
          Item: toItem(key, entry, revision, writeId),
          ...conditionOn(readRevision),
        });
        return { kind: 'written', revision };
      } catch (error) {
        const failed = failedCondition(error);
        if (!failed) throw error;
        return (await isOurs(failed.attempts, itemKey, writeId))
          ? { kind: 'written', revision }
          : { kind: 'conflict' };
      }
    },

    async markUncertain(key) {
      await client.updateItem({
        TableName: table,
        Key: keyOnly(itemKeyOf(ledgerKeyText(key))),
        // A new revision, so that a worker that is about to record `applied` does not clear the mark.
        UpdateExpression:
          'SET #uncertain = :true, #version = if_not_exists(#version, :none), #writeId = :writeId ADD #revision :one',
        ExpressionAttributeNames: names('uncertain', 'version', 'revision', 'writeId'),
        ExpressionAttributeValues: {
          ':true': { BOOL: true },
          ':none': { N: '0' },
          ':one': { N: '1' },
          ':writeId': { S: newWriteId() },
        },
      });
    },

    listCodes: (...asked) => listCodes(settings, ...asked),

    scanEntities: (from) => scanEntities(settings, from),

    createdAt() {
      creation ??= readCreation().catch((error: unknown) => {
        creation = undefined;
        throw error;
      });
      return creation;
    },

    async redact(keys, mark) {
      const faults: unknown[] = [];
      for (const chunk of batchesOf(keys, REDACTIONS_AT_ONCE)) {
        for (const call of await Promise.allSettled(chunk.map((key) => redactOne(key, mark)))) {
          if (call.status === 'rejected') faults.push(call.reason);
        }
      }
      // Thrown at the end, so that one failing entry does not prevent the redaction of the others.
      const [first] = faults;
      if (first instanceof NewerItem && faults.every((one) => one instanceof NewerItem))
        throw first;
      if (faults.length > 0) {
        throw new AggregateError(faults, `${faults.length} entries could not be redacted`);
      }
    },
  };
}

function conditionOn(readRevision: number | undefined) {
  if (readRevision === undefined) {
    return {
      ConditionExpression: 'attribute_not_exists(#key)',
      ExpressionAttributeNames: names('key'),
    };
  }
  if (readRevision === NO_REVISION) {
    return {
      ConditionExpression: 'attribute_exists(#key) AND NOT #revision BETWEEN :first AND :last',
      ExpressionAttributeNames: names('key', 'revision'),
      ExpressionAttributeValues: {
        ':first': { N: '1' },
        ':last': { N: String(Number.MAX_SAFE_INTEGER) },
      },
    };
  }
  return {
    ConditionExpression: '#revision = :read',
    ExpressionAttributeNames: names('revision'),
    ExpressionAttributeValues: { ':read': { N: String(readRevision) } },
  };
}

/** Placeholders, because DynamoDB reserves several hundred words. */
function names(...used: readonly (keyof typeof ITEM)[]): Record<string, string> {
  return Object.fromEntries(used.map((name) => [`#${name}`, ITEM[name]]));
}

export interface RateLimitOptions {
  readonly client: Pick<DynamoDbCalls, 'updateItem'>;
  readonly table: string;
  /** The shop of a loyalty account, or what stands for several shops that share one. */
  readonly account: string;
  /** Whose calls it counts. Default: those of all. */
  readonly of?: 'shoppers';
}

/** N: epoch microseconds up to which the timeline is booked; whole, because tokens may be less than 1 ms apart. */
const BOOKED = 'b';

/**
 * One item of the ledger for each loyalty account, and one for its shoppers. A booking is one write, or two when the timeline was booked
 * ahead at the last booking and is free now, or the reverse. Needs permission for UpdateItem.
 *
 * Repeating a write whose answer was lost is harmless: it books moments that will not be used.
 */
export function createDynamoDbRateLimit({
  client,
  table,
  account,
  of,
}: RateLimitOptions): SharedRate {
  let wasAhead = false;

  /** Undefined if the condition does not hold. */
  async function write(
    condition: string,
    value: string,
    values: Readonly<Record<string, number>>,
  ): Promise<number | undefined> {
    try {
      const { Attributes } = await client.updateItem({
        TableName: table,
        Key: keyOnly(`calls|${account}|${of ?? 'loyalty'}`),
        ConditionExpression: condition,
        UpdateExpression: `SET #b = ${value} + :length`,
        ExpressionAttributeNames: { '#b': BOOKED },
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, number]) => [name, { N: String(number) }]),
        ),
        ReturnValues: 'UPDATED_NEW',
      });
      return Number(Attributes?.[BOOKED]?.N);
    } catch (error) {
      if (failedCondition(error)) return undefined;
      throw error;
    }
  }

  return {
    async book(lengthMs, now, latest): Promise<Booking> {
      const length = { ':length': Math.ceil(lengthMs * 1_000) };
      const from = { ':now': Math.ceil(now * 1_000) };
      // DynamoDB's numbers have no infinity.
      const until = { ':latest': Math.min(Math.floor(latest * 1_000), Number.MAX_SAFE_INTEGER) };
      const appendToIt = () =>
        write('#b BETWEEN :now AND :latest', '#b', { ...length, ...from, ...until });
      const beginNow = () =>
        write('attribute_not_exists(#b) OR #b < :now', ':now', { ...length, ...from });
      const [first, second] = wasAhead ? [appendToIt, beginNow] : [beginNow, appendToIt];
      const atFirst = await first();
      const end = atFirst ?? (await second());
      wasAhead = end === undefined || (atFirst === undefined) !== wasAhead;
      return end === undefined
        ? { kind: 'full' }
        : { kind: 'booked', from: (end - length[':length']) / 1_000 };
    },
  };
}
