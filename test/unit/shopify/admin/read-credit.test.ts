import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryRoot } from '../../../../local/store-sandbox/graphql/query-root.ts';
import type { ActionInput } from '../../../../local/store-sandbox/model/actions.ts';
import type { OrderQuestion } from '../../../../shared/core/store/store.ts';
import { failure } from '../../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../../shared/shopify/admin/client/admin-client.ts';
import { readCreditMix } from '../../../../shared/shopify/admin/read-credit.ts';
import { readOrder, scanOrders } from '../../../../shared/shopify/admin/read-orders.ts';
import type { Amount } from '../../../../shared/store/money.ts';
import { askIn } from '../../../support/admin-execution.ts';
import { openGraphContext } from '../../../support/sandbox-admin.ts';
import { openStore } from '../../store-sandbox/open-store.ts';

const DAY_MS = 86_400_000;

function openAccount(given: Parameters<typeof openStore>[0] = {}) {
  const store = openStore({ ...given, shop: { taxes: [], ...given.shop } });
  const { world, clock } = store;
  const customerId = store.do('createCustomer', { firstName: 'Robin' }).id;
  const asked: string[] = [];
  const root = queryRoot(openGraphContext(world));
  const ask: Ask = (document, variables) => {
    asked.push(document.name);
    return askIn(root)(document, variables);
  };
  const order = (price: number, more: Partial<ActionInput<'placeOrder'>> = {}) =>
    store.do('placeOrder', {
      lines: [{ title: 'Coat', price }],
      ...{ customerId, payment: 'paid', ...more },
    });
  return {
    ...store,
    asked,
    ask,
    customerId,
    order,
    gift: (amount: number, days = 30) =>
      store.do('creditCustomer', {
        ...{ customerId, amount },
        expiresAt: new Date(clock.ms + days * DAY_MS).toISOString(),
      }),
    /** Paid by card, and given back as store credit. */
    refund: (amount: number) =>
      store.do('cancelOrder', { orderId: order(amount).id, to: 'store-credit' }),
    async read(id: string, enrichment = { storeCredit: true }, question: OrderQuestion = {}) {
      const answer = await readOrder(ask, id, enrichment, question);
      if (answer.kind !== 'found') throw new Error(JSON.stringify(answer));
      return answer.value;
    },
    async creditOf(id: string) {
      const { paidWithGiftCards } = await this.read(id);
      const { net, paid, mix } = paidWithGiftCards?.apart?.credit ?? {};
      return [`${net} of ${paid}:`, mix?.gifts, mix?.refunds, mix?.unknown].join(' ');
    },
  };
}

type CreditStep =
  | { readonly kind: 'credit'; readonly amount: number }
  | { readonly kind: 'debit'; readonly of: string };

/** An account that gets gifts and refunds in turn, of which each debit spends a part. */
function historyOf(life: readonly CreditStep[]) {
  let [balance, paid] = [0, 0];
  const nodes = life.flatMap((step, index) => {
    const value = step.kind === 'credit' ? step.amount : Math.ceil(balance / 2);
    if (value === 0) return [];
    balance += step.kind === 'credit' ? value : -value;
    if (step.kind === 'debit' && step.of === 'ours') paid += value;
    const common = {
      id: String(index),
      createdAt: new Date(index * 1_000).toISOString(),
      amount: { amount: String(value) },
      balanceAfterTransaction: { amount: String(balance) },
    };
    return step.kind === 'credit'
      ? {
          ...{ ...common, __typename: 'StoreCreditAccountCreditTransaction', origin: null },
          ...{ expiresAt: null, event: index % 2 === 0 ? 'ADJUSTMENT' : 'ORDER_REFUND' },
        }
      : { ...common, __typename: 'StoreCreditAccountDebitTransaction', origin: { id: step.of } };
  });
  return { nodes, paid: String(paid) as Amount };
}

/** A store with one account, which gives its transactions in pages of that size. */
function pagesOf(nodes: readonly object[], size: number): Ask {
  return async ({ name }, variables) => {
    const data = (value: object) => ({ kind: 'data', data: value }) as never;
    if (name === 'CreditAccounts') {
      return data({ customer: { storeCreditAccounts: { nodes: [{ id: 'account' }] } } });
    }
    const from = Number((variables as { readonly after: string | null }).after ?? 0);
    const end = from + Math.max(size, 1);
    const pageInfo = { hasNextPage: end < nodes.length, endCursor: String(end) };
    const transactions = { nodes: nodes.slice(from, end), pageInfo };
    return data({ storeCreditAccount: { balance: { currencyCode: 'EUR' }, transactions } });
  };
}

describe('what store credit paid of an order', () => {
  it('is split into gifts and refunds, however the account moves on', async () => {
    const account = openAccount();
    account.refund(20);
    account.gift(10);
    const { id } = account.order(30, { storeCredit: '15' });
    expect(await account.creditOf(id)).toBe('15 of 15: 10 5 0');
    account.gift(40, 2);
    account.order(30, { storeCredit: 'all' });
    account.clock.ms += 40 * DAY_MS;
    expect(await account.creditOf(id)).toBe('15 of 15: 10 5 0');
  });

  it('is the same in a scan', async () => {
    const account = openAccount();
    account.refund(20);
    account.gift(10);
    const { id } = account.order(30, { storeCredit: '15' });
    account.do('refundOrder', { orderId: id, amount: 3, gateway: 'shopify_store_credit' });
    const span = { from: undefined, until: account.clock.ms + 1000 };
    const scan = await scanOrders(account.ask, span, undefined, { storeCredit: true });
    if (scan.kind !== 'found') throw new Error(scan.kind);
    const scanned = scan.value.changed.find((one) => one.id === id);
    expect(scanned?.value).toEqual(await account.read(id));
  });

  it('is less what went back to it, in each state of the book and now', async () => {
    const account = openAccount();
    account.gift(30);
    const { id } = account.order(30, { storeCredit: 'all' });
    // Of the second in which it was placed, the book has only the end.
    account.clock.ms += 1_000;
    account.do('refundOrder', { orderId: id, amount: 10 });
    const question = { book: 'always' } as const;
    const { paidWithGiftCards: now, book = [] } = await account.read(id, undefined, question);
    expect(now?.apart?.credit).toMatchObject({ net: '20', paid: '30' });
    const credits = book.map(({ paidWithGiftCards }) => paidWithGiftCards?.apart?.credit);
    expect(credits[0]).toMatchObject({ net: '30', paid: '30' });
    expect(credits.at(-1)).toEqual(now?.apart?.credit);
    // What it was made of is the same in all of them.
    expect(new Set(credits.map((one) => JSON.stringify(one?.mix))).size).toBe(1);
  });

  it('is not less what another payment gave back as store credit', async () => {
    const account = openAccount();
    account.gift(10);
    const { id } = account.order(30, { storeCredit: 'all' });
    account.do('refundOrder', { orderId: id, amount: 20, to: 'store-credit' });
    expect(await account.creditOf(id)).toBe('10 of 10: 10 0 0');
  });

  it('is not known of credit for what a gift card had paid', async () => {
    const account = openAccount();
    const { id: first } = account.order(10, { gateway: 'gift_card' });
    account.do('cancelOrder', { orderId: first, to: 'store-credit' });
    const { id } = account.order(10, { storeCredit: 'all' });
    expect(await account.creditOf(id)).toBe('10 of 10: 0 0 10');
  });

  it('is converted where the customer paid in another currency', async () => {
    const account = openAccount();
    const { customerId } = account;
    account.do('creditCustomer', { customerId, amount: 22, currency: 'USD' });
    const presentment = { currency: 'USD', rate: 1.1 };
    const { id } = account.order(30, { presentment, storeCredit: '15' });
    expect(await account.creditOf(id)).toBe('15 of 15: 15 0 0');
  });

  it('is found in the account of its currency', async () => {
    const account = openAccount();
    const { customerId } = account;
    account.do('creditCustomer', { customerId, amount: 20, currency: 'USD' });
    account.gift(10);
    const { id } = account.order(10, { storeCredit: 'all' });
    expect(await account.creditOf(id)).toBe('10 of 10: 10 0 0');
  });

  it('is not known of a customer who was deleted', async () => {
    const account = openAccount();
    account.gift(10);
    const { id } = account.order(10, { storeCredit: 'all' });
    account.do('deleteCustomer', { customerId: account.customerId });
    expect(await account.creditOf(id)).toBe('10 of 10: 0 0 10');
  });

  it('is asked for only where the rules need it and store credit paid', async () => {
    const account = openAccount();
    account.gift(10);
    const paid = account.order(10, { storeCredit: 'all' });
    const { paidWithGiftCards } = await account.read(paid.id, { storeCredit: false });
    expect(paidWithGiftCards?.apart?.credit).toMatchObject({ paid: '10', mix: undefined });
    const refunded = account.order(20);
    account.do('refundOrder', { orderId: refunded.id, amount: 5, to: 'store-credit' });
    await account.read(refunded.id);
    await account.read(account.order(20).id);
    expect(account.asked.filter((name) => name.startsWith('Credit'))).toEqual([]);
  });

  it('is read on all pages until its debit, and not further', async () => {
    const account = openAccount();
    for (let i = 0; i < 120; i += 1) account.gift(1);
    const { id } = account.order(110, { storeCredit: 'all' });
    for (let i = 0; i < 120; i += 1) account.gift(1);
    expect(await account.creditOf(id)).toBe('110 of 110: 110 0 0');
    expect(account.asked.filter((name) => name === 'CreditHistory')).toHaveLength(2);
  });

  it('is the same whatever the size of a page, also of a payment in several debits', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('credit' as const), amount: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ kind: fc.constant('debit' as const), of: fc.constantFrom('ours', 'theirs') }),
    );
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (life, size) => {
        const { nodes, paid } = historyOf(life);
        const payment = { paymentIds: new Set(['ours']), paid, currency: 'EUR' };
        const read = (pageSize: number) => readCreditMix(pagesOf(nodes, pageSize), '1', payment);
        expect(await read(size)).toEqual(await read(nodes.length));
      }),
    );
  });

  it.each(['CreditAccounts', 'CreditHistory'])('waits while %s is not answered', async (name) => {
    const account = openAccount();
    account.gift(10);
    const { id } = account.order(10, { storeCredit: 'all' });
    const ask: Ask = async (document, variables) =>
      document.name === name ? failure('access-denied') : account.ask(document, variables);
    const answer = await readOrder(ask, id, { storeCredit: true }, {});
    expect(answer).toMatchObject({ kind: 'unavailable', misconfigured: true });
  });
});
