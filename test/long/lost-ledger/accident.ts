import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { createLedgerTable } from '../../../local/harness/sdk-clients.ts';
import type { StackOptions } from '../../../local/stack/start-parts.ts';
import { writeStateFile } from '../../../local/stack/state-file.ts';
import type { ActionInput } from '../../../local/store-sandbox/model/actions.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { openWarmCommands, type WarmCommands } from '../../support/connector-command.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { createProject } from '../../support/project.ts';
import { openShoppers, type Shopper } from '../../support/stack-shoppers.ts';

type Item = Record<string, AttributeValue>;
type Copy = readonly Item[];
/** The price of one piece, or the price and the quantity. */
type Goods = number | readonly [price: number, quantity: number];
type Refund = Omit<ActionInput<'refundOrder'>, 'orderId' | 'lines'> & {
  /** Pieces of lines by their index. */
  readonly pieces?: readonly (readonly [index: number, quantity: number])[];
};

const SETTINGS = 'local/harness/storefront.config.ts';

export type AccidentWorld = ReturnType<typeof useAccidents>;

/**
 * A stack whose ledger can be lost and put back, as backups do it: behind the connector's back. What a test expects is
 * read from the two sandboxes. The service gives one point for each unit of the currency; no order has taxes.
 */
export function useAccidents(options: Pick<StackOptions, 'loyaltySettings'> = {}) {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });
  let stack: LocalStack | undefined;
  let commands: WarmCommands | undefined;
  let shop: ReturnType<typeof openShoppers> | undefined;
  let folder = '';
  const table = () => world.stack.outputs.LedgerTable ?? '';

  beforeAll(async () => {
    stack = await startLocalStack({ settings: SETTINGS, ...options });
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

    /** Each price is that of a line of its own; paid, unless the changes say otherwise. */
    buy(shopper: Shopper, goods: readonly Goods[], changes: object = {}): string {
      const lines = goods.map((one, index) => {
        const [price, quantity] = typeof one === 'number' ? [one, 1] : one;
        return { title: `Goods ${index}`, price, quantity };
      });
      const { actions } = world.stack.store;
      const usual = { customerId: shopper.id, lines, taxes: [] };
      return actions.placeOrder({ ...usual, payment: 'paid', ...changes }).id;
    },

    ship: (orderId: string) => world.stack.store.actions.fulfilOrder({ orderId }),

    /** Bought and shipped. */
    sell(shopper: Shopper, goods: readonly Goods[], changes: object = {}): string {
      const id = world.buy(shopper, goods, changes);
      world.ship(id);
      return id;
    },

    refund(orderId: string, { pieces = [], ...refund }: Refund): void {
      const { lines: bought = [] } = world.stack.store.rows.orders.get(orderId) ?? {};
      const lines = pieces.map(([at, quantity]) => ({ lineId: bought[at]?.id ?? '', quantity }));
      world.stack.store.actions.refundOrder({ orderId, lines, ...refund });
    },

    heldOrder: (id: string) =>
      world.stack.loyalty.state().orders.find(({ OriginalId }) => OriginalId === id),

    pointsOf: (shopper: Shopper) => world.shop.look().pointsOf(shopper),
  };
  return world;
}
