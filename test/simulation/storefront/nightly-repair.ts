import { createMemoryQueueDepth } from '../../../local/harness/memory-queue.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { repairBalances } from '../../../shared/core/reconcile/repair-balances.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { SHOP } from '../world/connector.ts';
import { eventQueueOf, ledgerOf } from '../world/process-world.ts';
import type { StorefrontWorld } from './shoppers.ts';

/** As deployed: see infra/timing.ts. */
const RECONCILE_TIMEOUT_MS = 15 * 60_000;

/** The part of one scheduled run that compares balances. It may die at any point; the next one continues. */
export function repairNightly(run: number, world: StorefrontWorld): void {
  const { kernel, queues, ledger, loyalty, telemetry } = world;
  const { time, journal, now } = kernel;
  const process = new SimulatedProcess(kernel, `reconcile ${run}`);
  const deadline = new AbortController();
  const cancel = [
    time.after(RECONCILE_TIMEOUT_MS - 20_000, () => process.hear(() => deadline.abort())),
    time.after(RECONCILE_TIMEOUT_MS, () => process.die()),
  ];
  const end = (how: string) => {
    for (const one of cancel) one();
    journal.note(process.key, () => `${process.name} ${how}`);
  };
  const repairing = repairBalances(SHOP, {
    ledger: ledgerOf(process, ledger),
    queue: eventQueueOf(process, queues),
    depth: createMemoryQueueDepth(queues.sources),
    loyalty: loyalty.clientOf(process, () => new Set()),
    breaker: createCircuitBreaker(),
    telemetry,
    now,
    pause: (ms) =>
      new Promise((resolve) => {
        time.after(ms, () => process.hear(resolve));
      }),
    deadline: deadline.signal,
    othersWait: false,
  });
  // A failing ledger or queue ends the run; the next one continues.
  repairing.then(
    (repaired) => end(repaired ? `compares balances: ${JSON.stringify(repaired)}` : 'ends'),
    () => end('breaks off'),
  );
}
