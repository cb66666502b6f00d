import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type EntityKind = 'order' | 'product' | 'promotion' | 'customer';
/**
 * The sender looks up the order, or the product, that it is part of. What records a change reads nothing: on Postgres, a
 * statement that fails costs the merchant's transaction.
 */
export type PartKind = 'orderLine' | 'variant';
export type Change = 'changed' | 'deleted';

/** One thing that the connector must hear of. The row is written with the change itself, and deleted when it was heard. */
export class LoyaltyOutbox {
  id!: string;
  kind!: EntityKind | PartKind;
  entityId!: string;
  change!: Change;
  /** Epoch milliseconds. */
  at!: number;
  attempts!: number;
  /** Epoch milliseconds: not before. */
  nextAt!: number;
  /** The connector did not accept it for a week: a person must look, and reconcile has healed it. */
  givenUp!: boolean;

  constructor(fields: Partial<LoyaltyOutbox> = {}) {
    Object.assign(this, fields);
  }
}

/** Some drivers give large numbers as text. */
const moment = { type: 'bigint', transformer: { to: (n: number) => n, from: Number } } as const;

// The decorators as functions: so the source runs as it is, without a compiler's help.
Entity('loyalty_outbox')(LoyaltyOutbox);
PrimaryColumn({ type: 'varchar', length: 36 })(LoyaltyOutbox.prototype, 'id');
Column({ type: 'varchar', length: 16 })(LoyaltyOutbox.prototype, 'kind');
Column({ type: 'varchar', length: 64 })(LoyaltyOutbox.prototype, 'entityId');
Column({ type: 'varchar', length: 8 })(LoyaltyOutbox.prototype, 'change');
Column(moment)(LoyaltyOutbox.prototype, 'at');
Column({ type: 'int', default: 0 })(LoyaltyOutbox.prototype, 'attempts');
Column(moment)(LoyaltyOutbox.prototype, 'nextAt');
Index()(LoyaltyOutbox.prototype, 'nextAt');
Column({ type: 'boolean', default: false })(LoyaltyOutbox.prototype, 'givenUp');

/** Why the table could not be used, for the log. */
export function explainOutbox(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  const isAbsent = /loyalty_outbox/.test(why) && /no such table|(?:not|n't) exist/.test(why);
  return isAbsent
    ? `${why}. Run "npx vendure migrate --generate loyalty-outbox", then "npx vendure migrate --run"`
    : why;
}
