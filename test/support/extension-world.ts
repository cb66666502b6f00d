import { createHmac } from 'node:crypto';
import type { StorefrontSettings } from '../../shared/config/connector-settings.ts';
import { openLine, type Treat } from './outside-line.ts';
import { type Connectors, LOYALTY_CREDENTIALS, SHOP } from './running-connector.ts';
import {
  type Asked,
  openProgram,
  proxyValues,
  signedQuery,
  startStorefront,
} from './running-storefront.ts';
import { CLIENT_ID, STORE_SECRET } from './store-and-connector.ts';

export const SECOND_SECRET = 'secret-of-the-second-store';
export const SECOND_CLIENT = 'app-of-the-second-store';
export const STAFF = '5001';
/** A cart that every reward with a minimum allows. */
export const CART = '11:100:1';

type Claims = Readonly<Record<string, unknown>>;

const base64url = (text: string) => Buffer.from(text).toString('base64url');
export const nowSeconds = () => Math.floor(Date.now() / 1000);

const signText = (text: string, secret = STORE_SECRET, hash = 'sha256') =>
  `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;

/** A token of exactly these texts, signed with this secret. */
const tokenOf = (claims: string, secret = STORE_SECRET, header = '{"alg":"HS256","typ":"JWT"}') =>
  signText(`${base64url(header)}.${base64url(claims)}`, secret);

const customerClaims = (id: string, changes: Claims = {}): Claims => ({
  dest: SHOP,
  aud: CLIENT_ID,
  exp: nowSeconds() + 300,
  nbf: nowSeconds(),
  iat: nowSeconds(),
  jti: 'f8912129-1af6-4cad-9ca3-76b0f7621087',
  sub: `gid://shopify/Customer/${id}`,
  ...changes,
});

const staffClaims = (id = STAFF, changes: Claims = {}): Claims => ({
  iss: `https://${SHOP}/admin`,
  dest: `https://${SHOP}`,
  aud: CLIENT_ID,
  exp: nowSeconds() + 60,
  nbf: nowSeconds(),
  iat: nowSeconds(),
  jti: 'a1912129-1af6-4cad-9ca3-76b0f7621087',
  sid: 'aaea182f2732d44c23057c0fea584021a4485b2bd25d3eb7fd349313ad24c685',
  sub: id,
  ...changes,
});

export const customerToken = (id: string, changes?: Claims, secret?: string) =>
  tokenOf(JSON.stringify(customerClaims(id, changes)), secret);
export const staffToken = (id?: string, changes?: Claims, secret?: string) =>
  tokenOf(JSON.stringify(staffClaims(id, changes)), secret);

/** One running Lambda of the storefront. */
function startFunction(loyaltyAddress: string, storefront: StorefrontSettings) {
  const started = {
    /** Any request below the function's address. */
    send: startStorefront(loyaltyAddress, storefront),
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
    ) =>
      started.send(`example-store/${route}`, {
        ...asked,
        query: signedQuery(proxyValues(SHOP, new Date(), id, own), STORE_SECRET),
      }),
    async view(id: string, items = CART) {
      const { status, json } = await started.account(id, 'view', { query: `items=${items}` });
      if (status !== 200) throw new Error(`view answers ${status} ${JSON.stringify(json)}`);
      return json as import('../../app/program/answers.ts').View;
    },
  };
  return started;
}

export type ExtensionWorld = Awaited<ReturnType<typeof openExtensions>>;

/** A store, a loyalty service, the ledger and two running functions of the storefront over it. */
export async function openExtensions(connectors: Connectors, storefront: StorefrontSettings = {}) {
  const program = await openProgram(connectors, { storefront });
  const { store, connector, loyalty } = program;
  await connector.keepSecret('second-store/webhook', { current: SECOND_SECRET });
  await connector.keepSecret('second-store/store', {
    accessToken: 'shpat_of_the_second_store',
    clientId: SECOND_CLIENT,
  });
  const start = () => startFunction(loyalty.address, storefront);
  const environment = { ...process.env };
  const targets = {
    ledger: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    queue: environment.AWS_ENDPOINT_URL_SQS ?? '',
    secrets: environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '',
    loyalty: loyalty.address,
    store: store.address,
  };
  let clicks = 0;
  const world = {
    ...{ ...program, start },

    /** A storefront function whose every call goes over a line that the test may cut. */
    async startOnLine(treat: Treat) {
      const line = await openLine(targets, treat);
      connectors.stopLater(line.close);
      const { ledger, queue, secrets, loyalty: address, store: storeAddress } = line.addresses;
      Object.assign(process.env, {
        AWS_ENDPOINT_URL_DYNAMODB: ledger,
        AWS_ENDPOINT_URL_SQS: queue,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets,
        STORE_SANDBOX_ADDRESS: storeAddress,
      });
      const made = startFunction(address, storefront);
      Object.assign(process.env, environment);
      return made;
    },

    ...{ one: start(), other: start() },

    async callLoyalty(method: string, path: string, body?: unknown) {
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
    },

    /** Known to both sides, with points of an order that only the service knows. */
    async shopper(name: string, points = 250): Promise<string> {
      const email = `${name.toLowerCase()}.sampleson@example.com`;
      connector.confidential.addPersonal({ customer: { email } });
      const { id } = store.actions.createCustomer({
        firstName: name,
        lastName: 'Sampleson',
        email,
      });
      await world.callLoyalty('POST', '/Customer/upsert', {
        OriginalId: id,
        Name: `${name} Sampleson`,
        Email: email,
      });
      if (points > 0) await world.give(id, points);
      return id;
    },

    async give(id: string, points: number): Promise<void> {
      const at = new Date().toISOString();
      await world.callLoyalty('POST', '/POS/orders', {
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

    pinOf: (id: string) =>
      loyalty.state().challenges.find(({ customerId }) => customerId === id)?.pin ?? '',
  };
  return world;
}
