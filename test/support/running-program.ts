import { randomBytes, randomUUID } from 'node:crypto';
import type { View } from '../../app/program/answers.ts';
import {
  claimsOf,
  signToken,
  type TokenClaims,
  type TokenUser,
} from '../../local/store-sandbox/session-tokens.ts';
import { readLetter } from '../../scripts/connector/ground/letters/read-letters.ts';
import {
  letterReaderOf,
  prepareReplay,
} from '../../scripts/connector/ground/letters/replay-letters.ts';
import type { DeadLetter } from '../../shared/core/batch/dead-letter.ts';
import type { PointTopic } from '../../shared/loyalty/operations.ts';
import { TOKEN_HEADER } from '../../shared/rewards/balances/receive-points.ts';
import { askLoyalty } from './ask-loyalty.ts';
import { type Deployment, invokeWeb } from './emulated-deployment.ts';
import { receive } from './event-source.ts';
import { type Connectors, type RunningConnector, SHOP } from './running-connector.ts';
import { proxyValues, signedQuery } from './signed-query.ts';
import {
  type BothSettings,
  CLIENT_ID,
  openStoreAndConnector,
  STORE_SECRET,
} from './store-and-connector.ts';

export const SECOND_SECRET = 'secret-of-the-second-store';
export const SECOND_CLIENT = 'app-of-the-second-store';
const STAFF = '5001';
/** A cart that every reward with a minimum allows. */
export const CART = '11:100:1';

/** 32 bytes, as the set-up creates them. */
export const newToken = (): string => randomBytes(32).toString('base64url');

const tokenOf = (user: TokenUser, changes: TokenClaims = {}, secret = STORE_SECRET) => {
  const issue = { shop: SHOP, clientId: CLIENT_ID, secret, now: new Date() };
  return signToken({ ...claimsOf(user, issue), ...changes }, secret);
};
export const customerToken = (id: string, changes?: TokenClaims, secret?: string) =>
  tokenOf({ kind: 'customer', id }, changes, secret);
export const staffToken = (id = STAFF, changes?: TokenClaims, secret?: string) =>
  tokenOf({ kind: 'staff', id }, changes, secret);

/** Signed as by Shopify's proxy now. */
export const signedFor = (customerId: string, own: Readonly<Record<string, string>> = {}) =>
  signedQuery(proxyValues(SHOP, new Date(), customerId, own), STORE_SECRET);

export interface Asked {
  readonly method?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The requests of shoppers and tills to one function of the storefront. */
function askStorefront(handler: ReturnType<Deployment['startStorefront']>) {
  const started = {
    /** Any request below the function's address. */
    async send(path: string, { method, query = '', body, headers = {} }: Asked = {}) {
      const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
      const { body: answerText, ...answer } = await invokeWeb('storefront', handler, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        target: `/${path}?${query}`,
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.from(text),
      });
      let json: ReturnType<typeof JSON.parse>;
      try {
        json = JSON.parse(answerText);
      } catch {}
      return { ...answer, answerText, json };
    },
    withToken: (path: string, token: string, asked: Asked = {}) =>
      started.send(`example-store/${path}`, {
        ...asked,
        headers: { authorization: `Bearer ${token}`, ...asked.headers },
      }),
    /** From the account page of this customer. */
    account: (id: string, route: string, asked: Asked = {}) =>
      started.withToken(`account/${route}`, customerToken(id), asked),
    /** From a till that shows this customer. */
    till: (id: string, route: string, asked: Asked = {}, staff = STAFF) =>
      started.withToken(`till/${id}/${route}`, staffToken(staff), asked),
    /** From a page of the theme. */
    proxy: (
      id: string,
      route: string,
      own: Readonly<Record<string, string>> = {},
      asked: Asked = {},
    ) => started.send(`example-store/${route}`, { ...asked, query: signedFor(id, own) }),
    async view(id: string, items = CART) {
      const { status, json } = await started.account(id, 'view', { query: `items=${items}` });
      if (status !== 200) throw new Error(`view answers ${status} ${JSON.stringify(json)}`);
      return json as View;
    },
  };
  return started;
}

export interface SandboxPayload {
  readonly Customer: {
    readonly Id: string;
    readonly Name?: string;
    readonly Email?: string;
    readonly Document?: string | null;
  };
}

/** The point events of the loyalty service, and their address. */
async function openPoints({ loyalty, confidential, deployment, ...connector }: RunningConnector) {
  const { points } = deployment.functions;
  if (!points) throw new Error('this connector has no storefront');
  const { sqs } = connector.aws;
  const { url } = deployment.queues.urls.balances;
  const tokens = new Map<string, Record<string, string>>();
  let forwarded = 0;

  async function keepTokens(
    path: string,
    pairs: { current: string; previous?: string; previousUntil?: string },
  ): Promise<void> {
    const how = tokens.has(path) ? 'changed' : 'new';
    await connector.keepSecret(`${path}/points`, pairs, how);
    tokens.set(path, pairs);
  }
  for (const path of ['example-store', 'second-store']) {
    await keepTokens(path, { current: newToken() });
  }

  const opened = {
    keepTokens,
    tokenOf: (path = 'example-store'): string => tokens.get(path)?.current ?? '',

    /** One request at any path below the address; returns the status. */
    async request(path: string, body: string, header?: string): Promise<number> {
      const { status } = await invokeWeb('receive-points', points, {
        method: 'POST',
        target: `/${path}`,
        headers: { 'content-type': 'application/json', [TOKEN_HEADER]: header },
        body: Buffer.from(body),
      });
      return status;
    },

    /** As the service sends it: wrapped, with the header of its subscription. */
    async post(Topic: PointTopic, Payload: unknown): Promise<number> {
      const wrapped = { Uuid: randomUUID(), Timestamp: new Date().toISOString(), Topic, Payload };
      return opened.request('example-store', JSON.stringify(wrapped), opened.tokenOf());
    },

    /** Sends the new point events of the loyalty sandbox, changed in this way; returns the statuses. */
    async forward(
      change: (payload: SandboxPayload) => unknown = (payload) => payload,
    ): Promise<readonly number[]> {
      const events = loyalty.events.all().slice(forwarded);
      forwarded += events.length;
      const statuses: number[] = [];
      for (const { topic, payload } of events) {
        const { Name, Email } = (payload as SandboxPayload).Customer;
        confidential.addPersonal({ customer: { first_name: Name, email: Email } });
        statuses.push(await opened.post(topic, change(payload as SandboxPayload)));
      }
      return statuses;
    },

    /** Sends a dead letter again, as an operator does. */
    async replay(body: string): Promise<void> {
      const letter = readLetter({ body, messageId: 'replayed' } as DeadLetter);
      const reader = letterReaderOf([{ domain: SHOP, platform: 'shopify' }]);
      const prepared = prepareReplay(letter, 'operator', reader, new Date());
      if (prepared.kind !== 'event') throw new Error(prepared.obstacle);
      await deployment.send(prepared.event);
    },

    /** The bodies on the queue of balances, hidden from others meanwhile. */
    async peek(): Promise<readonly string[]> {
      const messages = await receive(sqs, url, 1);
      connector.pass(2);
      return messages.map(({ Body = '' }) => Body);
    },
  };
  return opened;
}

export type Program = Awaited<ReturnType<typeof openProgram>>;

/** A store and a connector with a storefront, of which two functions run. */
export async function openProgram(connectors: Connectors, settings: Partial<BothSettings> = {}) {
  const { store, connector } = await openStoreAndConnector(connectors, {
    ...{ seed: 7, storefront: {} },
    ...settings,
  });
  const { loyalty, deployment } = connector;
  const points = await openPoints(connector);
  if (settings.shops === undefined) {
    await connector.keepSecret('second-store/webhook', { current: SECOND_SECRET });
    await connector.keepSecret('second-store/store', {
      accessToken: 'shpat_of_the_second_store',
      clientId: SECOND_CLIENT,
    });
  }
  const start = () => askStorefront(deployment.startStorefront());
  let clicks = 0;
  const createCustomer = (firstName: string) => {
    const email = `${firstName.toLowerCase()}.sampleson@example.com`;
    connector.confidential.addPersonal({ customer: { first_name: firstName, email } });
    return store.actions.createCustomer({ firstName, lastName: 'Sampleson', email });
  };

  const program = {
    ...{ store, connector, loyalty, points, start },
    ...{ one: start(), other: start() },

    /** In the store alone; gives the id. */
    signUp: (firstName = 'Robin'): string => createCustomer(firstName).id,

    /** A paid and fulfilled order without taxes. */
    buy(customerId: string, price: number): string {
      const lines = [{ title: 'Kettle', price, quantity: 1 }];
      const { id } = store.actions.placeOrder({ customerId, lines, payment: 'paid', taxes: [] });
      store.actions.fulfilOrder({ orderId: id });
      return id;
    },

    /** Known to both sides, with points of an order that only the service knows. */
    async shopper(name: string, points = 250): Promise<string> {
      const { id, email: Email } = createCustomer(name);
      const Name = `${name} Sampleson`;
      await askLoyalty(loyalty, 'POST', '/Customer/upsert', { OriginalId: id, Name, Email });
      if (points > 0) await program.give(id, points);
      return id;
    },

    async give(id: string, points: number): Promise<void> {
      const at = new Date().toISOString();
      await askLoyalty(loyalty, 'POST', '/POS/orders', {
        OriginalId: `elsewhere-${++clicks}`,
        OrderPlacementDate: new Date(Date.now() - 3_600_000).toISOString(),
        OrderCompletedDate: at,
        OrderStatus: 'completed',
        IsCancelledOrReturned: false,
        IsCompleted: true,
        OrderTotal: points,
        Customer: { OriginalId: id },
        UpdatedDate: at,
      });
    },

    click: (rewardId = 1) => ({
      rewardId,
      clientKey: `click-${String(++clicks).padStart(8, '0')}`,
      items: CART,
    }),

    /** All webhooks have arrived, and all messages were worked on. */
    async settle(): Promise<void> {
      await store.deliveries.settled();
      await connector.settle();
    },

    /** All point events, too. */
    async rest(): Promise<void> {
      await program.settle();
      await points.forward();
      await connector.settle();
    },

    /** In the service. */
    pointsOf: (id: string) =>
      loyalty.state().customers.find(({ OriginalId }) => OriginalId === id)?.points,
    pinOf: (id: string) =>
      loyalty.state().challenges.find(({ customerId }) => customerId === id)?.pin ?? '',
    /** What a theme sees of the customer: `loyalty.points`, `loyalty.tier`. */
    metafieldsOf: (id: string): Record<string, string> =>
      Object.fromEntries(
        store
          .state()
          .metafields.filter(({ ownerGid }) => ownerGid === `gid://shopify/Customer/${id}`)
          .map(({ namespace, key, value }) => [`${namespace}.${key}`, value]),
      ),
    spentBy: (id: string) =>
      loyalty
        .state()
        .redemptions.filter(
          ({ customerId, canceledAt }) => customerId === id && canceledAt === null,
        ).length,
    codesOf: (id: string) =>
      store
        .state()
        .discounts.filter(({ context }) => context.kind === 'customers' && context.ids.includes(id))
        .length,
  };
  return program;
}
