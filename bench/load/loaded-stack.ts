import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, type Ports, portsFrom } from '../../local/stack/start-options.ts';
import { AnsweringProcess } from '../answering-process.ts';
import type { AwsReady, AwsTask } from './aws-process.ts';
import type {
  FunctionProcess,
  Progress,
  StackQuestion,
  StackReady,
  StackTask,
  ThrottledShop,
} from './stack-process.ts';

const STAGE = 'load';
const STACK_NAME = `loyalty-connector-${STAGE}`;
/** Eight retries within five minutes instead of four hours. */
const RETRY_TIME_SCALE = 0.02;
/** Concurrent deliveries of each store: more would only start more processes on two cores. */
const DELIVERIES_AT_ONCE = 3;
/** Messages of a killed worker become visible again after this time instead of 24 minutes. */
const VISIBILITY_SECONDS = 60;

const AWS = fileURLToPath(new URL('./aws-process.ts', import.meta.url));
const STACK = fileURLToPath(new URL('./stack-process.ts', import.meta.url));
const SYNTHESIZE = fileURLToPath(new URL('./synthesize-process.ts', import.meta.url));

/**
 * The local stack in processes that can be killed: one for queues and table, those of the functions, and
 * one for everything else, including store and loyalty service.
 */
export class LoadedStack {
  readonly files: {
    readonly data: string;
    readonly log: string;
    readonly deliveries: string;
  };
  readonly #assembly: string;
  readonly #ports: Ports & AwsTask['ports'];
  #aws: AnsweringProcess<AwsReady, never>;
  #stack: AnsweringProcess<StackReady, StackQuestion> | undefined;
  #ready: StackReady | undefined;
  #throttled: ThrottledShop | undefined;

  private constructor(folder: string, assembly: string, ports: Ports & AwsTask['ports']) {
    this.#assembly = assembly;
    this.#ports = ports;
    this.files = {
      data: join(folder, 'data'),
      log: join(folder, 'functions.log'),
      deliveries: join(folder, 'deliveries.jsonl'),
    };
    mkdirSync(this.files.data, { recursive: true, mode: 0o700 });
    this.#aws = this.#startAws();
  }

  /** Keeps all data in the folder. Uses an existing assembly. */
  static async start(folder: string, assembly = join(folder, 'assembly')): Promise<LoadedStack> {
    if (!existsSync(join(assembly, 'manifest.json'))) await synthesize(assembly);
    const stack = new LoadedStack(folder, assembly, await findPorts());
    try {
      await stack.#startStack();
      return stack;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  /** Undefined while it is down. */
  storeAddress(shop: string): string | undefined {
    return this.#ready?.stores[shop];
  }

  get ledgerTable(): string {
    return this.#ready?.ledgerTable ?? '';
  }

  /** Rejects with `HasEnded` while the stack is down, like the other methods. */
  async processes(): Promise<readonly FunctionProcess[]> {
    const functions = await this.#ask<readonly FunctionProcess[]>({ kind: 'processes' });
    return [
      ...functions,
      { name: 'stack', pid: this.#stack?.pid ?? -1 },
      { name: 'queues-and-table', pid: this.#aws.pid },
    ];
  }

  progress(): Promise<Progress> {
    return this.#ask({ kind: 'progress' });
  }

  setLoyalty(is: 'well' | 'slow' | 'down'): Promise<void> {
    return this.#ask({ kind: 'loyalty', is });
  }

  /** Runs the schedules now. */
  reconcile(): Promise<void> {
    return this.#ask({ kind: 'reconcile' });
  }

  /** Continues with the data in its folder. */
  async killAndRestartAws(): Promise<void> {
    await this.#aws.kill();
    this.#aws = this.#startAws();
    await this.#aws.ready;
  }

  async killAndRestartStack(): Promise<void> {
    this.#ready = undefined;
    await this.#stack?.kill();
    await this.#startStack();
  }

  /** From its next start, which is now. Undefined means none. */
  throttle(shop: ThrottledShop): Promise<void> {
    this.#throttled = shop;
    return this.killAndRestartStack();
  }

  async stop(): Promise<void> {
    await this.#stack?.ask({ kind: 'stop' }).catch(() => {});
    await this.#stack?.stop();
    await this.#aws.stop();
  }

  #ask<Answer>(question: StackQuestion): Promise<Answer> {
    if (!this.#stack) throw new Error('the stack was not started');
    return this.#stack.ask<Answer>(question);
  }

  #startAws(): AnsweringProcess<AwsReady, never> {
    const task: AwsTask = { dataFolder: this.files.data, ports: this.#ports };
    return new AnsweringProcess(AWS, task);
  }

  async #startStack(): Promise<void> {
    const task: StackTask = {
      assemblyFolder: this.#assembly,
      stackName: STACK_NAME,
      dataFolder: this.files.data,
      logFile: this.files.log,
      deliveriesFile: this.files.deliveries,
      ports: this.#ports,
      emulators: await this.#aws.ready,
      deliveriesAtOnce: DELIVERIES_AT_ONCE,
      retryTimeScale: RETRY_TIME_SCALE,
      visibilitySeconds: VISIBILITY_SECONDS,
      ...(this.#throttled && { throttled: this.#throttled }),
    };
    this.#stack = new AnsweringProcess(STACK, task);
    this.#ready = await this.#stack.ready;
  }
}

async function synthesize(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, [SYNTHESIZE, folder, STAGE]);
}

/** They stay the same after a restart, because pending webhooks hold the address. */
async function findPorts(): Promise<Ports & AwsTask['ports']> {
  const first = await freePort(8);
  return { ...portsFrom(first), sqs: first + 6, dynamodb: first + 7 };
}
