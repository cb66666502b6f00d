import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import { createDynamoDbClient, createLedgerTable } from '../../../local/harness/sdk-clients.ts';
import { startDynamoDb } from '../../../local/stack/emulators.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import {
  ITEM,
  type LedgerItem,
  newerFormatIn,
  type ReadSettings,
} from '../../../shared/aws/ledger-item.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';

/** The real ledger, on a table in an emulator of DynamoDB. */
export interface LedgerTable {
  readonly ledger: Ledger;
  readonly client: DynamoDB;
  readonly table: string;
  /** For the lists of the operator's commands. */
  readonly settings: ReadSettings;
  items(): Promise<readonly LedgerItem[]>;
}

const TABLE = 'golden';

/** One sample at a time: all use the same table, because to make one takes longer than a sample. */
export async function openLedgerTables() {
  const emulator = await startDynamoDb();
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };
  const client = createDynamoDbClient({ budget, emulator });
  const table = TABLE;
  await createLedgerTable(client, table);
  return {
    /** The table with these items and no others. Throws for one that the ledger cannot read. */
    async open(items: readonly LedgerItem[] = []): Promise<LedgerTable> {
      const { Items: old = [] } = await client.scan({ TableName: table });
      for (const item of old) {
        const key = { [ITEM.key]: item[ITEM.key] ?? { S: '' } };
        await client.deleteItem({ TableName: table, Key: key });
      }
      for (const Item of items) {
        if (newerFormatIn(Item) !== undefined) throw new Error('an item of a newer form');
        await client.putItem({ TableName: table, Item });
      }
      const onDamagedItem = (key: string, attributes: readonly string[]) => {
        throw new Error(`the ledger cannot read ${attributes} of ${key}`);
      };
      const newWriteId = () => 'a1b2c3d4e5f6';
      return {
        ...{ client, table },
        ledger: createDynamoDbLedger({ client, table, onDamagedItem, newWriteId }),
        settings: { client, table, pause, random: () => 0.5 },
        async items() {
          const { Items = [] } = await client.scan({ TableName: table });
          const keyOf = (item: LedgerItem) => item[ITEM.key]?.S ?? '';
          return Items.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)));
        },
      };
    },
    async stop() {
      client.destroy();
      await emulator.stop();
    },
  };
}

export type LedgerTables = Awaited<ReturnType<typeof openLedgerTables>>;
