import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CreditTransaction,
  splitPayment,
} from '../../../../shared/shopify/admin/read-credit.ts';
import { amount } from '../../../fixtures/store-entities.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-10-01T00:00:00Z');
const at = (day: number) => new Date(START + day * DAY).toISOString();

type Told = CreditTransaction;

/** Writes an account's history; each transaction a second after the one before, unless a day is given. */
function openAccount() {
  const told: Told[] = [];
  let cents = 0;
  let seconds = 0;
  const write = (by: number, rest: object, day?: number) => {
    cents += by;
    seconds = day === undefined ? seconds + 1 : day * 86_400;
    const createdAt = new Date(START + seconds * 1000).toISOString();
    const money = { amount: amount(String(Math.abs(by) / 100)), balance: amount(`${cents / 100}`) };
    told.push({ createdAt, ...money, ...rest } as Told);
  };
  let ids = 0;
  const next = () => {
    ids += 1;
    return String(ids);
  };
  return {
    told,
    credit(source: 'gift' | 'refund' | 'unknown', by: number, expiresDay?: number) {
      const id = next();
      const expiresAt = expiresDay === undefined ? undefined : at(expiresDay);
      write(by, { kind: 'credit', id, source, expiresAt });
      return id;
    },
    debit(by: number, paymentId?: string, day?: number) {
      const id = next();
      write(-by, { kind: 'debit', id, paymentId }, day);
      return id;
    },
    revert: (by: number, debitId: string) => write(by, { kind: 'debit-revert', debitId }),
    expire: (by: number, creditId: string, day?: number) =>
      write(-by, { kind: 'expiration', creditId }, day),
  };
}

/** `gifts / refunds / not known` of the payment `p`. */
function splitOf({ told }: { readonly told: readonly Told[] }, ...payments: readonly string[]) {
  const { gifts, refunds, unknown } = splitPayment(told, new Set(payments));
  return [gifts, refunds, unknown].join(' / ');
}

describe('what a payment with store credit was', () => {
  it('spends the credit that expires first: 10 of a gift, then 5 of a refund', () => {
    const account = openAccount();
    account.credit('refund', 1000, 60);
    account.credit('gift', 1000, 30);
    account.debit(1500, 'p');
    expect(splitOf(account, 'p')).toBe('10 / 5 / 0');
  });

  it('spends a credit without an end last', () => {
    const account = openAccount();
    account.credit('refund', 1000);
    account.credit('gift', 1000, 3650);
    account.debit(1200, 'p');
    expect(splitOf(account, 'p')).toBe('10 / 2 / 0');
  });

  it('is another for each of several orders', () => {
    const account = openAccount();
    account.credit('gift', 1000, 30);
    account.credit('refund', 1000, 60);
    account.debit(600, 'a');
    account.debit(600, 'b');
    account.debit(600, 'c');
    expect(splitOf(account, 'a')).toBe('6 / 0 / 0');
    expect(splitOf(account, 'b')).toBe('4 / 2 / 0');
    expect(splitOf(account, 'c')).toBe('0 / 6 / 0');
    expect(splitOf(account, 'a', 'c')).toBe('6 / 6 / 0');
  });

  it('has nothing of a credit that has expired, also where the store has not written that yet', () => {
    const account = openAccount();
    const gift = account.credit('gift', 1000, 5);
    account.credit('refund', 1000);
    account.expire(1000, gift, 5);
    account.debit(500, 'p', 6);
    expect(splitOf(account, 'p')).toBe('0 / 5 / 0');
    const late = openAccount();
    late.credit('gift', 1000, 5);
    late.credit('refund', 1000);
    late.debit(500, 'p', 6);
    expect(splitOf(late, 'p')).toBe('0 / 5 / 0');
  });

  it('is not known where credits of both kinds end at the same time, as far as it matters', () => {
    const account = openAccount();
    account.credit('gift', 1000);
    account.credit('refund', 400);
    account.debit(600, 'a');
    account.debit(800, 'b');
    expect(splitOf(account, 'a')).toBe('2 / 0 / 4');
    expect(splitOf(account, 'b')).toBe('4 / 0 / 4');
    expect(splitOf(account, 'a', 'b')).toBe('6 / 0 / 8');
  });

  it('is known again after an ambiguous account was empty', () => {
    const account = openAccount();
    account.credit('gift', 1000);
    account.credit('refund', 400);
    account.debit(700);
    account.debit(700);
    account.credit('refund', 300);
    account.debit(300, 'p');
    expect(splitOf(account, 'p')).toBe('0 / 3 / 0');
  });

  it('is spent again as what it was after a failed payment or a full refund', () => {
    const account = openAccount();
    account.credit('gift', 1000, 30);
    account.credit('refund', 1000, 60);
    const failed = account.debit(1500);
    account.revert(1500, failed);
    account.debit(1500, 'p');
    expect(splitOf(account, 'p')).toBe('10 / 5 / 0');
  });

  it('is not known where a part of a mixed payment came back before', () => {
    const account = openAccount();
    account.credit('gift', 1000, 30);
    account.credit('refund', 1000, 60);
    const first = account.debit(2000);
    account.revert(500, first);
    account.debit(500, 'p');
    expect(splitOf(account, 'p')).toBe('0 / 0 / 5');
    const same = openAccount();
    same.credit('gift', 2000, 30);
    same.revert(500, same.debit(2000));
    same.debit(500, 'p');
    expect(splitOf(same, 'p')).toBe('5 / 0 / 0');
  });

  it('is known better once a credit of a mixed account expires', () => {
    const account = openAccount();
    const gift = account.credit('gift', 1000, 30);
    account.credit('refund', 1000, 60);
    account.revert(1500, account.debit(2000));
    account.expire(800, gift, 30);
    account.debit(700, 'p', 31);
    expect(splitOf(account, 'p')).toBe('0 / 5 / 2');
  });

  it('is not known of a credit that neither gave', () => {
    const account = openAccount();
    account.credit('unknown', 1000);
    account.debit(500, 'p');
    expect(splitOf(account, 'p')).toBe('0 / 0 / 5');
  });

  it('is not known where the balances do not add up, until the account was empty', () => {
    const account = openAccount();
    account.credit('refund', 1000);
    account.credit('refund', 1000);
    account.debit(500, 'p');
    account.debit(1500);
    account.credit('refund', 700);
    account.debit(700, 'q');
    const missing = { told: account.told.toSpliced(0, 1) };
    expect(splitOf(missing, 'p')).toBe('0 / 0 / 5');
    expect(splitOf(missing, 'q')).toBe('0 / 7 / 0');
  });

  it('is not known of what a debit gave back that the account does not show', () => {
    const account = openAccount();
    account.credit('refund', 1000);
    account.revert(1000, account.debit(1000));
    account.debit(1000, 'p');
    const missing = { told: account.told.slice(2) };
    expect(splitOf(missing, 'p')).toBe('0 / 0 / 10');
  });

  it('is nothing without a debit of the payment', () => {
    const account = openAccount();
    account.credit('refund', 1000);
    account.debit(500);
    expect(splitOf(account, 'p')).toBe('0 / 0 / 0');
  });
});

/** One credit of an account as the store knows it. */
interface Lot {
  readonly id: string;
  readonly isGift: boolean;
  readonly expiresDay: number | undefined;
  left: number;
}

const anyStep = fc.record({
  kind: fc.constantFrom('credit', 'credit', 'debit', 'debit', 'revert', 'expire'),
  isGift: fc.boolean(),
  cents: fc.integer({ min: 1, max: 2000 }),
  expiresDay: fc.constantFrom(undefined, undefined, 30, 30, 31, 32, 33),
  pick: fc.nat(99),
  /** How the store decides what is not documented. */
  choice: fc.boolean(),
});

/** Any account, with what the store really spent for each payment. */
const anyAccount = fc.array(anyStep, { minLength: 2, maxLength: 14 }).map((steps) => {
  const account = openAccount();
  const lots: Lot[] = [];
  const debits: { id: string; paid: { lot: Lot; cents: number }[] }[] = [];
  const payments = new Map<string, { gifts: number; refunds: number }>();
  for (const { kind, isGift, cents, expiresDay, pick, choice } of steps) {
    if (kind === 'credit') {
      const id = account.credit(isGift ? 'gift' : 'refund', cents, expiresDay);
      lots.push({ id, isGift, expiresDay, left: cents });
    } else if (kind === 'debit') {
      const balance = lots.reduce((sum, { left }) => sum + left, 0);
      let left = Math.min(cents, balance);
      if (left === 0) continue;
      const paymentId = `p${debits.length}`;
      const id = account.debit(left, paymentId);
      const ties = choice ? lots.toReversed() : lots;
      const paid: { lot: Lot; cents: number }[] = [];
      for (const lot of ties.toSorted((a, b) => (a.expiresDay ?? 99) - (b.expiresDay ?? 99))) {
        const part = Math.min(left, lot.left);
        lot.left -= part;
        left -= part;
        if (part > 0) paid.push({ lot, cents: part });
      }
      const of = (gift: boolean) =>
        paid.filter(({ lot }) => lot.isGift === gift).reduce((sum, one) => sum + one.cents, 0);
      payments.set(paymentId, { gifts: of(true), refunds: of(false) });
      debits.push({ id, paid });
    } else if (kind === 'revert') {
      const debit = debits[pick % Math.max(1, debits.length)];
      const spent = debit?.paid.reduce((sum, one) => sum + one.cents, 0) ?? 0;
      if (!debit || spent === 0) continue;
      let left = Math.min(cents, spent);
      account.revert(left, debit.id);
      for (const one of choice ? debit.paid.toReversed() : debit.paid) {
        const part = Math.min(left, one.cents);
        one.cents -= part;
        one.lot.left += part;
        left -= part;
      }
    } else {
      const lot = lots[pick % Math.max(1, lots.length)];
      if (lot?.expiresDay === undefined || lot.left === 0) continue;
      account.expire(lot.left, lot.id);
      lot.left = 0;
    }
  }
  return { told: account.told, payments };
});

const cents = (text: string) => Math.round(Number(text) * 100);

describe('any account', () => {
  it('never counts more of a payment as a gift or a refund than it was, whatever the store chose', () => {
    fc.assert(
      fc.property(anyAccount, ({ told, payments }) => {
        for (const [id, real] of payments) {
          const { gifts, refunds, unknown } = splitPayment(told, new Set([id]));
          expect(cents(gifts)).toBeLessThanOrEqual(real.gifts);
          expect(cents(refunds)).toBeLessThanOrEqual(real.refunds);
          const paid = cents(gifts) + cents(refunds) + cents(unknown);
          expect(paid).toBe(real.gifts + real.refunds);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('knows every payment where no two credits end at the same time and nothing came back', () => {
    const isPlain = (told: readonly Told[]) => {
      const ends = told.flatMap((one) => (one.kind === 'credit' ? [one.expiresAt] : []));
      return (
        new Set(ends).size === ends.length && !told.some(({ kind }) => kind === 'debit-revert')
      );
    };
    let plain = 0;
    fc.assert(
      fc.property(anyAccount, ({ told, payments }) => {
        if (!isPlain(told)) return;
        for (const [id, real] of payments) {
          plain += 1;
          const { gifts, refunds } = splitPayment(told, new Set([id]));
          expect({ gifts: cents(gifts), refunds: cents(refunds) }).toEqual(real);
        }
      }),
      { numRuns: 2000 },
    );
    expect(plain).toBeGreaterThan(100);
  });

  it('says the same of a payment however the account moved on', () => {
    fc.assert(
      fc.property(anyAccount, ({ told, payments }) => {
        for (const id of payments.keys()) {
          const debit = told.findIndex((one) => one.kind === 'debit' && one.paymentId === id);
          const then = told.slice(0, debit + 1);
          expect(splitPayment(told, new Set([id]))).toEqual(splitPayment(then, new Set([id])));
        }
      }),
      { numRuns: 500 },
    );
  });
});
