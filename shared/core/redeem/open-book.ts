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
  isBookOverdue,
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
        // Before acting on a state that time alone changed, a write proves that no other process
        // changed it.
        const next = book ?? (isBookOverdue(entry?.remembered, at) ? found : undefined);
        // Until a write proves that it is still the newest, it must be read again.
        isKnown = false;
        if (!next && !wasKnown) return value;
        if (next && (await save(next, line, at))) return value;
      }
      throw new Error('a book of redemptions is written by too many at once');
    },
  };
}

/** The redemption after the step, also when another process made it. */
export async function applyStep(
  book: OpenBook,
  id: string,
  step: Step,
): Promise<Redemption | undefined> {
  return book.change((found, now) => {
    const next = withStep(found, id, step, now);
    const redemption = findRedemption(next ?? found, id);
    const why = 'why' in step ? { why: step.why } : {};
    return {
      book: next,
      value: redemption,
      ...(redemption && { line: { id, outcome: redemption.state.at, ...why } }),
    };
  });
}

function pastOutcome({ id, ...line }: NonNullable<BookChange<unknown>['line']>, at: Date) {
  return { at: at.toISOString(), version: at.getTime(), topic: id, ...line };
}
