import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import {
  changeControl,
  readControl,
  withOperatorPause,
} from '../../../shared/core/calls/shop-pause.ts';
import type { ParkingReason } from '../../../shared/core/events/outcome.ts';
import { isOpenDoubt } from '../../../shared/core/ledger/entry.ts';
import type { PersonReason } from '../../../shared/core/sync/decide-order.ts';
import type { MemoryLedger } from '../../support/memory-ledger.ts';
import { BEGINNING, type Kernel } from '../kernel/kernel.ts';
import { SHOP } from './connector.ts';
import type { LivingStore } from './living-store.ts';
import { WORKER_TIMEOUT_MS } from './queues.ts';

interface RestoreWorld {
  readonly kernel: Kernel;
  readonly ledger: MemoryLedger;
  readonly store: Pick<LivingStore, 'orderStates'>;
}

const UNEXPLAINED: PersonReason['reason'] = 'unexplained';
const KEY_USED: PersonReason['reason'] = 'key-used';

/**
 * In some runs the ledger is restored to an earlier moment, or lost, while the store lives on. The operator pauses the
 * shop, restores the table and puts it in doubt, as `recover` does.
 */
export class LedgerRestore {
  readonly #kernel: Kernel;
  readonly #ledger: MemoryLedger;
  readonly #store: Pick<LivingStore, 'orderStates'>;
  readonly #goLive: number;
  /** Parts of the store's life, of which the second comes later. */
  readonly #copyAfter: number;
  readonly #restoreAfter: number;
  #copy: MemoryLedger['entries'] | undefined;
  /** Epoch milliseconds: the ledger does not know what happened between them. */
  since = Number.POSITIVE_INFINITY;
  until = Number.NEGATIVE_INFINITY;

  constructor(
    { kernel, ledger, store }: RestoreWorld,
    { goLive, mayHappen }: { readonly goLive: number; readonly mayHappen: boolean },
  ) {
    this.#kernel = kernel;
    this.#ledger = ledger;
    this.#store = store;
    this.#goLive = goLive;
    const { chance } = kernel;
    const happens = mayHappen && chance(41) < 0.1;
    const isLost = chance(42) < 0.3;
    this.#restoreAfter = happens ? 0.1 + 0.9 * chance(43) : Number.POSITIVE_INFINITY;
    this.#copyAfter = isLost ? Number.POSITIVE_INFINITY : this.#restoreAfter * chance(44);
  }

  /** Orders that a person must correct: what the service holds is explained by no state of theirs. */
  readonly forPerson = new Set<string>();

  leavesToPerson(
    { code, why }: ParkingReason,
    entity: { readonly id: string } | undefined,
  ): boolean {
    if (!this.happened || !entity) return false;
    const isUnexplained =
      // Not without a look at its past, which the store always shows here.
      (code === UNEXPLAINED && !why.includes('not known')) ||
      // A refund counted otherwise while its money was pending: more was taken than the store's states explain.
      why.includes('ExceedsOrderTotal') ||
      code === KEY_USED;
    if (!isUnexplained && !this.#isPastRecovery(entity.id)) return false;
    if (!this.forPerson.has(entity.id)) this.#kernel.journal.play('order left to a person');
    this.forPerson.add(entity.id);
    return true;
  }

  isLeftToPerson(id: string): boolean {
    return this.forPerson.has(id) || this.#isPastRecovery(id);
  }

  /**
   * A known limit: where goods were refunded and the same goods added by an edit, a ledger that has forgotten the one
   * cannot tell it from the other. See docs/decisions/0005-a-lost-ledger-takes-nothing-twice.md.
   */
  #isPastRecovery(id: string): boolean {
    if (!this.happened) return false;
    const rows = (this.#store.orderStates.get(id) ?? []).filter((row) => row !== undefined);
    const piecesOf = ({ lines }: OrderRow) =>
      lines.reduce((sum, { quantity }) => sum + quantity, 0);
    return rows.some((row, index) => {
      const before = rows[index - 1];
      return before && piecesOf(row) > piecesOf(before) && before.refunds.length > 0;
    });
  }

  get happened(): boolean {
    return Number.isFinite(this.until);
  }

  /** Before each step of the store's life. */
  async live(part: number): Promise<void> {
    const { time, journal } = this.#kernel;
    if (part >= this.#copyAfter && !this.#copy) {
      this.#copy = new Map(this.#ledger.entries);
      this.since = time.now;
      journal.note(0, () => 'the ledger is copied');
    }
    if (part >= this.#restoreAfter && !this.happened) await this.#restore();
  }

  async #restore(): Promise<void> {
    const { time, journal, now } = this.#kernel;
    journal.play(this.#copy ? 'restored ledger' : 'lost ledger');
    await changeControl(this.#ledger, SHOP, (control) =>
      withOperatorPause(control, 'all', 'operator', now()),
    );
    // What began before ends.
    await time.passUntil(time.now + 2 * WORKER_TIMEOUT_MS);
    this.#ledger.restore(this.#copy);
    this.until = time.now;
    if (!this.#copy) this.since = BEGINNING;
    await changeControl(this.#ledger, SHOP, (control) => ({
      ...control,
      goLive: this.#goLive,
      doubt: { since: this.since, until: this.until },
    }));
    const hours = ((this.until - this.since) / 3_600_000).toFixed(1);
    journal.note(0, () => `the ledger is what it was ${hours} hours ago`);
  }

  async isRecovered(): Promise<boolean> {
    return !isOpenDoubt((await readControl(this.#ledger, SHOP)).doubt);
  }
}
