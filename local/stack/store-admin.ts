import { createAdminStore } from '../../shared/shopify/admin/admin-store.ts';
import type { StoreSandbox } from '../store-sandbox/sandbox.ts';

/** The store of this machine, asked through its Admin API as the functions ask it. */
export function openStoreAdmin({ address, credentials }: StoreSandbox) {
  const secret = { kind: 'static', accessToken: credentials.accessToken } as const;
  return createAdminStore({
    shop: () => ({
      secret: { get: async () => secret, refresh: async () => secret },
      sandboxAddress: address,
    }),
  });
}
