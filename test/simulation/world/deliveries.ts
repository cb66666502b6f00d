import { joined } from '../kernel/chance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';

/** Attempts of a copy are counted from here, to distinguish them from those of the first. */
const SECOND_COPY = 20;

/**
 * The longest wait of a message without faults: the visibility time-out after a crash, and twice the longest
 * delay of a retry or of the service, because a group waits for its first message.
 */
const LONGEST_DRAIN_MS = 4 * 3_600_000;

export interface Delivery {
  /** Decides its faults. */
  readonly key: number;
  readonly words: string;
}

interface Sender<One extends Delivery> {
  /** As faults are named: `webhook`. */
  readonly what: string;
  /** Who gives up after the last retry. */
  readonly who: string;
  readonly retryMinutes: readonly number[];
  /** How long it waits for an answer. */
  readonly patienceMs: number;
  receive(process: SimulatedProcess, delivery: One): Promise<{ readonly status: number }>;
  onAccepted?(delivery: One): void;
  onLost?(delivery: One): void;
}

/** Delivers to a receiver: late, twice, out of order, or not at all. */
export class Deliveries<One extends Delivery> {
  readonly #kernel: Kernel;
  readonly #sender: Sender<One>;
  /** When the last planned delivery arrives. */
  #lastPlannedAt = 0;
  delivered = 0;
  /** What never reached the connector. */
  lost = 0;

  constructor(kernel: Kernel, sender: Sender<One>) {
    this.#kernel = kernel;
    this.#sender = sender;
  }

  /** `copiesAtOnce`: how many of the copies come at the same moment. */
  send(delivery: One, copiesAtOnce = 0): void {
    const { chance, rates } = this.#kernel;
    const { key } = delivery;
    if (this.#happens(joined(key, 1), rates.drops, 'lost', delivery, 'is never sent')) {
      this.#lose(delivery);
      return;
    }
    this.#plan(this.#delay(delivery, 2), delivery, 0);
    if (this.#happens(joined(key, 3), rates.duplicates, 'twice', delivery, 'comes twice')) {
      const part = chance(key, 4) < copiesAtOnce ? 2 : 5;
      this.#plan(this.#delay(delivery, part), delivery, SECOND_COPY);
    }
  }

  /** Until all work must have ended that the last fault and the last delivery left. */
  async drain(): Promise<void> {
    const { time, calmFrom } = this.#kernel;
    do await time.passUntil(Math.max(calmFrom, this.#lastPlannedAt) + 60_000);
    while (this.#lastPlannedAt > time.now);
    await time.passUntil(time.now + LONGEST_DRAIN_MS);
  }

  #happens(name: number, rate: number, fault: string, { words }: One, what: string): boolean {
    return this.#kernel.happens(
      name,
      rate,
      `${this.#sender.what}: ${fault}`,
      () => `${words} ${what}`,
    );
  }

  #delay(delivery: One, part: number): number {
    const { chance, rates } = this.#kernel;
    const name = joined(delivery.key, part);
    const drawn = chance(name, 8);
    if (this.#happens(name, rates.late, 'hours late', delivery, 'comes hours late')) {
      return drawn * 5 * 3_600_000;
    }
    if (this.#happens(joined(name, 9), rates.shuffled, 'overtaken', delivery, 'is overtaken')) {
      return drawn * 60_000;
    }
    return 20 + drawn * 400;
  }

  #plan(afterMs: number, delivery: One, attempt: number): void {
    const { time } = this.#kernel;
    this.#lastPlannedAt = Math.max(this.#lastPlannedAt, time.now + afterMs);
    time.after(afterMs, () => this.#deliver(delivery, attempt));
  }

  #deliver(delivery: One, attempt: number): void {
    const { time, journal } = this.#kernel;
    const { patienceMs, receive, onAccepted } = this.#sender;
    this.delivered += 1;
    const began = time.now;
    const name = `receiver of ${delivery.words} #${attempt}`;
    const tryLater = () => this.#tryLater(delivery, attempt);
    const process = new SimulatedProcess(this.#kernel, name, () => {
      time.after(patienceMs, tryLater);
    });
    const broke = (error: unknown) => {
      journal.violation('broke-off', `${name} throws ${error}`);
      process.die();
    };
    receive(process, delivery).then(({ status }) => {
      journal.note(process.key, () => `${name}: ${status}`);
      if (status === 200) onAccepted?.(delivery);
      // A late answer counts as none.
      if (status !== 200 || time.now - began > patienceMs) tryLater();
    }, broke);
  }

  #lose(delivery: One): void {
    this.lost += 1;
    this.#sender.onLost?.(delivery);
  }

  #tryLater(delivery: One, attempt: number): void {
    const { retryMinutes, who } = this.#sender;
    const minutes = retryMinutes[attempt % SECOND_COPY];
    if (minutes !== undefined) {
      this.#plan(minutes * 60_000, delivery, attempt + 1);
      return;
    }
    this.#lose(delivery);
    this.#kernel.journal.note(delivery.key, () => `${who} gives up on ${delivery.words}`);
  }
}
