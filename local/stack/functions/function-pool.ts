import type { InvocationResult } from './function-worker.ts';
import { FunctionWorker, type WorkerSettings } from './function-worker.ts';

/** The default limit of an AWS account for all functions together. */
const ACCOUNT_CONCURRENCY = 1_000;

/** The processes of one function. Reuses warm ones and starts another when all are busy. */
export class FunctionPool {
  readonly #settings: WorkerSettings;
  readonly #most: number;
  readonly #workers = new Set<FunctionWorker>();
  readonly #idle: FunctionWorker[] = [];
  #isStopped = false;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
    this.#most = settings.description.reservedConcurrency ?? ACCOUNT_CONCURRENCY;
  }

  get pids(): readonly number[] {
    return [...this.#workers].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  /** Resolves when a process is ready for the first request. */
  async warm(): Promise<void> {
    const worker = this.#start();
    await worker.ready;
    this.#idle.push(worker);
  }

  async invoke(event: unknown): Promise<InvocationResult> {
    if (this.#isStopped) return { kind: 'throttled' };
    const worker =
      this.#takeIdle() ?? (this.#workers.size < this.#most ? this.#start() : undefined);
    if (!worker) return { kind: 'throttled' };
    const result = await worker.invoke(event);
    if (worker.isAlive && !this.#isStopped) this.#idle.push(worker);
    else this.#workers.delete(worker);
    return result;
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
