import { describe, expect, it } from 'vitest';
import type { EntityEntry } from '../../../../shared/core/ledger/ledger.ts';
import { mapSnapshot } from '../../../../shared/core/mapping/map-snapshot.ts';
import { idempotencyKey } from '../../../../shared/core/mapping/wanted-state.ts';
import type { Snapshot } from '../../../../shared/core/store/store.ts';
import { rules, storeOrder } from '../../../fixtures/store-entities.ts';

const NOW = new Date('2026-10-10T00:00:00Z');
const VERSION = Date.parse('2026-10-09T00:00:00Z');
const order = storeOrder({ fulfilledAfterDays: 1 });
const key = { shop: 'example-store.myshopify.com', kind: 'order', id: order.id } as const;
const entry: EntityEntry = {
  ...{ version: VERSION, appliedKey: 'k', uncertain: false, outcomes: [], revision: 1 },
};
const of = (entity: Snapshot['entity']): Snapshot => ({
  ...{ kind: 'snapshot', entity, version: VERSION, source: 'event' },
});
const map = (entity: Snapshot['entity'], known: EntityEntry) =>
  mapSnapshot(key, of(entity), known, rules, NOW);

describe('an order whose customer was redacted', () => {
  const redactedAt = VERSION + 1;

  it('is left as it is when its old body comes again: it needs no call', () => {
    const before = map({ kind: 'order', order }, entry);
    if (before.kind !== 'wanted') throw new Error(before.kind);
    const appliedKey = idempotencyKey(before.wanted);
    expect(map({ kind: 'order', order }, { ...entry, appliedKey, redactedAt })).toEqual(before);
  });
});

describe('an order without a customer that the service knows', () => {
  it('is not said to be redacted, unless it was', () => {
    const nameless = { kind: 'order', order: { ...order, customer: undefined } } as const;
    expect(map(nameless, entry).kind).toBe('wanted');
    const redacted = map(nameless, { ...entry, redactedAt: VERSION - 1 });
    expect(redacted).toEqual({ kind: 'skip', why: 'redacted' });
  });
});

describe('an order that the store deleted', () => {
  it('keeps the history mark it was sent with, and gets none', () => {
    expect(map({ kind: 'gone' }, { ...entry, history: true })).toHaveProperty('history', true);
    expect(map({ kind: 'gone' }, entry)).not.toHaveProperty('history');
  });
});
