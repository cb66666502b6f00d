import {
  expiresAfter,
  type Ledger,
  type LedgerEntry,
  readEntry,
  replaceEntry,
  withOutcome,
} from '../ledger/ledger.ts';
import type { Redemption } from './redemption.ts';
import {
  bookKey,
  type Customer,
  findRedemption,
  type RedemptionBook,
  recallBook,
  rememberBook,
  tidy,
  withStep,
} from './redemption-book.ts';
import { isClosed, type Step } from './redemption-state.ts';

export interface BookWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly now: () => Date;
  /** Days for which closed redemptions are remembered. */
  readonly retentionDays: number;
}

/** The changed book, or none to leave it as it is, and the value for the caller. */
export interface BookChange<T> {
  readonly book?: RedemptionBook | undefined;
  /** One line of the history: which redemption reached which state. */
  readonly line?: { readonly id: string; readonly outcome: string; readonly why?: string };
  readonly value: T;
}

export interface OpenBook {
  readonly customer: Customer;
  read(): Promise<RedemptionBook>;
  /**
   * One conditional write. Where another process wrote in between, `decide` is called again with the
   * new book, so it must decide by the book alone.
   */
  change<T>(decide: (book: RedemptionBook, now: Date) => BookChange<T>): Promise<T>;
}

/** Each process has one step to make here: so many conflicts are a fault. */
const MOST_ROUNDS = 20;

export function openBook(customer: Customer, world: BookWorld): OpenBook {
  const { ledger, now, retentionDays } = world;
  const key = bookKey(customer);
  /** As this process last saw it. */
  let entry: LedgerEntry | undefined;
  let isKnown = false;

  async function load(): Promise<void> {
    entry = await readEntry(ledger, key);
  }

  async function save(
    changed: RedemptionBook,
    line: BookChange<unknown>['line'],
    at: Date,
  ): Promise<boolean> {
    const book = tidy(changed);
    const next = {
      version: at.getTime(),
      uncertain: false,
      remembered: rememberBook(book),
      outcomes: line ? withOutcome(entry, pastOutcome(line, at)) : (entry?.outcomes ?? []),
      ...(book.redemptions.every(({ state }) => isClosed(state)) &&
        expiresAfter(retentionDays, at)),
    };
    const written = await replaceEntry(ledger, key, next, entry);
    if (!written) return false;
    entry = written;
    isKnown = true;
    return true;
  }

  return {
    customer,
    async read() {
      await load();
      return recallBook(entry?.remembered, now());
    },
    async change(decide) {
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        const wasKnown = isKnown;
        if (!isKnown) await load();
        const at = now();
        const found = recallBook(entry?.remembered, at);
        const { book, line, value } = decide(found, at);
        // Until a write proves that it is still the newest, it must be read again.
        isKnown = false;
        if (!book && !wasKnown) return value;
        if (book && (await save(book, line, at))) return value;
      }
      throw new Error('a book of redemptions is written by too many at once');
    },
  };
}

interface Stepped {
  /** This process made the step. */
  readonly isOurs: boolean;
  /** As it is now, also when another process changed it. */
  readonly redemption: Redemption | undefined;
}

/** Of all processes that try a step at once, one makes it. */
export async function tryStep(book: OpenBook, id: string, step: Step): Promise<Stepped> {
  return book.change<Stepped>((found, now) => {
    const next = withStep(found, id, step, now);
    const redemption = findRedemption(next ?? found, id);
    const why = 'why' in step ? { why: step.why } : {};
    const line = redemption && { id, outcome: redemption.state.at, ...why };
    return {
      ...(next && line && { book: next, line }),
      value: { isOurs: next !== undefined, redemption },
    };
  });
}

/** The redemption after the step, also when another process made it. */
export async function applyStep(
  book: OpenBook,
  id: string,
  step: Step,
): Promise<Redemption | undefined> {
  return (await tryStep(book, id, step)).redemption;
}

function pastOutcome({ id, ...line }: NonNullable<BookChange<unknown>['line']>, at: Date) {
  return { at: at.toISOString(), version: at.getTime(), topic: id, ...line };
}
