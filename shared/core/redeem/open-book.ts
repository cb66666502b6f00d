import { entityKeyText } from '../events/entity.ts';
import { type Ledger, type LedgerEntry, OUTCOMES_KEPT } from '../ledger/ledger.ts';
import {
  bookKey,
  type Customer,
  isBookOverdue,
  isClosed,
  type RedemptionBook,
  recallBook,
  rememberBook,
  tidy,
} from './redemption-book.ts';

export interface BookWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly now: () => Date;
  /** Days for which closed redemptions are remembered. */
  readonly retentionDays: number;
}

/** What to make of the book, or to leave it as it is, and what to tell whoever asked. */
export interface BookChange<T> {
  readonly book?: RedemptionBook | undefined;
  /** One line of the history: which redemption came where. */
  readonly line?: { readonly id: string; readonly outcome: string; readonly why?: string };
  readonly value: T;
}

export interface OpenBook {
  readonly customer: Customer;
  read(): Promise<RedemptionBook>;
  /**
   * One conditional write. Where somebody else wrote in between, `decide` is asked again with what is
   * there now, so it must decide by the book alone.
   */
  change<T>(decide: (book: RedemptionBook, now: Date) => BookChange<T>): Promise<T>;
}

/** Everybody who meets somebody here has one step to make: as many rounds are a fault. */
const MOST_ROUNDS = 20;

export function openBook(customer: Customer, world: BookWorld): OpenBook {
  const { ledger, now, retentionDays } = world;
  const key = bookKey(customer);
  /** As this process last saw it. */
  let entry: LedgerEntry | undefined;
  let isKnown = false;

  async function load(): Promise<void> {
    entry = (await ledger.readMany([key])).get(entityKeyText(key));
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
      outcomes: [...(entry?.outcomes ?? []), ...pastOutcome(line, at)].slice(-OUTCOMES_KEPT),
      ...(book.redemptions.every(({ state }) => isClosed(state.at)) && {
        expiresAt: Math.floor(at.getTime() / 1000) + retentionDays * 86_400,
      }),
    };
    const written = await ledger.write(key, next, entry?.revision);
    if (written.kind === 'conflict') return false;
    entry = { ...next, revision: written.revision };
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
        // Whoever acts on what time made of it must know that nobody else did otherwise meanwhile.
        const next = book ?? (isBookOverdue(entry?.remembered, at) ? found : undefined);
        // Until a write proves that it still is the newest, it must be looked at again.
        isKnown = false;
        if (!next && !wasKnown) return value;
        if (next && (await save(next, line, at))) return value;
      }
      throw new Error('a book of redemptions is written by too many at once');
    },
  };
}

function pastOutcome(line: BookChange<unknown>['line'], at: Date) {
  if (!line) return [];
  const { id, outcome, why } = line;
  const past = { at: at.toISOString(), outcome, version: at.getTime(), topic: id };
  return [{ ...past, ...(why !== undefined && { why }) }];
}
