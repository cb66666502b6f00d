import { minorDigits } from '../../../shared/store/money.ts';
import { presentmentMinor } from '../payloads/json-values.ts';
import { parseMinor } from './minor-units.ts';
import type {
  BookedAs,
  OrderRow,
  StoreCreditAccountRow,
  StoreCreditEvent,
  StoreCreditRow,
  StoreCreditTransactionRow,
  TransactionRow,
} from './rows.ts';
import {
  done,
  type Input,
  moment,
  type Outcome,
  type Refused,
  refused,
  type World,
} from './world.ts';

export const STORE_CREDIT = 'shopify_store_credit';

interface Cause {
  readonly event: StoreCreditEvent;
  /** The order's transaction. */
  readonly origin: { readonly orderId: string; readonly transactionId: string } | null;
}

const ADJUSTMENT: Cause = { event: 'ADJUSTMENT', origin: null };

/** The merchant or an app gives credit. */
export function creditCustomer(
  world: World,
  input: Input<'creditChange'>,
): Outcome<StoreCreditRow> {
  const { customerId, currency = world.shop.currency, expiresAt } = input;
  const minor = parseMinor(input.amount, minorDigits(currency));
  const made = credit(world, { customerId, currency }, minor ?? 0, expiresAt ?? null, ADJUSTMENT);
  return 'why' in made ? made : done(made);
}

/** Store credit was taken at the checkout, then another payment failed: there is no order. */
export function failCheckout(
  world: World,
  { customerId, amount }: Input<'failedCheckout'>,
): Outcome<StoreCreditTransactionRow> {
  const { currency } = world.shop;
  const minor = parseMinor(amount, minorDigits(currency));
  const cause = { event: 'ORDER_PAYMENT', origin: null } as const;
  const taken = debit(world, { customerId, currency }, minor ?? 0, cause);
  if ('why' in taken) return taken;
  return done(revert(world, taken, -taken.minor, { event: 'PAYMENT_FAILURE', origin: null }));
}

/**
 * Makes the account follow its order: a payment debits it; a refund of that payment reverts the debit, and a refund
 * of another payment to store credit is a new credit. Nothing is changed if the store refuses.
 */
export function settleStoreCredit(
  world: World,
  before: OrderRow | undefined,
  after: OrderRow,
  refundEvent: 'ORDER_REFUND' | 'ORDER_CANCELLATION' = 'ORDER_REFUND',
  expiresAt: string | null = null,
): Refused | undefined {
  const settled = new Set(before?.transactions.filter(isDone).map(({ id }) => id));
  const news = after.transactions.filter(
    (one) => one.gateway === STORE_CREDIT && isDone(one) && !settled.has(one.id),
  );
  for (const one of news) {
    const problem = settleTransaction(world, after, one, refundEvent, expiresAt);
    if (problem) return problem;
  }
  return undefined;
}

const isDone = ({ status }: TransactionRow) => status === 'success';

function settleTransaction(
  world: World,
  order: OrderRow,
  transaction: TransactionRow,
  refundEvent: StoreCreditEvent,
  expiresAt: string | null,
): Refused | undefined {
  const { customerId, presentment } = order;
  const origin = { orderId: order.id, transactionId: transaction.id };
  // Only the balance in the checkout's currency can pay (Shopify, "Store credit").
  const currency = presentment?.currency ?? order.currency;
  const minor = presentmentMinor(order, transaction.minor);
  switch (transaction.kind) {
    case 'authorization':
    case 'sale': {
      if (customerId === null) return refused('Only a customer has store credit.');
      const taken = debit(world, { customerId, currency }, minor, {
        event: 'ORDER_PAYMENT',
        origin,
      });
      return 'why' in taken ? taken : undefined;
    }
    case 'capture':
      // The authorization debited the account.
      return undefined;
    case 'void':
    case 'refund': {
      const paid = debitOf(world, order, transaction.parentId);
      const event = transaction.kind === 'void' ? 'ORDER_CANCELLATION' : refundEvent;
      if (paid) {
        revert(world, paid, minor, { event, origin });
        return undefined;
      }
      // The account of a deleted customer is gone.
      if (customerId === null) return undefined;
      const given = credit(world, { customerId, currency }, minor, expiresAt, { event, origin });
      return 'why' in given ? given : undefined;
    }
  }
}

/** The debit of a payment, or of the authorization that it captured. */
function debitOf({ rows }: World, order: OrderRow, paymentId: string | null) {
  const payment = order.transactions.find(({ id }) => id === paymentId);
  const ids = [payment?.id, payment?.parentId];
  return [...rows.storeCreditTransactions.values()].find(
    (one) => one.kind === 'debit' && ids.includes(one.originId ?? ''),
  );
}

type Owner = Pick<StoreCreditAccountRow, 'customerId' | 'currency'>;

function credit(
  world: World,
  owner: Owner,
  minor: number,
  expiresAt: string | null,
  cause: Cause,
): StoreCreditRow | Refused {
  const { rows, shop, now } = world;
  if (!rows.customers.get(owner.customerId)) {
    return refused('Owner does not exist', 'OWNER_NOT_FOUND');
  }
  const currencies = [shop.currency, ...shop.storeCreditCurrencies];
  if (cause.origin === null && !currencies.includes(owner.currency)) {
    return refused('Currency is not supported', 'UNSUPPORTED_CURRENCY');
  }
  if (minor <= 0) {
    return refused('A positive amount must be used to credit', 'NEGATIVE_OR_ZERO_AMOUNT');
  }
  if (expiresAt !== null && Date.parse(expiresAt) <= now().getTime()) {
    return refused('The expiry date must be in the future', 'EXPIRES_AT_IN_PAST');
  }
  const account = accountOf(world, owner);
  const limit = shop.storeCreditLimit * 10 ** minorDigits(owner.currency);
  if ((account?.balanceMinor ?? 0) + minor > limit) {
    return refused('The operation would exceed the credit limit', 'CREDIT_LIMIT_EXCEEDED');
  }
  return book(world, account ?? openAccount(world, owner), minor, cause, {
    kind: 'credit',
    expiresAt: expiresAt && moment({ now: () => new Date(expiresAt) }),
    remainingMinor: minor,
    expiredMinor: 0,
  });
}

/**
 * "Debit transactions will always spend the soonest expiring credit first" (Shopify, the object
 * StoreCreditAccountCreditTransaction). Among credits that end at the same time, or never, the oldest is spent
 * first here; that order is not documented.
 */
function debit(
  world: World,
  owner: Owner,
  minor: number,
  cause: Cause,
): StoreCreditTransactionRow | Refused {
  if (minor <= 0) return refused('A positive amount must be used', 'NEGATIVE_OR_ZERO_AMOUNT');
  const account = accountOf(world, owner);
  if (!account || account.balanceMinor < minor) {
    return refused(
      'The store credit account does not have sufficient funds to satisfy the request',
      'INSUFFICIENT_FUNDS',
    );
  }
  let left = minor;
  const spent: { creditId: string; minor: number }[] = [];
  const never = '9999';
  const soonest = creditsOf(world, account.id).toSorted((one, other) =>
    (one.expiresAt ?? never).localeCompare(other.expiresAt ?? never),
  );
  for (const one of soonest) {
    const part = Math.min(left, one.remainingMinor - one.expiredMinor);
    if (part === 0) continue;
    left -= part;
    spent.push({ creditId: one.id, minor: part });
    keep(world, { ...one, remainingMinor: one.remainingMinor - part });
  }
  return book(world, account, -minor, cause, { kind: 'debit', spent });
}

/** To the credits that were spent, the last first; whether the real store begins with it is not documented. */
function revert(
  world: World,
  paid: StoreCreditTransactionRow,
  minor: number,
  cause: Cause,
): StoreCreditTransactionRow {
  const { storeCreditTransactions, storeCreditAccounts } = world.rows;
  const owner = storeCreditAccounts.get(paid.accountId)?.customerId ?? '';
  const account = accountsOf(world, owner).find(({ id }) => id === paid.accountId);
  if (!account) throw new Error('A debit has an account.');
  const spent = paid.kind === 'debit' ? paid.spent : [];
  const returned: { creditId: string; minor: number }[] = [];
  let left = minor;
  for (const one of spent.toReversed()) {
    const credit = storeCreditTransactions.get(one.creditId);
    const part = Math.min(left, one.minor);
    if (credit?.kind !== 'credit' || part === 0) continue;
    left -= part;
    returned.push({ creditId: one.creditId, minor: part });
    keep(world, { ...credit, remainingMinor: credit.remainingMinor + part });
  }
  const back = (creditId: string) => returned.find((one) => one.creditId === creditId)?.minor ?? 0;
  const stillSpent = spent.map((one) => ({ ...one, minor: one.minor - back(one.creditId) }));
  keep(world, { ...paid, kind: 'debit', spent: stillSpent });
  return book(world, account, minor - left, cause, { kind: 'debit-revert', debitId: paid.id });
}

const keep = ({ rows }: World, row: StoreCreditTransactionRow) =>
  rows.storeCreditTransactions.put(row.id, row);

function openAccount({ rows, ids }: World, { customerId, currency }: Owner) {
  const account = { id: ids.next('StoreCreditAccount'), customerId, currency, balanceMinor: 0 };
  rows.storeCreditAccounts.put(account.id, account);
  return account;
}

/** The account as it is now. */
function accountOf(world: World, { customerId, currency }: Owner) {
  return accountsOf(world, customerId).find((account) => account.currency === currency);
}

/** With what has expired by now taken off. */
export function accountsOf(world: World, customerId: string): StoreCreditAccountRow[] {
  const { storeCreditAccounts } = world.rows;
  return [...storeCreditAccounts.values()]
    .filter((account) => account.customerId === customerId)
    .map((account) => expireCredits(world, account));
}

/** In the order in which they were made. */
export function transactionsOf({ rows }: World, accountId: string): StoreCreditTransactionRow[] {
  return [...rows.storeCreditTransactions.values()].filter((row) => row.accountId === accountId);
}

const creditsOf = (world: World, accountId: string): StoreCreditRow[] =>
  transactionsOf(world, accountId).filter((row) => row.kind === 'credit');

function expireCredits(world: World, account: StoreCreditAccountRow): StoreCreditAccountRow {
  const now = moment(world);
  const ended = creditsOf(world, account.id)
    .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
    .filter(({ remainingMinor, expiredMinor }) => remainingMinor > expiredMinor)
    .toSorted((one, other) => (one.expiresAt ?? '').localeCompare(other.expiresAt ?? ''));
  let current = account;
  for (const credit of ended) {
    const { remainingMinor, expiredMinor, expiresAt, id } = credit;
    const latest = transactionsOf(world, account.id).at(-1)?.createdAt ?? now;
    const at = expiresAt !== null && expiresAt > latest ? expiresAt : latest;
    const rest = { kind: 'expiration' as const, creditId: id };
    book(world, current, expiredMinor - remainingMinor, ADJUSTMENT, rest, at);
    keep(world, { ...credit, expiredMinor: remainingMinor });
    current = world.rows.storeCreditAccounts.get(account.id) ?? current;
  }
  return current;
}

function book<Rest extends BookedAs>(
  { rows, ids, now }: World,
  account: StoreCreditAccountRow,
  minor: number,
  { event, origin }: Cause,
  rest: Rest,
  createdAt = moment({ now }),
) {
  const balanceMinor = account.balanceMinor + minor;
  const row = {
    id: ids.next('StoreCreditAccountTransaction'),
    accountId: account.id,
    createdAt,
    minor,
    balanceAfterMinor: balanceMinor,
    event,
    originId: origin?.transactionId ?? null,
    orderId: origin?.orderId ?? null,
    ...rest,
  };
  rows.storeCreditAccounts.put(account.id, { ...account, balanceMinor });
  rows.storeCreditTransactions.put(row.id, row);
  return row;
}
