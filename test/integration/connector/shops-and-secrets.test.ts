import { describe, expect, it } from 'vitest';
import { toEvent } from '../../../scripts/connector/set-up/backfill.ts';
import { readLastReconcile } from '../../../shared/core/reconcile/last-reconcile.ts';
import { momentAt, orderAt, withId } from '../../fixtures/order-life.ts';
import { personalFields, persons } from '../../fixtures/persons.ts';
import {
  LOYALTY_CREDENTIALS,
  runConnectors,
  SECOND_SHOP,
  SHOP,
} from '../../support/running-connector.ts';
import { adminStoreOf, openStoreAndConnector } from '../../support/store-and-connector.ts';

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

    const previousUntil = new Date(Date.now() + 86_400_000).toISOString();
    const both = { current: newer, previous: older, previousUntil };
    await connector.keepSecret('example-store/webhook', both);
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
});

const { quillane, tibbold } = persons;
const { customer } = personalFields(quillane);
const request = { shop_id: 954889, shop_domain: SHOP, customer };
const fulfilled = { fulfilledAfterDays: 1 };
// Their number stays, as the mark by which later messages and the scan know whom they must not bring back.
const traces = /quillane|ostravik|15555550142|QX-4471/i;

describe('the compliance topics', () => {
  it('redaction leaves no trace of the person in the ledger, and others as they were', async () => {
    const connector = await connectors.open();
    await connector.deliver(
      ['orders/create', orderAt(1, fulfilled, withId(1))],
      ['orders/create', orderAt(1, fulfilled, withId(2))],
      ['orders/create', orderAt(1, fulfilled, withId(3), tibbold)],
    );
    expect(await connector.ledgerText()).toMatch(traces);
    await connector.deliver(['customers/redact', { ...request, orders_to_redact: [1, 2, 4] }]);
    const text = await connector.ledgerText();
    expect(text).not.toMatch(traces);
    expect(text).toContain(tibbold.email);

    // A captured body does not bring the person back, nor does one that was on its way: of a change, or
    // of an order that nobody had heard of.
    connector.newCalls();
    await connector.deliver(['orders/create', orderAt(1, fulfilled, withId(1))]);
    await connector.deliver(['orders/updated', orderAt(2, {}, withId(2))]);
    await connector.deliver(['orders/create', orderAt(1, {}, withId(4))]);
    expect(connector.newOperations()).toEqual([]);
    expect(await connector.ledgerText()).not.toMatch(traces);
    expect(await connector.deadLetters()).toEqual([]);
  });
});

/** A store in which a reward was redeemed: its code, and one of the merchant's own beside it. */
async function openWithCodes(disorder: { readonly drop: number }) {
  const both = await openStoreAndConnector(connectors, {
    seed: 5,
    shops: [{ domain: SHOP }],
    store: { bucketSize: 10_000_000 },
    disorder,
  });
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
  it('is not sent to the loyalty service when the store announces it', async () => {
    const { mirrored } = await openWithCodes({ drop: 0 });
    expect(mirrored()).toContain('MERCHANTS-OWN');
    expect(mirrored().filter((code) => code.startsWith('REWARD-'))).toEqual([]);
  });

  it('is not sent when reconciling finds it, nor by a deep scan, nor by a backfill', async () => {
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
    const run = { shop: SHOP, kind: 'discounts', run: 1 } as const;
    await connector.send(
      toEvent({ kind: 'coupon', id: 'REWARD-FIXED', entity }, run, { readAt: now, now }),
    );
    await connector.settle();
    expect(mirrored().filter((code) => code.startsWith('REWARD-'))).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);
  });
});
