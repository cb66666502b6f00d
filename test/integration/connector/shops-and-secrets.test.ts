import { describe, expect, it } from 'vitest';
import { orderAt, withId } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import { LOYALTY_CREDENTIALS } from '../../support/emulated-world.ts';
import { runConnectors, SECOND_SHOP, SHOP } from '../../support/running-connector.ts';

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
    const other = orderAt(1, {}, withId(1), persons.tibbold);
    await connector.deliver(['orders/create', other, { shop: SECOND_SHOP }]);
    expect(connector.newOperations()).toEqual(['sendOrder', 'sendOrder']);
    expect(connector.loyalty.state().orders).toMatchObject([{ IsCompleted: true }]);
    const text = await connector.ledgerText();
    expect(text).toContain(`${SHOP}|order|1"`);
    expect(text).toContain(`${SECOND_SHOP}|order|1"`);
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

describe('rotating a webhook secret while deliveries come in', () => {
  it('takes the new one within a minute, the old one while it is kept, and then no more', async () => {
    const connector = await connectors.open();
    const older = connector.webhookSecret('example-store');
    const newer = 'webhook-secret-after-rotation';
    let id = 0;
    const post = (secret: string) => {
      id += 1;
      return connector.post('orders/create', order(id), { secret });
    };
    expect(await post(older)).toBe(200);

    await connector.keepSecret('example-store/webhook', { current: newer, previous: older });
    expect(await post(older)).toBe(200);
    connector.pass(61);
    expect(await post(newer)).toBe(200);
    expect(await post(older)).toBe(200);
    const counted = connector.output.lines().filter((line) => 'older-secret-used' in line);
    expect(counted).toHaveLength(1);

    await connector.keepSecret('example-store/webhook', { current: newer });
    connector.pass(301);
    expect(await post(newer)).toBe(200);
    expect(await post(older)).toBe(401);
    await connector.settle();
    expect(connector.loyalty.state().orders).toHaveLength(5);
  });

  it('a forged signature makes it ask for the secret at most once a minute', async () => {
    const connector = await connectors.open();
    expect(await connector.post('orders/create', order())).toBe(200);
    await connector.keepSecret('example-store/webhook', { current: 'secret-of-tomorrow' });
    // Within the minute nobody asks again: a flood of forgeries costs no call.
    expect(await connector.post('orders/create', order(), { secret: 'secret-of-tomorrow' })).toBe(
      401,
    );
    connector.pass(61);
    expect(await connector.post('orders/create', order(), { secret: 'secret-of-tomorrow' })).toBe(
      200,
    );
  });
});
