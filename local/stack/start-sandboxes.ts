import { join } from 'node:path';
import type { Connector, Shop } from '../../shared/config/connector-config.ts';
import { TOKEN_HEADER } from '../../shared/rewards/balances/receive-points.ts';
import { createAdminStore } from '../../shared/shopify/admin/admin-store.ts';
import { readDefinitions, repairDefinition } from '../../shared/shopify/admin/write-balances.ts';
import { createSubscriptions } from '../../shared/shopify/subscriptions/subscriptions.ts';
import {
  type ProductSource,
  wantedEvents,
} from '../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { type LoyaltySandbox, startLoyaltySandbox } from '../loyalty-sandbox/sandbox.ts';
import { type StoreSandbox, startStoreSandbox } from '../store-sandbox/sandbox.ts';
import { defaultShop } from '../store-sandbox/settings.ts';
import { startStorefrontDemo } from '../storefront-demo/demo.ts';
import { accountOf, CLIENT_ID, secretsOfShop } from './run-secrets.ts';
import type { Run, WebServers } from './start-parts.ts';

/** The store sends before the functions are ready; Shopify's own pauses would be much longer. */
const RETRY_PAUSES = Array.from({ length: 300 }, () => 1);

/** A shop of the settings, with sandboxes for its store and for its account at the loyalty service. */
export interface RunningShop {
  readonly shop: Shop;
  readonly store: StoreSandbox;
  readonly loyalty: LoyaltySandbox;
  readonly webhookAddress: string;
  readonly webhookSecret: string;
}

export interface Sandboxes {
  /** In the order of the settings. */
  readonly shops: readonly [RunningShop, ...RunningShop[]];
  /** The first shop's pages; undefined without a storefront. */
  readonly shopAddress: string | undefined;
}

/** The stores and the accounts at the loyalty service; the pages of the first shop. */
export async function startSandboxes(run: Run, web: WebServers): Promise<Sandboxes> {
  const { connector, ports } = run.options;
  const accounts = new Map<Shop, LoyaltySandbox>();
  for (const shop of connector.shops.filter((one) => accountOf(connector, one) === one)) {
    accounts.set(shop, await startAccount(run, web, shop));
  }
  const start = async (shop: Shop): Promise<RunningShop> => {
    const loyalty = accounts.get(accountOf(connector, shop));
    if (!loyalty) throw new Error(`the account of ${shop.domain} was not started`);
    return { loyalty, ...(await startStore(run, web, shop)) };
  };
  const [shop, ...others] = connector.shops;
  if (!shop) throw new Error('There is no shop in the settings.');
  const first = await start(shop);
  const proxyTo = web.storefront && `${web.storefront.address}/${shop.path}`;
  const { store, loyalty } = first;
  const { neighbours } = run;
  const shopPages =
    proxyTo === undefined
      ? undefined
      : run.started(
          await startStorefrontDemo({ port: ports.shop, store, loyalty, neighbours, proxyTo }),
        );
  run.neighbours.store = `${store.address}/`;
  run.neighbours.loyalty = `${loyalty.address}/state`;
  if (shopPages) run.neighbours.shop = shopPages.address;
  const shops: [RunningShop, ...RunningShop[]] = [first];
  for (const other of others) shops.push(await start(other));
  return { shops, shopAddress: shopPages?.address };
}

async function startAccount(run: Run, { points }: WebServers, owner: Shop) {
  const { options, secrets } = run;
  const { connector, ports } = options;
  const shops = connector.shops.filter((shop) => accountOf(connector, shop) === owner);
  return run.started(
    await startLoyaltySandbox({
      port: portOf(run, owner, ports.loyalty),
      settings: {
        credentials: secretsOfShop(secrets, connector, owner).loyalty,
        // The till shows it; other pages redeem without.
        challenge: 'asked',
        currency: defaultShop.currency,
        // Store credit pays for any order, so that a program with a limit per purchase cannot have it.
        ...(connector.storefront?.cashback === 'store-credit' && {
          cashbackPercentOfPurchase: 100,
        }),
        ...options.loyaltySettings?.(owner),
      },
      ...(points &&
        !options.isNew && {
          subscriptions: shops.map((shop) => ({
            name: `loyalty-connector ${shop.domain}`,
            address: `${points.address}/${shop.path}`,
            headers: { [TOKEN_HEADER]: secretsOfShop(secrets, connector, shop).pointsToken },
          })),
        }),
      // The receiver answers 503 while the stack starts: that must not end the subscription.
      serverSettings: { subscriptionFailures: 0 },
      ...(isFirst(run, owner) && { neighbours: run.neighbours }),
      ...dataFile(run, owner, 'loyalty'),
    }),
  );
}

/** The store of a shop on another platform runs elsewhere, and sends by itself. */
export const hasSandbox = ({ platform }: Shop): boolean => platform === 'shopify';

async function startStore(
  run: Run,
  { webhooks }: WebServers,
  shop: Shop,
): Promise<Omit<RunningShop, 'loyalty'>> {
  const { connector, ports, storeSettings } = run.options;
  const { webhook, storeAccessToken } = secretsOfShop(run.secrets, connector, shop);
  const place = connector.shops.indexOf(shop);
  const webhookAddress = `${webhooks.address}/${shop.path}`;
  const store = run.started(
    await startStoreSandbox({
      port: portOf(run, shop, ports.store),
      shop: { domain: shop.domain },
      // Other ids than its neighbours', of entities and of webhooks.
      place,
      seed: 1 + place,
      secret: webhook.current,
      accessToken: storeAccessToken,
      clientId: CLIENT_ID,
      settings: { retryPausesSeconds: RETRY_PAUSES, ...storeSettings?.(shop) },
      events: hasSandbox(shop) ? wantedEvents(webhookAddress, connector.healing) : [],
      ...(isFirst(run, shop) && { neighbours: run.neighbours }),
      ...dataFile(run, shop, 'store'),
    }),
  );
  return { shop, store, webhookAddress, webhookSecret: webhook.current };
}

const isFirst = ({ options }: Run, shop: Shop): boolean => options.connector.shops[0] === shop;

/** The name of a sandbox's file in the folder of the data. */
export const sandboxFile = (
  { shops }: Pick<Connector, 'shops'>,
  shop: Shop,
  name: 'store' | 'loyalty',
): string => (shops[0] === shop ? `${name}.sqlite` : `${name}-${shop.path}.sqlite`);

/** Only the first shop has ports that can be foretold. */
const portOf = (run: Run, shop: Shop, port: number): number => (isFirst(run, shop) ? port : 0);

function dataFile({ options }: Run, shop: Shop, name: 'store' | 'loyalty') {
  const { dataFolder, connector } = options;
  if (dataFolder === undefined) return {};
  return { dataFile: join(dataFolder, sandboxFile(connector, shop, name)) };
}

/** A start must not fail because the machine is busy. */
const BUSY_MACHINE_MS = 120_000;

/** The store sandbox through its Admin API, as the functions use it. */
export function openStoreAdmin({ address, credentials }: StoreSandbox) {
  const secret = { kind: 'static', accessToken: credentials.accessToken } as const;
  return createAdminStore({
    timeoutMs: BUSY_MACHINE_MS,
    shop: () => ({
      secret: { get: async () => secret, refresh: async () => secret },
      sandboxAddress: address,
    }),
  });
}

/** Creates the connector's webhook subscriptions, as `npx loyalty-connector webhooks sync` does. */
export async function subscribe(
  store: StoreSandbox,
  shop: Pick<Shop, 'domain' | 'path' | 'rules'>,
  webhookAddress: string,
  products: ProductSource,
): Promise<void> {
  const { ask } = openStoreAdmin(store);
  const subscriptions = createSubscriptions({
    ask,
    shopOf: () => shop,
    webhookAddress,
    products,
  });
  const checked = await subscriptions.check(shop.domain);
  if (checked.kind === 'unavailable') {
    throw new Error(`The store's subscriptions cannot be read: ${checked.why}.`);
  }
  const changes = await subscriptions.repair(shop.domain, checked.findings);
  const refused = changes.find(({ done }) => done === 'refused');
  if (refused) throw new Error(`The store refuses a subscription to ${refused.topic}.`);
}

/** Creates the definitions of the balances, as `npx loyalty-connector storefront setup` does. */
export async function defineBalances(
  store: StoreSandbox,
  shop: string,
  namespace: string,
): Promise<void> {
  const ask = openStoreAdmin(store).ask(shop);
  const definitions = await readDefinitions(ask, namespace);
  if (definitions.kind !== 'read') throw new Error("The store's definitions cannot be read.");
  for (const definition of definitions.states) await repairDefinition(ask, namespace, definition);
}
