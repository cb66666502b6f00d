import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connector, Shop } from '../../shared/config/connector-config.ts';
import type { PlatformName } from '../../shared/config/connector-settings.ts';
import { secretName } from '../../shared/services/shop-secrets.ts';
import { writePrivate } from '../secrets-emulator.ts';
import { LOGIN } from '../vendure-engine/shop.ts';

/** The secrets of one run: random, and stored only with `--data`, in the same folder. */
export interface RunSecrets extends ShopSecrets {
  /** Epoch milliseconds. Like the secrets of a deployment, they stay when the rest is deleted. */
  readonly createdAt: number;
  /** May do everything: for the stack itself and for tests. */
  readonly administrator: AwsKey;
  /** May do what the policy of the template allows. */
  readonly operator: AwsKey;
  readonly readOnlyOperator: AwsKey;
}

/** The app whose extensions get session tokens. It is no secret, and the same for every shop. */
export const CLIENT_ID = 'sandbox-client';

/** Kept for the first shop of the settings; those of the others are derived from them. */
interface ShopSecrets {
  readonly webhook: { readonly current: string };
  readonly loyalty: { readonly token: string; readonly key: string };
  readonly storeAccessToken: string;
  /** Proves the loyalty service as the sender of point events. */
  readonly pointsToken: string;
}

export interface AwsKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export function openRunSecrets(dataFolder: string | undefined): RunSecrets {
  if (dataFolder === undefined) return makeSecrets();
  const file = join(dataFolder, 'secrets.json');
  const secrets: RunSecrets = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : makeSecrets();
  writePrivate(file, secrets);
  return secrets;
}

function makeSecrets(): RunSecrets {
  return {
    createdAt: Date.now(),
    administrator: makeKey(),
    operator: makeKey(),
    readOnlyOperator: makeKey(),
    webhook: { current: random() },
    loyalty: { token: random(), key: random() },
    storeAccessToken: `shpat_${random()}`,
    pointsToken: randomBytes(32).toString('base64url'),
  };
}

/** In the format of a real AWS key, because tools check it. */
export function makeKey(): AwsKey {
  const id = randomBytes(10).toString('hex').toUpperCase().slice(0, 16);
  return { accessKeyId: `AKIA${id}`, secretAccessKey: randomBytes(30).toString('base64url') };
}

const random = (): string => randomBytes(16).toString('hex');

/** The shop whose credentials open the shop's account at the loyalty service. */
export function accountOf({ shops }: Pick<Connector, 'shops'>, shop: Shop): Shop {
  const shared = shop.rules.sharedAccount && shops.find(({ rules }) => rules.sharedAccount);
  return shared || shop;
}

export function secretsOfShop(
  secrets: RunSecrets,
  connector: Pick<Connector, 'shops'>,
  shop: Shop,
): ShopSecrets {
  const of = (owner: Shop, text: string): string =>
    owner === connector.shops[0]
      ? text
      : createHmac('sha256', text).update(owner.path).digest('base64url');
  const { webhook, loyalty, storeAccessToken, pointsToken } = secrets;
  const account = accountOf(connector, shop);
  return {
    webhook: { current: of(shop, webhook.current) },
    loyalty: { token: of(account, loyalty.token), key: of(account, loyalty.key) },
    storeAccessToken: of(shop, storeAccessToken),
    pointsToken: of(shop, pointsToken),
  };
}

/** What opens the store. */
const STORE: Readonly<Record<PlatformName, (own: ShopSecrets) => object>> = {
  shopify: (own) => ({ accessToken: own.storeAccessToken, clientId: CLIENT_ID }),
  vendure: () => LOGIN,
};

/** The text of each secret by its name, as `secrets set` would store it. */
export function fillSecrets(
  prefix: string,
  secrets: RunSecrets,
  connector: Pick<Connector, 'shops'>,
): Readonly<Record<string, string>> {
  const texts = connector.shops.flatMap((shop) => {
    const own = secretsOfShop(secrets, connector, shop);
    const named = (purpose: Parameters<typeof secretName>[2], fields: object) =>
      [secretName(prefix, shop.path, purpose), JSON.stringify(fields)] as const;
    return [
      named('webhook', own.webhook),
      named('loyalty', own.loyalty),
      named('store', STORE[shop.platform](own)),
      named('points', { current: own.pointsToken }),
    ];
  });
  return Object.fromEntries(texts);
}
