import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { createAdminStore } from '../../../shared/shopify/admin/admin-store.ts';
import { readOrderWebhook } from '../../../shared/shopify/webhooks/read-event.ts';
import { readProductWebhook } from '../../../shared/shopify/webhooks/read-product-webhook.ts';
import { parseJson } from '../../../shared/shopify/webhooks/topics.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { anyLife, live, type Stage } from '../../support/any-store-life.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

/** What only one of the two ways can know. */
const common = ({
  metafields,
  card,
  location,
  staff,
  paidWithGiftCards,
  ...order
}: StoreOrder) => ({
  ...order,
  location: location?.id,
  staff: staff?.id,
});

async function openStore(ids: 'usual' | 'beyond-2^53') {
  receiver.received.length = 0;
  const sandbox = await startStoreSandbox({
    webhooksTo: receiver.address,
    ids,
    settings: { bucketSize: 1_000_000 },
  });
  const { clientId, clientSecret } = sandbox.credentials;
  const credentials = { kind: 'client-credentials', clientId, clientSecret } as const;
  const store = createAdminStore({
    shop: () => ({
      sandboxAddress: sandbox.address,
      secret: { get: async () => credentials, refresh: async () => credentials },
      enrichment: { locationNames: true, staffNames: true },
    }),
  });
  const { rows } = sandbox;
  const stage: Stage = {
    rows,
    attempt: (name, input) => {
      try {
        sandbox.actions[name](input as never);
      } catch {
        // The store refuses some steps, as it should.
      }
    },
  };
  return { sandbox, store, stage };
}

/** The last body about each entity. */
function latest(pattern: RegExp): Map<string, unknown> {
  const bodies = new Map<string, unknown>();
  for (const { headers, body } of receiver.received) {
    if (!pattern.test(String(headers['x-shopify-topic']))) continue;
    const parsed = parseJson(body);
    if (parsed.kind !== 'parsed') throw new Error('not JSON');
    const { admin_graphql_api_id } = parsed.value as { admin_graphql_api_id: string };
    bodies.set(admin_graphql_api_id.split('/').at(-1) ?? '', parsed.value);
  }
  return bodies;
}

describe('the two readers', () => {
  it.each(['usual', 'beyond-2^53'] as const)(
    'agree on every order and product after any life of the store, with %s ids',
    async (ids) => {
      await fc.assert(
        fc.asyncProperty(anyLife, async (steps) => {
          const { sandbox, store, stage } = await openStore(ids);
          try {
            live(stage, steps);
            await sandbox.deliveries.settled();
            for (const [id, body] of latest(/^orders\/(?!edited|delete)/)) {
              const sent = readOrderWebhook(body);
              const asked = await store.readOrder(sandbox.shop.domain, id);
              if (sent.kind !== 'read') throw new Error(JSON.stringify(sent));
              if (asked.kind !== 'found') throw new Error(JSON.stringify(asked));
              // Of a refund that states that more went back, a webhook does not know what was received.
              const { refunds = [], lines = [] } = sandbox.rows.orders.get(id) ?? {};
              const isStated = refunds.some((one) =>
                one.discrepancies.some(({ minor }) => minor < 0),
              );
              const isKept = asked.value.lines.some(({ kept }) => kept > 0) || lines.length === 0;
              expect(sent.order.refundedWithoutLines === undefined).toBe(isStated && isKept);
              expect(sent.order.outstanding === undefined).toBe(isStated);
              expect(common(asked.value)).toEqual({
                ...common(sent.order),
                ...(isStated && isKept && { refundedWithoutLines: expect.any(String) }),
                ...(isStated && { outstanding: expect.any(String) }),
              });
            }
            for (const [id, body] of latest(/^products\/(?!delete)/)) {
              const sent = readProductWebhook(body);
              const asked = await store.readProduct(sandbox.shop.domain, id);
              if (sent.kind !== 'read') throw new Error(JSON.stringify(sent));
              if (asked.kind !== 'found') throw new Error(JSON.stringify(asked));
              expect(asked.value).toEqual(sent.product);
            }
          } finally {
            await sandbox.stop();
          }
        }),
        { numRuns: 40 },
      );
    },
  );
});
