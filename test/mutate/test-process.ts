import { fork } from 'node:child_process';
import { on, once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a process loads. */
export interface Job {
  /** The instrumented source of each changed file, by its address. */
  readonly sources: Readonly<Record<string, string>>;
  readonly testFiles: readonly string[];
}

/** The tests run one after the other, up to the first that fails. Each has an answer of its own. */
export interface Order {
  /** Their places in the list of tests. */
  readonly tests: readonly number[];
  /** Absent: the source as it is. */
  readonly change?: string;
  /** A changed expression that is evaluated more often is in an endless loop. */
  readonly hitLimit?: number;
}

type Hits = Readonly<Record<string, number>>;

export interface Answer {
  readonly failure?: string | undefined;
  readonly ms: number;
  /** How often each changed expression was evaluated; only of the source as it is. */
  readonly reached?: Hits | undefined;
}

/** The first message of a process. */
export interface Loaded {
  readonly tests: readonly string[];
  readonly reached: Hits;
}

export interface TestProcess extends Loaded {
  /** The answers. They end early if a test fails, or if one takes longer than its limit: the process is then stopped. */
  ask(order: Order, limit: (test: number) => number): Promise<readonly Answer[]>;
  stop(): Promise<void>;
}

const LOAD_LIMIT = 120_000;

/** A process with all tests. With a change, the change is there while they load. Undefined if they cannot be loaded. */
export async function openProcess(job: string, change?: string): Promise<TestProcess | undefined> {
  const script = fileURLToPath(new URL('./process.ts', import.meta.url));
  const child = fork(script, [job, ...(change === undefined ? [] : [change])], {
    stdio: ['ignore', 'ignore', change === undefined ? 'inherit' : 'ignore', 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, NODE_COMPILE_CACHE: join(dirname(job), 'compiled') },
  });
  const messages = on(child, 'message', { close: ['exit'] });
  const next = async <What>(limit: number): Promise<What | undefined> => {
    const timer = setTimeout(() => child.kill('SIGKILL'), limit);
    const { value } = await messages.next();
    clearTimeout(timer);
    return value?.[0] as What | undefined;
  };
  const loaded = await next<Loaded>(LOAD_LIMIT);
  return (
    loaded && {
      ...loaded,
      async ask(order, limit) {
        if (child.connected) child.send(order);
        const answers: Answer[] = [];
        for (const test of order.tests) {
          const answer = await next<Answer>(limit(test));
          if (!answer) break;
          answers.push(answer);
          if (answer.failure) break;
        }
        return answers;
      },
      async stop() {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGKILL');
          await once(child, 'exit');
        }
      },
    }
  );
}
