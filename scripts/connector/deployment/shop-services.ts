import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import type { RewardStore } from '../../../shared/core/redeem/reward-store.ts';
import type { Store } from '../../../shared/core/sync/store-reader.ts';
import { createLoyaltyClient, type LoyaltyClient } from '../../../shared/loyalty/client.ts';
import { createConfiguredStore } from '../../../shared/services/configured-store.ts';
import { loyaltyAddress } from '../../../shared/services/shop-loyalty.ts';
import { createShopSecrets } from '../../../shared/services/shop-secrets.ts';
import { type Ask, createAdminClient } from '../../../shared/shopify/admin/client/admin-client.ts';
import type { Deployment } from './deployment.ts';

/** The store and the loyalty service, asked with the very readers and credentials of the functions. */
export interface ShopServices {
  readonly store: Store;
  readonly rewards: RewardStore;
  /** The Admin API of one shop, for questions that the workers do not ask. */
  ask(shop: Shop): Ask;
  loyalty(shop: Shop): LoyaltyClient;
}

/** A failed renewal is of interest to a process that runs for days. */
const silent = { count: () => {}, log: () => {} };

export function openShopServices({ aws, output, connector, sandbox }: Deployment): ShopServices {
  const client = new SecretsManager(aws);
  const secrets = createShopSecrets(client, output('SecretsPrefix'), silent);
  const sandboxAddress = sandbox?.storeAddress;
  const baseUrl = sandbox
    ? loyaltyAddress(connector, sandbox.loyaltyAddress)
    : connector.loyalty.address;
  const store = createConfiguredStore(connector, secrets, { sandboxAddress });
  return {
    store,
    rewards: store,
    ask: ({ domain, path }) =>
      createAdminClient({ shop: domain, secret: secrets.store(path), sandboxAddress }).until(
        undefined,
      ),
    loyalty: ({ path }) => {
      const credentials = secrets.loyalty(path);
      return createLoyaltyClient({ baseUrl, credentials: () => credentials.get() });
    },
  };
}
