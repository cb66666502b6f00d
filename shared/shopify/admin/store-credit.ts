import type {
  CreditMade,
  CreditShopRead,
  CreditsRead,
  RewardStore,
  StoreCredit,
  WantedCredit,
} from '../../rewards/redeem/reward-store.ts';
import { decimalOf, minorDigits, readAmount, round, textOf } from '../../store/money.ts';
import { type FailureReason, failure, unavailable } from './client/admin-answer.ts';
import type { Ask, DataOf } from './client/admin-client.ts';
import {
  creditStoreCreditDocument,
  moreStoreCreditsDocument,
  storeCreditAccountsDocument,
  storeCreditShopDocument,
} from './documents.gen.ts';

export async function readCreditShop(ask: Ask): Promise<CreditShopRead> {
  const answer = await ask(storeCreditShopDocument, {});
  if (answer.kind !== 'data') return unavailable(answer);
  const { shop, storeCreditConfiguration } = answer.data;
  const isEnabled = storeCreditConfiguration.storeCreditEnabled;
  return { kind: 'read', currency: shop.currencyCode, isEnabled };
}

/** The store answers so before it executes anything. All else may have credited: also a denied field of the answer. */
const NOT_SENT: ReadonlySet<FailureReason> = new Set([
  'throttled',
  'unauthorized',
  'no-credentials',
  'bad-credentials',
  'credentials-unreachable',
]);

type CurrencyCode = DataOf<typeof storeCreditShopDocument>['shop']['currencyCode'];

/** A missing account is created (Shopify, "storeCreditAccountCredit"). */
export async function giveStoreCredit(
  ask: Ask,
  { customerId, amount, currency, expiresAt }: WantedCredit,
): Promise<CreditMade> {
  const text = textOf(round(decimalOf(amount), minorDigits(currency)));
  // It was the store's own answer.
  const currencyCode = currency as CurrencyCode;
  const answer = await ask(creditStoreCreditDocument, {
    id: customerGid(customerId),
    creditInput: { creditAmount: { amount: text, currencyCode }, expiresAt },
  });
  if (answer.kind === 'failure') {
    return { ...unavailable(answer), notSent: NOT_SENT.has(answer.reason) };
  }
  if (answer.kind === 'user-errors') {
    return { kind: 'refused', code: answer.errors[0]?.code ?? 'unnamed' };
  }
  const made = answer.data.storeCreditAccountCredit?.storeCreditAccountTransaction;
  return made
    ? { kind: 'credited', transactionId: made.id, expiresAt: made.expiresAt }
    : unavailable(failure('unreadable-answer'));
}

type MoreCredits = DataOf<typeof moreStoreCreditsDocument>['storeCreditAccount'];
type Transaction = NonNullable<MoreCredits>['transactions']['nodes'][number];

/** A customer with more transactions since then is no shopper. */
const MOST_PAGES = 20;

/** Newest first, so it ends with the first older one. */
export async function readStoreCredits(
  ask: Ask,
  { customerId, currency, since }: Parameters<RewardStore['readCredits']>[1],
): Promise<CreditsRead> {
  const answer = await ask(storeCreditAccountsDocument, { id: customerGid(customerId) });
  if (answer.kind !== 'data') return unavailable(answer);
  const { customer, storeCreditConfiguration } = answer.data;
  // No account may then mean that it is not shown.
  if (!storeCreditConfiguration.storeCreditEnabled) {
    return { kind: 'unavailable', why: 'store-credit-disabled', misconfigured: true };
  }
  const account = customer?.storeCreditAccounts.nodes.find(
    ({ balance }) => balance.currencyCode === currency,
  );
  const credits: StoreCredit[] = [];
  let page = account?.transactions;
  for (let pages = 1; page && account; pages += 1) {
    const recent = page.nodes.filter(({ createdAt }) => Date.parse(createdAt) >= since.getTime());
    credits.push(...recent.flatMap(creditOf));
    const { hasNextPage, endCursor: after } = page.pageInfo;
    if (!hasNextPage || recent.length < page.nodes.length) break;
    if (after === null || pages === MOST_PAGES) return unavailable(failure('unreadable-answer'));
    const next = await ask(moreStoreCreditsDocument, { id: account.id, after });
    if (next.kind !== 'data') return unavailable(next);
    if (!next.data.storeCreditAccount) return unavailable(failure('changed-while-reading'));
    page = next.data.storeCreditAccount.transactions;
  }
  return { kind: 'read', credits };
}

/** Shopify, "StoreCreditSystemEvent": what an order or its payment caused. A new event may be one of ours. */
const OF_ORDERS: ReadonlySet<string> = new Set<Transaction['event']>([
  'ORDER_CANCELLATION',
  'ORDER_PAYMENT',
  'ORDER_REFUND',
  'PAYMENT_FAILURE',
  'PAYMENT_RETURNED',
  'TAX_FINALIZATION',
]);

function creditOf(transaction: Transaction): readonly StoreCredit[] {
  if (transaction.__typename !== 'StoreCreditAccountCreditTransaction') return [];
  const { id, createdAt, expiresAt, event, amount } = transaction;
  const read = readAmount(amount.amount);
  if (read === undefined) throw new TypeError('an amount that is none');
  return OF_ORDERS.has(event) ? [] : [{ id, amount: read, createdAt, expiresAt }];
}

const customerGid = (id: string): string => `gid://shopify/Customer/${id}`;
