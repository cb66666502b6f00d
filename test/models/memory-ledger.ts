import { type EntityKey, entityKeyFrom, entityKeyText } from '../../shared/core/events/entity.ts';
import {
  type Ledger,
  type LedgerEntry,
  type LedgerWrite,
  OUTCOMES_KEPT,
  type RedactionMark,
} from '../../shared/core/ledger/ledger.ts';

/** A ledger in this process, under the same contract suite as the one on DynamoDB. */
export interface MemoryLedger extends Ledger {
  /** What is there now, by `entityKeyText`. */
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** As DynamoDB's TTL does: removes what has expired. */
  expire(nowSeconds: number): void;
}

const CODES_PER_PAGE = 50;
const ENTRIES_PER_PAGE = 60;
const BARE: LedgerWrite = { version: 0, uncertain: false, outcomes: [] };

export function createMemoryLedger(): MemoryLedger {
  const entries = new Map<string, LedgerEntry>();

  function put(text: string, entry: LedgerWrite, revision: number): void {
    entries.set(text, copyOf({ ...entry, revision }));
  }

  function redactOne(key: EntityKey, { redactedAt, expiresAt }: RedactionMark): void {
    const text = entityKeyText(key);
    if (key.kind !== 'order' && !entries.has(text)) return;
    const { revision, remembered: _, ...kept } = entries.get(text) ?? { ...BARE, revision: 0 };
    put(text, { ...kept, redactedAt, expiresAt }, revision + 1);
  }

  return {
    entries,
    async readMany(keys) {
      const found = new Map<string, LedgerEntry>();
      for (const text of keys.map(entityKeyText)) {
        const entry = entries.get(text);
        if (entry) found.set(text, copyOf(entry));
      }
      return found;
    },
    async write(key, entry, readRevision) {
      const text = entityKeyText(key);
      if (entries.get(text)?.revision !== readRevision) return { kind: 'conflict' };
      const revision = (readRevision ?? 0) + 1;
      put(text, entry, revision);
      return { kind: 'written', revision };
    },
    async markUncertain(key) {
      const text = entityKeyText(key);
      const entry = entries.get(text) ?? { ...BARE, revision: 0 };
      put(text, { ...entry, uncertain: true }, entry.revision + 1);
    },
    async listCodes(shop, discountId, from = '') {
      const prefix = entityKeyText({ shop, kind: 'coupon', id: '' });
      const texts = [...entries]
        .filter(([text, entry]) => text.startsWith(prefix) && entry.discountId === discountId)
        .map(([text]) => text)
        .filter((text) => text > from)
        .sort();
      const page = texts.slice(0, CODES_PER_PAGE);
      const next = texts.length > page.length ? page.at(-1) : undefined;
      const codes = page.map((text) => text.slice(prefix.length));
      return { codes, ...(next !== undefined && { next }) };
    },
    async scan(from = '') {
      const texts = [...entries.keys()].filter((text) => text > from).sort();
      const page = texts.slice(0, ENTRIES_PER_PAGE);
      const next = texts.length > page.length ? page.at(-1) : undefined;
      const found = page.flatMap((text) => {
        const [key, entry] = [entityKeyFrom(text), entries.get(text)];
        return key && entry ? [{ key, entry: copyOf(entry) }] : [];
      });
      return { entries: found, ...(next !== undefined && { next }) };
    },
    async redact(keys, mark) {
      for (const key of keys) redactOne(key, mark);
    },
    expire(nowSeconds) {
      for (const [text, { expiresAt }] of entries) {
        if (expiresAt !== undefined && expiresAt <= nowSeconds) entries.delete(text);
      }
    },
  };
}

/** Nobody who holds an entry may change it for the others. */
function copyOf(entry: LedgerEntry): LedgerEntry {
  const outcomes = entry.outcomes.slice(-OUTCOMES_KEPT).map((line) => ({ ...line }));
  return { ...entry, outcomes };
}
