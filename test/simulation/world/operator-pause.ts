import {
  changeControl,
  resumed,
  withOperatorPause,
} from '../../../shared/core/calls/shop-pause.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { BEGINNING, type Kernel } from '../kernel/kernel.ts';
import { SHOP } from './connector.ts';
import type { LoyaltyService } from './loyalty-service.ts';
import { WORKER_TIMEOUT_MS } from './queues.ts';

const HOUR_MS = 3_600_000;
/** Longer than the retry window of four days. */
const LONGEST_MS = 6 * 24 * HOUR_MS;
/** Most pauses are short: a worker asks every few minutes whether one is over, which takes as long as many webhooks. */
const SHORT_MS = 5 * HOUR_MS;

/** In some runs an operator pauses the shop, for up to six days: nothing may be called, parked or lost. */
export class OperatorPause {
  readonly #kernel: Kernel;
  readonly #ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly #loyalty: LoyaltyService;
  readonly #from: number;

  constructor(kernel: Kernel, ledger: Pick<Ledger, 'readMany' | 'write'>, loyalty: LoyaltyService) {
    this.#kernel = kernel;
    this.#ledger = ledger;
    this.#loyalty = loyalty;
    const { chance, time } = kernel;
    this.#from =
      chance(30) < 0.15 ? BEGINNING + chance(31) * 2 * HOUR_MS : Number.POSITIVE_INFINITY;
    if (!this.happens) return;
    kernel.journal.play('pause of the shop');
    time.at(this.#from, async () => {
      await this.#change('pauses');
      // A batch that began before may finish.
      const silentFrom = time.now + WORKER_TIMEOUT_MS;
      loyalty.onCall = (words) => {
        if (time.now > silentFrom)
          kernel.journal.violation('paused', `${words}: the shop is paused`);
      };
    });
  }

  get happens(): boolean {
    return Number.isFinite(this.#from);
  }

  /** Waits until it is over; at once in a run without one. */
  async end(): Promise<void> {
    if (!this.happens) return;
    const { chance, time } = this.#kernel;
    const ms = chance(38) < 0.7 ? chance(32) * SHORT_MS : (0.5 + chance(32) / 2) * LONGEST_MS;
    await time.passUntil(Math.max(time.now, this.#from + ms));
    this.#loyalty.onCall = () => {};
    await this.#change('resumes');
  }

  async #change(how: 'pauses' | 'resumes'): Promise<void> {
    const { journal, now } = this.#kernel;
    journal.note(this.#from, () => `an operator ${how} the shop`);
    await changeControl(this.#ledger, SHOP, (control) =>
      how === 'pauses'
        ? withOperatorPause(control, 'all', 'operator', now())
        : resumed(control, 'all', now()),
    );
  }
}
