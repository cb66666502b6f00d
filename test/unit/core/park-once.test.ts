import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { productAt } from '../../../local/harness/product-payload.ts';
import { encodeSnapshot } from '../../../shared/core/store/store.ts';
import { topicRoutes } from '../../../shared/shopify/webhooks/topics.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { storeProduct } from '../../fixtures/store-entities.ts';

/** Only the body is signed: an attacker who captured one chooses topic and delivery id. */
const captured = buildOrder(simpleOrder).payload;
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

type Connector = ReturnType<typeof openConnector>;

const OTHER_TOPICS = [...topicRoutes].flatMap(([topic, { kind }]) =>
  kind === 'order' ? [] : [topic],
);

/** Under every topic of another kind, each time as a new delivery. */
async function flood(connector: Connector, payload: unknown = captured): Promise<void> {
  for (const topic of OTHER_TOPICS) await connector.deliver({ topic, payload });
  await connector.drain();
}

describe('a captured body, sent under other topics', () => {
  it('is one dead letter, however often and under whatever topic it comes', async () => {
    const connector = openConnector();
    await flood(connector);
    expect(connector.dead.size).toBe(1);
    // Longer than SQS recognizes a repetition.
    connector.clock.ms += 10 * MINUTE_MS;
    await flood(connector);
    expect(connector.dead.size).toBe(1);
    expect(connector.telemetry.total('rejected')).toBe(1);
    expect(connector.telemetry.total('skipped', { why: 'parked-before' })).toBeGreaterThan(10);
  });

  it('makes no call and leaves nothing in the ledger but the claim and the summary of its letter', async () => {
    const connector = openConnector();
    await flood(connector);
    expect(connector.loyalty.journal).toEqual([]);
    const kinds = [...connector.ledger.entries.keys()].map((key) => key.split('|')[0]);
    expect(new Set(kinds)).toEqual(new Set(['parked', 'letter']));
  });

  it('hides no other body: each has its own letter', async () => {
    const connector = openConnector();
    await flood(connector);
    await flood(connector, { ...captured, note: 'another' });
    expect(connector.dead.size).toBe(2);
  });

  it('can be a letter again when the first one has expired', async () => {
    const connector = openConnector();
    await flood(connector);
    connector.clock.ms += 14 * DAY_MS;
    connector.ledger.expire(connector.clock.ms / 1000);
    await flood(connector);
    expect(connector.telemetry.total('rejected')).toBe(2);
  });
});

describe('a rejected webhook', () => {
  const refuse = (connector: Connector) => {
    connector.loyalty.world.interfere = () => ({
      kind: 'answer',
      status: 200,
      headers: {},
      text: JSON.stringify({ HasError: true, ErrorCode: 50, ErrorMessage: 'no', Result: null }),
    });
  };

  it('that is sent again and again is one dead letter', async () => {
    const connector = openConnector();
    refuse(connector);
    for (let count = 0; count < 5; count += 1) {
      await connector.deliver({ topic: 'products/update', payload: productAt(1) });
      await connector.drain();
      connector.clock.ms += 10 * MINUTE_MS;
    }
    expect(connector.dead.size).toBe(1);
  });

  it('has a letter of its own, although a copy under another topic was parked before', async () => {
    const connector = openConnector();
    refuse(connector);
    await flood(connector);
    expect(connector.dead.size).toBe(1);
    await connector.deliver({ topic: 'orders/create', payload: captured });
    await connector.drain();
    expect(connector.dead.size).toBe(2);
  });

  it('is one letter each time where a person sends it, and no webhook', async () => {
    const connector = openConnector();
    refuse(connector);
    const product = storeProduct();
    const now = new Date(connector.clock.ms);
    for (const deliveryId of ['backfill/1', 'backfill/2']) {
      await connector.send({
        ...{ shop: SHOP, kind: 'product', id: product.id, claim: 'changed', origin: 'backfill' },
        ...{ topic: 'backfill/product', deliveryId, receivedAt: now.toISOString() },
        body: encodeSnapshot({ kind: 'product', product }, now),
      });
      await connector.drain();
    }
    expect(connector.dead.size).toBe(2);
  });

  it('is parked although its worker died after the claim', async () => {
    const connector = openConnector();
    refuse(connector);
    await connector.deliver({ topic: 'products/update', payload: productAt(1) });
    const died = await connector
      .work('products', {
        watch: (part) =>
          'park' in part ? { ...part, park: () => Promise.reject(new Error('dead')) } : part,
      })
      .catch(() => 'died');
    expect([died, connector.dead.size]).toEqual([{ received: 1, left: 1 }, 0]);
    await connector.drain();
    expect(connector.dead.size).toBe(1);
  });

  it('whose letter SQS sends back is parked again, and not lost', async () => {
    const connector = openConnector();
    refuse(connector);
    await connector.deliver({ topic: 'products/update', payload: productAt(1) });
    await connector.drain();
    const [letter] = connector.deadLetters();
    if (!letter) throw new Error('nothing was parked');
    connector.queues.products.send({ ...letter, groupId: 'redrive', deduplicationId: 'redrive' });
    await connector.drain();
    expect(connector.dead.size).toBe(2);
  });
});
