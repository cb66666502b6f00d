import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../shared/core/ledger/ledger.ts';
import { mapOrder } from '../../../shared/core/mapping/map-order.ts';
import { idempotencyKey, type WantedState } from '../../../shared/core/mapping/wanted-state.ts';
import type { Snapshot } from '../../../shared/core/store/store.ts';
import { type Gathered, plan } from '../../../shared/core/sync/decide.ts';
import { carriedSnapshot } from '../../../shared/core/sync/sync-entity.ts';
import { lineOf } from '../../fixtures/order-spec.ts';
import { neverSent, rules, storeOrder } from '../../fixtures/store-entities.ts';

const now = new Date('2026-10-09T12:00:00Z');
const at = now.getTime() - 60_000;
const DAY = 86_400_000;

const keyIn = {
  A: idempotencyKey({ kind: 'inactive-coupon', id: 'A' }),
  B: idempotencyKey({ kind: 'inactive-coupon', id: 'B' }),
};

const entry = (changes: Partial<LedgerEntry> = {}): LedgerEntry => ({
  version: at,
  appliedKey: keyIn.A,
  uncertain: false,
  outcomes: [],
  revision: 1,
  ...changes,
});
interface Given {
  readonly entry?: LedgerEntry | undefined;
  readonly version?: number;
  readonly source?: Snapshot['source'];
  /** The wanted state; undefined when the mapping skips the entity. */
  readonly wanted?: 'A' | 'B' | undefined;
  readonly history?: boolean;
  readonly force?: boolean;
}

/** What is planned, and without the figures of the mapping. */
function decide(given: Given) {
  const { entry: known, version = at, source = 'event', history = false, force = false } = given;
  const id = 'wanted' in given ? given.wanted : 'A';
  const facts = { key: { kind: 'coupon' }, entry: known, event: { force }, now } as Gathered;
  const found: { readonly kind: string; readonly mapped?: unknown } | undefined = plan(
    facts,
    { kind: 'snapshot', entity: { kind: 'gone' }, version, source, history },
    id
      ? { kind: 'wanted', wanted: { kind: 'inactive-coupon', id }, remember: undefined }
      : { kind: 'skip', why: 'never-sent' },
  );
  const { mapped: _, ...planned } = found ?? { kind: id ? 'call' : 'leave' };
  return planned;
}

describe('the plan for a snapshot', () => {
  it('sends what the ledger does not know, and what differs from what was applied', () => {
    expect(decide({})).toEqual({ kind: 'call' });
    expect(decide({ entry: entry(), version: at + 1000, wanted: 'B' })).toEqual({
      kind: 'call',
    });
  });

  it('makes no call when nothing changed, but records the version', () => {
    expect(decide({ entry: entry(), version: at + 1000 })).toEqual({
      kind: 'unchanged',
      isNewer: true,
    });
    expect(decide({ entry: entry() })).toEqual({ kind: 'unchanged', isNewer: false });
  });

  it('asks the store about two states of one second', () => {
    expect(decide({ entry: entry(), wanted: 'B' })).toEqual({ kind: 'ask-store' });
  });

  it('asks the store about an old snapshot of an unknown entity', () => {
    expect(decide({ version: now.getTime() - 2 * DAY - 1 })).toEqual({ kind: 'ask-store' });
    expect(decide({ version: now.getTime() - 2 * DAY })).toMatchObject({ kind: 'call' });
  });

  it('never takes the word of an uncertain entry', () => {
    const uncertain = entry({ uncertain: true });
    expect(decide({ entry: uncertain, version: at + 1 })).toEqual({ kind: 'call' });
    expect(decide({ entry: uncertain })).toEqual({ kind: 'call' });
    expect(decide({ entry: uncertain, version: at - 1 })).toEqual({ kind: 'ask-store' });
  });

  it('believes the store about an uncertain entry, even where its answer is older', () => {
    const older = { entry: entry({ uncertain: true }), version: at - 1, source: 'store' } as const;
    expect(decide(older)).toEqual({ kind: 'call' });
  });

  it('asks the store for a backfill whose order has a newer version that was skipped', () => {
    const skipped: LedgerEntry = { version: at, uncertain: false, outcomes: [], revision: 1 };
    const backfill = { entry: skipped, version: at - 1, history: true } as const;
    expect(decide(backfill)).toEqual({ kind: 'ask-store' });
    const superseded = { kind: 'superseded' };
    expect(decide({ ...backfill, source: 'store' })).toEqual(superseded);
    expect(decide({ ...backfill, entry: entry() })).toEqual(superseded);
    expect(decide({ entry: skipped, version: at - 1 })).toEqual(superseded);
  });

  it('asks the store about two states of one second, even if one of them was skipped', () => {
    const skipped: LedgerEntry = { version: at, uncertain: false, outcomes: [], revision: 1 };
    expect(decide({ entry: skipped })).toEqual({ kind: 'ask-store' });
    expect(decide({ entry: skipped, wanted: undefined })).toEqual({ kind: 'leave' });
  });

  it('takes an entry in which nothing was ever settled for none', () => {
    const rejected: LedgerEntry = { version: 0, uncertain: false, outcomes: [], revision: 1 };
    expect(decide({ entry: rejected })).toEqual({ kind: 'call' });
    expect(decide({ entry: rejected, version: now.getTime() - 3 * DAY })).toEqual({
      kind: 'ask-store',
    });
  });

  it('sends what is unchanged when it is forced, and never over a newer version', () => {
    const force = true;
    const call = { kind: 'call' };
    expect(decide({ force, entry: entry() })).toEqual(call);
    expect(decide({ force, entry: entry(), source: 'store' })).toEqual(call);
    expect(decide({ force, entry: entry(), version: at + 1000 })).toEqual(call);
    expect(decide({ force, entry: entry(), version: at - 1 })).toEqual({ kind: 'superseded' });
    expect(decide({ force, entry: entry(), wanted: undefined })).toEqual({ kind: 'leave' });
    // Two states of one second: which of them is newer, a wish does not tell.
    expect(decide({ force, entry: entry(), wanted: 'B' })).toMatchObject({ kind: 'ask-store' });
  });

  it('skips without asking anybody, unless it must know more first', () => {
    expect(decide({ wanted: undefined })).toEqual({ kind: 'leave' });
    expect(decide({ entry: entry(), wanted: undefined })).toEqual({ kind: 'leave' });
  });

  it('never sends a snapshot of the store back to the store', () => {
    const entries = fc.option(
      fc.record({
        version: fc.integer({ min: at - 5, max: at + 5 }),
        appliedKey: fc.constantFrom(keyIn.A, keyIn.B),
        uncertain: fc.boolean(),
        outcomes: fc.constant([]),
        revision: fc.nat(),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        entries,
        fc.integer({ min: at - 5, max: at + 5 }),
        fc.constantFrom('A', 'B', undefined),
        (known, version, wanted) => {
          const next = decide({ entry: known, version, wanted, source: 'store' });
          expect(next.kind).not.toBe('ask-store');
        },
      ),
    );
  });
});

function turn<T>(value: T): T {
  if (Array.isArray(value)) return value.map(turn) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, turn(field)] as const);
  return Object.fromEntries(entries.toReversed()) as T;
}

const keyOf = (order: Parameters<typeof mapOrder>[0]) => {
  const mapped = mapOrder(order, rules, neverSent);
  return mapped.kind === 'wanted' ? idempotencyKey(mapped.wanted) : mapped.kind;
};

const anyOrderState: fc.Arbitrary<WantedState> = fc
  .record({
    OriginalId: fc.string(),
    OrderTotal: fc.integer(),
    Coupon: fc.option(fc.string()),
    Metadatas: fc.array(fc.record({ Name: fc.string(), Value: fc.string() })),
  })
  .map((order) => ({ kind: 'order', id: '1', order, sold: [], changed: false, isFine: false }));

describe('the idempotency key', () => {
  it('is the same however the state was put together', () => {
    fc.assert(
      fc.property(anyOrderState, (wanted) => {
        expect(idempotencyKey(turn(wanted))).toBe(idempotencyKey(wanted));
        const absent = { ...wanted, Branch: undefined };
        expect(idempotencyKey(absent)).toBe(idempotencyKey(wanted));
      }),
    );
  });

  it('differs when anything in the state differs', () => {
    fc.assert(
      fc.property(anyOrderState, anyOrderState, (one, other) => {
        const equal = JSON.stringify(one) === JSON.stringify(other);
        expect(idempotencyKey(one) === idempotencyKey(other)).toBe(equal);
      }),
    );
  });

  it('does not cancel a cancelled order again for the refund that follows', () => {
    const line = lineOf(5000);
    const cancelled = storeOrder({ lines: [line], cancelledAfterDays: 1 });
    const refunded = storeOrder({ lines: [{ ...line, takenBack: 1 }], cancelledAfterDays: 1 });
    expect(keyOf(refunded)).toBe(keyOf(cancelled));
    expect(keyOf(cancelled)).not.toBe(keyOf(storeOrder({ lines: [line] })));
    expect(keyOf({ ...cancelled, id: '2' })).not.toBe(keyOf(cancelled));
  });

  it('distinguishes a code from the same code made inactive', () => {
    const coupon = idempotencyKey({ kind: 'coupon', id: 'A', coupon: {} });
    expect(idempotencyKey({ kind: 'inactive-coupon', id: 'A' })).not.toBe(coupon);
  });
});

describe('a snapshot that a feeder read', () => {
  const read = (readAt: number | undefined, version: number) => {
    const entity = { kind: 'order', order: storeOrder() } as const;
    const dated = { version, ...(readAt !== undefined && { readAt }) };
    const candidate = {
      event: {} as never,
      reading: { kind: 'snapshot', entity, ...dated } as const,
    };
    return carriedSnapshot(candidate, now)?.source;
  };

  it('is trusted for a week, if it was read two minutes after its version or later', () => {
    const week = now.getTime() - 7 * DAY;
    expect(read(undefined, at)).toBe('event');
    expect(read(week, week - 120_000)).toBe('feeder');
    expect(read(week - 1, week - 120_001)).toBe('event');
    expect(read(week, week - 119_999)).toBe('event');
  });
});
