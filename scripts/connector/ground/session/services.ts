import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import type { SecretsCalls } from '../../../../shared/aws/aws-client.ts';
import type { Shop } from '../../../../shared/config/connector-config.ts';
import type {
  AskedShop,
  OpenShop,
  ParsedSecret,
  PlatformCommands,
  StoreSecret,
} from '../../../../shared/core/platform/platform.ts';
import type { StoreUnavailable } from '../../../../shared/core/store/store.ts';
import {
  type Credentials,
  createLoyaltyClient,
  type LoyaltyClient,
} from '../../../../shared/loyalty/client.ts';
import type { ShopperStore } from '../../../../shared/rewards/redeem/reward-store.ts';
import { createConfiguredStore } from '../../../../shared/services/configured-store.ts';
import { COMMANDS } from '../../../../shared/services/platforms.ts';
import { loyaltyAddress, sandboxAddressOf } from '../../../../shared/services/shop-loyalty.ts';
import { createShopSecrets, textsIn } from '../../../../shared/services/shop-secrets.ts';
import { Problem } from '../terminal/exit.ts';
import type { Deployment } from './deployment.ts';
import { isDenied } from './explain-aws-error.ts';

/** The store and the loyalty service, with the readers and credentials that the functions use. */
export interface ShopServices {
  readonly store: ShopperStore;
  /** What people ask of a shop's store; also with a secret that is not stored yet. */
  asked(shop: Shop, fields?: Readonly<Record<string, unknown>>): AskedShop;
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
  const store = createConfiguredStore(connector, secrets, { sandboxes, reserve });
  const open = (shop: Shop, fields?: Readonly<Record<string, unknown>>): OpenShop => ({
    shop,
    sandboxAddress: sandboxAddressOf(connector, shop, sandboxes),
    secret: (parse) => (fields ? given(parse(textsIn(fields))) : secrets.store(shop.path, parse)),
  });
  return {
    store,
    asked: (shop, fields) => commandsOf(shop).open(open(shop, fields)),
    loyalty: (shop, other) => {
      const credentials = secrets.loyalty(shop.path);
      const baseUrl = addressOf(shop);
      return createLoyaltyClient({ baseUrl, credentials: other ?? (() => credentials.get()) });
    },
    loyaltyAddress: addressOf,
  };
}

function given<T>(parsed: ParsedSecret<T>): StoreSecret<T> {
  const read = async () => (parsed.kind === 'parsed' ? parsed.value : 'unusable');
  return { get: read, refresh: read };
}

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

/** As many as a store takes at once. */
const MOST_NAMES = 250;

interface Named {
  readonly kind: string | undefined;
  readonly id: string | undefined;
}

export const nameKey = ({ kind, id }: Named): string => `${kind} ${id}`;

/** By `nameKey`: `#1007`. Without what the store does not have, or does not say now: a person can go on with the id. */
export async function readNames(
  services: Pick<ShopServices, 'asked'>,
  shop: Shop,
  entities: readonly Named[],
): Promise<ReadonlyMap<string, string>> {
  const read = async (kind: 'order' | 'product') => {
    const ids = new Set(entities.flatMap((one) => (one.kind === kind ? (one.id ?? []) : [])));
    if (ids.size === 0) return [];
    const names = await services.asked(shop).namesOf(kind, [...ids].slice(0, MOST_NAMES));
    return [...names].map(([id, name]) => [nameKey({ kind, id }), name] as const);
  };
  const [orders, products] = await Promise.all([read('order'), read('product')]);
  return new Map([...orders, ...products]);
}

export const unreadWords = ({ why }: StoreUnavailable): string =>
  `The store ${REFUSALS.has(why) ? 'refuses the credentials' : 'could not be read'} (${why}).`;

const REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'bad-credentials']);

/** Explains to the user why the store was not read. The rest is for `doctor` to find. */
export function storeUnread(unread: StoreUnavailable): Problem {
  const { misconfigured, lacks } = unread;
  if (lacks !== undefined) {
    return new Problem(
      `The app lacks the access scope ${lacks}.`,
      'Add it to the app, have the shop accept it, and repeat the command.',
    );
  }
  return new Problem(
    unreadWords(unread),
    misconfigured
      ? 'Repeat the command after the fix that this names: npx loyalty-connector doctor'
      : 'Wait a minute and repeat the command. To see why: npx loyalty-connector doctor',
  );
}

export type PlatformShop = Pick<Shop, 'platform'>;

export const commandsOf = ({ platform }: PlatformShop): PlatformCommands => COMMANDS[platform];
