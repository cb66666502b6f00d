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

const DAY_MS = 86_400_000;
const other = { ...settled, appliedKey: 'other' };
const older = { ...settled, version: version - 1000 };
const unknown = { version: 0, uncertain: false, outcomes: [], revision: 1 };
const { rules: _, ...withoutRules } = other;
/** Refused at this version, after an older one was applied; its dead letter waits for 15 days. */
const refused = [line('applied', version - 1000), line('rejected', version)];
const dropped = { ...older, outcomes: [...refused, line('dropped', version)] };
const skipped = { ...unknown, version, outcomes: [line('skipped', version)] };
const inDays = (days: number) => ({ now: new Date(now.getTime() + days * DAY_MS) });
const testOrder = { entity: { kind: 'order', order: { ...order, test: true } } } as const;
const unread = { entity: undefined };
const failing = () => {
  throw new Error('a mistake of the merchant');
};
const faulty = { rules: { ...rules, metadata: failing } };
const goLive = { rules: { ...rules, goLive: new Date(now.getTime() + DAY_MS).toISOString() } };
const long = inDays(300);
const fine = { kind: 'fine' };
const waits = { kind: 'waits' };
const history = { kind: 'history' };

type Row = [string, LedgerEntry | undefined, Partial<Comparison>, unknown];

describe('the judgement on one entity', () => {
  it.each<Row>([
    ['was applied as it is', settled, {}, expect.objectContaining(fine)],
    ['the ledger does not know', undefined, {}, heal('missing')],
    ['the ledger knows by a refusal alone', unknown, {}, heal('missing')],
    ['is unknown, and older than the connector', undefined, { since: version + 1 }, history],
    ['is unknown, and as old as the connector', undefined, { since: version }, heal('missing')],
    ['is known, and older than the connector', older, { since: version + 1 }, heal('stale')],
    ['the store has changed since', { ...older, appliedKey: 'other' }, {}, heal('stale')],
    // A late version in between would be applied.
    ['has a newer version of the same state', older, {}, heal('stale')],
    ['the ledger knows better than the store', { ...other, version: version + 1000 }, {}, fine],
    ['has another state in the same second', other, {}, heal('different')],
    ['only other rules would send differently', { ...other, rules: 'older' }, {}, fine],
    ['was sent before rules were named', withoutRules, {}, fine],
    [
      'is uncertain, under other rules',
      { ...withoutRules, uncertain: true },
      {},
      heal('uncertain'),
    ],
    ['is older, under other rules', { ...older, rules: 'older' }, {}, heal('stale')],
    ['is uncertain, and older', { ...older, uncertain: true }, {}, heal('uncertain')],
    ['is uncertain', { ...settled, uncertain: true }, {}, heal('uncertain')],
    [
      'is uncertain, and newer',
      { ...settled, version: version + 1, uncertain: true },
      {},
      heal('uncertain'),
    ],
    ['waits as a dead letter', { ...older, outcomes: refused }, inDays(14.9), waits],
    ['waits, uncertain', { ...older, outcomes: refused, uncertain: true }, {}, waits],
    ['waits, never applied', { ...unknown, outcomes: refused }, {}, waits],
    [
      'waited until its dead letter expired',
      { ...older, outcomes: refused },
      inDays(15),
      heal('dead-letter-expired'),
    ],
    [
      'waited so, never applied',
      { ...unknown, outcomes: refused },
      inDays(15),
      heal('dead-letter-expired'),
    ],
    [
      'waited so, uncertain',
      { ...older, outcomes: refused, uncertain: true },
      inDays(15),
      heal('dead-letter-expired'),
    ],
    [
      'a backfill asked for and was refused, before go-live',
      { ...unknown, outcomes: refused.slice(1) },
      { ...goLive, ...inDays(16) },
      heal('dead-letter-expired'),
    ],
    ['is unknown, and from before go-live', undefined, { ...goLive, ...inDays(16) }, fine],
    // Every reading has a version of its own: it must not make a dead letter an hour.
    [
      'was refused at an earlier reading',
      { ...older, outcomes: [line('rejected', version - 1000)] },
      { versionsAreReadings: true },
      waits,
    ],
    [
      'a person dropped, and is read again',
      dropped,
      { ...long, versionsAreReadings: true, version: version + 1000 },
      waits,
    ],
    ['a person dropped', dropped, long, waits],
    ['a person dropped, uncertain', { ...dropped, uncertain: true }, long, waits],
    ['a person dropped, and changed', dropped, { ...long, version: version + 1000 }, heal('stale')],
    [
      'was refused, and has changed since',
      { ...settled, version: version - 2000, outcomes: [line('rejected', version - 1000)] },
      {},
      heal('stale'),
    ],
    [
      'was refused, and then applied by a replay',
      { ...other, outcomes: [line('rejected', version), line('applied', version)] },
      {},
      heal('different'),
    ],
    [
      'was refused, and then skipped by a replay',
      {
        ...other,
        outcomes: [line('rejected', version), { ...line('skipped', version), why: 'pending' }],
      },
      {},
      heal('different'),
    ],
    ['the rules skip, unknown', undefined, testOrder, fine],
    ['the rules skip, known', { ...unknown, version: version - 1 }, testOrder, fine],
    ['was skipped, and the rules want', skipped, {}, heal('different')],
    ['was settled, where a rule of the merchant fails', settled, faulty, fine],
    // It becomes a dead letter, as its webhook would have.
    ['was never settled, where a rule of the merchant fails', undefined, faulty, heal('missing')],
    ['is settled, and could not be read', settled, unread, fine],
    ['is older, and could not be read', older, unread, heal('stale')],
    ['is unknown, and could not be read', undefined, unread, heal('missing')],
  ])('of what %s', (_title, entry, changes, judged) => {
    expect(judge(entry, changes)).toEqual(judged);
  });

  const code = { code: 'A', updatedAt: order.updatedAt };
  const ended = { ...code, endsAt: order.updatedAt };
  it.each([
    ['order', { kind: 'order', order }, history],
    ['product', { kind: 'product', product: storeProduct() }, heal('missing')],
    ['coupon', { kind: 'coupon', coupon: storeCoupon(code) }, heal('missing')],
    ['coupon', { kind: 'coupon', coupon: storeCoupon(ended) }, history],
  ] as const)(
    'takes a missing %s for forgotten only if it expires in the ledger (%#)',
    (kind, entity, judged) => {
      const key = { shop: SHOP, kind, id: 'A' };
      expect(judge(undefined, { key, entity, ...inDays(401) })).toEqual(judged);
    },
  );

  it('takes a missing order that was just read for forgotten by the day it was placed', () => {
    const readIn = (days: number) => {
      const { now: at } = inDays(days);
      const reading = { versionsAreReadings: true, version: at.getTime() };
      return judge(undefined, { ...reading, now: at });
    };
    expect(readIn(401)).toEqual(history);
    expect(readIn(390)).toEqual(heal('missing'));
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

  it('is not waited for when the time is over', async () => {
    expect(await wait([{ ready: 201, hidden: 0 }], true)).toEqual({ hasRoom: false, pauses: 0 });
  });
});
