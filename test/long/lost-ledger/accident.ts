import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { createLedgerTable } from '../../../local/harness/sdk-clients.ts';
import { writeStateFile } from '../../../local/stack/state-file.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { openWarmCommands, type WarmCommands } from '../../support/connector-command.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { createProject } from '../../support/project.ts';
import { openShoppers, type Shopper } from '../../support/stack-shoppers.ts';

type Item = Record<string, AttributeValue>;
type Copy = readonly Item[];

const SETTINGS = 'local/harness/storefront.config.ts';

/**
 * A stack whose ledger can be lost and put back, as backups do it: behind the connector's back. What a test expects is
 * read from the two sandboxes. The service gives one point for each unit of the currency; no order has taxes.
 */
export function useAccidents() {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });
  let stack: LocalStack | undefined;
  let commands: WarmCommands | undefined;
  let shop: ReturnType<typeof openShoppers> | undefined;
  let folder = '';
  const table = () => world.stack.outputs.LedgerTable ?? '';

  beforeAll(async () => {
    stack = await startLocalStack({ settings: SETTINGS });
    folder = createProject('lost-ledger');
    world.actAs('operator');
    commands = openWarmCommands(folder);
  });
  afterAll(async () => {
    commands?.stop();
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function itemsOf(name: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let from: Item | undefined; ; ) {
      const page = await world.stack.dynamoDb.scan({
        TableName: name,
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      });
      items.push(...(page.Items ?? []));
      from = page.LastEvaluatedKey;
      if (!from) return items;
    }
  }

  async function fill(name: string, copy: Copy): Promise<void> {
    for (const Item of copy) await world.stack.dynamoDb.putItem({ TableName: name, Item });
  }

  const world = {
    get stack(): LocalStack {
      if (!stack) throw new Error('the stack does not run yet');
      return stack;
    },
    get folder(): string {
      return folder;
    },
    get shop() {
      // One for all tests of the file: it numbers the shoppers.
      shop ??= openShoppers(world.stack);
      return shop;
    },

    /** Whose key the commands have from now on. */
    actAs(who: 'operator' | 'administrator'): void {
      const keys = { operator: world.stack.keys[who] };
      const settings = resolve(PACKAGE_FOLDER, SETTINGS);
      writeStateFile({ ...world.stack, keys }, { stage: 'prod', settings }, folder);
    },

    /** One command, as it is typed. */
    async run(line: string) {
      if (!commands) throw new Error('the stack does not run yet');
      const { code, stdout, stderr } = await commands.run(line.split(' '));
      return { code, stdout, text: `${stdout}\n${stderr}` };
    },

    /** All webhooks are delivered and all messages are worked on. */
    rest: () => world.stack.settled(),

    copyLedger: () => itemsOf(table()),

    async loseLedger(): Promise<void> {
      await world.rest();
      const { dynamoDb } = world.stack;
      const { Table } = await dynamoDb.describeTable({ TableName: table() });
      const keys = (Table?.KeySchema ?? []).map(({ AttributeName = '' }) => AttributeName);
      for (const item of await itemsOf(table())) {
        const Key = Object.fromEntries(
          Object.entries(item).filter(([name]) => keys.includes(name)),
        );
        await dynamoDb.deleteItem({ TableName: table(), Key });
      }
      expect(await itemsOf(table())).toEqual([]);
    },

    /** As point-in-time recovery: what was written since is gone. */
    async restoreLedger(copy: Copy): Promise<void> {
      await world.loseLedger();
      await fill(table(), copy);
    },

    /** As point-in-time recovery makes it: a table of its own. */
    async restoreBeside(name: string, copy: Copy): Promise<void> {
      await createLedgerTable(world.stack.dynamoDb, name);
      await fill(name, copy);
    },

    /** Paid and shipped. */
    sell(shopper: Shopper, price: number, changes: object = {}): string {
      const { actions } = world.stack.store;
      const { id } = actions.placeOrder({
        ...{ customerId: shopper.id, payment: 'paid', ...changes },
        lines: [{ title: 'Goods', price, quantity: 1 }],
        taxes: [],
      });
      actions.fulfilOrder({ orderId: id });
      return id;
    },

    refund(orderId: string, amount: number): void {
      world.stack.store.actions.refundOrder({ orderId, amount });
    },

    heldOrder: (id: string) =>
      world.stack.loyalty.state().orders.find(({ OriginalId }) => OriginalId === id),

    pointsOf: (shopper: Shopper) => world.shop.look().pointsOf(shopper),
  };
  return world;
}
