import type { EntityKey } from '../events/event.ts';
import { isKnown, predatesRedaction } from '../ledger/entry.ts';
import type { EntityEntry } from '../ledger/ledger.ts';
import type { Snapshot } from '../store/store.ts';
import { mapDeletedMember, mapMember } from './customer-form.ts';
import { mapCoupon, mapRemovedCoupon } from './map-coupon.ts';
import { mapDeletedOrder, mapOrder } from './map-order.ts';
import { mapDeletedProduct, mapProduct } from './map-product.ts';
import {
  type CouponRules,
  idempotencyKey,
  isHistory,
  type Mapped,
  type MemberRules,
  type OrderRules,
  type ProductRules,
} from './wanted-state.ts';

export type EntityRules = OrderRules & ProductRules & CouponRules & MemberRules;

/**
 * What the loyalty service should hold, given this snapshot and what was applied before. A snapshot
 * from before a redaction is mapped without its person, unless it is what was applied: that needs no
 * call.
 */
export function mapSnapshot(
  key: EntityKey,
  snapshot: Snapshot,
  entry: EntityEntry | undefined,
  rules: EntityRules,
  now: Date,
): Mapped {
  const mapped = mapEntity(key, snapshot, entry, rules, now);
  const redactedAt = snapshot.redactedAt ?? entry?.redactedAt;
  if (redactedAt === undefined || isApplied(mapped, entry)) return mapped;
  const isBefore = predatesRedaction({ redactedAt }, snapshot.version);
  if (!isBefore) return lacksCustomer(mapped) ? REDACTED : mapped;
  if (snapshot.entity.kind === 'member') return REDACTED;
  const nameless = mapEntity(key, withoutPerson(snapshot), entry, rules, now);
  return nameless.kind === 'skip' || lacksCustomer(nameless) ? REDACTED : nameless;
}

const REDACTED = { kind: 'skip', why: 'redacted' } as const;

/** A live order needs a customer, or the service refuses it; its end is sent by id alone. */
function lacksCustomer(mapped: Mapped): boolean {
  return (
    mapped.kind === 'wanted' &&
    mapped.wanted.kind === 'order' &&
    mapped.wanted.order.Customer === undefined
  );
}

function isApplied(mapped: Mapped, entry: EntityEntry | undefined): boolean {
  if (mapped.kind !== 'wanted' || !entry || entry.uncertain) return false;
  return idempotencyKey(mapped.wanted) === entry.appliedKey;
}

function mapEntity(
  key: EntityKey,
  snapshot: Snapshot,
  entry: EntityEntry | undefined,
  rules: EntityRules,
  now: Date,
): Mapped {
  const { entity } = snapshot;
  const before = {
    // An uncertain entry without a key belongs to a first call that may have happened.
    known: isKnown(entry),
    history:
      entity.kind === 'order' ? isHistory(entry, entity.order, rules) : entry?.history === true,
    askedFor: snapshot.history === true,
    byNewRules: snapshot.newRules === true,
    remembered: entry?.remembered,
    service: entry?.service,
    now,
  };
  switch (entity.kind) {
    case 'order':
      return mapOrder(entity.order, rules, before);
    case 'product':
      return mapProduct(entity.product, rules, key.shop);
    case 'coupon':
      return mapCoupon(entity.coupon, rules, before, key.shop);
    case 'member':
      return mapMember(entity.member, rules, before);
    case 'gone':
      return mapGone(key, rules, before);
  }
}

function mapGone(
  { kind, id }: EntityKey,
  rules: EntityRules,
  before: Parameters<typeof mapDeletedOrder>[1],
): Mapped {
  switch (kind) {
    case 'order':
      return mapDeletedOrder(id, before);
    case 'product':
      return mapDeletedProduct(id, before);
    case 'coupon':
      return mapRemovedCoupon(id, rules, before);
    case 'member':
      return mapDeletedMember(id, before);
  }
}

/**
 * The order without anything that identifies its person. All notes and metafields are removed: only the
 * merchant knows which of them name a person.
 */
function withoutPerson(snapshot: Snapshot): Snapshot {
  const { entity } = snapshot;
  if (entity.kind !== 'order') return snapshot;
  const order = {
    ...entity.order,
    customer: undefined,
    noteAttributes: [],
    metafields: [],
  };
  return { ...snapshot, entity: { kind: 'order', order } };
}
