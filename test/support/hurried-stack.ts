import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeMessageVisibilityCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { isAlive } from '../../local/sandbox-kit/data-file.ts';
import { type LocalStack, startLocalStack } from './local-stack.ts';
import { openMovedClock } from './moved-clock.ts';
import {
  type Addresses,
  both,
  type Calls,
  type OutsideCall,
  openLine,
  type Treat,
  type Treatment,
} from './outside-line.ts';

/** A part of a function's name in the template. */
const NAMES = { shop: 'StorefrontProxy', worker: 'BalancesSync' } as const;
type Watched = keyof typeof NAMES;
const WATCHED = Object.keys(NAMES) as Watched[];

/** Instead of the minutes after which the messages of a killed worker return; longer than a call may be under way. */
const VISIBILITY_SECONDS = 40;
const PAUSE_MS = 25;
/** So often no function was at work: a message on its way from a queue to its function is there by then. */
const IDLE_LOOKS = 4;

/** What happens at one call, once. */
export interface Planned {
  readonly of: Watched;
  readonly calls: Calls;
  readonly happens: () => Treatment | Promise<Treatment>;
  /** The call that it met. */
  met?: OutsideCall;
}

/** A message that a worker asked for later. */
interface Asked {
  readonly QueueUrl: string;
  readonly ReceiptHandle: string;
  readonly at: number;
}

type Options = Parameters<typeof startLocalStack>[0] & {
  /** False: no call is watched, no worker may be killed, and it skips nothing until `hurry`. */
  readonly isWatched?: boolean;
};

/**
 * The local stack on a clock that skips what everybody only waits for: while messages wait on the queues and no
 * function does anything, the time of the next message comes at once, for the functions and for both sandboxes.
 * Every call of the watched functions passes a line on which a test plans what happens there.
 */
export async function startHurriedStack({ isWatched = true, ...options }: Options = {}) {
  const clock = openMovedClock();
  const planned: Planned[] = [];
  const targets: Record<Watched, Partial<Addresses>> = { shop: {}, worker: {} };
  const asked = new Map<string, Asked>();
  let stack: LocalStack;
  let isHurried = isWatched;
  let isStopped = false;

  const plan =
    (of: Watched): Treat =>
    (call) => {
      const found = planned.find((one) => one.of === of && !one.met && one.calls(call));
      if (!found) return 'pass';
      found.met = call;
      return found.happens();
    };
  const watched: Treat = ({ name, body }) => {
    if (name !== 'ChangeMessageVisibilityBatch') return 'pass';
    const { QueueUrl, Entries = [] } = JSON.parse(body);
    for (const { ReceiptHandle, VisibilityTimeout } of Entries) {
      asked.set(ReceiptHandle, {
        ...{ QueueUrl, ReceiptHandle },
        at: Date.now() + 1000 * VisibilityTimeout,
      });
    }
    return 'pass';
  };
  const open = (of: Watched) =>
    openLine(targets[of] as Addresses, (call) => both(plan(of), watched)(call));
  const lines = { shop: await open('shop'), worker: await open('worker') };

  stack = await startLocalStack({
    ...options,
    environmentOf({ name }, own) {
      const of = WATCHED.find((one) => name.includes(NAMES[one]));
      const moved = { ...own, ...clock.environment };
      if (!of || !isWatched) return moved;
      const { AWS_ENDPOINT_URL: aws = '', LOYALTY_SANDBOX_ADDRESS, STORE_SANDBOX_ADDRESS } = own;
      Object.assign(targets[of], {
        ...{ ledger: aws, queue: aws, secrets: aws },
        ...{ loyalty: LOYALTY_SANDBOX_ADDRESS, store: STORE_SANDBOX_ADDRESS },
      });
      const { addresses } = lines[of];
      return {
        ...moved,
        AWS_ENDPOINT_URL_DYNAMODB: addresses.ledger,
        AWS_ENDPOINT_URL_SQS: addresses.queue,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: addresses.secrets,
        LOYALTY_SANDBOX_ADDRESS: addresses.loyalty,
        STORE_SANDBOX_ADDRESS: addresses.store,
      };
    },
  });
  if (isWatched) {
    const QueueUrl = stack.outputs.BalancesQueueUrl;
    const Attributes = { VisibilityTimeout: String(VISIBILITY_SECONDS) };
    await stack.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  }

  const isDelivering = () => stack.store.deliveries.all().some(({ state }) => state === 'waiting');

  /** The time of the next message comes. */
  async function skip(): Promise<void> {
    const times = [...asked.values()].map(({ at }) => at - Date.now());
    const next = Math.min(...times, 1000 * VISIBILITY_SECONDS);
    if (next > 0) clock.advance(next);
    for (const { at, QueueUrl, ReceiptHandle } of [...asked.values()]) {
      if (at > Date.now()) continue;
      asked.delete(ReceiptHandle);
      const due = { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 };
      // It may have come back by itself.
      await stack.sqs.send(new ChangeMessageVisibilityCommand(due)).catch(() => undefined);
    }
  }

  async function drive(): Promise<void> {
    for (let idle = 0; !isStopped; ) {
      await sleep(PAUSE_MS);
      const isIdle = () => isHurried && !stack.functions.isRunning && !isDelivering();
      idle = isIdle() && (await stack.waiting()) > 0 && isIdle() ? idle + 1 : 0;
      if (idle < IDLE_LOOKS) continue;
      idle = 0;
      await skip();
    }
  }
  const driven = drive();

  function kill(of: Watched): void {
    const own = stack.functions.processes.filter((one) => one.of.name.includes(NAMES[of]));
    // The stack may not have noticed yet that one was killed before.
    for (const { pid } of own) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }

  return {
    stack,
    lines,
    kill,

    hurry(): void {
      isHurried = true;
    },

    plan(of: Watched, calls: Calls, happens: Planned['happens']): Planned {
      const one: Planned = { of, calls, happens };
      planned.push(one);
      return one;
    },

    /** They wait for no call any more. */
    forget(plans: readonly Planned[]): void {
      for (const one of plans) planned.splice(planned.indexOf(one), 1);
    },

    /** The function's process is killed when the call was executed, and before its answer. */
    killAfter(of: Watched, calls: Calls): Planned {
      return this.plan(of, calls, () => ({ meanwhile: async () => kill(of) }));
    },

    async stop(): Promise<void> {
      isStopped = true;
      await driven;
      await stack.stop();
      for (const line of Object.values(lines)) await line.close();
      clock.close();
    },
  };
}

/** In their order: the second `x` is `x 2`. */
export function numbered(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}

export type HurriedStack = Awaited<ReturnType<typeof startHurriedStack>>;
