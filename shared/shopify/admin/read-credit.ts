import {
  type Amount,
  minorDigits,
  readAmount,
  share,
  smallest,
  subtract,
  sum,
  withoutSign,
  ZERO,
} from '../../store/money.ts';
import {
  type CreditMix,
  type CreditTransaction,
  creditIn,
  resizeCredit,
  splitPayment,
} from '../../store/store-credit.ts';
import { isGiftCard } from '../webhooks/read-order-webhook.ts';
import { type AdminFailure, failure } from './client/admin-answer.ts';
import type { Ask, DataOf } from './client/admin-client.ts';
import { creditAccountsDocument, creditHistoryDocument } from './documents.gen.ts';

interface CreditPayment {
  /** The order's transactions with store credit. */
  readonly paymentIds: ReadonlySet<string>;
  readonly paid: Amount;
  readonly currency: string;
}

type CreditRead = { readonly kind: 'read'; readonly mix: CreditMix } | AdminFailure;

/** What the payment was made of; all of it not known where no account of the customer shows it. */
export async function readCreditMix(
  ask: Ask,
  customerId: string | undefined,
  payment: CreditPayment,
): Promise<CreditRead> {
  const notKnown = { gifts: ZERO, refunds: ZERO, unknown: payment.paid };
  if (customerId === undefined) return { kind: 'read', mix: notKnown };
  const answer = await ask(creditAccountsDocument, { id: customerId });
  if (answer.kind === 'failure') return answer;
  const accounts =
    answer.kind === 'data' ? (answer.data.customer?.storeCreditAccounts.nodes ?? []) : [];
  for (const { id } of accounts) {
    const history = await readHistory(ask, id, payment);
    if (history.kind === 'failure') return history;
    const mix = splitPayment(history.transactions, payment.paymentIds);
    if (creditIn(mix) === ZERO) continue;
    const isOwn = history.currency === payment.currency;
    return { kind: 'read', mix: isOwn ? resizeCredit(mix, payment.paid) : convert(mix, payment) };
  }
  return { kind: 'read', mix: notKnown };
}

/** The customer paid in another currency, and so is their account. */
function convert(mix: CreditMix, { paid, currency }: CreditPayment): CreditMix {
  const part = (amount: Amount) => share(amount, paid, creditIn(mix), minorDigits(currency));
  const refunds = part(mix.refunds);
  const unknown = smallest([part(mix.unknown), subtract(paid, refunds)]) ?? ZERO;
  return { refunds, unknown, gifts: subtract(paid, sum([refunds, unknown])) };
}

type HistoryRead =
  | {
      readonly kind: 'read';
      readonly currency: string | undefined;
      readonly transactions: readonly CreditTransaction[];
    }
  | AdminFailure;

type Account = NonNullable<DataOf<typeof creditHistoryDocument>['storeCreditAccount']>;

/** Of 100: an account with more has been used every day for years. */
const MOST_PAGES = 50;

/** Until the debits of the payment. */
async function readHistory(
  ask: Ask,
  id: string,
  { paymentIds, paid, currency }: CreditPayment,
): Promise<HistoryRead> {
  const transactions: CreditTransaction[] = [];
  let own: string | undefined;
  let after: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const account: Account | AdminFailure = await readPage(ask, id, after);
    if ('kind' in account) return account;
    own = account.balance.currencyCode;
    transactions.push(...account.transactions.nodes.map(transactionOf));
    const { hasNextPage, endCursor } = account.transactions.pageInfo;
    const found = transactions.filter(
      (one) => one.kind === 'debit' && paymentIds.has(one.paymentId ?? ''),
    );
    const isWhole = own === currency && sum(found.map(({ amount }) => amount)) === paid;
    if (!hasNextPage || isWhole) break;
    if (endCursor === null || endCursor === after) return failure('unreadable-answer');
    after = endCursor;
  }
  return { kind: 'read', currency: own, transactions };
}

async function readPage(ask: Ask, id: string, after: string | null) {
  const answer = await ask(creditHistoryDocument, { id, after });
  if (answer.kind === 'failure') return answer;
  const account = answer.kind === 'data' ? answer.data.storeCreditAccount : undefined;
  return account ?? failure('changed-while-reading');
}

type HistoryNode = Account['transactions']['nodes'][number];

function transactionOf(node: HistoryNode): CreditTransaction {
  const fields = {
    createdAt: node.createdAt,
    // Below zero where the balance falls (Shopify, "storeCreditAccountDebit", the example).
    amount: withoutSign(amountIn(node.amount)),
    balance: amountIn(node.balanceAfterTransaction),
  };
  switch (node.__typename) {
    case 'StoreCreditAccountCreditTransaction': {
      const { id, expiresAt, event, origin } = node;
      // What a gift card or store credit had paid may never have earned.
      const isOfGift = isGiftCard(origin?.parentTransaction?.gateway ?? null);
      const source = isOfGift ? 'unknown' : (SOURCES[event] ?? 'unknown');
      return { ...fields, kind: 'credit', id, source, expiresAt: expiresAt ?? undefined };
    }
    case 'StoreCreditAccountDebitTransaction':
      return { ...fields, kind: 'debit', id: node.id, paymentId: node.origin?.id };
    case 'StoreCreditAccountDebitRevertTransaction':
      return { ...fields, kind: 'debit-revert', debitId: node.debitTransaction.id };
    case 'StoreCreditAccountExpirationTransaction':
      return { ...fields, kind: 'expiration', creditId: node.creditTransaction.id };
  }
}

/** Shopify, "StoreCreditSystemEvent". What other events credit is not documented. */
const SOURCES: Partial<Record<HistoryNode['event'], 'gift' | 'refund'>> = {
  ADJUSTMENT: 'gift',
  ORDER_REFUND: 'refund',
  ORDER_CANCELLATION: 'refund',
};

function amountIn({ amount }: HistoryNode['amount']): Amount {
  const read = readAmount(amount);
  if (read === undefined) throw new TypeError('an amount that is none');
  return read;
}
