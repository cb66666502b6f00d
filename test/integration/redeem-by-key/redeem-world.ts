import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { createBalanceWorker } from '../../../functions/create-balance-worker.ts';
import { createPointsReceiver } from '../../../functions/create-points-receiver.ts';
import { createReconcile } from '../../../functions/create-reconcile.ts';
import { createStorefrontFunction } from '../../../functions/create-storefront.ts';
import { createSecretsClient, createSqsClient } from '../../../local/harness/sdk-clients.ts';
import { toFunctionUrlEvent } from '../../../local/harness/webhook-request.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { LOYALTY_CREDENTIALS } from '../../support/emulated-world.ts';
import { countMessages, invocationOf, pollOnce, type Worker } from '../../support/event-source.ts';
import {
  type Addresses,
  type OutsideLine,
  openLine,
  type Treat,
} from '../../support/outside-line.ts';
import { openBalances } from '../../support/running-balances.ts';
import { type runConnectors, SHOP } from '../../support/running-connector.ts';
import { proxyValues, signedQuery } from '../../support/running-storefront.ts';
import { openStoreAndConnector, STORE_SECRET } from '../../support/store-and-connector.ts';

export interface Shopper {
  /** In the store, and by it in the loyalty service. */
  readonly id: string;
  readonly email: string;
}

export interface PointPayload {
  readonly Customer: Readonly<Record<string, unknown>>;
  readonly EventDate: string;
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

export type RedeemWorld = Awaited<ReturnType<typeof openRedeemWorld>>;

/**
 * A store, a loyalty service, real queues and a ledger, and between them functions whose every outside call
 * goes over a line that a test may cut. What happened is read from the two services, never from the ledger.
 */
export async function openRedeemWorld(
  connectors: ReturnType<typeof runConnectors>,
  storefront: Parameters<typeof openBalances>[1] = {},
) {
  const { store, connector, stop } = await openStoreAndConnector(connectors, { seed: 7 });
  const balances = await openBalances(connector, storefront);
  const { loyalty } = connector;
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  const sqs = createSqsClient({ budget });
  const secrets = createSecretsClient({ budget });
  const environment = { ...process.env };
  const queueUrl = environment.BALANCES_QUEUE_URL ?? '';
  const deadLetterUrl = environment.DEAD_LETTER_QUEUE_URL ?? '';
  const targets: Addresses = {
    ledger: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    queue: environment.AWS_ENDPOINT_URL_SQS ?? '',
    secrets: environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '',
    loyalty: loyalty.address,
    store: store.address,
  };
  const lines: OutsideLine[] = [];
  let shoppers = 0;
  let clicks = 0;

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
    work.catch(() => {});
    return Promise.race([death, work]);
  }

  async function startStorefront(treat?: Treat) {
    const { line, handler } = await startProcess(
      (settings) => createStorefrontFunction(settings, 'console.log("widget")'),
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

  async function startWorker(treat?: Treat) {
    const { line, handler } = await startProcess(
      (settings) => createBalanceWorker(settings),
      treat,
    );
    return {
      line,
      /** One batch; returns the number of its messages, or that the process was killed in it. */
      async work(): Promise<number | 'killed'> {
        connector.pass(0.05);
        const worker: Worker = (event, context) => untilDeath(line, handler(event, context));
        return pollOnce(sqs, queueUrl, worker, 'sync-balances').catch((error) => {
          if (line.isDead()) return 'killed';
          throw error;
        });
      },
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

  async function callLoyalty(method: string, path: string, body?: unknown): Promise<unknown> {
    const { token, key } = LOYALTY_CREDENTIALS;
    const answer = await fetch(`${loyalty.address}/v1/pvt${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${token}:${key}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json = (await answer.json()) as { readonly HasError?: boolean };
    if (json.HasError) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
    return json;
  }

  const world = {
    store,
    connector,
    loyalty,
    balances,
    startStorefront,
    startWorker,
    startReceiver,
    reconcile,
    callLoyalty,
    pass: connector.pass,

    /** A new click on a reward, with the cart of the page. */
    click: (rewardId = 1, more: Partial<Click> = {}): Click => ({
      rewardId,
      clientKey: `click-${String(++clicks).padStart(6, '0')}`,
      items: '8012345678901:100.00:1',
      ...more,
    }),

    /** Known to both sides, with points from an order of the past. */
    async shopper({ points = 250, document = '', hasEmail = true } = {}): Promise<Shopper> {
      const number = ++shoppers;
      const email = hasEmail ? `robin.sampleson${number}@example.com` : '';
      connector.confidential.addPersonal({ customer: { email, document } });
      const { id } = store.actions.createCustomer({
        firstName: 'Robin',
        lastName: `Sampleson${number}`,
        ...(email && { email }),
      });
      const shopper = { id, email };
      await callLoyalty('POST', '/Customer/upsert', {
        OriginalId: id,
        Name: `Robin Sampleson${number}`,
        Email: email || null,
        Document: document || null,
      });
      if (points > 0) await world.give(shopper, points);
      return shopper;
    },

    /** Points by a completed order that only the loyalty service knows. */
    async give({ id, email }: Shopper, points: number): Promise<void> {
      const at = new Date().toISOString();
      await callLoyalty('POST', '/POS/orders', {
        OriginalId: `earlier-${id}-${++clicks}`,
        OrderPlacementDate: new Date(Date.now() - 3_600_000).toISOString(),
        OrderCompletedDate: at,
        OrderStatus: 'completed',
        IsCancelledOrReturned: false,
        IsCompleted: true,
        OrderTotal: points,
        Customer: { OriginalId: id, ...(email && { Email: email }) },
        UpdatedDate: at,
      });
    },

    /** Works until the queue is empty, letting time pass where messages wait. */
    async rest(treat?: Treat, afterDeath?: Treat): Promise<OutsideLine> {
      let worker = await startWorker(treat);
      const first = worker.line;
      for (let round = 0; round < 3_000; round += 1) {
        const done = await worker.work();
        if (done === 'killed') worker = await startWorker(afterDeath);
        else if (done === 0) {
          if ((await countMessages(sqs, queueUrl)) === 0) return first;
          connector.pass(45);
        }
      }
      throw new Error('the queue of balances does not empty');
    },

    /** Works for so long, whether the queue empties or not. */
    async workFor(minutes: number, treat?: Treat): Promise<OutsideLine> {
      const worker = await startWorker(treat);
      const end = Date.now() + minutes * 60_000;
      const step = Math.max(minutes, 15);
      while (Date.now() < end) if ((await worker.work()) === 0) connector.pass(step);
      return worker.line;
    },

    deadLetters: () => countMessages(sqs, deadLetterUrl),

    /** The tokens of point events, as the secret of the shop holds them. */
    async keepPointTokens(fields: unknown): Promise<void> {
      const SecretId = `${connector.name}/example-store/points`;
      const SecretString = JSON.stringify(fields);
      await secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
    },

    /** What a theme sees of the customer. */
    metafieldsOf({ id }: Shopper): Readonly<Record<string, string>> {
      const own = store
        .state()
        .metafields.filter(({ ownerGid }) => ownerGid === `gid://shopify/Customer/${id}`);
      return Object.fromEntries(own.map(({ key, value }) => [key, value]));
    },

    /** The customer’s point events, oldest first. */
    eventsOf: ({ id }: Shopper) =>
      loyalty.events.all().flatMap(({ topic, payload }) => {
        const event = payload as PointPayload;
        return event.Customer.Id === id ? [{ topic, payload: event }] : [];
      }),

    pointsOf: ({ id }: Shopper) =>
      loyalty.state().customers.find(({ OriginalId }) => OriginalId === id)?.points,

    /** What the service holds, cancelled ones too. */
    redemptionsOf: ({ id }: Shopper) =>
      loyalty.state().redemptions.filter(({ customerId }) => customerId === id),

    /** The codes that the store would take from this customer. */
    codesOf({ id }: Shopper) {
      const { discounts, codes } = store.state();
      const own = discounts.filter(
        ({ context }) => context.kind === 'customers' && context.ids.includes(id),
      );
      return own.flatMap((discount) =>
        codes
          .filter(({ discountId }) => discountId === discount.id)
          .map(({ code }) => ({ code, discount })),
      );
    },

    /** What reached the service, answered or not. */
    callsOf: (operation: 'redeemRewardByKey' | 'cancelRedemption' | 'cancelRedemptionByKey') =>
      loyalty.journal.entries({ operation }),

    async stop(): Promise<void> {
      for (const line of lines) await line.close();
      await stop();
    },
  };
  return world;
}
