import { randomUUID } from 'node:crypto';
import type { AskedShop, PlatformCommands, StoreFinding } from '../core/platform/platform.ts';
import type { ScanAnswer } from '../core/store/store.ts';
import {
  channelOf,
  createVendureClient,
  parseVendureSecret,
  type VendureAnswer,
  type VendureClient,
} from './admin-client.ts';
import { PROBE_KIND, SIGNATURE, sign, TIMESTAMP } from './deliveries.ts';
import {
  documents,
  PERMISSIONS,
  PLACED,
  type VendureChannel,
  type VendureNames,
  WITH_CODE,
} from './documents.ts';

export const vendureCommands: PlatformCommands = {
  name: 'Vendure',
  sender:
    'the plugin on its Vendure server has to send the events: there is nothing to subscribe to, and SELECT * FROM loyalty_outbox there shows what was not accepted yet',
  secrets: {
    webhook: [
      {
        field: 'current',
        question: 'the secret in the options of the plugin, which signs its events',
        variable: 'CONNECTOR_PLUGIN_SECRET',
      },
    ],
    store: [
      {
        field: 'apiKey',
        question: 'an API key of the server (Enter: a user name and a password instead)',
        variable: 'CONNECTOR_VENDURE_API_KEY',
        isEnough: true,
      },
      {
        field: 'username',
        question: "the user name of the connector's own administrator",
        variable: 'CONNECTOR_VENDURE_USERNAME',
      },
      { field: 'password', question: 'the password', variable: 'CONNECTOR_VENDURE_PASSWORD' },
    ],
  },
  parseSecret: parseVendureSecret,
  shortestId: 1,
  // Counted by the database, or UUIDs, as the merchant's server is set.
  customerId: /^'?([1-9]\d{0,19}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i,

  /** Signed as the plugin signs. */
  probe(_shop, secret, at) {
    const change = { entityId: '0', change: 'changed', at: at.toISOString() };
    const body = Buffer.from(JSON.stringify({ id: randomUUID(), kind: PROBE_KIND, ...change }));
    const timestamp = String(Math.floor(at.getTime() / 1000));
    return {
      body,
      headers: { [TIMESTAMP]: timestamp, [SIGNATURE]: sign(secret, timestamp, body) },
    };
  },

  open(shop) {
    const channel = channelOf(shop);
    return askServer(createVendureClient(channel), channel);
  },
};

interface Channel {
  readonly adminApi: string;
  readonly channel: string | undefined;
  readonly currency: string;
}

type Kind = 'order' | 'product' | 'customer';
type Answer = Readonly<Record<string, VendureNames | null>>;

/** As many as a person looks at, the newest first. */
const SHOWN = { take: 10, sort: { id: 'DESC' } };

const NAMES = { order: documents.orderNames, product: documents.productNames };

/** Finds by what a person knows: a code, a name, an e-mail address, an id. */
function askServer(client: VendureClient, channel: Channel): AskedShop {
  async function list(kind: Kind, query: string, filter: object, shown: object = SHOWN) {
    const answer = await client.ask<Answer>(query, { options: { ...shown, filter } });
    return answer.kind === 'data' ? found(kind, Object.values(answer.data)[0]) : answer;
  }

  return {
    ordersNamed: (code) => list('order', documents.orderNames, { code: { eq: code } }),
    productsTitled: (name) => list('product', documents.productNames, { name: { contains: name } }),
    /** The server keeps addresses in lower case. */
    customerWith: (email) =>
      list('customer', documents.customerIds, { emailAddress: { eq: email.toLowerCase() } }),

    async ordersOf(id) {
      const answer = await client.ask<{
        readonly customer: { readonly orders: VendureNames } | null;
      }>(documents.ordersOfCustomer, { id, options: SHOWN });
      return answer.kind === 'data' ? found('order', answer.data.customer?.orders) : answer;
    },

    async byId(id) {
      const filter = { id: { eq: id } };
      const all = await Promise.all([
        list('order', documents.orderNames, filter),
        list('product', documents.productNames, filter),
        list('customer', documents.customerIds, filter),
      ]);
      const refused = all.find((one) => one.kind === 'unavailable');
      const value = all.flatMap((one) => (one.kind === 'found' ? one.value : []));
      return refused ?? { kind: 'found', value };
    },

    async namesOf(kind, ids) {
      const named = await list(kind, NAMES[kind], { id: { in: ids } }, {});
      const items = named.kind === 'found' ? named.value : [];
      return new Map(items.map(({ id, name }) => [id, name ?? id]));
    },

    /** An estimate: orders of other channels are counted with those of the default channel. */
    async count(kind, { from = 0, until }): Promise<ScanAnswer<number>> {
      const [start, end] = [from, until].map((at) => new Date(at).toISOString());
      const { query, filter } = {
        order: {
          query: documents.orderIds,
          filter: { ...PLACED, orderPlacedAt: { between: { start, end } } },
        },
        product: { query: documents.productIds, filter: {} },
        discount: { query: documents.promotionIds, filter: WITH_CODE },
      }[kind];
      const answer = await client.ask<Answer>(query, { options: { take: 1, filter } });
      if (answer.kind !== 'data') return answer;
      return { kind: 'found', value: Object.values(answer.data)[0]?.totalItems ?? 0 };
    },

    look: async () => judgeServer(await client.ask(documents.channel, {}), channel),
  };
}

function found(kind: Kind, names: VendureNames | null | undefined) {
  const items = names?.items ?? [];
  const value = items.map(({ id, code, name = code ?? null }) => ({ kind, id, name }));
  return { kind: 'found', value } as const;
}

const WRONG_LOGIN =
  "The user name or the password is wrong, or the server's authOptions.tokenMethod lacks bearer.";
const NO_CHANNEL = 'has no channel with the token in vendure.channel';
const SET_CHANNEL =
  "Set vendure.channel to the token of one of the server's channels (not its code), and deploy.";

const fail = (what: string, fix: string): StoreFinding => ({ verdict: 'fail', what, fix });

/** Whether the server accepts the credentials, lets them read all that is synced, and counts as the settings say. */
export function judgeServer(
  answer: VendureAnswer<VendureChannel>,
  { adminApi: address, channel, currency: wanted }: Channel,
): readonly StoreFinding[] {
  if (answer.kind === 'unavailable') {
    const { why, misconfigured, queryRefused } = answer;
    if (why === 'unknown-channel') return [fail(`${address} ${NO_CHANNEL}`, SET_CHANNEL)];
    if (misconfigured) {
      const fix =
        why === 'unauthorized'
          ? WRONG_LOGIN
          : `The API key is wrong, authOptions.tokenMethod lacks api-key, or the role lacks ${PERMISSIONS}.`;
      return [{ ...fail(`${address} refuses the connector (${why})`, fix), isRefused: true }];
    }
    if (queryRefused || why === 'not-the-api') {
      const fix = 'Check vendure.adminApi, and that the server has Vendure 3.';
      return [fail(`${address} is not an Admin API that the connector knows (${why})`, fix)];
    }
    if (why === 'connection') {
      const fix = 'Start the server, or check vendure.adminApi and its certificate.';
      return [{ verdict: 'unknown', what: `there is no connection to ${address}`, fix }];
    }
    const what = `${address} did not answer as expected (${why})`;
    return [{ verdict: 'unknown', what, fix: 'Try again later.' }];
  }
  const { code, token, defaultCurrencyCode: currency } = answer.data.activeChannel;
  // A server with one channel takes any token.
  if (channel !== undefined && channel !== token) {
    return [fail(`${address} ${NO_CHANNEL}`, SET_CHANNEL)];
  }
  if (currency !== wanted) {
    return [
      fail(
        `the channel ${code} counts in ${currency}, but vendure.currency is ${wanted}: its orders are left out`,
        `Set vendure.currency to '${currency}', or vendure.channel to another channel, and deploy.`,
      ),
    ];
  }
  const what = `the channel ${code} can be read, with its orders, products, promotions and customers`;
  return [{ verdict: 'pass', what, currency }];
}
