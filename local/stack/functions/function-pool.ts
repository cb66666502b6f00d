import type { InvocationResult } from './function-worker.ts';
import { FunctionWorker, type WorkerSettings } from './function-worker.ts';

/**
 * How many invocations run at once in an account: functions without a reservation share what the
 * reservations leave.
 */
export class AccountConcurrency {
  #free: number;

  /** AWS's default, and the sum of the reservations. */
  constructor(quota = 1_000, reserved = 0) {
    this.#free = quota - reserved;
  }

  take(): boolean {
    if (this.#free <= 0) return false;
    this.#free -= 1;
    return true;
  }

  giveBack(): void {
    this.#free += 1;
  }
}

/** The processes of one function. Reuses warm ones and starts another when all are busy. */
export class FunctionPool {
  readonly #settings: WorkerSettings;
  readonly #concurrency: AccountConcurrency;
  readonly #workers = new Set<FunctionWorker>();
  readonly #idle: FunctionWorker[] = [];
  #isStopped = false;

  constructor(settings: WorkerSettings, account = new AccountConcurrency()) {
    const { reservedConcurrency } = settings.description;
    this.#settings = settings;
    this.#concurrency =
      reservedConcurrency === undefined ? account : new AccountConcurrency(reservedConcurrency);
  }

  /** Of those that may still be used. */
  get pids(): readonly number[] {
    const alive = [...this.#workers].filter(({ isAlive }) => isAlive);
    return alive.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  /** Resolves when a process is ready for the first request. */
  async warm(): Promise<void> {
    const worker = this.#start();
    await worker.ready;
    this.#idle.push(worker);
  }

  async invoke(event: unknown): Promise<InvocationResult> {
    if (this.#isStopped || !this.#concurrency.take()) return { kind: 'throttled' };
    const worker = this.#takeIdle() ?? this.#start();
    try {
      return await worker.invoke(event);
    } finally {
      if (worker.isAlive && !this.#isStopped) this.#idle.push(worker);
      else this.#workers.delete(worker);
      this.#concurrency.giveBack();
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#workers].map((worker) => worker.kill()));
  }

  #start(): FunctionWorker {
    const worker = new FunctionWorker(this.#settings);
    this.#workers.add(worker);
    return worker;
  }

  /** The process used last, if it is still alive. */
  #takeIdle(): FunctionWorker | undefined {
    for (;;) {
      const worker = this.#idle.pop();
      if (!worker || worker.isAlive) return worker;
      this.#workers.delete(worker);
    }
  }
}
