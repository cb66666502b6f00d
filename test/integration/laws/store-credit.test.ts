import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryRoot } from '../../../local/store-sandbox/graphql/query-root.ts';
import type { ActionInput } from '../../../local/store-sandbox/model/actions.ts';
import type {
  OrderRow,
  StoreCreditTransactionRow,
} from '../../../local/store-sandbox/model/rows.ts';
import { questionsOf } from '../../../shared/shopify/admin/admin-store.ts';
import { askIn } from '../../support/admin-execution.ts';
import { SHOP } from '../../support/in-process-connector.ts';
import { createMemoryLedger } from '../../support/memory-ledger.ts';
import { openModelShop } from '../../support/model-shop.ts';
import { openGraphContext } from '../../support/sandbox-admin.ts';

const DAY_MS = 86_400_000;
const GATEWAY = 'shopify_store_credit';

/** A shop whose cashback is store credit, with one customer. */
function openCreditShop() {
  const model = openModelShop({ cashback: 'store-credit', rules: { currency: 'EUR' } });
  const { world, clock, connector } = model;
  const customerId = model.do('createCustomer', { email: 'robin@example.com' }).id;
  const { walked } = connector.parts;
  const questions = questionsOf(
    () => askIn(queryRoot(openGraphContext(world))),
    () => ({ storeCredit: true }),
  );
  const { readOrder, changedOrders, findAbsent, seesAllOrders } = questions;
  const order = (price: number, more: Partial<ActionInput<'placeOrder'>> = {}) => {
    const lines = [{ title: 'Coat', price }];
    const { id } = model.do('placeOrder', { lines, customerId, payment: 'paid', ...more });
    model.do('fulfilOrder', { orderId: id });
    return id;
  };
  return {
    ...model,
    customerId,
    order,
    gift: (amount: number, days = 30) =>
      model.do('creditCustomer', {
        ...{ customerId, amount },
        expiresAt: new Date(clock.ms + days * DAY_MS).toISOString(),
      }),
    /** Paid by card and cancelled: its money is store credit now. */
    refunded: (amount: number) => {
      const lines = [{ title: 'Hat', price: amount }];
      const { id } = model.do('placeOrder', { lines, customerId, payment: 'paid' });
      model.do('cancelOrder', { orderId: id, to: 'store-credit' });
    },
    counts: (id: string) => Number(model.held(id)?.minor ?? 0n) / 100,
    /** Every order is compared, and what differs is sent: the store's own answers. */
    async reconcile(deep: boolean) {
      const asked = { readOrder, changedOrders, findAbsent, seesAllOrders };
      connector.parts.walked = Object.assign(Object.create(walked), asked);
      await connector.reconcile({ deep, shops: [SHOP] });
      await connector.drain();
    },
    calls: () =>
      connector.loyalty.journal
        .map(({ operation }) => operation)
        .filter((operation) => !operation.startsWith('get')),
  };
}

/** 100 paid with credit: 40 given, 60 from a refund. */
async function openMixed() {
  const shop = openCreditShop();
  shop.refunded(80);
  shop.gift(40);
  const id = shop.order(100, { gateway: GATEWAY });
  await shop.rest();
  return { ...shop, id };
}

describe('an order paid with store credit', () => {
  it('earns for the part that came from refunds, and not for what was given', async () => {
    const { counts, id } = await openMixed();
    expect(counts(id)).toBe(60);
  });

  it('counts the same when the account has moved on: late webhooks, both scans', async () => {
    const shop = await openMixed();
    shop.gift(500, 1);
    shop.refunded(30);
    const next = shop.order(300, { gateway: GATEWAY });
    shop.do('tagOrder', { orderId: shop.id, tags: ['seen'] });
    await shop.rest();
    expect([shop.id, next].map(shop.counts)).toEqual([60, 0]);
    shop.clock.ms += 3 * DAY_MS;
    shop.do('tagOrder', { orderId: shop.id, tags: ['again'] });
    const before = shop.calls();
    await shop.reconcile(false);
    await shop.reconcile(true);
    expect(shop.calls()).toEqual(before);
    expect([shop.id, next].map(shop.counts)).toEqual([60, 0]);
  });

  it('keeps its amount when the ledger is lost and the account has moved on', async () => {
    const shop = await openMixed();
    shop.gift(500, 1);
    shop.order(300, { gateway: GATEWAY });
    await shop.rest();
    shop.connector.parts.ledger = createMemoryLedger();
    shop.do('tagOrder', { orderId: shop.id, tags: ['seen'] });
    shop.do('refundOrder', { orderId: shop.id, amount: 30 });
    await shop.rest();
    expect(shop.counts(shop.id)).toBe(30);
    expect(shop.connector.dead.size).toBe(0);
  });

  it('keeps its amount when the customer and their account are deleted', async () => {
    const shop = await openMixed();
    shop.do('deleteCustomer', { customerId: shop.customerId });
    shop.do('tagOrder', { orderId: shop.id, tags: ['seen'] });
    await shop.rest();
    expect(shop.counts(shop.id)).toBe(60);
  });

  it('keeps its amount when cashback becomes a code again, and loses the refunded part', async () => {
    const shop = await openMixed();
    shop.changeRules({ currency: 'EUR' }, 'code');
    shop.do('tagOrder', { orderId: shop.id, tags: ['seen'] });
    await shop.rest();
    expect(shop.counts(shop.id)).toBe(60);
    shop.do('refundOrder', { orderId: shop.id, amount: 30 });
    await shop.rest();
    expect(shop.counts(shop.id)).toBe(30);
    const later = shop.order(20, { gateway: GATEWAY });
    await shop.rest();
    expect(shop.counts(later)).toBe(0);
  });

  it('of before the setting keeps its amount', async () => {
    const shop = openCreditShop();
    shop.changeRules({ currency: 'EUR' }, 'code');
    shop.refunded(80);
    const id = shop.order(50, { gateway: GATEWAY });
    await shop.rest();
    shop.changeRules({ currency: 'EUR' }, 'store-credit');
    shop.do('tagOrder', { orderId: id, tags: ['seen'] });
    await shop.rest();
    expect(shop.counts(id)).toBe(0);
  });

  it('earns for money that came back by card and was spent again: 100, then 40 of it as credit', async () => {
    const shop = openCreditShop();
    const first = shop.order(100);
    await shop.rest();
    shop.do('refundOrder', { orderId: first, amount: 40, to: 'store-credit' });
    const second = shop.order(40, { gateway: GATEWAY });
    await shop.rest();
    expect([first, second].map(shop.counts)).toEqual([60, 40]);
  });

  it('does not earn by being refunded as new credit', async () => {
    const shop = openCreditShop();
    shop.gift(40);
    const first = shop.order(100, { storeCredit: 'all' });
    shop.do('refundOrder', { orderId: first, amount: 60, to: 'store-credit' });
    await shop.rest();
    expect(shop.counts(first)).toBe(0);
  });
});

const anyStep = fc.record({
  kind: fc.constantFrom(
    ...(['gift', 'gift', 'refunded', 'refunded', 'buy', 'buy', 'buy', 'buy'] as const),
    ...(['give back', 'give back', 'wait', 'tag', 'fail'] as const),
  ),
  amount: fc.integer({ min: 1, max: 60 }),
  pick: fc.nat(99),
  days: fc.constantFrom(1, 2, 2, 5, 30),
  part: fc.constantFrom('all', 'half', 'card'),
});

type Step = typeof anyStep extends fc.Arbitrary<infer One> ? One : never;

function take(shop: ReturnType<typeof openCreditShop>, orders: string[], step: Step): void {
  const { kind, amount, pick, days, part } = step;
  const orderId = orders[pick % Math.max(1, orders.length)];
  const { customerId } = shop;
  switch (kind) {
    case 'gift':
      shop.gift(amount, days);
      return;
    case 'refunded':
      shop.refunded(amount);
      return;
    case 'buy': {
      const account = [...shop.rows.storeCreditAccounts.values()][0];
      const credit = Math.min(amount, Math.floor((account?.balanceMinor ?? 0) / 100));
      const wanted = part === 'all' ? credit : part === 'half' ? Math.floor(credit / 2) : 0;
      const isEnough = wanted > 0 && !hasEnded(shop);
      orders.push(shop.order(amount, isEnough ? { storeCredit: wanted } : {}));
      return;
    }
    case 'give back':
      if (orderId === undefined) return;
      shop.attempt('refundOrder', {
        ...{ orderId, amount: Math.ceil(amount / 3) },
        ...(part === 'card' && { to: 'store-credit' }),
        ...(part === 'all' && { gateway: GATEWAY }),
      });
      return;
    case 'wait':
      shop.clock.ms += days * DAY_MS;
      return;
    case 'tag':
      if (orderId !== undefined) shop.do('tagOrder', { orderId, tags: [String(pick)] });
      return;
    case 'fail':
      shop.attempt('failCheckout', { customerId, amount });
  }
}

/** A credit whose end is near would expire between two looks at the balance. */
function hasEnded({ rows, clock }: ReturnType<typeof openCreditShop>): boolean {
  return [...rows.storeCreditTransactions.values()].some(
    (one) =>
      one.kind === 'credit' &&
      one.expiresAt !== null &&
      Date.parse(one.expiresAt) <= clock.ms + 600_000 &&
      one.remainingMinor > one.expiredMinor,
  );
}

/** What the store still holds of the order's payments, of credits of this kind. */
function spentOf(
  all: readonly StoreCreditTransactionRow[],
  { transactions }: OrderRow,
  isGift: boolean,
): number {
  const ids = new Set(transactions.map(({ id }) => id));
  const gifts = new Set(all.filter(({ event }) => event === 'ADJUSTMENT').map(({ id }) => id));
  return all
    .flatMap((one) => (one.kind === 'debit' && ids.has(one.originId ?? '') ? one.spent : []))
    .filter(({ creditId }) => gifts.has(creditId) === isGift)
    .reduce((sum, { minor }) => sum + minor, 0);
}

describe('any life of an account', () => {
  it('never earns for what was given, and always for what was paid in money', async () => {
    let mixed = 0;
    let exact = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 6, maxLength: 16 }), async (steps) => {
        const shop = openCreditShop();
        const orders: string[] = [];
        const wait = async () => {
          await shop.rest();
          return new Map(orders.map((id) => [id, shop.held(id)?.minor]));
        };
        let before = await wait();
        for (const step of steps) {
          const revisions = new Map(orders.map((id) => [id, shop.rows.orders.get(id)?.refunds]));
          take(shop, orders, step);
          const now = await wait();
          for (const [id, minor] of before) {
            // The account moved on, the order did not.
            if (shop.rows.orders.get(id)?.refunds === revisions.get(id)) {
              expect(now.get(id)).toBe(minor);
            }
          }
          before = now;
        }
        const all = [...shop.rows.storeCreditTransactions.values()];
        for (const id of orders) {
          const row = shop.rows.orders.get(id);
          if (!row) throw new Error('no order is deleted');
          const sumOf = (kinds: readonly string[]) =>
            row.transactions
              .filter(({ kind }) => kinds.includes(kind))
              .reduce((sum, { minor }) => sum + minor, 0);
          const kept = sumOf(['sale']) - sumOf(['refund']);
          const [gifts, refunds] = [spentOf(all, row, true), spentOf(all, row, false)];
          const held = shop.held(id);
          const minor = held?.isCancelled ? 0 : Number(held?.minor);
          expect(minor).toBeLessThanOrEqual(kept - gifts);
          expect(minor).toBeGreaterThanOrEqual(kept - gifts - refunds);
          if (gifts > 0 && refunds > 0) mixed += 1;
          if (refunds > 0 && minor === kept - gifts) exact += 1;
        }
        const changes = shop.calls();
        await shop.reconcile(true);
        expect(shop.calls()).toEqual(changes);
        expect(shop.connector.dead.size).toBe(0);
      }),
      { numRuns: 60 },
    );
    expect(mixed).toBeGreaterThan(5);
    expect(exact).toBeGreaterThan(20);
  });
});
