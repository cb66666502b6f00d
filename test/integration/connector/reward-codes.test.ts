import { afterEach, describe, expect, it } from 'vitest';
import { toEvent } from '../../../scripts/connector/backfill/run-backfill.ts';
import { FILE_START } from '../../../shared/shopify/bulk/read-entities.ts';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { adminStoreOf, openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A store in which a reward was redeemed: its code, and one of the merchant's own beside it. */
async function openWithCodes(disorder: { readonly drop: number }) {
  const both = await openStoreAndConnector(connectors, {
    seed: 5,
    shops: [{ domain: SHOP }],
    store: { bucketSize: 10_000_000 },
    healing: { subscriptions: 'app-configuration' },
    disorder,
  });
  stops.push(both.stop);
  const { connector, store } = both;
  await connector.reconcile();
  connector.pass(3_600);
  const customer = store.actions.createCustomer({ email: 'robin@example.com' });
  const rewards = adminStoreOf(store);
  const wanted = { customerId: customer.id, combines: false, startsAt: new Date().toISOString() };
  for (const kind of ['fixed', 'free-shipping'] as const) {
    const code = `REWARD-${kind.toUpperCase()}`;
    const made = { ...wanted, kind, value: 5, code, title: `A reward (${code})` };
    expect(await rewards.makeCode(SHOP, made)).toMatchObject({ kind: 'made' });
  }
  store.actions.createDiscount({ codes: ['MERCHANTS-OWN'], percentage: 10 });
  await store.deliveries.settled();
  await connector.settle();
  const mirrored = () => connector.loyalty.state().coupons.map(({ CouponCode }) => CouponCode);
  return { connector, rewards, mirrored };
}

describe('the code of a reward', () => {
  it('is not sent to the loyalty service when the store tells of it', async () => {
    const { mirrored } = await openWithCodes({ drop: 0 });
    expect(mirrored()).toContain('MERCHANTS-OWN');
    expect(mirrored().filter((code) => code.startsWith('REWARD-'))).toEqual([]);
  });

  it('is not sent when reconciling finds it, nor by a deep walk, nor by a backfill', async () => {
    const { connector, rewards, mirrored } = await openWithCodes({ drop: 1 });
    expect(mirrored()).toEqual([]);
    connector.pass(3_600);
    await connector.reconcile();
    await connector.settle();
    expect(mirrored()).toContain('MERCHANTS-OWN');
    await connector.reconcile({ mode: 'deep' });
    await connector.settle();

    const read = await rewards.readCoupon(SHOP, 'REWARD-FIXED');
    if (read.kind !== 'found') throw new Error('the code is not there');
    const now = new Date();
    const entity = { kind: 'coupon', coupon: read.value } as const;
    const run = { shop: SHOP, id: 'discounts_1', run: 1 };
    await connector.send(
      toEvent({ kind: 'entity', entity, next: FILE_START }, run, { readAt: now, now }),
    );
    await connector.settle();
    expect(mirrored().filter((code) => code.startsWith('REWARD-'))).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);
  });
});
