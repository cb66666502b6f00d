import { devNull } from 'node:os';
import { SQSClient } from '@aws-sdk/client-sqs';
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
} from '../template/stack-description.ts';
import { type Assembly, UnknownInTemplate } from '../template/template.ts';
import { EventSource } from './event-source.ts';
import { AccountConcurrency, FunctionPool } from './function-pool.ts';
import type { InvocationResult } from './function-worker.ts';
import type { LogGroups } from './log-groups.ts';
import { startSchedules } from './schedules.ts';
import type { PublicEndpoint } from './web-server.ts';

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
  readonly sqs: SQSClient;
}

/** Lambda on this machine: runs every function of the stack, its event sources and schedules. */
export class FunctionRunner {
  readonly #parts: RunnerParts;
  readonly #account: AccountConcurrency;
  readonly #functions: readonly RunningFunction[];
  #eventSources: readonly EventSource[] = [];
  #schedules: { stop(): void } | undefined;

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

  /** As EventBridge does on schedule. Undefined: the template does not permit it. */
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

  /** Undefined: there is no such function. */
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
      sqs: new SQSClient({ endpoint, region, credentials: key, maxAttempts: 1 }),
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
