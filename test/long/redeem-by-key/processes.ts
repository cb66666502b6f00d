import { createPointsReceiver } from '../../../functions/receive-points.ts';
import { createReconcile } from '../../../functions/reconcile.ts';
import { createStorefrontFunction } from '../../../functions/storefront.ts';
import { createBalanceWorker } from '../../../functions/sync-balances.ts';
import { toFunctionUrlEvent } from '../../../local/harness/webhook-request.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import type { StorefrontSettings } from '../../../shared/config/connector-settings.ts';
import { invocationOf, type Worker } from '../../support/event-source.ts';
import {
  type Addresses,
  type OutsideLine,
  openLine,
  type Treat,
} from '../../support/outside-line.ts';
import { SHOP } from '../../support/running-connector.ts';
import { proxyValues, signedQuery } from '../../support/running-storefront.ts';
import { STORE_SECRET } from '../../support/store-and-connector.ts';

export interface Shopper {
  /** In the store, and by it in the loyalty service. */
  readonly id: string;
  readonly email: string;
}

/** What the page sends. */
export interface Click {
  readonly rewardId: number;
  /** The same for every try of one click. */
  readonly clientKey: string;
  readonly items: string;
  /** The amount that the customer chose, where there is one to choose. */
  readonly value?: number;
}

interface StoreAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests read answers of every kind.
  readonly json: any;
}

/** A process that was killed answers nothing. */
export type Answered = StoreAnswer | 'no answer';

type Headers = Readonly<Record<string, string>>;

interface Places {
  readonly targets: Addresses;
  /** Of every function, before its calls are led over a line. */
  readonly environment: NodeJS.ProcessEnv;
  readonly storefront: StorefrontSettings;
}

/** The functions of the storefront, each in a process of its own that a test may kill. */
export function openProcesses({ targets, environment, storefront }: Places) {
  const lines: OutsideLine[] = [];
  const invocations: Promise<unknown>[] = [];

  /** A new process, which reaches the outside over a line of its own. */
  async function startProcess<Handler>(
    create: (settings: ReturnType<typeof defineConnector>) => Handler,
    treat?: Treat,
  ) {
    const line = await openLine(targets, treat);
    lines.push(line);
    const { ledger, queue, secrets } = line.addresses;
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: ledger,
      AWS_ENDPOINT_URL_SQS: queue,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets,
      STORE_SANDBOX_ADDRESS: line.addresses.store,
    });
    const handler = create(
      defineConnector({
        shops: [{ domain: SHOP }],
        loyalty: { address: line.addresses.loyalty },
        storefront,
      }),
    );
    Object.assign(process.env, environment);
    return { line, handler };
  }

  /** A killed process leaves its invocation without an end. */
  async function untilDeath<Result>(line: OutsideLine, work: Promise<Result>): Promise<Result> {
    const death = line.death.then(() => Promise.reject(new Error('killed')));
    death.catch(() => {});
    invocations.push(work.catch(() => {}));
    return Promise.race([death, work]);
  }

  async function startStorefront(treat?: Treat) {
    const { line, handler } = await startProcess(
      (settings) => createStorefrontFunction(settings, async () => 'console.log("widget")'),
      treat,
    );
    const ask = async (
      method: 'GET' | 'POST',
      { id }: Shopper,
      name: string,
      { body, query = {} }: { body?: unknown; query?: Readonly<Record<string, string>> },
    ): Promise<Answered> => {
      const plain = { shop: '', topic: '', webhookId: '', triggeredAt: '', secret: '' };
      const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
      const path = `example-store/${name}`;
      const event = toFunctionUrlEvent({ ...plain, path, body: bytes });
      event.requestContext.http.method = method;
      event.rawQueryString = signedQuery(proxyValues(SHOP, new Date(), id, query), STORE_SECRET);
      const invocation = handler(event, invocationOf('storefront', 30));
      const answer = await untilDeath(line, invocation).catch((error) => {
        if (line.isDead()) return 'no answer' as const;
        throw error;
      });
      if (answer === 'no answer') return answer;
      if (typeof answer === 'string') throw new Error('the function answers with a bare text');
      const { statusCode: status = 0, body: text = '' } = answer;
      return { status, json: JSON.parse(text) };
    };
    return {
      line,
      get: (shopper: Shopper, name: string, query?: Readonly<Record<string, string>>) =>
        ask('GET', shopper, name, { ...(query && { query }) }),
      redeem: (shopper: Shopper, body: Click) => ask('POST', shopper, 'redeem', { body }),
    };
  }

  /** `poll` gives the worker one batch. */
  async function startWorker(poll: (worker: Worker) => Promise<number>, treat?: Treat) {
    const { line, handler } = await startProcess(
      (settings) => createBalanceWorker(settings),
      treat,
    );
    return {
      line,
      /** One batch; returns the number of its messages, or that the process was killed in it. */
      work: (): Promise<number | 'killed'> =>
        poll((event, context) => untilDeath(line, handler(event, context))).catch((error) => {
          if (line.isDead()) return 'killed';
          throw error;
        }),
    };
  }

  /** The function that receives point events. */
  async function startReceiver(treat?: Treat) {
    const { line, handler } = await startProcess(
      (settings) => createPointsReceiver(settings),
      treat,
    );
    return {
      line,
      /** Gives the status of the answer. */
      async post(path: string, body: string | Uint8Array, headers: Headers = {}): Promise<number> {
        const plain = { shop: '', topic: '', webhookId: '', triggeredAt: '', secret: '' };
        const event = toFunctionUrlEvent({ ...plain, path, headers, body: Buffer.from(body) });
        const answer = await handler(event, invocationOf('receive-points', 10));
        return typeof answer === 'object' ? (answer.statusCode ?? 0) : 0;
      },
    };
  }

  /** One scheduled run, which also repairs balances, once in a night. */
  async function reconcile(treat?: Treat): Promise<OutsideLine> {
    const { line, handler } = await startProcess((settings) => createReconcile(settings), treat);
    const run = handler({}, invocationOf('reconcile', 300));
    await untilDeath(line, run).catch((error) => {
      if (!line.isDead()) throw error;
    });
    return line;
  }

  return {
    startStorefront,
    startWorker,
    startReceiver,
    reconcile,
    async close(): Promise<void> {
      for (const line of lines) await line.close();
      // Those that were killed still have to notice that nothing answers any more.
      await Promise.all(invocations);
    },
  };
}
