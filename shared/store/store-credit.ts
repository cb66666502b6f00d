import { type Amount, atLeastZero, smallest, subtract, sum, ZERO } from './money.ts';

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

/** What an amount of store credit is made of. `gifts` and `refunds` are at least that much; the rest is either. */
export interface CreditMix {
  readonly gifts: Amount;
  readonly refunds: Amount;
  readonly unknown: Amount;
}

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

/** What is known of an amount after a part of it went back. */
export function creditLeft(mix: CreditMix, left: Amount): CreditMix {
  return divide(mix, atLeastZero(subtract(creditIn(mix), left))).left;
}

/** The same amount of another size: what is missing is not known, nor what was taken too much. */
export function resizeCredit(mix: CreditMix, size: Amount): CreditMix {
  return divide(mix, size).taken;
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
      const part = smallest([missing, creditIn(lot.mix)]) ?? ZERO;
      const divided = divide(lot.mix, part);
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
    const back = isWhole ? parts : [{ endsAt, mix: divide(content, amount).taken }];
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

export const creditIn = ({ gifts, refunds, unknown }: CreditMix): Amount =>
  sum([gifts, refunds, unknown]);

function mixOf(mixes: readonly CreditMix[]): CreditMix {
  return {
    gifts: sum(mixes.map(({ gifts }) => gifts)),
    refunds: sum(mixes.map(({ refunds }) => refunds)),
    unknown: sum(mixes.map(({ unknown }) => unknown)),
  };
}

/** Takes an amount from a mix without knowing which part of it: what must be in it, and what must be left. */
function divide(mix: CreditMix, amount: Amount): { taken: CreditMix; left: CreditMix } {
  const rest = atLeastZero(subtract(creditIn(mix), amount));
  const least = (part: Amount, others: Amount) => atLeastZero(subtract(part, others));
  const withRest = (size: Amount, gifts: Amount, refunds: Amount): CreditMix => ({
    ...{ gifts, refunds },
    unknown: atLeastZero(subtract(size, sum([gifts, refunds]))),
  });
  return {
    taken: withRest(amount, least(mix.gifts, rest), least(mix.refunds, rest)),
    left: withRest(rest, least(mix.gifts, amount), least(mix.refunds, amount)),
  };
}

/** Takes an amount of which it is known what it was. */
function without(mix: CreditMix, part: keyof CreditMix, amount: Amount): CreditMix {
  if (part === 'unknown') return divide(mix, amount).left;
  const known = atLeastZero(subtract(mix[part], amount));
  const others = part === 'gifts' ? mix.refunds : mix.gifts;
  const unknown = atLeastZero(subtract(subtract(creditIn(mix), amount), sum([known, others])));
  return { ...mix, [part]: known, unknown };
}
