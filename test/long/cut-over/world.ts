import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import type { JournalEntry } from '../../../local/loyalty-sandbox/journal.ts';
import { freePort, portsFrom } from '../../../local/stack/start-options.ts';
import { createData } from '../../../local/stack/start-parts.ts';
import { writeStateFile } from '../../../local/stack/state-file.ts';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { openWarmCommands, type WarmCommands } from '../../support/connector-command.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { createOtherIntegration, type OrderIdForm } from '../../support/other-integration.ts';
import { createProject } from '../../support/project.ts';
import { heldPoints, keptAmount, wantedPoints } from './oracle.ts';

export const SHOP = 'example-store.myshopify.com';
const HOUR_MS = 3_600_000;

/** Operations that change nothing at the service, by its documentation. */
const READING: readonly (string | undefined)[] = [
  'calculateProductPoints',
  'getCoupon',
  'getCustomer',
  'getCustomerPoints',
  'getOrder',
  'getRedeemedReward',
  'getRewardConfiguration',
  'listAvailableRewards',
  'listCustomersReport',
  'listExpiringPoints',
  'listPointsHistory',
  'listQuizzes',
  'listRewardConfigurations',
  'listTiers',
] satisfies readonly JournalEntry['operation'][];

export const isChanging = ({ operation }: Pick<JournalEntry, 'operation'>): boolean =>
  !READING.includes(operation);

interface Options {
  readonly settings: string;
  /** When the connector was deployed: it is made now, and dated back. */
  readonly deployedHoursAgo?: number;
  /** Fills the store before the connector sees it. */
  readonly history?: (store: StoreSandbox, startedAt: number) => void;
}

/**
 * A shop whose settings can be deployed again while everything else stays: store, loyalty service, queues and ledger.
 * The service gives one point for each unit of the currency; no order has taxes or shipping.
 */
export function useCutOver({ settings: first, deployedHoursAgo, history }: Options) {
  vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });
  // In whole seconds, as the store's dates.
  const startedAt = Math.floor(Date.now() / 1000) * 1000;
  const dataFolder = mkdtempSync(join(tmpdir(), 'cut-over-'));
  const folder = createProject('cut-over');
  let stack: LocalStack | undefined;
  let commands: WarmCommands | undefined;
  let ports = portsFrom(0);

  beforeAll(async () => {
    if (history) await fill(history);
    ports = portsFrom(await freePort(6));
    await start(first);
    if (deployedHoursAgo !== undefined) await dateBack(deployedHoursAgo);
    commands = openWarmCommands(folder);
  });
  afterAll(async () => {
    commands?.stop();
    await stack?.stop();
    for (const one of [folder, dataFolder]) rmSync(one, { recursive: true, force: true });
  });

  async function fill(how: NonNullable<typeof history>): Promise<void> {
    const dataFile = join(dataFolder, 'store.sqlite');
    const store = await startStoreSandbox({ shop: { domain: SHOP }, dataFile });
    how(store, startedAt);
    await store.stop();
  }

  async function start(settings: string): Promise<void> {
    stack = await startLocalStack({
      settings,
      dataFolder,
      ports,
      // Of the largest plan: what is tried here is not the store's limit.
      storeSettings: () => ({ bucketSize: 20_000, restorePerSecond: 1_000 }),
    });
    const file = resolve(PACKAGE_FOLDER, settings);
    writeStateFile(stack, { stage: 'prod', settings: file }, folder);
  }

  /**
   * The age of the ledger's table says since when orders count, where the settings do not.
   * Nothing is on its way when the table goes: what is recorded after that never depends on who was faster.
   */
  async function dateBack(hours: number): Promise<void> {
    await world.rest();
    const { description, sqs, dynamoDb } = world.stack;
    const [{ name: TableName } = { name: '' }] = description.tables;
    await dynamoDb.deleteTable({ TableName });
    const isThere = () =>
      dynamoDb.describeTable({ TableName }).then(
        () => true,
        () => false,
      );
    await vi.waitFor(async () => expect(await isThere()).toBe(false), { timeout: 30_000 });
    vi.useFakeTimers({ toFake: ['Date'], now: startedAt - hours * HOUR_MS });
    try {
      await createData({ queues: [], tables: description.tables }, { sqs, dynamoDb });
    } finally {
      vi.useRealTimers();
    }
  }

  const world = {
    startedAt,
    /** A moment of the story, as a person types it. */
    moment: (hoursAgo: number) => new Date(startedAt - hoursAgo * HOUR_MS).toISOString(),
    get stack(): LocalStack {
      if (!stack) throw new Error('the stack does not run yet');
      return stack;
    },
    get store(): StoreSandbox {
      return world.stack.store;
    },
    get loyalty() {
      return world.stack.loyalty;
    },
    get folder(): string {
      return folder;
    },

    /** Other settings, and nothing else: as `deploy` after a change of `connector.config.ts`. */
    async deploy(settings: string): Promise<void> {
      await world.stack.stop();
      await start(settings);
    },

    /** One command, as it is typed. */
    async run(line: string) {
      if (!commands) throw new Error('the stack does not run yet');
      const { code, stdout, stderr } = await commands.run(line.split(' '));
      return { code, stdout, text: `${stdout}\n${stderr}` };
    },

    /** The hourly and the deep run, as EventBridge starts them. */
    async runSchedules(): Promise<void> {
      const { description, functions } = world.stack;
      for (const schedule of description.schedules) {
        expect((await functions.runSchedule(schedule))?.kind).toBe('returned');
      }
    },

    /** All webhooks are delivered and all messages are worked on. */
    rest: () => world.stack.settled(),

    /** The store's clock; it goes on from there. */
    setClock(hoursAgo: number): void {
      setClock(world.store, startedAt, hoursAgo);
    },

    /** Customers of the store, the same in every test. */
    customerIds: () => [...world.store.rows.customers.values()].map(({ id }) => id),

    /** Paid and shipped. */
    sell(customerId: string, price: number, quantity = 1): OrderRow {
      return sell(world.store, customerId, price, quantity);
    },

    /** Pieces of the only line, with their money. */
    giveBack(orderId: string, quantity: number): void {
      const [line] = world.order(orderId).lines;
      const lines = [{ lineId: line?.id ?? '', quantity }];
      world.store.actions.refundOrder({ orderId, lines });
    },

    order(id: string): OrderRow {
      const order = world.store.rows.orders.get(id);
      if (!order) throw new Error(`the store has no order ${id}`);
      return order;
    },

    /** Beside the sandboxes. It counts as we do. */
    otherIntegration: (idForm: OrderIdForm) =>
      createOtherIntegration({
        store: () => world.store,
        loyalty: () => world.loyalty,
        idForm,
        amountOf: keptAmount,
      }),

    /** The calls that change something, since the journal was cleared. */
    changingCalls: () => world.loyalty.journal.entries().filter(isChanging),

    heldOrder: (id: string) =>
      world.loyalty.state().orders.find(({ OriginalId }) => OriginalId === id),

    expectPoints(counts: (order: OrderRow) => boolean): void {
      const { rows } = world.store;
      expect(heldPoints(rows, world.loyalty)).toEqual(wantedPoints(rows, counts));
    },

    /** Under whatever ids, the service counts each order of the store at most once. */
    expectNoneTwice(): void {
      const held = new Map(world.loyalty.state().orders.map((one) => [one.OriginalId, one]));
      const twice = [...world.store.rows.orders.values()].filter(({ id, number }) => {
        const ids = [id, `#${number}`, String(number), `gid://shopify/Order/${id}`];
        const counted = ids.map((one) => held.get(one)).filter((one) => one && one.points > 0);
        return counted.length > 1;
      });
      expect(twice.map(({ number }) => number)).toEqual([]);
    },
  };
  return world;
}

export function setClock(store: StoreSandbox, startedAt: number, hoursAgo: number): void {
  const wanted = startedAt - hoursAgo * HOUR_MS;
  const ahead = store.rows.counters.get('clock ms') ?? 0;
  store.advanceClock((wanted - (Date.now() + ahead)) / 1000);
}

export function sell(
  store: StoreSandbox,
  customerId: string,
  price: number,
  quantity: number,
): OrderRow {
  const { id } = store.actions.placeOrder({
    customerId,
    lines: [{ title: 'Goods', price, quantity }],
    payment: 'paid',
    taxes: [],
  });
  return store.actions.fulfilOrder({ orderId: id });
}

/** Of the CSV file of a comparison; names of columns as one word of small letters. */
export function readCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = [], ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(',').map((cell) => cell.replace(/^"(.*)"$/, '$1')));
  const names = header.map((name) => name.toLowerCase().replace(/[^a-z]/g, ''));
  return rows.map((cells) =>
    Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])),
  );
}
