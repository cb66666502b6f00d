import { isAlive } from '../../local/sandbox-kit/data-file.ts';
import type { FunctionDescription } from '../../local/stack/template/describe-resources.ts';
import { type LocalStack, startLocalStack } from './local-stack.ts';
import {
  type Addresses,
  type Calls,
  type OutsideCall,
  type OutsideLine,
  openLine,
  type Treatment,
} from './outside-line.ts';

/** A part of a function's name in the template. */
const NAMES = { shop: 'StorefrontProxy', worker: 'BalancesSync', orders: 'SyncOrders' } as const;
type Disturbed = keyof typeof NAMES;

/** When the function's process ends; to be killed before a call is to be killed after the one before it. */
type Fault = 'killed-before' | 'killed-after';

export interface Disturbance {
  readonly calls: Calls;
  readonly fault: Fault;
  /** The call that it met. */
  met?: OutsideCall;
}

/**
 * The local stack with a storefront. Every call of the function that answers shoppers, of the worker that completes
 * redemptions and of that of orders passes a line on which a disturbance waits for its call, once.
 */
export async function startDisturbedStack() {
  const targets: Record<Disturbed, Partial<Record<keyof Addresses, string>>> = {
    ...{ shop: {}, worker: {}, orders: {} },
  };
  const waiting: Record<Disturbed, Disturbance[]> = { shop: [], worker: [], orders: [] };
  const open = (of: Disturbed) =>
    openLine(targets[of] as Addresses, (call) => {
      const found = waiting[of].find(({ met, calls }) => !met && calls(call));
      if (!found) return 'pass';
      found.met = call;
      return treat(found.fault, () => kill(of));
    });
  const lines: Record<Disturbed, OutsideLine> = {
    shop: await open('shop'),
    worker: await open('worker'),
    orders: await open('orders'),
  };

  let stack: LocalStack;
  async function kill(of: Disturbed): Promise<void> {
    const own = stack.functions.processes.filter((one) => one.of.name.includes(NAMES[of]));
    // The stack may not have noticed yet that one was killed before.
    for (const { pid } of own) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }

  function environmentOf({ name: called }: FunctionDescription, own: Record<string, string>) {
    const of = (Object.keys(NAMES) as Disturbed[]).find((one) => called.includes(NAMES[one]));
    if (!of) return own;
    const { AWS_ENDPOINT_URL: aws = '', LOYALTY_SANDBOX_ADDRESS, STORE_SANDBOX_ADDRESS } = own;
    Object.assign(targets[of], {
      ledger: aws,
      queue: aws,
      secrets: aws,
      loyalty: LOYALTY_SANDBOX_ADDRESS,
      store: STORE_SANDBOX_ADDRESS,
    });
    const { addresses } = lines[of];
    return {
      ...own,
      AWS_ENDPOINT_URL_DYNAMODB: addresses.ledger,
      AWS_ENDPOINT_URL_SQS: addresses.queue,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: addresses.secrets,
      LOYALTY_SANDBOX_ADDRESS: addresses.loyalty,
      STORE_SANDBOX_ADDRESS: addresses.store,
    };
  }

  stack = await startLocalStack({
    settings: 'local/harness/storefront.config.ts',
    environmentOf,
  });
  return {
    stack,
    lines,
    kill,
    disturb(of: Disturbed, calls: Calls, fault: Fault): Disturbance {
      const disturbance = { calls, fault };
      waiting[of].push(disturbance);
      return disturbance;
    },
    /** They wait for no call any more. */
    forget(planned: readonly Disturbance[]): void {
      for (const of of Object.values(waiting)) {
        of.splice(0, of.length, ...of.filter((one) => !planned.includes(one)));
      }
    },
    async stop(): Promise<void> {
      await stack.stop();
      for (const line of Object.values(lines)) await line.close();
    },
  };
}

async function treat(fault: Fault, kill: () => Promise<void>): Promise<Treatment> {
  if (fault === 'killed-after') return { meanwhile: kill };
  await kill();
  return 'unsent';
}

/** What a call is for, by the names in its body. */
export function stepOf({ name, body }: OutsideCall): string {
  const [, secret] = /"SecretId":"[^"]*\/(\w+)"/.exec(body) ?? [];
  const [, kind] = /"entity":\{"S":"([\w-]+)\|/.exec(body) ?? [];
  const history = JSON.parse(/"o":\{"S":("(?:[^"\\]|\\.)*")/.exec(body)?.[1] ?? '"[]"');
  const [, outcome] = JSON.parse(history).at(-1) ?? [];
  return [name, secret, kind, kind === 'redemption' && outcome].filter(Boolean).join(' ');
}

/** The second `x` becomes `x 2`. */
export function stepsOf(calls: readonly OutsideCall[]): string[] {
  const seen = new Map<string, number>();
  return calls.map(stepOf).map((step) => {
    const count = (seen.get(step) ?? 0) + 1;
    seen.set(step, count);
    return count === 1 ? step : `${step} ${count}`;
  });
}
