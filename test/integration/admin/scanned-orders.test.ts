import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { createAdminStore } from '../../../shared/shopify/admin/admin-store.ts';
import type { Enrichment } from '../../../shared/shopify/admin/order-as-payload.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { anyLife, live } from '../../support/any-store-life.ts';

let sandbox: StoreSandbox | undefined;
afterEach(() => sandbox?.stop());

const ENRICHMENT: Enrichment = {
  card: true,
  locationNames: true,
  staffNames: true,
  localizedFields: false,
  metafields: [
    { owner: 'order', namespace: 'facts', key: 'gift' },
    { owner: 'customer', namespace: 'facts', key: 'birth_date' },
  ],
};

function open({ address, credentials: { accessToken } }: StoreSandbox) {
  const value = { kind: 'static', accessToken } as const;
  const secret = { get: async () => value, refresh: async () => value };
  return createAdminStore({
    shop: () => ({ secret, sandboxAddress: address, enrichment: ENRICHMENT }),
  });
}

function liveIn(store: StoreSandbox, steps: Parameters<typeof live>[1]): void {
  live(
    {
      rows: store.rows,
      attempt: (name, input) => {
        try {
          return (store.actions[name] as (input: unknown) => unknown)(input);
        } catch {
          return undefined;
        }
      },
    },
    steps,
  );
}

const fact = { namespace: 'facts' } as const;

it('a scan says of every order what the Admin API says of it alone, also beyond a webhook', async () => {
  await fc.assert(
    fc.asyncProperty(anyLife, async (steps) => {
      await sandbox?.stop();
      const store = await startStoreSandbox({ settings: { bucketSize: 1e6 } });
      sandbox = store;
      liveIn(store, steps);
      const set = (ownerGid: string, key: string, value: string) =>
        store.actions.setMetafield({ ...fact, ownerGid, key, value });
      for (const { id, customerId } of store.rows.orders.values()) {
        set(`gid://shopify/Order/${id}`, 'gift', 'yes');
        if (customerId !== null) {
          set(`gid://shopify/Customer/${customerId}`, 'birth_date', '1990-01-01');
        }
      }
      const admin = open(store);
      const { domain } = store.shop;
      const span = { by: 'creation', from: undefined, until: Date.now() + 86_400_000_000 } as const;
      const orders: (StoreOrder | undefined)[] = [];
      for (let after: string | undefined; ; ) {
        const page = await admin.changedOrders(domain, span, after);
        if (page.kind !== 'found') throw new Error(page.why);
        orders.push(...page.value.changed.map(({ value }) => value));
        after = page.value.next;
        if (after === undefined) break;
      }
      expect(orders).toHaveLength(store.rows.orders.size);
      for (const order of orders) {
        const alone = await admin.readOrder(domain, order?.id ?? '');
        expect(alone).toEqual({ kind: 'found', value: order });
      }
    }),
    { numRuns: 25 },
  );
});
