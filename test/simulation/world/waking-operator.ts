import type { MemoryLedger } from '../../../local/harness/memory-ledger.ts';
import { retryNow } from '../../support/retry-now.ts';
import { joined } from '../kernel/chance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { SHOP } from './connector.ts';
import { ledgerOf } from './process-world.ts';
import type { Queues } from './queues.ts';

/** The clock of an operator's machine is wrong by half of it at most. */
const CLOCKS_DIFFER_MS = 120_000;

/** Longer than a call that began under faults takes, and shorter than a circuit breaker may stay open. */
const AFTER_FAULTS_MS = 12_000;

interface WakingWorld {
  readonly kernel: Kernel;
  readonly queues: Queues;
  readonly ledger: MemoryLedger;
}

/** Ends the waits of messages: `loyalty-connector retry-now`. */
export class WakingOperator {
  readonly #world: WakingWorld;
  #runs = 0;

  constructor(world: WakingWorld) {
    this.#world = world;
  }

  /** At some steps, at any moment of the faults. */
  step(step: number): void {
    const { chance } = this.#world.kernel;
    const drawn = chance(joined(39, step));
    if (drawn < 0.04) void this.#wake((chance(joined(40, step)) - 0.5) * CLOCKS_DIFFER_MS);
  }

  /** Once the faults are over: from then on nothing waits for a circuit breaker. */
  wakeAfterFaults(): void {
    const { kernel } = this.#world;
    kernel.time.at(kernel.calmFrom + AFTER_FAULTS_MS, async () => {
      await this.#wake(0);
      kernel.wokenAt = kernel.time.now;
    });
  }

  async #wake(aheadMs: number): Promise<void> {
    const { kernel, queues, ledger } = this.#world;
    this.#runs += 1;
    const process = new SimulatedProcess(kernel, `retry-now ${this.#runs}`);
    kernel.journal.play('retry-now');
    const now = new Date(kernel.time.now + aheadMs);
    const memory = { shop: SHOP, ledger, queues: queues.sources, now };
    try {
      const { woken } = await retryNow(memory, ledgerOf(process, ledger));
      for (const family of new Set(woken.map(({ queue }) => queue))) queues.onSent(family);
    } catch {
      // An error of AWS ends the command, and it is started again.
    }
  }
}
