import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import type { SecretsCalls } from '../../../shared/aws/aws-client.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import type { RewardStore } from '../../../shared/core/redeem/reward-store.ts';
import type { StoreUnavailable } from '../../../shared/core/store/store.ts';
import {
  type Credentials,
  createLoyaltyClient,
  type LoyaltyClient,
} from '../../../shared/loyalty/client.ts';
import { createConfiguredStore } from '../../../shared/services/configured-store.ts';
import { loyaltyAddress, sandboxAddressOf } from '../../../shared/services/shop-loyalty.ts';
import { createShopSecrets } from '../../../shared/services/shop-secrets.ts';
import type { AdminStore } from '../../../shared/shopify/admin/admin-store.ts';
import type { AdminCredentials } from '../../../shared/shopify/admin/client/access-token.ts';
import type { AdminAnswer } from '../../../shared/shopify/admin/client/admin-answer.ts';
import { type Ask, createAdminClient } from '../../../shared/shopify/admin/client/admin-client.ts';
import { entityNamesDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import { type GidType, idFromGid } from '../../../shared/shopify/entity-id.ts';
import {
  createVendureClient,
  type VendureClient,
  type VendureCredentials,
} from '../../../shared/vendure/admin-client.ts';
import { documents, type VendureNames } from '../../../shared/vendure/documents.ts';
import { Problem } from '../terminal/exit.ts';
import { type Deployment, nextCommand, type Place } from './deployment.ts';
import { isDenied } from './explain-aws-error.ts';
import { hasApp, requireApp } from './platform.ts';

/** The store and the loyalty service, with the readers and credentials that the functions use. */
export interface ShopServices {
  readonly store: AdminStore;
  readonly rewards: RewardStore;
  /** The Admin API of one shop, for requests that the workers do not make; also with other credentials. */
  ask(shop: Shop, credentials?: AdminCredentials): Ask;
  /** The same of a Vendure shop. */
  vendure(shop: Shop, credentials?: VendureCredentials): VendureClient;
  /** With the credentials of the shop, or with other ones. */
  loyalty(shop: Shop, credentials?: Credentials): LoyaltyClient;
  loyaltyAddress(shop: Shop): string;
}

/** A failed renewal of a secret matters only to a process that runs for days. */
const silent = { count: () => {}, log: () => {} };

/** `reserve`: the part of the store's query cost points that `store` leaves to others. */
export function openShopServices(deployment: Deployment, reserve = 0): ShopServices {
  const { output, connector, sandbox } = deployment;
  const secrets = createShopSecrets(secretsCalls(deployment), output('SecretsPrefix'), silent);
  const sandboxes = sandbox?.storeAddress;
  const addressOf = (shop: Shop) =>
    sandbox ? loyaltyAddress(connector, shop, sandbox.loyaltyAddress) : connector.loyalty.address;
  const store = createConfiguredStore(connector, secrets, { sandboxes }, reserve);
  return {
    store,
    rewards: store,
    ask: (shop, other) => {
      requireApp(shop);
      const secret = other ? given(other) : secrets.store(shop.path);
      const sandboxAddress = sandboxAddressOf(connector, shop, sandboxes);
      return createAdminClient({ shop: shop.domain, secret, sandboxAddress }).until(undefined);
    },
    vendure: ({ domain, path, vendure }, other) => {
      if (!vendure) throw new Error(`not a Vendure shop: ${domain}`);
      const secret = other ? given(other) : secrets.vendure(path);
      return createVendureClient({ address: vendure.adminApi, channel: vendure.channel, secret });
    },
    loyalty: (shop, other) => {
      const credentials = secrets.loyalty(shop.path);
      const baseUrl = addressOf(shop);
      return createLoyaltyClient({ baseUrl, credentials: other ?? (() => credentials.get()) });
    },
    loyaltyAddress: addressOf,
  };
}

/** Not stored yet. */
const given = <T>(credentials: T) => ({
  get: async () => credentials,
  refresh: async () => credentials,
});

/** The readers of secrets only say that one is unusable; the command says why, at its end. */
function secretsCalls({ aws, onSecretsDenied }: Deployment): SecretsCalls {
  const client = new SecretsManager(aws);
  return {
    getSecretValue: (input) =>
      client.getSecretValue(input).catch((error: unknown) => {
        if (isDenied(error)) onSecretsDenied?.();
        throw error;
      }),
  };
}

/** As many as the store takes at once. */
const MOST_NAMES = 250;

/** What has a name that is nobody's. */
const NAMED: Readonly<Record<string, GidType>> = { order: 'Order', product: 'Product' };

interface Named {
  readonly kind: string | undefined;
  readonly id: string | undefined;
}

export const nameKey = ({ kind, id }: Named): string => `${kind} ${id}`;

/**
 * Names of orders and products by `nameKey`: `#1007`. Without those that the store does not have, and without any where
 * it does not answer: a person can go on with the id.
 */
export async function readNames(
  services: Pick<ShopServices, 'ask' | 'vendure'>,
  shop: Shop,
  entities: readonly Named[],
): Promise<ReadonlyMap<string, string>> {
  if (!hasApp(shop)) return readVendureNames(services.vendure(shop), entities);
  const named = entities.flatMap(({ kind = '', id }) =>
    NAMED[kind] ? [`gid://shopify/${NAMED[kind]}/${id}`] : [],
  );
  const gids = [...new Set(named)].slice(0, MOST_NAMES);
  if (gids.length === 0) return new Map();
  const answer = await services.ask(shop)(entityNamesDocument, { ids: gids });
  const nodes = answer.kind === 'data' ? answer.data.nodes : [];
  return new Map(
    nodes.flatMap((node) => {
      if (!node || !('name' in node)) return [];
      return Object.entries(NAMED).flatMap(([kind, type]) => {
        const id = idFromGid(node.id, type);
        return id ? [[nameKey({ kind, id }), node.name] as const] : [];
      });
    }),
  );
}

async function readVendureNames(
  client: VendureClient,
  entities: readonly Named[],
): Promise<ReadonlyMap<string, string>> {
  const read = async (of: 'order' | 'product', query: string) => {
    const ids = new Set(entities.flatMap(({ kind, id = '' }) => (kind === of ? [id] : [])));
    const shown = [...ids].slice(0, MOST_NAMES);
    if (shown.length === 0) return [];
    const options = { filter: { id: { in: shown } }, take: shown.length };
    const answer = await client.ask<Readonly<Record<string, VendureNames>>>(query, { options });
    const [found] = answer.kind === 'data' ? Object.values(answer.data) : [];
    const items = found?.items ?? [];
    return items.map(
      ({ id, code, name = code ?? id }) => [nameKey({ kind: of, id }), name] as const,
    );
  };
  const orders = read('order', documents.orderNames);
  const products = read('product', documents.productNames);
  return new Map([...(await orders), ...(await products)]);
}

type Unanswered = Exclude<AdminAnswer<never>, { kind: 'data' }>;

/** Explains to the user why the store refused a request or did not answer. The rest is for `doctor` to find. */
export function storeProblem(answer: Unanswered, deployment: Place): Problem {
  if (answer.kind === 'user-errors') {
    const fields = answer.errors.map(({ field, code }) => [field, code].filter(Boolean).join(' '));
    const why = fields.join(', ') || 'without a reason';
    return new Problem(`The store refuses the request: ${why}.`);
  }
  const { reason, scope } = answer;
  if (reason === 'access-denied' && scope !== undefined) {
    return new Problem(
      `The app lacks the access scope ${scope}.`,
      'Add it to the app in Shopify, have the shop accept it, and repeat the command.',
    );
  }
  if (reason === 'connection' || reason === 'time-out' || reason === 'throttled') {
    return new Problem(
      `The store ${reason === 'throttled' ? 'throttles requests' : 'does not answer'}.`,
      deployment.where === 'local'
        ? 'Is "npm start" still running?'
        : 'Check the network, wait a minute and repeat the command.',
    );
  }
  return new Problem(
    `The store refuses the connector, or its answer is not usable (${reason}).`,
    `To see of which shop and why, with the fix: ${nextCommand(deployment, 'doctor')}`,
  );
}

/** The same of the readers that the workers use, which only name the reason. */
export function storeUnread({ why, misconfigured }: StoreUnavailable): Problem {
  return new Problem(
    `The store could not be read (${why}).`,
    misconfigured
      ? 'Repeat the command after the fix that this names: npx loyalty-connector doctor'
      : 'Wait a minute and repeat the command. To see why: npx loyalty-connector doctor',
  );
}
