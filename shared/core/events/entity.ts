/** What the loyalty service is kept in agreement about. A coupon is one code of a discount. */
export type EntityKind = 'order' | 'product' | 'coupon';

export interface EntityKey {
  /** The shop's permanent domain, as configured: `example.myshopify.com`. */
  readonly shop: string;
  /**
   * Kept beside the entities: `customer`, what the store was given of a balance; `redemption`, what a
   * customer redeemed; `quiz`, whose answers are on their way; `notice`, what a person must see;
   * `cursor`, how far a walk has come.
   */
  readonly kind: EntityKind | 'customer' | 'redemption' | 'quiz' | 'notice' | 'cursor';
  /** The store's own id as text: exact beyond 2^53. For a coupon, the code. */
  readonly id: string;
}

/** One text for one entity. The id stands last because only it may contain any character. */
export function entityKeyText({ shop, kind, id }: EntityKey): string {
  return `${shop}|${kind}|${id}`;
}

const KINDS: ReadonlySet<string> = new Set([
  'order',
  'product',
  'coupon',
  'redemption',
  'notice',
  'cursor',
]);

/** The entity of such a text; undefined for any other. */
export function entityKeyFrom(text: string): EntityKey | undefined {
  const [shop = '', kind = '', ...id] = text.split('|');
  if (!KINDS.has(kind) || id.length === 0) return undefined;
  return { shop, kind: kind as EntityKey['kind'], id: id.join('|') };
}
