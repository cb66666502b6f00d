import { openDataFile } from '../sandbox-kit/data-file.ts';
import type { JournalQuery } from '../sandbox-kit/journal.ts';
import type { Neighbours } from '../sandbox-kit/pages/layout.ts';
import { seededRandom } from '../sandbox-kit/seeded-random.ts';
import { Tables } from '../sandbox-kit/tables.ts';
import { type Catalog, defaultCatalog } from './catalog.ts';
import { type Contract, loadContract } from './contract.ts';
import { checkSubscriptions, type Subscription, Subscriptions } from './events/subscriptions.ts';
import type { FaultRule } from './fault-rule.ts';
import { startServer } from './http/server.ts';
import { createProgram } from './program/program.ts';
import { openTables } from './program/rows.ts';
import { type BuiltInStep, Service } from './service.ts';
import {
  defaultServerSettings,
  type PartialSettings,
  readSettings,
  type ServerSettings,
} from './settings.ts';
import { describeState } from './state.ts';

export interface LoyaltySandboxOptions {
  /** 0 (default): any free port. Always on 127.0.0.1. */
  readonly port?: number;
  /** Keeps the state over a restart. Absent: in memory. */
  readonly dataFile?: string;
  /** The same seed and the same calls give the same answers. */
  readonly seed?: number;
  readonly settings?: PartialSettings;
  readonly serverSettings?: Partial<ServerSettings>;
  readonly catalog?: Catalog;
  /** Absent: point events are kept but not sent. */
  readonly subscriptions?: readonly Subscription[];
  /** For links between the pages; read at each request. */
  readonly neighbours?: Neighbours;
  readonly now?: () => Date;
}

/** Reading and compiling it takes a third of a second, and it never changes while running. */
let contract: Contract | undefined;

/** A loyalty service on this machine. Throws when a setting, the data file or the port is no good. */
export async function startLoyaltySandbox(options: LoyaltySandboxOptions = {}) {
  const { port = 0, seed = 1, catalog = defaultCatalog } = options;
  const reading = readSettings(options.settings);
  if (reading.kind === 'faulty') throw new Error(`Settings: ${reading.faults.join('; ')}.`);
  const { settings } = reading;
  const serverSettings = { ...defaultServerSettings, ...options.serverSettings };
  const { subscriptions = [] } = options;
  checkSubscriptions(subscriptions);
  const tables = new Tables();
  const dataFile =
    options.dataFile === undefined ? undefined : openDataFile(options.dataFile, tables);
  // A later start must not draw the same numbers again: codes made from them are still in use.
  const start = countStart(tables);
  const clock = tables.table<number>('clock');
  const aheadMs = () => clock.get('aheadMs') ?? 0;
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + aheadMs());
  const random = () => seededRandom(seed + start * 1_000_003);
  contract ??= loadContract();
  const service = new Service({
    contract,
    settings,
    serverSettings,
    tables,
    context: { tables: openTables(tables), settings, catalog, now, random: random() },
    createProgram: () => createProgram({ tables, settings, catalog, now, random: random() }),
    subscriptions: new Subscriptions(subscriptions, tables, serverSettings.subscriptionFailures),
    dataFile,
    neighbours: options.neighbours,
    seed,
    now,
    advance: (ms) => clock.put('aheadMs', aheadMs() + ms),
  });
  const server = await startServer(service, port).catch(async (error) => {
    await service.stop();
    throw error;
  });

  return {
    /** `http://127.0.0.1:4010`: the base address of the API, and the page in a browser. */
    address: server.address,
    credentials: settings.credentials,
    settings,
    // Never the service's own: a reset makes new ones.
    faults: {
      add: (rule: FaultRule) => service.faults.add(rule),
      list: () => service.faults.list(),
      clear: (id?: number) => service.faults.clear(id),
    },
    journal: {
      entries: (query?: JournalQuery) => service.journal.entries(query),
      get dropped() {
        return service.journal.dropped;
      },
      clear: () => service.clearJournal(),
    },
    events: { all: () => service.events.all(), settled: () => service.events.settled() },
    state: () => describeState(service),
    /** As an integration that is built into the service: its orders have Origin 0. Returns the program's answer. */
    integrate: (step: BuiltInStep) => service.integrate(step),
    /** Lets time pass in the sandbox only. */
    advance: (ms: number) => service.advance(ms),
    /** Everything as on the first start; only the numbers of the journal go on. All or nothing. */
    reset: () => service.reset(),
    stop: async () => {
      await server.stop();
      await service.stop();
    },
  };
}

export type LoyaltySandbox = Awaited<ReturnType<typeof startLoyaltySandbox>>;

function countStart(tables: Tables): number {
  const starts = tables.table<number>('starts');
  const start = (starts.get('n') ?? 0) + 1;
  starts.put('n', start);
  return start;
}
