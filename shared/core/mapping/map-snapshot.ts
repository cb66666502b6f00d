import type { MappingRules } from '../../config/mapping-settings.ts';
import type { EntityKey } from '../events/event.ts';
import { isKnown, predatesRedaction } from '../ledger/entry.ts';
import type { EntityEntry } from '../ledger/ledger.ts';
import type { Snapshot } from '../store/store.ts';
import { mapDeletedMember, mapMember } from './customer-form.ts';
import { mapCoupon, mapRemovedCoupon } from './map-coupon.ts';
import { isHistory, mapDeletedOrder, mapOrder } from './map-order.ts';
import { mapDeletedProduct, mapProduct } from './map-product.ts';
import { idempotencyKey, type Mapped } from './wanted-state.ts';

/**
 * What the loyalty service should hold, given this snapshot and what was applied before. A snapshot
 * from before a redaction is mapped without its person, unless it is what was applied: that needs no
 * call.
 */
export function mapSnapshot(
  key: EntityKey,
  snapshot: Snapshot,
  entry: EntityEntry | undefined,
  rules: MappingRules,
  now: Date,
): Mapped {
  const map = (one: Snapshot) => mapEntity(key, one, entry, rules, now);
  const mapped = map(snapshot);
  const redactedAt = snapshot.redactedAt ?? entry?.redactedAt;
  if (redactedAt === undefined || isApplied(mapped, entry)) return mapped;
  const isBefore = predatesRedaction({ redactedAt }, snapshot.version);
  if (!isBefore) return lacksCustomer(mapped) ? REDACTED : mapped;
  const isTheirCode = mapped.kind === 'wanted' && mapped.wanted.kind === 'coupon';
  if (snapshot.entity.kind === 'member' || isTheirCode) return REDACTED;
  const nameless = map(withoutPerson(snapshot));
  return nameless.kind === 'skip' || lacksCustomer(nameless) ? REDACTED : nameless;
}

const REDACTED = { kind: 'skip', why: 'redacted' } as const;

/** A live order needs a customer, or the service refuses it; its end is sent by id alone. */
const lacksCustomer = (mapped: Mapped): boolean =>
  mapped.kind === 'wanted' && mapped.wanted.kind === 'order' && !mapped.wanted.order.Customer;

function isApplied(mapped: Mapped, entry: EntityEntry | undefined): boolean {
  if (mapped.kind !== 'wanted' || !entry || entry.uncertain) return false;
  return idempotencyKey(mapped.wanted) === entry.appliedKey;
}

const MAP_GONE = {
  order: mapDeletedOrder,
  product: mapDeletedProduct,
  coupon: mapRemovedCoupon,
  member: mapDeletedMember,
} as const;

function mapEntity(
  { shop, kind, id }: EntityKey,
  { entity, history: askedFor = false, newRules: byNewRules = false }: Snapshot,
  entry: EntityEntry | undefined,
  rules: MappingRules,
  now: Date,
): Mapped {
  const order = entity.kind === 'order' ? entity.order : undefined;
  const before = {
    // An uncertain entry without a key belongs to a first call that may have happened.
    known: isKnown(entry),
    history: order ? isHistory(entry, order, rules) : entry?.history === true,
    ...{ askedFor, byNewRules, remembered: entry?.remembered, service: entry?.service, now },
  };
  switch (entity.kind) {
    case 'order':
      return mapOrder(entity.order, rules, before);
    case 'product':
      return mapProduct(entity.product, rules, shop);
    case 'coupon':
      return mapCoupon(entity.coupon, rules, before, shop);
    case 'member':
      return mapMember(entity.member, rules, before);
    case 'gone':
      return MAP_GONE[kind](id, before, rules);
  }
}

/**
 * The order without anything that identifies its person. All notes and metafields are removed: only the
 * merchant knows which of them name a person.
 */
function withoutPerson(snapshot: Snapshot): Snapshot {
  const { entity } = snapshot;
  if (entity.kind !== 'order') return snapshot;
  const order = { ...entity.order, customer: undefined, noteAttributes: [], metafields: [] };
  return { ...snapshot, entity: { kind: 'order', order } };
}
