import { devNull } from 'node:os';
import { SQS } from '@aws-sdk/client-sqs';
import type { Key } from '../gateway/gateway.ts';
import type { AccessControl } from '../iam/access-control.ts';
import { type AwsKey, makeKey } from '../run-secrets.ts';
import {
  type FunctionDescription,
  type FunctionReference,
  isFunction,
  roleNameOf,
  type ScheduleDescription,
  type StackDescription,
} from '../template/describe-resources.ts';
import { type Assembly, UnknownInTemplate } from '../template/template.ts';
import { EventSource } from './event-source.ts';
import { FunctionWorker, type InvocationResult, type WorkerSettings } from './function-worker.ts';
import type { LogGroups } from './log-groups.ts';
import type { PublicEndpoint } from './web-server.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The limit of setInterval. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** `rate(6 hours)` in milliseconds. */
export function readRateMs(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = UNIT_MS[unit];
  if (count === undefined || unitMs === undefined) {
    throw new UnknownInTemplate(`the schedule ${expression}`);
  }
  return Number(count) * unitMs;
}

/** Runs each schedule for the first time after one of its periods, as EventBridge does. */
function startSchedules(
  schedules: readonly ScheduleDescription[],
  run: (schedule: ScheduleDescription) => void,
): { stop(): void } {
  const timers = schedules.map((schedule) => {
    const periodMs = Math.min(readRateMs(schedule.expression), LONGEST_TIMER_MS);
    return setInterval(() => run(schedule), periodMs).unref();
  });
  return { stop: () => timers.forEach(clearInterval) };
}

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
  /** How many invocations run. */
  running = 0;

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
    this.running += 1;
    try {
      return await worker.invoke(event);
    } finally {
      if (worker.isAlive && !this.#isStopped) this.#idle.push(worker);
      else this.#workers.delete(worker);
      this.#concurrency.giveBack();
      this.running -= 1;
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

export interface RunnerParts {
  readonly stack: StackDescription;
  readonly assembly: Pick<Assembly, 'assetFolder'>;
  readonly access: AccessControl;
  /** The runner adds a key for every function. */
  readonly keys: Map<string, Key>;
  readonly addresses: Addresses;
  readonly logs: LogGroups;
  /** May send the calls of a function another way. */
  readonly environmentOf: (of: FunctionDescription, environment: Environment) => Environment;
  /** How many functions run at once in the account. Absent: AWS's default. */
  readonly quota?: number | undefined;
  readonly onProblem: (problem: string) => void;
}

type Environment = Readonly<Record<string, string>>;

interface FunctionProcess {
  readonly of: FunctionDescription;
  readonly pid: number;
}

interface RunningFunction {
  readonly description: FunctionDescription;
  readonly pool: FunctionPool;
  readonly sqs: SQS;
}

/** Lambda on this machine: runs every function of the stack, its event sources and schedules. */
export class FunctionRunner {
  readonly #parts: RunnerParts;
  readonly #account: AccountConcurrency;
  readonly #functions: readonly RunningFunction[];
  #eventSources: readonly EventSource[] = [];
  #schedules: ReturnType<typeof startSchedules> | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    const reserved = parts.stack.functions.map((one) => one.reservedConcurrency ?? 0);
    this.#account = new AccountConcurrency(
      parts.quota,
      reserved.reduce((sum, one) => sum + one, 0),
    );
    this.#functions = parts.stack.functions.map((one) => this.#prepare(one));
  }

  /** Resolves when every function has a warm process; then starts the event sources and schedules. */
  async start(): Promise<void> {
    const { stack, onProblem } = this.#parts;
    await Promise.all(this.#functions.map(({ pool }) => pool.warm()));
    this.#eventSources = stack.eventSources.map((source) => {
      const { pool, sqs, description } = this.#find(source.target);
      const queue = stack.queues.find(({ arn }) => arn === source.queueArn);
      if (!queue) throw new UnknownInTemplate(`the queue ${source.queueArn}`);
      return new EventSource({
        source,
        queueUrl: queue.url,
        client: sqs,
        invoke: (event) => pool.invoke(event),
        onProblem: (problem) => onProblem(`${description.name}: ${problem}`),
      });
    });
    this.#schedules = startSchedules(
      stack.schedules,
      (schedule) => void this.runSchedule(schedule),
    );
  }

  /** As EventBridge does on schedule. Undefined when the template does not permit it. */
  async runSchedule(schedule: ScheduleDescription): Promise<InvocationResult | undefined> {
    const { pool, description } = this.#find(schedule.target);
    const decision = this.#parts.access.decide({
      who: 'events.amazonaws.com',
      action: 'lambda:InvokeFunction',
      resource: description.arn,
      context: { 'aws:SourceArn': schedule.arn },
    });
    return decision.kind === 'allowed' ? pool.invoke(schedule.input) : undefined;
  }

  /** Undefined when there is no such function. */
  invoke(reference: FunctionReference, event: unknown): Promise<InvocationResult> | undefined {
    const found = this.#functions.find(({ description }) => isFunction(description, reference));
    return found?.pool.invoke(event);
  }

  /** The function behind the public address in an output of the stack. */
  publicEndpoint(output: string): PublicEndpoint | undefined {
    const { stack, access } = this.#parts;
    const web = stack.webs[output];
    if (!web) return undefined;
    const { description, pool } = this.#find(web.target);
    return {
      web,
      target: description,
      access: () => access,
      invoke: (event) => pool.invoke(event),
    };
  }

  /** None: every message waits for its time. */
  get isRunning(): boolean {
    const all = [...this.#functions.map(({ pool }) => pool), ...this.#eventSources];
    return all.some(({ running }) => running > 0);
  }

  get processes(): readonly FunctionProcess[] {
    return this.#functions.flatMap(({ description, pool }) =>
      pool.pids.map((pid) => ({ of: description, pid })),
    );
  }

  async stop(): Promise<void> {
    this.#schedules?.stop();
    await Promise.all(this.#eventSources.map((source) => source.stop()));
    await Promise.all(this.#functions.map(({ pool }) => pool.stop()));
    for (const { sqs } of this.#functions) sqs.destroy();
  }

  #prepare(description: FunctionDescription): RunningFunction {
    const { assembly, keys, addresses, logs, environmentOf } = this.#parts;
    const key = makeKey();
    keys.set(key.accessKeyId, {
      secretAccessKey: key.secretAccessKey,
      caller: { kind: 'role', role: roleNameOf(description) },
    });
    const folder = assembly.assetFolder(description.assetKey);
    const { endpoint, region } = addresses;
    return {
      description,
      pool: new FunctionPool(
        {
          description,
          folder,
          environment: environmentOf(
            description,
            functionEnvironment(description, folder, key, addresses),
          ),
          onLine: (line, stream) => logs.write(description, stream, line),
        },
        this.#account,
      ),
      // Report a denied call at once: it would fail again.
      sqs: new SQS({ endpoint, region, credentials: key, maxAttempts: 1 }),
    };
  }

  #find(reference: FunctionReference): RunningFunction {
    const found = this.#functions.find(({ description }) => isFunction(description, reference));
    if (found) return found;
    throw new UnknownInTemplate(`the function ${reference}`);
  }
}

interface Addresses {
  /** The gateway in front of the emulators. */
  readonly endpoint: string;
  readonly region: string;
  readonly storeAddress: string;
  readonly loyaltyAddress: string;
}

/** The whole environment of a function: what Lambda and the template set, and this machine's addresses. */
function functionEnvironment(
  { name, memoryMb, handler, logGroup, environment }: FunctionDescription,
  folder: string,
  key: AwsKey,
  { endpoint, region, storeAddress, loyaltyAddress }: Addresses,
): Environment {
  return {
    TZ: ':UTC',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: key.accessKeyId,
    AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: handler,
    ...environment,
    AWS_ENDPOINT_URL: endpoint,
    STORE_SANDBOX_ADDRESS: storeAddress,
    LOYALTY_SANDBOX_ADDRESS: loyaltyAddress,
    // The SDK must not find the user's own AWS credentials.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
