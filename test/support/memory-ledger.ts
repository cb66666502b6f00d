import {
  type EntityEntry,
  type EntityWrite,
  entityKeyFrom,
  type Ledger,
  type LedgerKey,
  ledgerKeyText,
  OUTCOMES_KEPT,
} from '../../shared/core/ledger/ledger.ts';

/** A ledger in memory. It passes the same contract suite as the DynamoDB ledger. */
export interface MemoryLedger extends Ledger {
  /** All entries by `ledgerKeyText`. */
  readonly entries: ReadonlyMap<string, EntityEntry>;
  /** Removes expired entries, like DynamoDB's TTL. */
  expire(nowSeconds: number): void;
  /** Makes it what it was when its entries were copied. Without a copy it is empty, like a new table. */
  restore(copy?: ReadonlyMap<string, EntityEntry>): void;
}

const CODES_PER_PAGE = 50;
const ENTRIES_PER_PAGE = 60;

export function createMemoryLedger(createdAt = 0): MemoryLedger {
  const entries = new Map<string, EntityEntry>();

  function put(text: string, entry: EntityWrite, revision: number): void {
    entries.set(text, copyOf({ ...entry, revision }));
  }

  /** Whatever is there: with the next revision. */
  function change(key: LedgerKey, how: (entry: EntityEntry) => EntityWrite): void {
    const text = ledgerKeyText(key);
    const entry = entries.get(text) ?? { version: 0, uncertain: false, outcomes: [], revision: 0 };
    put(text, how(entry), entry.revision + 1);
  }

  return {
    entries,
    async readMany(keys) {
      const found = new Map<string, EntityEntry>();
      for (const text of keys.map(ledgerKeyText)) {
        const entry = entries.get(text);
        if (entry) found.set(text, copyOf(entry));
      }
      return found;
    },
    async write(key, entry, readRevision) {
      const text = ledgerKeyText(key);
      if (entries.get(text)?.revision !== readRevision) return { kind: 'conflict' };
      const revision = (readRevision ?? 0) + 1;
      put(text, entry, revision);
      return { kind: 'written', revision };
    },
    async markUncertain(key) {
      change(key, (entry) => ({ ...entry, uncertain: true }));
    },
    async listCodes(shop, discountId, from) {
      const prefix = ledgerKeyText({ shop, kind: 'coupon', id: '' });
      const texts = [...entries]
        .filter(([text, entry]) => text.startsWith(prefix) && entry.discountId === discountId)
        .map(([text]) => text);
      const { page, ...rest } = pageOf(texts, from, CODES_PER_PAGE);
      return { codes: page.map((text) => text.slice(prefix.length)), ...rest };
    },
    async scanEntities(from) {
      const texts = [...entries.keys()].filter((text) => entityKeyFrom(text));
      const { page, ...rest } = pageOf(texts, from, ENTRIES_PER_PAGE);
      const found = page.flatMap((text) => {
        const [key, entry] = [entityKeyFrom(text), entries.get(text)];
        return key && entry ? [{ key, entry: copyOf(entry) }] : [];
      });
      return { entries: found, ...rest };
    },
    createdAt: async () => createdAt,
    async redact(keys, mark) {
      for (const key of keys) change(key, ({ remembered: _, ...kept }) => ({ ...kept, ...mark }));
    },
    expire(nowSeconds) {
      for (const [text, { expiresAt }] of entries) {
        if (expiresAt !== undefined && expiresAt <= nowSeconds) entries.delete(text);
      }
    },
    restore(copy = new Map()) {
      const copied = [...copy];
      entries.clear();
      for (const [text, entry] of copied) entries.set(text, copyOf(entry));
    },
  };
}

/** Ends the cursor of an empty page. */
const EMPTY = '\0';

/** As in DynamoDB, a page may be empty without being the last: here every second one is. */
function pageOf(
  texts: readonly string[],
  from: string | undefined,
  size: number,
): { readonly page: readonly string[]; readonly next?: string } {
  if (from?.endsWith(EMPTY)) return { page: [], next: from.slice(0, -EMPTY.length) };
  const rest = texts.filter((text) => text > (from ?? '')).toSorted();
  const page = rest.slice(0, size);
  return { page, ...(rest.length > size && { next: `${page.at(-1)}${EMPTY}` }) };
}

/** Copied, so that no caller changes the stored entry. */
function copyOf(entry: EntityEntry): EntityEntry {
  const outcomes = entry.outcomes.slice(-OUTCOMES_KEPT).map((line) => ({ ...line }));
  return { ...entry, outcomes };
}
