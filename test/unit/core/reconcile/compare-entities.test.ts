import { describe, expect, it } from 'vitest';
import type { EntityEntry, LedgerEntry } from '../../../../shared/core/ledger/ledger.ts';
import { mapOrder } from '../../../../shared/core/mapping/map-order.ts';
import { idempotencyKey } from '../../../../shared/core/mapping/wanted-state.ts';
import {
  type Comparison,
  judgeEntity,
} from '../../../../shared/core/reconcile/compare-entities.ts';
import { waitedForStore, waitForRoom } from '../../../../shared/core/reconcile/dependencies.ts';
import {
  neverSent,
  rules,
  storeCoupon,
  storeOrder,
  storeProduct,
} from '../../../fixtures/store-entities.ts';

const SHOP = 'example-store.myshopify.com';
const order = storeOrder();
const version = Date.parse(order.updatedAt);
const now = new Date(version + 3_600_000);
const mapped = mapOrder(order, rules, neverSent);
if (mapped.kind !== 'wanted') throw new Error('the order is not sent');
const appliedKey = idempotencyKey(mapped.wanted);

const settled: EntityEntry = {
  version,
  appliedKey,
  uncertain: false,
  remembered: mapped.remember ?? '',
  rules: mapped.rules ?? '',
  outcomes: [line('applied', version)],
  revision: 1,
};

function line(outcome: string, of: number) {
  return { at: now.toISOString(), outcome, version: of, topic: 'orders/updated' };
}

function judge(entry: LedgerEntry | undefined, changes: Partial<Comparison> = {}) {
  return judgeEntity({
    key: { shop: SHOP, kind: 'order', id: order.id },
    entry,
    version,
    entity: { kind: 'order', order },
    rules,
    since: 0,
    orderRetentionDays: 400,
    now,
    ...changes,
  });
}

const heal = (why: string) => expect.objectContaining({ kind: 'heal', why });

describe('the judgement on one entity', () => {
  it('leaves alone what was applied as it is', () => {
    expect(judge(settled)).toMatchObject({ kind: 'fine', applied: { kind: 'order' } });
  });

  it('sends for what the ledger does not know', () => {
    expect(judge(undefined)).toEqual(heal('missing'));
    expect(judge({ version: 0, uncertain: false, outcomes: [], revision: 1 })).toEqual(
      heal('missing'),
    );
  });

  it('leaves what is unknown and older than the connector to a backfill', () => {
    expect(judge(undefined, { since: version + 1 })).toEqual({ kind: 'history' });
    expect(judge(undefined, { since: version })).toEqual(heal('missing'));
    // Known is known, whatever its age.
    expect(judge({ ...settled, version: version - 1 }, { since: version + 1 })).toEqual(
      heal('stale'),
    );
  });

  it('sends for what the store has changed since', () => {
    expect(judge({ ...settled, version: version - 1000, appliedKey: 'other' })).toEqual(
      heal('stale'),
    );
  });

  it('sends for a newer version of the same state: a late middle one would be applied', () => {
    expect(judge({ ...settled, version: version - 1000 })).toEqual(heal('stale'));
  });

  it('leaves alone what the ledger knows better than the store', () => {
    expect(judge({ ...settled, version: version + 1000, appliedKey: 'other' })).toEqual({
      kind: 'fine',
    });
  });

  it('sends for another state of the same second', () => {
    expect(judge({ ...settled, appliedKey: 'other' })).toEqual(heal('different'));
  });

  it('leaves alone an order that only other rules would send differently', () => {
    const other = { ...settled, appliedKey: 'other', rules: 'older' };
    expect(judge(other)).toEqual({ kind: 'fine' });
    const { rules: _, ...first } = other;
    expect(judge(first)).toEqual({ kind: 'fine' });
    expect(judge({ ...other, uncertain: true })).toEqual(heal('uncertain'));
    expect(judge({ ...other, version: version - 1000 })).toEqual(heal('stale'));
  });

  it('sends an event for an uncertain entity, older and newer than the store says', () => {
    for (const known of [version - 1, version, version + 1]) {
      expect(judge({ ...settled, version: known, uncertain: true })).toEqual(heal('uncertain'));
    }
  });

  it('leaves alone what was refused at this version, and waits as a dead letter', () => {
    const refused = [line('applied', version - 1000), line('rejected', version)];
    const before = { ...settled, version: version - 1000, outcomes: refused };
    expect(judge(before)).toEqual({ kind: 'waits' });
    expect(judge({ ...before, uncertain: true })).toEqual({ kind: 'waits' });
    const never = { version: 0, uncertain: false, outcomes: refused, revision: 1 };
    expect(judge(never)).toEqual({ kind: 'waits' });
  });

  it('sends for what was refused once its dead letter can no longer exist', () => {
    const refused = [line('applied', version - 1000), line('rejected', version)];
    const before = { ...settled, version: version - 1000, outcomes: refused };
    const inDays = (days: number) => ({ now: new Date(now.getTime() + days * 86_400_000) });
    expect(judge(before, inDays(14.9))).toEqual({ kind: 'waits' });
    expect(judge(before, inDays(15))).toEqual(heal('letter-expired'));
    const never = { version: 0, uncertain: false, outcomes: refused, revision: 1 };
    expect(judge(never, inDays(15))).toEqual(heal('letter-expired'));
    expect(judge({ ...before, uncertain: true }, inDays(15))).toEqual(heal('letter-expired'));
  });

  it('sends for what a backfill asked for and was refused, though it is older than go-live', () => {
    const goLive = { ...rules, goLive: new Date(now.getTime() + 86_400_000).toISOString() };
    const given = { rules: goLive, now: new Date(now.getTime() + 16 * 86_400_000) };
    const refused = {
      version: 0,
      uncertain: false,
      revision: 1,
      outcomes: [line('rejected', version)],
    };
    expect(judge(refused, given)).toEqual(heal('letter-expired'));
    expect(judge(undefined, given)).toEqual({ kind: 'fine' });
  });

  const code = { code: 'A', updatedAt: order.updatedAt };
  const ended = { ...code, endsAt: order.updatedAt };
  it.each([
    ['order', { kind: 'order', order }, { kind: 'history' }],
    ['product', { kind: 'product', product: storeProduct() }, heal('missing')],
    ['coupon', { kind: 'coupon', coupon: storeCoupon(code) }, heal('missing')],
    ['coupon', { kind: 'coupon', coupon: storeCoupon(ended) }, { kind: 'history' }],
  ] as const)(
    'takes a missing %s for forgotten only if it expires in the ledger (%#)',
    (kind, entity, judged) => {
      const key = { shop: SHOP, kind, id: 'A' };
      const later = new Date(version + 401 * 86_400_000);
      expect(judge(undefined, { key, entity, now: later })).toEqual(judged);
    },
  );

  it('never sends what was refused and dropped by a person, until it changes in the store', () => {
    const refused = [line('applied', version - 1000), line('rejected', version)];
    const outcomes = [...refused, line('dropped', version)];
    const dropped = { ...settled, version: version - 1000, outcomes };
    const inYears = { now: new Date(now.getTime() + 300 * 86_400_000) };
    expect(judge(dropped, inYears)).toEqual({ kind: 'waits' });
    expect(judge({ ...dropped, uncertain: true }, inYears)).toEqual({ kind: 'waits' });
    expect(judge(dropped, { ...inYears, version: version + 1000 })).toEqual(heal('stale'));
  });

  it('sends for what was refused and has changed since', () => {
    const outcomes = [line('rejected', version - 1000)];
    expect(judge({ ...settled, version: 0, outcomes })).toEqual(heal('missing'));
    expect(judge({ ...settled, version: version - 2000, outcomes })).toEqual(heal('stale'));
  });

  it.each([
    ['applied', line('applied', version)],
    ['skipped, because it was pending then', { ...line('skipped', version), why: 'pending' }],
  ])('goes by the newest line of a version: a replay may have been %s', (_, newest) => {
    const outcomes = [line('rejected', version), newest];
    expect(judge({ ...settled, outcomes, appliedKey: 'other' })).toEqual(heal('different'));
  });

  it('leaves alone what the rules skip, known or not', () => {
    const test = { ...order, test: true };
    const entity = { kind: 'order', order: test } as const;
    expect(judge(undefined, { entity })).toEqual({ kind: 'fine' });
    const skipped = { version: version - 1, uncertain: false, outcomes: [], revision: 1 };
    expect(judge(skipped, { entity })).toEqual({ kind: 'fine' });
  });

  it('sends for what was skipped, once the rules want it', () => {
    const skipped = {
      version,
      uncertain: false,
      outcomes: [line('skipped', version)],
      revision: 1,
    };
    expect(judge(skipped)).toEqual(heal('different'));
  });

  it('makes no dead letters of what was settled, where a rule of the merchant fails', () => {
    const failing = {
      ...rules,
      metadata: () => {
        throw new Error('a mistake');
      },
    };
    expect(judge(settled, { rules: failing })).toEqual({ kind: 'fine' });
    // What was never settled becomes one, as its webhook would have.
    expect(judge(undefined, { rules: failing })).toEqual(heal('missing'));
  });

  it('compares versions alone where the store could not be read', () => {
    expect(judge(settled, { entity: undefined })).toEqual({ kind: 'fine' });
    expect(judge({ ...settled, version: version - 1 }, { entity: undefined })).toEqual(
      heal('stale'),
    );
    expect(judge(undefined, { entity: undefined })).toEqual(heal('missing'));
  });
});

async function wait(
  depths: readonly { ready: number; hidden: number }[],
  isOver = false,
  othersWait = false,
) {
  let looked = 0;
  let pauses = 0;
  const hasRoom = await waitForRoom('order', {
    depth: {
      async of() {
        looked += 1;
        return depths[Math.min(looked, depths.length) - 1] ?? { ready: 0, hidden: 0 };
      },
    },
    pause: async () => {
      pauses += 1;
    },
    deadline: isOver ? AbortSignal.abort() : new AbortController().signal,
    othersWait,
  });
  return { hasRoom, pauses };
}

it.each([
  [0, [1_000]],
  [12, [12_000]],
  [60, [60_000]],
  [61, []],
])('a store that asks for %i seconds is waited for up to a minute', async (afterSeconds, waits) => {
  const waited: number[] = [];
  const pause = async (ms: number) => void waited.push(ms);
  const world = { pause, deadline: new AbortController().signal };
  const stopped = { kind: 'stopped', why: 'store-throttled', afterSeconds } as const;
  expect(await waitedForStore(stopped, world)).toBe(waits.length > 0);
  expect(waited).toEqual(waits);
});

describe('room in a queue', () => {
  it('is there while the workers need some seconds for what waits', async () => {
    expect(await wait([{ ready: 200, hidden: 800 }])).toEqual({ hasRoom: true, pauses: 0 });
  });

  it('is waited for while live events would have to queue', async () => {
    const full = { ready: 201, hidden: 0 };
    expect(await wait([full, full, { ready: 0, hidden: 9 }])).toEqual({ hasRoom: true, pauses: 2 });
  });

  it('is not there while very much waits for another try, and the waiting ends', async () => {
    const { hasRoom, pauses } = await wait([{ ready: 0, hidden: 1_001 }]);
    expect(hasRoom).toBe(false);
    expect(pauses).toBeGreaterThan(5);
  });

  it('is not counted while the messages of a paused shop fill the queue: each page waits once', async () => {
    const full = { ready: 5_000, hidden: 50_000 };
    expect(await wait([full], false, true)).toEqual({ hasRoom: true, pauses: 1 });
  });

  it('is not waited for where a shop is paused and its messages leave room', async () => {
    const few = { ready: 3, hidden: 40 };
    expect(await wait([few], false, true)).toEqual({ hasRoom: true, pauses: 0 });
  });

  it('is not waited for when the time is over', async () => {
    expect(await wait([{ ready: 201, hidden: 0 }], true)).toEqual({ hasRoom: false, pauses: 0 });
  });
});
