import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { idOf } from '../../../shared/core/store/store.ts';
import { createAdminStore } from '../../../shared/shopify/admin/admin-store.ts';
import { createAdminClient } from '../../../shared/shopify/admin/client/admin-client.ts';
import type { Enrichment } from '../../../shared/shopify/admin/order-as-payload.ts';
import {
  type BulkKind,
  bulkQuery,
  readBulkState,
  startBulkQuery,
} from '../../../shared/shopify/bulk/bulk-operation.ts';
import {
  type BulkEntity,
  FILE_START,
  readBulkLines,
  readEntities,
} from '../../../shared/shopify/bulk/read-entities.ts';
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

function open(store: StoreSandbox) {
  const value = { kind: 'static', accessToken: store.credentials.accessToken } as const;
  const secret = { get: async () => value, refresh: async () => value };
  const shop = { secret, sandboxAddress: store.address };
  return {
    ask: createAdminClient({ ...shop, shop: store.shop.domain }).until(undefined),
    admin: createAdminStore({ shop: () => ({ ...shop, enrichment: ENRICHMENT }) }),
  };
}

async function readAll(store: StoreSandbox, kind: BulkKind): Promise<BulkEntity[]> {
  const { ask } = open(store);
  const started = await startBulkQuery(ask, bulkQuery(kind, '', ENRICHMENT));
  if (started.kind !== 'data' || started.data.kind !== 'started') throw new Error('not started');
  for (;;) {
    const state = await readBulkState(ask, started.data.id);
    if (state.kind === 'data' && state.data.kind === 'completed') {
      const { url } = state.data;
      const file = { url: url ?? '', signal: new AbortController().signal, pause: sleep };
      const found: BulkEntity[] = [];
      if (url === undefined) return found;
      for await (const one of readEntities(kind, readBulkLines(file, 0), FILE_START)) {
        found.push(one);
      }
      return found;
    }
    if (state.kind === 'data' && state.data.kind !== 'running') throw new Error(state.data.kind);
    await sleep(20);
  }
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

describe('a bulk file', { timeout: 180_000 }, () => {
  it('says of every order what the Admin API says of it alone, or that it cannot', async () => {
    await fc.assert(
      fc.asyncProperty(anyLife, async (steps) => {
        await sandbox?.stop();
        const store = await startStoreSandbox({ settings: { bulkMs: 0, bucketSize: 1e6 } });
        sandbox = store;
        liveIn(store, steps);
        for (const { id, customerId } of store.rows.orders.values()) {
          store.actions.setMetafield({
            ownerGid: `gid://shopify/Order/${id}`,
            namespace: 'facts',
            key: 'gift',
            value: 'yes',
          });
          if (customerId === null) continue;
          store.actions.setMetafield({
            ownerGid: `gid://shopify/Customer/${customerId}`,
            namespace: 'facts',
            key: 'birth_date',
            value: '1990-01-01',
          });
        }
        const { admin } = open(store);
        const found = await readAll(store, 'orders');
        expect(found).toHaveLength(store.rows.orders.size);
        for (const one of found) {
          if (one.kind !== 'entity' || one.entity.kind !== 'order') {
            expect(one.kind).toBe('ask');
            continue;
          }
          const { order } = one.entity;
          const alone = await admin.readOrder(store.shop.domain, order.id);
          expect(alone).toEqual({ kind: 'found', value: order });
        }
      }),
      { numRuns: 25 },
    );
  });

  it('asks for those with a tip or a part of a line taken back, and for no others', async () => {
    const store = await startStoreSandbox({ settings: { bulkMs: 0 } });
    sandbox = store;
    const [product] = store.rows.products.values();
    const variantId = product?.variants[0]?.id ?? '';
    const place = (given: object = {}) =>
      store.actions.placeOrder({ lines: [{ variantId, quantity: 3 }], payment: 'paid', ...given });
    const plain = place();
    const tipped = place({ tip: 2 });
    const partly = place();
    const lineId = partly.lines[0]?.id ?? '';
    store.actions.refundOrder({ orderId: partly.id, lines: [{ lineId, quantity: 1 }] });
    const wholly = place();
    store.actions.cancelOrder({ orderId: wholly.id, refund: true });
    const found = await readAll(store, 'orders');
    const asked = found.flatMap((one) => (one.kind === 'ask' ? [one.id] : []));
    expect(asked.sort()).toEqual([tipped.id, partly.id].sort());
    const told = found.flatMap((one) => (one.kind === 'entity' ? [idOf(one.entity)] : []));
    expect(told.sort()).toEqual([plain.id, wholly.id].sort());
  });

  it('says of products and codes what the Admin API says of each', async () => {
    const store = await startStoreSandbox({ settings: { bulkMs: 0 } });
    sandbox = store;
    const { admin } = open(store);
    const { domain } = store.shop;
    for (const one of await readAll(store, 'products')) {
      if (one.kind !== 'entity' || one.entity.kind !== 'product') throw new Error(one.kind);
      const { product } = one.entity;
      expect(await admin.readProduct(domain, product.id)).toEqual({
        kind: 'found',
        value: product,
      });
    }
    const codes = await readAll(store, 'discounts');
    expect(codes).toHaveLength(store.rows.codes.size);
    for (const one of codes) {
      if (one.kind !== 'entity' || one.entity.kind !== 'coupon') throw new Error(one.kind);
      const { coupon } = one.entity;
      expect(await admin.readCoupon(domain, coupon.code)).toEqual({ kind: 'found', value: coupon });
    }
  });
});
