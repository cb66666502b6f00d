import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadOptions } from './arguments.ts';
import { judge } from './judge.ts';
import { LoadedStack } from './loaded-stack.ts';
import type { Phase, PhaseName, RunFacts } from './report.ts';
import { readRunLogs } from './run-logs.ts';
import type { Progress } from './stack-process.ts';
import { StoreLoad } from './store-load.ts';
import connector, { THROTTLED } from './two-shops.config.ts';

/** Longer than the last retry of anything that failed during a run. */
const PATIENCE_MS = 30 * 60_000;
const PAUSE_MS = 500;

/** Until nothing is on its way any more; gives what is left when the patience is over. */
async function settle(stack: LoadedStack, signal: AbortSignal): Promise<number> {
  const end = Date.now() + PATIENCE_MS;
  // Twice: between one queue and the next there is a moment when neither has it.
  let quiet = 0;
  for (;;) {
    const left = onTheWay(await stack.progress());
    quiet = left === 0 ? quiet + 1 : 0;
    if (quiet === 2 || signal.aborted || Date.now() > end) return left;
    await sleep(PAUSE_MS);
  }
}

function onTheWay({ undelivered, queued, pendingEvents }: Progress): number {
  // Queues that do not answer may hold something.
  return undelivered + (queued ?? 1) + pendingEvents;
}

/** A fault at a certain time of a phase. */
interface Trouble {
  /** The elapsed part of the phase, from 0 to 1. */
  readonly at: number;
  readonly what: string;
  happen(stack: LoadedStack): Promise<void>;
}

const killFunction = (name: string): Omit<Trouble, 'at'> => ({
  what: `kill -9 of every process of ${name}`,
  async happen(stack) {
    for (const process of await stack.processes()) if (process.name === name) kill(process.pid);
  },
});

const killAws: Omit<Trouble, 'at'> = {
  what: 'kill -9 of queues and table, started again from their data',
  happen: (stack) => stack.killAndRestartAws(),
};

const killStack: Omit<Trouble, 'at'> = {
  what: 'kill -9 of the stack with its functions, store and loyalty service, started again from its data',
  happen: (stack) => stack.killAndRestartStack(),
};

const loyaltyIs = (is: 'well' | 'slow' | 'down'): Omit<Trouble, 'at'> => ({
  what: `the loyalty service is ${is}`,
  happen: (stack) => stack.setLoyalty(is),
});

/** Kills every process of the run once, at even intervals. */
function killsOfEach(functions: readonly string[]): readonly Trouble[] {
  const kills = [...functions.map(killFunction), killAws, killStack];
  return kills.map((one, index) => ({ ...one, at: (index + 1) / (kills.length + 1) }));
}

/** The service is slow, then down, then back; the busiest processes are killed again. */
const saleTroubles: readonly Trouble[] = [
  { at: 0.05, ...loyaltyIs('slow') },
  { at: 0.2, ...killFunction('receive-webhook') },
  { at: 0.3, ...killFunction('sync-orders') },
  { at: 0.4, ...loyaltyIs('down') },
  { at: 0.6, ...killAws },
  { at: 0.8, ...loyaltyIs('well') },
  { at: 0.9, ...killFunction('sync-orders') },
  { at: 1, ...killStack },
];

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

export interface LoadRun {
  readonly options: LoadOptions;
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const BURST = 10;
/** Calls that a throttled account takes for each webhook offered: fewer than two changes at once need. */
const THROTTLED_PART = 1 / 3;
const PROGRESS_EVERY_MS = 10_000;
/** Starts the stack, puts load on it, kills its processes, waits until it is idle, and compares. */
export async function runLoad({ options, folder, say, signal }: LoadRun): Promise<RunFacts> {
  const troubles: RunFacts['troubles'][number][] = [];
  say('Synthesizing the stack, bundling its functions, starting it.');
  const stack = await LoadedStack.start(folder);
  const progressReports = reportProgress(stack, say);
  try {
    const { shops } = connector;
    const domains = shops.map(({ domain }) => domain);
    const functions = [...new Set((await stack.processes()).map(({ name }) => name))].slice(0, -2);
    const stores = domains.map(
      (domain, index) =>
        new StoreLoad(
          () => stack.storeAddress(domain),
          options.seed + index,
          options.orders / shops.length,
        ),
    );
    const open = async () => {
      for (const store of stores) await store.open();
      await settle(stack, signal);
    };

    const phases: Phase[] = [];
    const load = async (
      name: PhaseName,
      rate: number,
      seconds: number,
      planned: readonly Trouble[],
    ): Promise<void> => {
      signal.throwIfAborted();
      say(`${name}: ${rate} webhooks a second for ${seconds} s.`);
      const from = Date.now();
      const before = await stack.progress();
      const offering = Promise.all(
        stores.map((store) => store.keepRate({ rate: rate / shops.length, seconds, signal })),
      );
      for (const trouble of planned) {
        await waitUntil(from + trouble.at * seconds * 1000, signal);
        if (signal.aborted) break;
        say(`  ${trouble.what}`);
        troubles.push({ phase: name, atSecond: (Date.now() - from) / 1000, what: trouble.what });
        await trouble.happen(stack);
      }
      await offering;
      const { webhooks } = await stack.progress();
      const created = (shop: string) => (webhooks[shop] ?? 0) - (before.webhooks[shop] ?? 0);
      phases.push(
        ...domains.map((shop) => ({ name, shop, from, to: Date.now(), webhooks: created(shop) })),
      );
    };
    await open();
    await load('calm', options.rate, options.burstSeconds, []);
    await settle(stack, signal);

    const callsPerSecond = options.rate * THROTTLED_PART;
    say(
      `The account of ${THROTTLED} takes ${callsPerSecond.toFixed(1)} calls a second from now on.`,
    );
    await stack.throttle({ domain: THROTTLED, callsPerSecond });
    await open();
    await load('throttled', options.rate, options.burstSeconds, []);
    await load('killed', options.rate, options.minutes * 60, killsOfEach(functions));
    await load('flash sale', options.rate * BURST, options.burstSeconds, saleTroubles);

    signal.throwIfAborted();
    const drainFrom = Date.now();
    say('The sale is over. Waiting until everything in progress is done.');
    let left = await settle(stack, signal);
    const drainSeconds = (Date.now() - drainFrom) / 1000;
    const { dead, givenUp } = await stack.progress();
    if (givenUp > 0) {
      // They were not accepted and will not be sent again: reconcile must find them.
      say(`The store gave up ${givenUp} webhooks. The connector reconciles.`);
      await stack.reconcile();
      left = await settle(stack, signal);
    }
    const { ledgerTable, files } = stack;
    progressReports.stop();
    await stack.stop();
    signal.throwIfAborted();

    say('Comparing the store and the loyalty service.');
    const logs = await readRunLogs(files);
    const run = { data: files.data, table: ledgerTable, connector };
    const verdicts = [];
    for (const shop of shops) verdicts.push(await judge(run, shop, logs.accepted));
    return { phases, troubles, drainSeconds, left, dead, logs, verdicts };
  } finally {
    progressReports.stop();
    await stack.stop();
  }
}

function reportProgress(stack: LoadedStack, say: (line: string) => void): { stop(): void } {
  const report = async () => {
    const { webhooks, undelivered, queued, dead } = await stack.progress();
    const waiting = queued ?? 'unknown';
    const created = Object.values(webhooks).join(' + ');
    say(`  ${created} webhooks, ${undelivered} not delivered, ${waiting} on queues, ${dead} dead`);
  };
  const timer = setInterval(() => void report().catch(() => say('  (down)')), PROGRESS_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

async function waitUntil(epochMs: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, epochMs - Date.now()), undefined, { signal }).catch(() => {});
}
