import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { moduleFile } from '../../../shared/config/folders.ts';
import { compileCache } from '../synthesize.ts';
import type { FunctionDescription } from '../template/describe-resources.ts';

export interface WorkerSettings {
  readonly description: FunctionDescription;
  /** The folder of the bundle. */
  readonly folder: string;
  /** The whole environment: a function inherits nothing from this process. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onLine: (line: string, stream: string) => void;
}

const SCRIPT = moduleFile('local/stack/functions/function-process');

/** With as many file descriptors as Lambda gives a function ("Lambda quotas"). */
const LIMITED = 'ulimit -n 1024; exec "$0" "$@"';

/** Lambda's limit for the initialization is ten seconds; a laptop with two cores is slower. */
const INIT_MS = 30_000;

/** One process of a function. Serves one invocation at a time. */
export class FunctionWorker {
  readonly #settings: WorkerSettings;
  readonly #child: ChildProcess;
  readonly #stream =
    `${new Date().toISOString().slice(0, 10).replaceAll('-', '/')}/[$LATEST]${randomUUID().replaceAll('-', '')}`;
  /** Whether the initialization succeeded. */
  readonly ready: Promise<boolean>;
  readonly #exited: Promise<void>;
  #isAlive = true;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
    const { description, folder, environment } = settings;
    const memory = `--max-old-space-size=${description.memoryMb}`;
    const node = [process.execPath, memory, SCRIPT, folder, description.handler];
    this.#child = spawn('/bin/sh', ['-c', LIMITED, ...node], {
      cwd: folder,
      env: { ...environment, ...compileCache(), AWS_LAMBDA_LOG_STREAM_NAME: this.#stream },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C must reach only the runner, which stops its processes in order.
      detached: true,
    });
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      if (!output) continue;
      createInterface({ input: output }).on('line', (line) => settings.onLine(line, this.#stream));
    }
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', () => {
        this.#isAlive = false;
        resolve();
      });
    });
    this.ready = this.#waitUntilReady();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async invoke(event: unknown): Promise<InvocationResult> {
    const { description } = this.#settings;
    if (!(await this.ready)) {
      await this.kill();
      return failed('Runtime.ExitError', 'the function could not be initialized');
    }
    const { timeoutSeconds } = description;
    const request: InvocationRequest = {
      requestId: randomUUID(),
      event,
      deadline: Date.now() + timeoutSeconds * 1000,
    };
    const answer = this.#answerTo(request.requestId);
    this.#child.send(request);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<'timed-out'>((resolve) => {
      timer = setTimeout(() => resolve('timed-out'), timeoutSeconds * 1000);
    });
    const result = await Promise.race([answer, timeout]);
    clearTimeout(timer);
    if (result !== 'timed-out') return result;
    const message = `${request.requestId} Task timed out after ${timeoutSeconds.toFixed(2)} seconds`;
    this.#settings.onLine(`${new Date().toISOString()} ${message}`, this.#stream);
    await this.kill();
    return failed('Sandbox.Timedout', `RequestId: ${message}`);
  }

  /** At once: Lambda gives a function no time to clean up either. */
  async kill(): Promise<void> {
    this.#isAlive = false;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #waitUntilReady(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), INIT_MS);
      const settle = (isReady: boolean) => {
        clearTimeout(timer);
        resolve(isReady);
      };
      this.#child.once('message', () => settle(true));
      this.#child.once('close', () => settle(false));
      this.#child.once('error', () => settle(false));
    });
  }

  #answerTo(requestId: string): Promise<InvocationResult> {
    return new Promise((resolve) => {
      const settle = (result: InvocationResult) => {
        this.#child.off('message', onMessage).off('close', onClose);
        resolve(result);
      };
      const onMessage = (message: ProcessMessage) => {
        if (message.kind === 'ready' || message.requestId !== requestId) return;
        const { requestId: _, ...result } = message;
        settle(result);
      };
      const onClose = (code: number | null, signal: string | null) =>
        settle(failed('Runtime.ExitError', `the process ended (${signal ?? code})`));
      this.#child.on('message', onMessage).once('close', onClose);
    });
  }
}

function failed(errorType: string, errorMessage: string): InvocationResult {
  return { kind: 'failed', errorType, errorMessage };
}

/** How an invocation of a function ended, as its caller sees it. */
export type InvocationResult =
  | { readonly kind: 'returned'; readonly json: string }
  | { readonly kind: 'failed'; readonly errorType: string; readonly errorMessage: string }
  /** The function's whole concurrency is in use. */
  | { readonly kind: 'throttled' };

/** From the runner to a function's process. */
export interface InvocationRequest {
  readonly requestId: string;
  readonly event: unknown;
  /** Epoch milliseconds at which the process is killed. */
  readonly deadline: number;
}

/** From a function's process to the runner. */
export type ProcessMessage =
  | { readonly kind: 'ready' }
  | (Exclude<InvocationResult, { kind: 'throttled' }> & { readonly requestId: string });
