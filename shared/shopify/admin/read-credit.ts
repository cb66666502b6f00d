import {
  type Amount,
  atLeastZero,
  minorDigits,
  readAmount,
  share,
  smallest,
  subtract,
  sum,
  withoutSign,
  ZERO,
} from '../../store/money.ts';
import { type CreditMix, creditIn, divideCredit } from '../../store/store-credit.ts';
import { isGiftCard } from '../webhooks/read-event.ts';
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
    return { kind: 'read', mix: isOwn ? resize(mix, payment.paid) : convert(mix, payment) };
  }
  return { kind: 'read', mix: notKnown };
}

/** What is missing is not known, nor which part was too much. */
const resize = (mix: CreditMix, size: Amount): CreditMix => divideCredit(mix, size).taken;

/** The customer paid in another currency, and so is their account. */
function convert(mix: CreditMix, { paid, currency }: CreditPayment): CreditMix {
  const part = (amount: Amount) => share(amount, paid, creditIn(mix), minorDigits(currency));
  const refunds = part(mix.refunds);
  const unknown = smallest([part(mix.unknown), subtract(paid, refunds)]);
  return { refunds, unknown, gifts: subtract(paid, sum([refunds, unknown])) };
}

type HistoryRead =
  | {
      readonly kind: 'read';
      readonly currency: string | undefined;
      readonly transactions: readonly CreditTransaction[];
    }
  | AdminFailure;

type AccountNode = NonNullable<DataOf<typeof creditHistoryDocument>['storeCreditAccount']>;

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
    const account: AccountNode | AdminFailure = await readPage(ask, id, after);
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

type HistoryNode = AccountNode['transactions']['nodes'][number];

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

/** A transaction of a customer's account of store credit, in its currency. */
export type CreditTransaction = {
  readonly createdAt: string;
  /** Without a sign. */
  readonly amount: Amount;
  /** Of the account, after it. */
  readonly balance: Amount;
} & (
  | {
      readonly kind: 'credit';
      readonly id: string;
      /** A gift is what the merchant or an app gave; a refund is money that was paid before. */
      readonly source: 'gift' | 'refund' | 'unknown';
      /** Undefined if it never ends. */
      readonly expiresAt: string | undefined;
    }
  /** `paymentId`: the order's transaction, if the account names it. */
  | { readonly kind: 'debit'; readonly id: string; readonly paymentId: string | undefined }
  /** What a debit took comes back to the credits that it spent. */
  | { readonly kind: 'debit-revert'; readonly debitId: string }
  | { readonly kind: 'expiration'; readonly creditId: string }
);

const NOTHING: CreditMix = { gifts: ZERO, refunds: ZERO, unknown: ZERO };

const PARTS = { gift: 'gifts', refund: 'refunds', unknown: 'unknown' } as const;

/**
 * What some payments of an order were made of. "Debit transactions will always spend the soonest expiring credit first"
 * (Shopify, the object StoreCreditAccountCreditTransaction). Not documented, so not known here: which of two credits
 * is spent first that end at the same time, and to which credit a part of a payment comes back.
 *
 * `transactions`: those of the account, the oldest first, at least until the debits of these payments. What follows a
 * debit never changes what it spent.
 */
export function splitPayment(
  transactions: readonly CreditTransaction[],
  paymentIds: ReadonlySet<string>,
): CreditMix {
  const account = new Account();
  const spent = transactions.map((one) => {
    const paid = account.book(one);
    const isOurs = one.kind === 'debit' && paymentIds.has(one.paymentId ?? '');
    return isOurs ? paid : NOTHING;
  });
  return mixOf(spent);
}

/** Credits that end at the same time. */
interface Lot {
  /** In epoch milliseconds; infinite if they never end; undefined if it is not known. */
  readonly endsAt: number | undefined;
  readonly mix: CreditMix;
}

/** The account after the transactions so far. */
class Account {
  /** The soonest end first. Only one where an end is not known: then any of it may be spent first. */
  #lots: readonly Lot[] = [];
  readonly #credits = new Map<string, { part: keyof CreditMix; endsAt: number }>();
  /** What each debit took of which lots. */
  readonly #spent = new Map<string, readonly Lot[]>();

  /** What a debit spent. */
  book(transaction: CreditTransaction): CreditMix {
    const { amount } = transaction;
    this.#check(transaction);
    switch (transaction.kind) {
      case 'credit': {
        const { id, source, expiresAt } = transaction;
        const endsAt = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
        this.#credits.set(id, { part: PARTS[source], endsAt });
        this.#add({ endsAt, mix: { ...NOTHING, [PARTS[source]]: amount } });
        return NOTHING;
      }
      case 'debit': {
        const parts = this.#spend(amount, Date.parse(transaction.createdAt));
        this.#spent.set(transaction.id, parts);
        return contentOf(parts);
      }
      case 'debit-revert':
        this.#giveBack(amount, transaction.debitId);
        return NOTHING;
      case 'expiration':
        this.#expire(amount, transaction.creditId);
        return NOTHING;
    }
  }

  /** Where the balance is another than the transactions so far add up to, nothing is known of it. */
  #check({ kind, amount, balance }: CreditTransaction): void {
    const isRise = kind === 'credit' || kind === 'debit-revert';
    const before = isRise ? subtract(balance, amount) : sum([balance, amount]);
    if (creditIn(contentOf(this.#lots)) === before) return;
    this.#lots = [{ endsAt: undefined, mix: { ...NOTHING, unknown: atLeastZero(before) } }];
  }

  #add(added: Lot): void {
    const lots = [...this.#lots.filter(({ mix }) => creditIn(mix) !== ZERO), added];
    if (lots.some(({ endsAt }) => endsAt === undefined)) {
      this.#lots = [{ endsAt: undefined, mix: contentOf(lots) }];
      return;
    }
    const byEnd = Map.groupBy(lots, ({ endsAt }) => endsAt);
    this.#lots = [...byEnd]
      .map(([endsAt, same]) => ({ endsAt, mix: contentOf(same) }))
      .toSorted((one, other) => ((one.endsAt ?? 0) < (other.endsAt ?? 0) ? -1 : 1));
  }

  #spend(amount: Amount, now: number): readonly Lot[] {
    const hasEnded = ({ endsAt = now + 1 }: Lot) => endsAt <= now;
    const parts: Lot[] = [];
    const left = new Map<Lot, CreditMix>();
    let missing = amount;
    for (const lot of this.#lots.toSorted((a, b) => Number(hasEnded(a)) - Number(hasEnded(b)))) {
      const part = smallest([missing, creditIn(lot.mix)]);
      const divided = divideCredit(lot.mix, part);
      missing = subtract(missing, part);
      left.set(lot, divided.left);
      if (part !== ZERO) parts.push({ ...lot, mix: divided.taken });
    }
    this.#lots = this.#lots.map((lot) => ({ ...lot, mix: left.get(lot) ?? lot.mix }));
    return parts;
  }

  #giveBack(amount: Amount, debitId: string): void {
    const parts = this.#spent.get(debitId) ?? [];
    const content = contentOf(parts);
    const endsAt = parts.length === 1 ? parts[0]?.endsAt : undefined;
    const isWhole = creditIn(content) === amount;
    const back = isWhole ? parts : [{ endsAt, mix: divideCredit(content, amount).taken }];
    for (const lot of back) this.#add(lot);
  }

  #expire(amount: Amount, creditId: string): void {
    const { part = 'unknown', endsAt } = this.#credits.get(creditId) ?? {};
    this.#lots = this.#lots.map((lot) =>
      lot.endsAt === undefined || lot.endsAt === endsAt
        ? { ...lot, mix: without(lot.mix, part, amount) }
        : lot,
    );
  }
}

const contentOf = (lots: readonly Lot[]): CreditMix => mixOf(lots.map(({ mix }) => mix));

function mixOf(mixes: readonly CreditMix[]): CreditMix {
  return {
    gifts: sum(mixes.map(({ gifts }) => gifts)),
    refunds: sum(mixes.map(({ refunds }) => refunds)),
    unknown: sum(mixes.map(({ unknown }) => unknown)),
  };
}

/** Takes an amount of which it is known what it was. */
function without(mix: CreditMix, part: keyof CreditMix, amount: Amount): CreditMix {
  if (part === 'unknown') return divideCredit(mix, amount).left;
  const known = atLeastZero(subtract(mix[part], amount));
  const others = part === 'gifts' ? mix.refunds : mix.gifts;
  const unknown = atLeastZero(subtract(subtract(creditIn(mix), amount), sum([known, others])));
  return { ...mix, [part]: known, unknown };
}
