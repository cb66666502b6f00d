/** What the connector keeps in sync. A coupon is one code of a discount, a member a customer. */
export type EntityKind = 'order' | 'product' | 'coupon' | 'member';

export interface EntityKey {
  /** The shop's permanent domain, as configured. */
  readonly shop: string;
  readonly kind: EntityKind;
  /** The store's own id as text: exact beyond 2^53. For a coupon, the code. */
  readonly id: string;
}

/**
 * What the ledger keeps besides entities: `customer`, the balance that the store was given last,
 * or whom the customer was merged into; `redemption`, all redemptions of a customer; `reward-code`, that a code is a reward's; `quiz`, answers
 * that are being sent; `notice`, what a person must see; `cursor`, how far a walk has come; `audit`, what
 * an operator changed; `control`, whether calls may be made for the shop; `parked`, that a body is a dead
 * letter; `waiting`, that a message waits for its next attempt; `letter`, the summary of a dead letter.
 */
export type RecordKind =
  | 'customer'
  | 'redemption'
  | 'reward-code'
  | 'quiz'
  | 'notice'
  | 'cursor'
  | 'audit'
  | 'control'
  | 'parked'
  | 'waiting'
  | 'letter';

export interface RecordKey<Kind extends RecordKind = RecordKind> {
  /** Of an audit record, which belongs to no shop: its month. Of a letter: the same for all. */
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

const KINDS: ReadonlySet<string> = new Set<EntityKind>(['order', 'product', 'coupon', 'member']);

export const isEntityKind = (kind: string): kind is EntityKind => KINDS.has(kind);

/** The entity of such a text; undefined for a record and for any other text. */
export function entityKeyFrom(text: string): EntityKey | undefined {
  const [kind = '', shop = '', ...id] = text.split('|');
  return isEntityKind(kind) && id.length > 0 ? { shop, kind, id: id.join('|') } : undefined;
}
