import { describe, expect, it } from 'vitest';
import { readLastReconcile } from '../../../shared/core/reconcile/last-reconcile.ts';
import { momentAt, orderAt, withId } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import {
  LOYALTY_CREDENTIALS,
  runConnectors,
  SECOND_SHOP,
  SHOP,
} from '../../support/running-connector.ts';

const connectors = runConnectors();

const order = (id = 1, second = 1) => orderAt(second, { fulfilledAfterDays: 1 }, withId(id));

describe('two shops in one deployment', () => {
  it('each has its own address and secret: no signature opens the other’s', async () => {
    const connector = await connectors.open();
    const { post, webhookSecret } = connector;
    const first = webhookSecret('example-store');
    const second = webhookSecret('second-store');
    expect(await post('orders/create', order(), { shop: SHOP, secret: first })).toBe(200);
    expect(await post('orders/create', order(), { shop: SECOND_SHOP, secret: second })).toBe(200);
    expect(await post('orders/create', order(), { shop: SHOP, secret: second })).toBe(401);
    expect(await post('orders/create', order(), { shop: SECOND_SHOP, secret: first })).toBe(401);
    expect(await post('orders/create', order(), { shop: 'unknown-store' })).toBe(401);
    const claim = { 'x-shopify-shop-domain': SECOND_SHOP };
    expect(await post('orders/create', order(), { shop: SHOP, headers: claim })).toBe(401);
    expect(await connector.waiting()).toBe(2);
  });

  it('each has its own rules and its own entries, even for the same id', async () => {
    const connector = await connectors.open({
      shops: [
        { domain: SHOP },
        { domain: SECOND_SHOP, path: 'second', rules: { completeWhen: 'paid' } },
      ],
    });
    await connector.deliver(['orders/create', orderAt(1, {}, withId(1)), { shop: SHOP }]);
    expect(connector.loyalty.state().orders).toMatchObject([{ IsCompleted: false }]);
    // Paid as soon as it was placed: else the store would be asked when.
    const placed = { created_at: momentAt(0), processed_at: momentAt(0) };
    const other = orderAt(1, {}, { ...withId(1), ...placed }, persons.tibbold);
    await connector.deliver(['orders/create', other, { shop: SECOND_SHOP }]);
    expect(connector.newOperations()).toEqual(['sendOrder', 'sendOrder']);
    expect(connector.loyalty.state().orders).toMatchObject([{ IsCompleted: true }]);
    const text = await connector.ledgerText();
    expect(text).toContain(`order|${SHOP}|1"`);
    expect(text).toContain(`order|${SECOND_SHOP}|1"`);
  });

  it('each has its own credentials: a wrong password of one holds up only that one, and no dead letter', async () => {
    const connector = await connectors.open();
    await connector.keepSecret('second-store/loyalty', { ...LOYALTY_CREDENTIALS, key: 'outdated' });
    await connector.post('orders/create', order(1), { shop: SECOND_SHOP });
    await connector.post('orders/create', order(2), { shop: SHOP });
    for (let hour = 0; hour < 24; hour += 1) {
      await connector.work();
      connector.pass(3_600);
    }
    expect(connector.loyalty.state().orders).toMatchObject([{ OriginalId: '2' }]);
    expect(await connector.waiting()).toBe(1);
    expect(await connector.deadLetters()).toEqual([]);
    const refused = connector.newCalls().filter(({ status }) => status === 401);
    expect(refused.length).toBeGreaterThan(1);
    expect(connector.output.lines().some((line) => line.misconfigured === 1)).toBe(true);

    await connector.keepSecret('second-store/loyalty', LOYALTY_CREDENTIALS);
    await connector.settle();
    expect(connector.loyalty.state().orders).toHaveLength(2);
    expect(await connector.deadLetters()).toEqual([]);
  });
});

describe('the hourly run for two shops', () => {
  it.each([
    ['example-store', SHOP, SECOND_SHOP],
    ['second-store', SECOND_SHOP, SHOP],
  ])(
    'tries the credentials of each: outdated ones of %s stop only its own',
    async (path, theirs, other) => {
      const connector = await connectors.open();
      await connector.keepSecret(`${path}/loyalty`, { ...LOYALTY_CREDENTIALS, key: 'outdated' });
      await connector.reconcile();
      const { ledger } = connector.deployment;
      const isStopped = async (shop: string) =>
        (await readLastReconcile(ledger, shop))?.stopped.some(
          ({ why }) => why === 'loyalty-misconfigured',
        );
      expect([await isStopped(theirs), await isStopped(other)]).toEqual([true, false]);
    },
  );
});
