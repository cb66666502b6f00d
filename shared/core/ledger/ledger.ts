import { type EntityKey, type EventHead, isEntityKind } from '../events/event.ts';

/**
 * What the ledger keeps besides entities: `customer`, the balance that the store was given last,
 * or whom the customer was merged into; `redemption`, all redemptions of a customer; `reward-code`, whose
 * reward a code is; `till`, the times of wrong PINs of a user of the point of sale;
 * `given`, what workflows gave on a day; `notice`, what a person must see; `cursor`, how far a scan or an import has come; `audit`, what an operator changed;
 * `control`, whether calls may be made for the shop; `parked`, that a body is a dead letter; `waiting`,
 * that a message waits for its next attempt; `dead-letter`, the summary of one; `place`, which busy shop holds a worker;
 * `plan`, which state would have been sent for an entity of a shop that is only observed.
 */
export type RecordKind =
  | Exclude<keyof typeof LETTERS, EntityKey['kind'] | 'merge'>
  | 'notice'
  | 'audit'
  | 'plan';

export interface RecordKey<Kind extends RecordKind = RecordKind> {
  /** Of an audit record, which belongs to no shop: its month. Of a dead letter and of a place: the same for all. */
  readonly shop: string;
  readonly kind: Kind;
  /** Of a balance and of redemptions: the customer's id in the store. */
  readonly id: string;
}

export type LedgerKey = EntityKey | RecordKey;

/**
 * The key as text. The kind comes first, so that a permission can name it. The id comes last, because only it may
 * contain any character.
 */
export function ledgerKeyText({ shop, kind, id }: LedgerKey): string {
  return `${kind}|${shop}|${id}`;
}

/** The entity of such a text; undefined for a record and for any other text. */
export function entityKeyFrom(text: string): EntityKey | undefined {
  const [kind = '', shop = '', ...id] = text.split('|');
  return isEntityKind(kind) && id.length > 0 ? { shop, kind, id: id.join('|') } : undefined;
}

/** One of an entry's last outcomes, without personal data. Operators read them, and `isInDoubt` when one was settled. */
export interface PastOutcome {
  /** ISO 8601. */
  readonly at: string;
  /** The step: `applied`, `unchanged`, `skipped`, `rejected`. */
  readonly outcome: string;
  readonly version: number;
  readonly topic: string;
  readonly why?: string;
  /** Absent for an event of another origin. */
  readonly origin?: 'reconcile';
  /**
   * Of an order that was sent as completed: what it counts in the service since then, in thousandths. It is never
   * computed again, so a changed rule does not change what was.
   */
  readonly counts?: number;
}

export const OUTCOMES_KEPT = 10;

/** What the ledger holds under one key: of an entity or a balance, what was applied last. `advance` is how it changes. */
export interface LedgerEntry {
  /** The entity's `updated_at` in epoch milliseconds, of the newest snapshot recorded or attempted. */
  readonly version: number;
  /** Hash of the wanted state that was last applied. Kept while uncertain, too: the service knows the entity. */
  readonly appliedKey?: string;
  /**
   * What the loyalty service holds is unknown: a call was begun and not recorded as applied, or two
   * workers called at the same time.
   */
  readonly uncertain: boolean;
  /** What later events need of the applied state, or what a record is about: see `rememberedForm`. */
  readonly remembered?: string;
  /** Epoch milliseconds: what is dated up to then is sent without the person it names. */
  readonly redactedAt?: number;
  readonly outcomes: readonly PastOutcome[];
  /** Epoch seconds after which the item may vanish; undefined means never. */
  readonly expiresAt?: number;
  /**
   * Counts the writes of this item. Every write names the revision it was decided on and fails when
   * another worker wrote in between: a version alone lets a late worker's call land after the newer
   * one and still be recorded before it.
   */
  readonly revision: number;
}

export interface EntityEntry extends LedgerEntry {
  /** Of a coupon: the discount whose code it is. */
  readonly discountId?: string;
  /** Of an order: it was sent as history, and keeps that mark. */
  readonly history?: boolean;
  /** Of an order: the revision of the rules that the applied state was mapped by. */
  readonly rules?: string;
  /** Of an order: what the service holds of it, as far as is known. */
  readonly service?: ServiceOrder;
}

/** An entry as it is to be written: the ledger counts revisions itself. */
export type LedgerWrite = Omit<LedgerEntry, 'revision'>;
export type EntityWrite = Omit<EntityEntry, 'revision'>;
export type WriteOf<Key extends LedgerKey> = Key extends EntityKey
  ? EntityWrite
  : Key extends RecordKey<'dead-letter'>
    ? LetterWrite
    : LedgerWrite;

/** The summary of a dead letter. */
export interface LetterWrite extends LedgerWrite {
  /** In the list, by time; the dead letters about an entity have a list of their own. Absent when it left its queue. */
  readonly listed?: {
    /** ISO 8601. */
    readonly at: string;
    readonly about?: Pick<EventHead, 'shop' | 'kind' | 'id'>;
  };
}

export interface RedactionMark {
  /** Epoch milliseconds. */
  readonly redactedAt: number;
  /** Epoch seconds: by then no message about the person can be left on a queue. */
  readonly expiresAt: number;
}

export interface Ledger {
  /**
   * Strongly consistent: sees every write that returned before this call began.
   * Keyed by `ledgerKeyText`; keys without an entry are absent. Asked for an item of a newer release, the
   * map throws `NewerItem`.
   */
  readMany(keys: readonly LedgerKey[]): Promise<ReadonlyMap<string, EntityEntry>>;

  /**
   * Writes only if the entry still is the one that was read (`readRevision` undefined when there was none).
   * `conflict` means that another worker wrote in between; nothing was changed then.
   */
  write<Key extends LedgerKey>(
    key: Key,
    entry: WriteOf<Key>,
    readRevision: number | undefined,
  ): Promise<
    { readonly kind: 'written'; readonly revision: number } | { readonly kind: 'conflict' }
  >;

  /**
   * Sets the uncertain mark on what is there now, or creates an uncertain entry: for a worker
   * that has called the service and then found that another one wrote meanwhile. Unconditional but
   * harmless: it can only cause one more call, never prevent one.
   */
  markUncertain(key: LedgerKey): Promise<void>;

  /**
   * The codes of a discount that have an entry, in pages. Eventually consistent: meant for a discount
   * that the store no longer knows, long after its codes were sent.
   */
  listCodes(
    shop: string,
    discountId: string,
    from?: string,
  ): Promise<{ readonly codes: readonly string[]; readonly next?: string }>;

  /**
   * Every entity in the ledger, in pages and in no order, each entry once. Eventually consistent.
   * Without codes whose name is not known any more (those of no discount, stored under a hash) and without
   * items of a newer release.
   */
  scanEntities(from?: string): Promise<{
    readonly entries: readonly { readonly key: EntityKey; readonly entry: EntityEntry }[];
    readonly next?: string;
  }>;

  /** When the ledger was made, in epoch milliseconds: with the stack. An upgrade does not change it. */
  createdAt(): Promise<number>;

  /**
   * Erases what the ledger remembers of a person and marks when; keeps version, key and outcomes. A key
   * without an entry gets one with the mark alone, for messages that are still on a queue and entries that
   * nobody named. Rejects if a newer release wrote an entry, after redacting the others.
   */
  redact(keys: readonly LedgerKey[], mark: RedactionMark): Promise<void>;
}

export async function readEntry(
  ledger: Pick<Ledger, 'readMany'>,
  key: LedgerKey,
): Promise<EntityEntry | undefined> {
  return (await ledger.readMany([key])).get(ledgerKeyText(key));
}

/** A batch may wait long for its turn to call: what it read of customers may be out of date by then. */
const RECENT_MS = 10_000;

/** Answers with what was read with the batch, if that was recent and has all that is asked for. */
export function readRecently(
  read: {
    readonly keys: readonly LedgerKey[];
    readonly entries: Awaited<ReturnType<Ledger['readMany']>>;
    readonly readAt: Date;
  },
  { ledger, now }: { readonly ledger: Pick<Ledger, 'readMany'>; readonly now: () => Date },
): Pick<Ledger, 'readMany'> {
  const known = new Set(read.keys.map(ledgerKeyText));
  return {
    async readMany(asked) {
      const isRecent = now().getTime() - read.readAt.getTime() < RECENT_MS;
      const isKnown = asked.every((key) => known.has(ledgerKeyText(key)));
      return isRecent && isKnown ? read.entries : ledger.readMany(asked);
    },
  };
}

/** The entry as it stands after the write; undefined when another worker wrote since it was read. */
export async function replaceEntry<Key extends LedgerKey>(
  ledger: Pick<Ledger, 'write'>,
  key: Key,
  next: WriteOf<Key>,
  read: LedgerEntry | undefined,
): Promise<LedgerEntry | undefined> {
  const written = await ledger.write(key, next, read?.revision);
  return written.kind === 'written' ? { ...next, revision: written.revision } : undefined;
}

/** Each process has one change to make: so many conflicts are a fault, or many requests of one caller at once. */
const MOST_ROUNDS = 20;

/**
 * One conditional write. Where another process wrote in between, `decide` is called again with what it wrote; it
 * returns no `next` to leave the entry as it is. Undefined after too many concurrent writes: nothing was written.
 */
export async function changeEntry<Key extends LedgerKey, Value>(
  ledger: Pick<Ledger, 'readMany' | 'write'>,
  key: Key,
  decide: (entry: LedgerEntry | undefined) => {
    readonly next?: WriteOf<Key> | undefined;
    readonly value: Value;
  },
): Promise<{ readonly value: Value } | undefined> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const entry = await readEntry(ledger, key);
    const { next, value } = decide(entry);
    if (!next || (await replaceEntry(ledger, key, next, entry))) return { value };
  }
  return undefined;
}

export function withOutcome(
  entry: LedgerEntry | undefined,
  line: PastOutcome,
): readonly PastOutcome[] {
  return [...(entry?.outcomes ?? []), line].slice(-OUTCOMES_KEPT);
}

export function expiresAfter(days: number, now: Date): { readonly expiresAt: number } {
  return { expiresAt: Math.floor(now.getTime() / 1000) + days * 86_400 };
}

/**
 * What the ledger remembers is a text: the letter of its kind, the version of its form, and JSON, so that a later
 * release recognizes an older form.
 */
const LETTERS = {
  order: 'o',
  product: 'p',
  coupon: 'c',
  member: 'm',
  customer: 'b',
  merge: 'k',
  redemption: 'r',
  'reward-code': 'e',
  till: 't',
  given: 'g',
  cursor: 's',
  control: 'w',
  parked: 'd',
  waiting: 'a',
  'dead-letter': 'l',
  place: 'h',
} as const;

export function rememberedForm<Value>(kind: keyof typeof LETTERS, formVersion: number) {
  const form = `${LETTERS[kind]}${formVersion}`;
  const write = (value: Value) => `${form}${JSON.stringify(value)}`;
  return {
    write,
    /** An item that holds the value and no state of its own. */
    entry: (
      value: Value,
      version = 0,
      expires: Pick<LedgerWrite, 'expiresAt'> = {},
    ): LedgerWrite => ({
      ...{ version, uncertain: false, remembered: write(value), outcomes: [], ...expires },
    }),
    /** Undefined for what another release wrote or redaction erased: callers must work without it. */
    read(remembered: string | undefined): Value | undefined {
      if (!remembered?.startsWith(form)) return undefined;
      try {
        return JSON.parse(remembered.slice(form.length)) as Value;
      } catch {
        return undefined;
      }
    },
  };
}

/**
 * An item of the ledger was written by a newer release, in a form that this one could misread or lose. Thrown
 * instead of returned: a caller that is about to act on such an item must not go on. A worker tries again later.
 */
export class NewerItem extends Error {
  override readonly name = 'NewerItem';

  constructor(keyText: string, format: number) {
    super(`${keyText} has form ${format}, written by a newer release of the connector`);
  }
}

/** What was read: `get` and `has` throw for an item of a newer release. */
export class LedgerEntries extends Map<string, EntityEntry> {
  readonly newer = new Map<string, number>();

  override get(keyText: string): EntityEntry | undefined {
    this.#refuse(keyText);
    return super.get(keyText);
  }

  override has(keyText: string): boolean {
    this.#refuse(keyText);
    return super.has(keyText);
  }

  #refuse(keyText: string): void {
    const format = this.newer.get(keyText);
    if (format !== undefined) throw new NewerItem(keyText, format);
  }
}

/** For a scan over many, which leaves such items alone. */
export function isNewer(entries: ReadonlyMap<string, EntityEntry>, keyText: string): boolean {
  return entries instanceof LedgerEntries && entries.newer.has(keyText);
}

/**
 * What the loyalty service holds of an order: the one record of it, which is part of the order's ledger entry. It is
 * written before each call that changes an amount, so the service never holds one that the ledger does not know.
 * Without a record nothing is known, which is not the same as never sent: the ledger may have been lost.
 *
 * Amounts are in thousandths: the smallest unit of every currency is a whole number of them. The record is bounded: it
 * has the sum of what was taken, and the keys of partial cancels follow from that sum.
 * See docs/decisions/0014-what-is-taken-is-named-by-its-sum.md.
 */
export interface ServiceOrder {
  /** Its id there, where another integration sent it under another one than the store's. */
  readonly id?: string | undefined;
  readonly placedAt?: string | undefined;
  /** Undefined while it is pending there: then nothing of it counts yet. */
  readonly completedAt?: string | undefined;
  /** What it was told last, before anything was taken from it. */
  readonly total: number;
  /** Empty for a pending order, and for one with more products than the ledger can keep. */
  readonly products: readonly SentProduct[];
  /** Hash of the other fields; undefined where they are not known. */
  readonly rest?: string | undefined;
  /** The sum that is taken: partial cancels that were accepted, or whose keys turned out to be used. It only grows. */
  readonly taken: number;
  /** A partial cancel that was begun and is not recorded as done. */
  readonly step?: CancelStep;
  /**
   * Of an order that another integration sent: what its total is more than ours at the takeover, or less. Only later
   * differences count.
   */
  readonly theirs?: number | undefined;
  /** It was cancelled, which is final. */
  readonly ended?: true | undefined;
}

/** `taken` is the part of the price that partial cancels named for this product. */
type SentProduct = readonly [id: string, price: number, taken: number];

export interface CancelStep {
  /** What is taken in sum once it is done: names its key. */
  readonly sum: number;
  readonly value: number;
  /** Empty: the parts are not known by product. */
  readonly products: readonly (readonly [id: string, value: number])[];
  /**
   * How much was taken before is not known: sums are tried from this one down, until a key turns out to be used. Then
   * all of it is taken.
   */
  readonly searchedFrom?: number;
}

export const cancelKey = (id: string, { sum }: CancelStep): string => `${id}-${sum}`;

/** What the order counts there; undefined where it does not count yet. */
export function countsOf({ completedAt, total, taken, ended }: ServiceOrder): number | undefined {
  if (ended) return 0;
  return completedAt === undefined ? undefined : total - taken;
}

/** What a completed order counts by our own rules, as it was told last. */
export const ownCount = ({ total, taken, theirs = 0 }: ServiceOrder): number =>
  total - taken - theirs;

export const toThousandths = (amount: number | null | undefined): number =>
  Math.round((amount ?? 0) * 1000);

export const fromThousandths = (amount: number): number => amount / 1000;
