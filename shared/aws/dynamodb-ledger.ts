import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ledger, LedgerEntries, ledgerKeyText } from '../core/ledger/ledger.ts';
import { type DynamoDbCalls, failedCondition } from './aws-client.ts';
import {
  fromItem,
  ITEM,
  itemKeyOf,
  keyOnly,
  NO_REVISION,
  names,
  newerFormatIn,
  type ReadSettings,
  readItems,
  toItem,
} from './ledger-item.ts';
import { listCodes, scanEntities } from './read-ledger.ts';
import { redactItems } from './redact-ledger.ts';

export interface DynamoDbLedgerOptions extends Partial<ReadSettings> {
  readonly client: DynamoDbCalls;
  readonly table: string;
  /** Called for damaged items, with the key's text and the names of the attributes. */
  readonly onDamagedItem?: (keyText: string, attributes: readonly string[]) => void;
  /** Different at every call. */
  readonly newWriteId?: () => string;
}

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

    redact: (keys, mark) => redactItems({ ...settings, newWriteId }, keys, mark),
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
