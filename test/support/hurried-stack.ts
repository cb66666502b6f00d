import {
  ChangeMessageVisibilityBatchCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
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
const NAMES = { shop: 'StorefrontProxy', worker: 'BalancesSync', orders: 'SyncOrders' } as const;
export type Watched = keyof typeof NAMES;
const WATCHED = Object.keys(NAMES) as Watched[];

/** Instead of the minutes after which the messages of a killed worker return to their queue. */
const VISIBILITY_SECONDS = 15;
/** In which a call of a killed process may still be under way. */
const UNDER_WAY_MS = 40_000;

/** What happens at one call, once. */
export interface Planned {
  readonly of: Watched;
  readonly calls: Calls;
  readonly happens: () => Treatment | Promise<Treatment>;
  /** The call that it met. */
  met?: OutsideCall;
}

type Options = Parameters<typeof startLocalStack>[0];

/**
 * The local stack on a clock that moves: where a worker asks the queue to give a message again after a while, that while
 * passes at once, for the functions and for both sandboxes. Every call of the watched functions passes a line on
 * which a test plans what happens there.
 */
export async function startHurriedStack(options: Options = {}) {
  const clock = openMovedClock();
  const planned: Planned[] = [];
  const treats: Record<Watched, Treat[]> = { shop: [], worker: [], orders: [] };
  const targets: Record<Watched, Partial<Addresses>> = { shop: {}, worker: {}, orders: {} };
  let stack: LocalStack;

  function advance(ms: number): void {
    // The functions first: nothing that they are told lies in their future.
    clock.advance(ms);
    stack.store.advanceClock(Math.ceil(ms / 1000));
    stack.loyalty.advance(ms);
  }

  async function hurry({ body }: OutsideCall): Promise<void> {
    const { QueueUrl, Entries = [] } = JSON.parse(body);
    const asked = Entries.map((one: { VisibilityTimeout: number }) => one.VisibilityTimeout);
    advance(1000 * Math.max(0, ...asked));
    const soon = Entries.map((one: object) => ({ ...one, VisibilityTimeout: 1 }));
    await stack.sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: soon }));
  }

  const plan =
    (of: Watched): Treat =>
    (call) => {
      const found = planned.find((one) => one.of === of && !one.met && one.calls(call));
      if (!found) return 'pass';
      found.met = call;
      return found.happens();
    };
  const hurried: Treat = (call) =>
    call.name === 'ChangeMessageVisibilityBatch' ? { meanwhile: () => hurry(call) } : 'pass';
  const open = (of: Watched) =>
    openLine(targets[of] as Addresses, (call) => both(plan(of), ...treats[of], hurried)(call));
  const lines = {
    shop: await open('shop'),
    worker: await open('worker'),
    orders: await open('orders'),
  };

  stack = await startLocalStack({
    ...options,
    environmentOf({ name }, own) {
      const of = WATCHED.find((one) => name.includes(NAMES[one]));
      const moved = { ...own, ...clock.environment };
      if (!of) return moved;
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
  for (const QueueUrl of [stack.outputs.BalancesQueueUrl, stack.outputs.OrdersQueueUrl]) {
    const Attributes = { VisibilityTimeout: String(VISIBILITY_SECONDS) };
    await stack.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  }

  function kill(of: Watched): void {
    const own = stack.functions.processes.filter((one) => one.of.name.includes(NAMES[of]));
    // The stack may not have noticed yet that one was killed before.
    for (const { pid } of own) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    advance(UNDER_WAY_MS);
  }

  return {
    stack,
    lines,
    treats,
    advance,
    now: clock.now,
    kill,

    plan(of: Watched, calls: Calls, happens: Planned['happens']): Planned {
      const one: Planned = { of, calls, happens };
      planned.push(one);
      return one;
    },

    /** The function's process is killed when the call was executed, and before its answer. */
    killAfter: (of: Watched, calls: Calls) => {
      const one: Planned = { of, calls, happens: () => ({ meanwhile: async () => kill(of) }) };
      planned.push(one);
      return one;
    },

    /** Waits until nothing is on its way, neither webhooks nor point events nor messages. */
    async settled(): Promise<void> {
      await stack.settled();
      await stack.loyalty.events.settled();
      await stack.settled();
    },

    async stop(): Promise<void> {
      await stack.stop();
      for (const line of Object.values(lines)) await line.close();
      clock.close();
    },
  };
}

export type HurriedStack = Awaited<ReturnType<typeof startHurriedStack>>;
