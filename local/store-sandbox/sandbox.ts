import { DataFileError, openDataFile } from '../sandbox-kit/data-file.ts';
import { Tables } from '../sandbox-kit/tables.ts';
import { inOrder, readDisorder } from './delivery/disorder.ts';
import { addressProblem } from './delivery/subscriptions.ts';
import { startServer } from './http/server.ts';
import { type ActionInput, type ActionName, type ActionValue, actions } from './model/actions.ts';
import { type StoreSandboxOptions, StoreService } from './service.ts';
import { describeState } from './state.ts';

export type { StoreSandboxOptions };

/** Every action by name. Throws if the store refuses, so that a test does not continue unaware. */
type Actions = {
  readonly [Name in ActionName]: (
    ...input: Record<never, never> extends ActionInput<Name>
      ? [input?: ActionInput<Name>]
      : [input: ActionInput<Name>]
  ) => ActionValue<Name>;
};

/** Starts a Shopify store on this machine. Throws if an option, the data file or the port is unusable. */
export async function startStoreSandbox(options: StoreSandboxOptions = {}) {
  const { port = 0, webhooksTo } = options;
  if (webhooksTo !== undefined && addressProblem(webhooksTo) !== undefined) {
    throw new Error('The address for webhooks must begin with http:// or https://.');
  }
  const disorder = readDisorder(options.disorder ?? {}, inOrder);
  if (disorder.kind === 'wrong') throw new Error(disorder.problems.join(' '));
  const tables = new Tables();
  const dataFile =
    options.dataFile === undefined ? undefined : openDataFile(options.dataFile, tables);
  try {
    claimTables(tables, options.dataFile ?? '');
  } catch (error) {
    dataFile?.close();
    throw error;
  }
  const service = new StoreService(options, tables, dataFile);
  if (options.disorder) service.disorder = disorder.disorder;
  const server = await startServer(service, port).catch(async (error) => {
    await service.stop();
    throw error;
  });
  service.begin();

  return {
    /** `http://127.0.0.1:4020`: the base of the Admin API, and the address of the page. */
    address: server.address,
    shop: service.world.shop,
    get credentials() {
      return service.credentials;
    },
    actions: bindActions(service),
    /** Read-only. To change something use `actions`, which also send webhooks. */
    rows: service.world.rows,
    state: () => describeState(service),
    deliveries: { all: () => service.sender.all(), settled: () => service.sender.settled() },
    /** Calls to the Admin API. */
    journal: service.journal,
    faults: service.faults,
    bucket: service.api.bucket,
    get disorder() {
      return service.disorder;
    },
    set disorder(wanted) {
      service.disorder = wanted;
    },
    rotateSecret: (secret: string) => service.rotateSecret(secret),
    advanceClock: (seconds: number) => service.advanceClock(seconds),
    stop: async () => {
      await server.stop();
      await service.stop();
    },
  };
}

export type StoreSandbox = Awaited<ReturnType<typeof startStoreSandbox>>;

function bindActions(service: StoreService): Actions {
  const bound = Object.keys(actions).map((name) => [
    name,
    (input: unknown = {}) => {
      const outcome = service.perform(name as ActionName, input as never);
      if (outcome.kind === 'refused') throw new Error(`${name}: ${outcome.why}`);
      return outcome.value;
    },
  ]);
  return Object.fromEntries(bound) as Actions;
}

/** Both sandboxes use the same file format, but neither can use the data of the other. */
function claimTables(tables: Tables, path: string): void {
  const owner = tables.table<string>('owner');
  const isUsed = [...tables.all()].length > 0;
  if (isUsed && owner.get('sandbox') !== 'store') {
    throw new DataFileError(
      `${path} belongs to another sandbox, so it was not changed. Give another file.`,
    );
  }
  owner.put('sandbox', 'store');
}
