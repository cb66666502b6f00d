import { createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../local/stack/emulators.ts';
import { isAlive } from '../../local/stack/synthesize.ts';
import type { FunctionDescription } from '../../local/stack/template/describe-resources.ts';
import type { LocalStack } from '../support/local-stack.ts';
import { type Addresses, type Calls, openLine } from '../support/outside-line.ts';

/** Which process dies: before the call is made, or after it was executed and before its answer. */
type When = 'before' | 'after';

interface Planned {
  readonly calls: Calls;
  readonly when: When;
  isMet: boolean;
}

/** Every call of the worker of orders passes here, where it can be killed at any of them. */
export async function openWorkerLine(enginePort: number) {
  const targets: Partial<Record<keyof Addresses, string>> = {
    store: `http://127.0.0.1:${enginePort}`,
  };
  const planned: Planned[] = [];
  let stack: LocalStack | undefined;
  const kill = async () => {
    for (const { of, pid } of stack?.functions.processes ?? []) {
      if (of.name.includes('SyncOrders') && isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  };
  const line = await openLine(targets as Addresses, async (call) => {
    const found = planned.find(({ isMet, calls }) => !isMet && calls(call));
    if (!found) return 'pass';
    found.isMet = true;
    if (found.when === 'after') return { meanwhile: kill };
    await kill();
    return 'unsent';
  });

  return {
    calls: line.calls,

    environmentOf({ name }: FunctionDescription, own: Readonly<Record<string, string>>) {
      if (!name.includes('SyncOrders')) return own;
      const { AWS_ENDPOINT_URL: aws = '', LOYALTY_SANDBOX_ADDRESS: loyalty = '' } = own;
      Object.assign(targets, { ledger: aws, queue: aws, secrets: aws, loyalty });
      const { addresses } = line;
      return {
        ...own,
        AWS_ENDPOINT_URL_DYNAMODB: addresses.ledger,
        AWS_ENDPOINT_URL_SQS: addresses.queue,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: addresses.secrets,
        LOYALTY_SANDBOX_ADDRESS: addresses.loyalty,
        VENDURE_PORT: new URL(addresses.store).port,
      };
    },

    of(running: LocalStack): void {
      stack = running;
    },

    /** At the next such call, once. */
    killAt(calls: Calls, when: When): { readonly isMet: boolean } {
      const one = { calls, when, isMet: false };
      planned.push(one);
      return one;
    },

    close: () => line.close(),
  };
}

/** Between the plugin and the connector: while it is deaf, what arrives is passed on, and no answer comes back. */
export async function openGate(target: string) {
  const gate = { isDeaf: false };
  const { hostname, port } = new URL(target);
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming);
    const { method, url: path, headers } = incoming;
    request({ hostname, port, method, path, headers }, async (answer) => {
      const bytes = await buffer(answer);
      if (!gate.isDeaf) response.writeHead(answer.statusCode ?? 502).end(bytes);
    })
      .on('error', () => response.destroy())
      .end(body);
  });
  const { endpoint, stop } = await listen(server);
  return Object.assign(gate, { address: `${endpoint}${new URL(target).pathname}`, stop });
}
