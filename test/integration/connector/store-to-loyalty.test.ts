import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Disorder } from '../../../local/store-sandbox/delivery/disorder.ts';
import type { ActionName } from '../../../local/store-sandbox/model/actions.ts';
import type { StoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import type { HealingSettings } from '../../../shared/config/connector-settings.ts';
import type { MappingSettings } from '../../../shared/config/mapping-settings.ts';
import { mapProduct } from '../../../shared/core/mapping/map-product.ts';
import { rules } from '../../fixtures/store-entities.ts';
import { anyLife, live } from '../../support/any-store-life.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';
import {
  adminStoreOf,
  expectSameOrders,
  openStoreAndConnector,
} from '../../support/store-and-connector.ts';

const connectors = runConnectors();

async function openBoth(
  disorder: Partial<Disorder>,
  seed: number,
  rules: MappingSettings = {},
  healing: HealingSettings = {},
) {
  // So that no refund that is undone by an edit ends as a dead letter.
  const assumptions = { raiseAfterPartialCancel: 'send-gross' } as const;
  return openStoreAndConnector(connectors, { disorder, seed, rules, healing, assumptions });
}

/** Steps of the store, some of them within one second, and the work they cause. */
async function play(connector: RunningConnector, store: StoreSandbox, seed: number): Promise<void> {
  const attempt = (name: ActionName, input: unknown): unknown => {
    vi.setSystemTime(Date.now() + (seed % 2) * 700 + 400);
    try {
      return (store.actions[name] as (input: unknown) => unknown)(input);
    } catch {
      return undefined; // the store refuses what makes no sense
    }
  };
  const [steps = []] = fc.sample(anyLife, { seed, numRuns: 1 });
  live({ rows: store.rows, attempt }, steps);
  await store.deliveries.settled();
  await connector.settle();
}

async function expectAgreement(connector: RunningConnector, store: StoreSandbox): Promise<void> {
  // What the workers have read was paid from the same bucket of points, and the clock stands.
  connector.pass(60);
  await expectSameOrders(connector.loyalty, store);
  const admin = adminStoreOf(store);
  for (const held of connector.loyalty.state().products) {
    const answer = await admin.readProduct(SHOP, held.OriginalId);
    const mapped = answer.kind === 'found' ? mapProduct(answer.value, rules, SHOP) : undefined;
    if (mapped?.kind !== 'wanted' || mapped.wanted.kind !== 'product') continue;
    const { ProductPrice, Title, IsActive } = mapped.wanted.product;
    expect(held, `product ${held.OriginalId}`).toMatchObject({ ProductPrice, Title, IsActive });
  }
  expect(await connector.deadLetters()).toEqual([]);
}

describe('from the store to the loyalty service', () => {
  it.each<[string, Partial<Disorder>]>([
    ['in order', {}],
    [
      'shuffled, duplicated, delayed and signed with the old secret',
      { shuffle: 4, duplicate: 0.4, delay: 0.3, oldSecret: 0.3 },
    ],
  ])('both end equal when deliveries come %s', async (_, disorder) => {
    const { connector, store } = await openBoth(disorder, 7);
    for (const seed of [11, 12, 13, 14, 15, 16, 17, 18, 19]) await play(connector, store, seed);
    expect(store.rows.orders.size).toBeGreaterThan(4);
    expect(connector.loyalty.state().orders.length).toBeGreaterThan(2);
    await expectAgreement(connector, store);
  });

  it('products come by Events: nothing for sales, and both end equal', async () => {
    const disorder = { shuffle: 4, duplicate: 0.4, delay: 0.3, oldSecret: 0.3 };
    const { connector, store } = await openBoth(disorder, 7, {}, { productChanges: 'events' });
    for (const seed of [11, 12, 13, 14, 15, 16, 17, 18, 19]) await play(connector, store, seed);
    const sent = store.deliveries.all();
    expect(sent.filter(({ topic }) => topic.startsWith('products/'))).toEqual([]);
    const ofProducts = sent.filter(({ event }) => event);
    expect(ofProducts.length).toBeGreaterThan(2);
    expect(ofProducts.length).toBeLessThan(store.rows.orders.size);
    expect(connector.loyalty.state().products.length).toBeGreaterThan(0);
    await expectAgreement(connector, store);
  });

  it('what the settings ask for is read from the store: card, branch and staff by name', async () => {
    const { connector, store } = await openBoth({}, 5, {
      enrich: { cardDetails: true, locationNames: true, staffNames: true },
    });
    const [customer] = store.rows.customers.values();
    const [location] = store.rows.locations.values();
    const [staff] = store.rows.staff.values();
    const [product] = store.rows.products.values();
    if (!customer || !location || !staff || !product) throw new Error('the sample store is empty');
    store.actions.placeOrder({
      lines: [{ variantId: product.variants[0]?.id, quantity: 1 }],
      customerId: customer.id,
      pos: { locationId: location.id, staffId: staff.id },
      payment: 'paid',
      card: { company: 'Visa' },
    });
    await store.deliveries.settled();
    await connector.settle();
    const [order] = connector.loyalty.state().orders;
    expect(order?.PaymentMethod?.Name).toContain('Visa');
    expect(order?.Branch).toMatchObject({ OriginalId: location.id, Name: location.name });
    expect(order?.SalesPerson?.OriginalId).toBe(staff.id);
  });
});
