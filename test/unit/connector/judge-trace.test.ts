import { describe, expect, it } from 'vitest';
import { skippedToItsEnd, type Trace } from '../../../scripts/connector/trace/collect-trace.ts';
import {
  explainPoints,
  judgeTrace,
  lostWebhookOf,
  timelineOf,
} from '../../../scripts/connector/trace/judge-trace.ts';
import type { EntityEntry, LedgerEntry } from '../../../shared/core/ledger/ledger.ts';
import {
  cancelledOrderKey,
  idempotencyKey,
  type Mapped,
} from '../../../shared/core/mapping/wanted-state.ts';
import type { OrderEarning } from '../../../shared/core/storefront/read-history.ts';
import type { StoreProduct } from '../../../shared/store/store-entities.ts';

const product: StoreProduct = {
  ...{ id: '7', title: 'Shirt', handle: 'shirt', imageUrl: undefined, status: 'active' },
  ...{ vendor: undefined, category: undefined, productType: undefined, price: undefined },
  updatedAt: '2026-11-15T02:00:00.000Z',
};
const wanted = { kind: 'product', id: '7', product: { OriginalId: '7', Name: 'Shirt' } } as const;
const mapped: Mapped = { kind: 'wanted', wanted, remember: undefined };
const entry: LedgerEntry = {
  version: Date.parse(product.updatedAt),
  appliedKey: idempotencyKey(wanted),
  uncertain: false,
  outcomes: [
    { at: '2026-11-15T02:00:03.000Z', outcome: 'applied', version: 1, topic: 'products/update' },
  ],
  revision: 1,
};
const letter = {
  ...{ letterId: 'm-1', family: 'products', body: '', receiptHandle: '', attempts: 1 },
  ...{ reason: 'rejected', why: 'the name is missing', at: Date.parse('2026-11-15T01:00:00.000Z') },
  ...{ code: undefined, event: undefined, undecodable: undefined },
} as unknown as Trace['letters'][number];

const pause: Trace['pause'] = {
  ...{ shop: 'example-store.myshopify.com', since: '2026-11-15T01:00:00.000Z' },
  ...{ by: 'operator', part: 'orders', who: 'ops' },
};

const wait: Trace['waits'][number] = {
  ...{ shop: 'example-store.myshopify.com', queue: 'orders', about: { kind: 'order', id: '7' } },
  ...{ messageId: 'm-2', receiptHandle: 'handle', waitsFor: 'loyalty', why: 'unavailable' },
  since: Date.parse('2026-11-15T02:00:01.000Z'),
  until: Date.parse('2026-11-15T03:10:00.000Z'),
  ...{ tries: 2, receives: 2, revision: 1 },
};

function trace(changes: Partial<Trace> = {}): Trace {
  return {
    key: { shop: 'example-store.myshopify.com', kind: 'product', id: '7' },
    entry,
    letters: [],
    store: { kind: 'found', value: { kind: 'product', product } },
    mapped,
    readBack: { kind: 'nothing-to-read' },
    serviceOrder: undefined,
    doubt: undefined,
    pause: undefined,
    waiting: 3,
    waits: [],
    ...changes,
  };
}

const at = (time: string) => `2026-11-15T${time}.000Z`;
const earning: OrderEarning = { state: 'earned', points: 41, cashback: 0, why: null };
const sentAmounts = { sent: { total: 1, products: [], completedAt: '', rest: '' }, taken: 0 };
const heldOrder = { kind: 'held', changedAt: undefined, givenAt: undefined } as const;
const sentEvent: Trace['letters'][number]['event'] = {
  ...{ shop: 'example-store.myshopify.com', kind: 'order', id: '7', topic: 'orders/updated' },
  ...{ claim: 'changed', origin: 'webhook', deliveryId: 'd-1', body: undefined },
  ...{ triggeredAt: at('00:58:00'), receivedAt: at('00:58:01') },
  replays: [{ at: at('00:59:00'), by: 'ops' }],
};

const wantedOrder = (changes: object, isRefunded = false) =>
  ({
    kind: 'order',
    id: '7',
    order: { OriginalId: '7', OrderTotal: 40, IsCompleted: true, ...changes },
    sold: [],
    isRefunded,
    earlier: [],
  }) as const;

describe('an order that was refunded', () => {
  const at = '2026-11-15T01:00:00.000Z';
  const wanted = wantedOrder({ OrderTotal: 70 }, true);
  const amounts = { sent: { total: 100_000, products: [], completedAt: at }, taken: 30_000 };
  const traced = (until: number) =>
    judgeTrace(
      trace({
        key: { shop: 'example-store.myshopify.com', kind: 'order', id: '7' },
        mapped: { kind: 'wanted', wanted, remember: undefined },
        entry: {
          ...{ ...entry, appliedKey: idempotencyKey(wanted), amounts },
          outcomes: [{ at, outcome: 'applied', version: 1, topic: 'orders/updated' }],
        },
        doubt: { since: 0, until },
      }),
    );

  it('agrees only if the ledger knows what was taken back of it', () => {
    expect(traced(Date.parse(at)).kind).toBe('agrees');
    expect(traced(Date.parse(at) + 1)).toMatchObject({
      kind: 'unknown',
      what: expect.stringContaining('taken back'),
    });
  });
});

describe('the verdict on one entity', () => {
  it.each<[string, Partial<Trace>, string, string, string | undefined]>([
    ['agrees when the wanted state was applied', {}, 'agrees', 'was applied', undefined],
    [
      'agrees beside an old dead letter',
      { letters: [letter] },
      'agrees',
      'are older or the same',
      undefined,
    ],
    [
      'agrees when only the rules changed since',
      { entry: { ...entry, appliedKey: 'other', rules: 'a' }, mapped: { ...mapped, rules: 'b' } },
      'agrees',
      'earlier rules',
      undefined,
    ],
    [
      'differs while a call is in doubt, whatever was applied before',
      { entry: { ...entry, uncertain: true } },
      'differs',
      'is uncertain',
      undefined,
    ],
    [
      'differs after a change',
      { entry: { ...entry, appliedKey: 'other' } },
      'differs',
      'an earlier state was',
      'status',
    ],
    [
      'suggests reconciliation where nothing is on the queue',
      { entry: undefined, waiting: 0 },
      'differs',
      'Nothing is on the queue: reconcile sends it',
      'reconcile --wait --shop example-store.myshopify.com',
    ],
    [
      'names the pause that holds the change',
      { entry: undefined, pause },
      'differs',
      'orders paused since 2026-11-15 01:00 UTC by ops',
      'resume --shop example-store.myshopify.com --queue orders',
    ],
    [
      'names what its own message waits for, and until when',
      { entry: undefined, waits: [wait] },
      'differs',
      'waits for the loyalty service (unavailable), and the next attempt is at 2026-11-15 03:10:00 UTC',
      'retry-now --shop example-store.myshopify.com --queue orders',
    ],
    [
      'differs when the store has deleted what is still there',
      { store: { kind: 'gone' }, entry: { ...entry, appliedKey: 'other' } },
      'differs',
      'no longer has it',
      'status',
    ],
    ['differs before the first send', { entry: undefined }, 'differs', 'nothing was', 'status'],
    [
      'names the dead letter that holds the change',
      { entry: undefined, letters: [letter] },
      'differs',
      'the name is missing',
      'dead-letters show m-1',
    ],
    [
      'agrees with a rule that leaves it out',
      { entry: undefined, mapped: { kind: 'skip', why: 'guest' } },
      'agrees',
      'by rule: guest',
      undefined,
    ],
    [
      'differs when a rule of the merchant fails',
      { mapped: { kind: 'fault', faults: [{ path: 'rules.document', problem: 'threw' }] } },
      'differs',
      'rules.document threw',
      undefined,
    ],
    [
      'is unknown without the store',
      { store: { kind: 'unavailable', why: 'unauthorized' }, mapped: undefined },
      'unknown',
      'could not be read (unauthorized)',
      'doctor',
    ],
    [
      'is unknown when no side has it',
      { store: { kind: 'gone' }, entry: undefined, mapped: undefined },
      'unknown',
      'Neither',
      undefined,
    ],
  ])('%s', (_, changes, kind, words, next) => {
    const verdict = judgeTrace(trace(changes), new Date('2026-11-15T03:00:00.000Z'));
    expect(verdict.kind).toBe(kind);
    expect(verdict.what).toContain(words);
    expect(verdict.next).toBe(next);
  });
});

it('shows what happened in time order, from every source, up to the next attempt', () => {
  const lines = timelineOf(
    trace({
      letters: [{ ...letter, event: sentEvent }],
      waits: [wait],
      serviceOrder: { kind: 'held', earning, changedAt: at('02:00:04'), givenAt: at('02:30:00') },
    }),
  );
  expect(lines.map(({ who, event }) => `${who}: ${event}`)).toEqual([
    'store: webhook-sent',
    'queue: received',
    'dead letter: replayed',
    'dead letter: given-up',
    'store: changed',
    'queue: waits',
    'ledger: outcome',
    'loyalty service: changed',
    'loyalty service: points-given',
    'queue: next-try',
  ]);
  expect(lines.find(({ event }) => event === 'outcome')).toMatchObject({ outcome: 'applied' });
  // A page names the event itself: the details must not repeat it.
  for (const { what, detail } of lines.filter((line) => line.detail !== undefined)) {
    expect(what.endsWith(detail ?? '') || what.startsWith('gave'), what).toBe(true);
    expect(what).not.toBe(detail);
  }
  expect(lines.find(({ event }) => event === 'given-up')).toMatchObject({ reason: 'rejected' });
});

describe('the points of an order', () => {
  /** An order that was sent in this form. */
  function sent(changes: object, trace: Partial<Trace> = {}): Partial<Trace> {
    const wanted = wantedOrder(changes);
    const appliedKey = idempotencyKey(wanted);
    return {
      ...{ mapped: { kind: 'wanted', wanted, remember: undefined } },
      ...{ entry: { ...entry, appliedKey }, ...trace },
    };
  }
  const unsent = (changes: Partial<Trace>) => sent({}, { entry: undefined, ...changes });
  const held = (changes: Partial<OrderEarning>) =>
    sent({}, { serviceOrder: { ...heldOrder, earning: { ...earning, ...changes } } });
  const byOtherRules: Mapped = {
    ...{ kind: 'wanted', wanted: wantedOrder({}), remember: undefined, rules: 'b' },
  };

  it.each<[Partial<Trace>, string, RegExp]>([
    [{ mapped: { kind: 'skip', why: 'guest' } }, 'guest', /^No points: it is a guest order/],
    [{ mapped: { kind: 'skip', why: 'test-order' } }, 'test-order', /a test order/],
    [{ mapped: { kind: 'skip', why: 'before-go-live' } }, 'before-go-live', /before go-live/],
    [{ mapped: { kind: 'skip', why: 'pending' } }, 'pending', /^No points yet: it is not complete/],
    [{ mapped: { kind: 'fault', faults: [] } }, 'rule-fails', /a rule of connector.config.ts/],
    [unsent({ letters: [letter] }), 'rejected', /given up \(the name is missing\)/],
    [unsent({ pause }), 'paused', /orders paused since 2026-11-15 01:00 UTC by ops/],
    [unsent({ waiting: 3 }), 'waiting', /3 messages are on the queue/],
    [unsent({ waiting: 0 }), 'waiting', /its webhook has not come/],
    [sent({}, { entry: { ...entry, uncertain: true } }), 'uncertain', /no known outcome/],
    [sent({ IsCompleted: false }), 'not-complete', /is not complete/],
    [sent({ OrderTotal: 0 }), 'total-zero', /its total is zero/],
    [sent({}), 'sent', /sent as complete with a total of 40/],
    [
      sent({}, { serviceOrder: { kind: 'unknown', why: 'time-out' } }),
      'sent',
      /sent as complete with a total of 40/,
    ],
    [held({ state: 'earned' }), 'earned', /gave 41 since it was complete/],
    [held({ state: 'expected' }), 'expected', /^No points yet: .* expects 41;/],
    [held({ state: 'none', why: 'no-points' }), 'none-by-service', /gives none for it/],
    [held({ state: 'none', why: 'cancelled' }), 'cancelled-in-service', /has it as cancelled/],
    [sent({}, { serviceOrder: { kind: 'absent' } }), 'not-in-service', /does not have it/],
    [unsent({ waits: [wait] }), 'waiting', /^No points yet: its message waits for the loyalty/],
    [
      sent({}, { entry: { ...entry, appliedKey: 'other', rules: 'a' }, mapped: byOtherRules }),
      'sent',
      /sent as complete/,
    ],
  ])('%# are explained in one sentence: %2$s', (changes, why, words) => {
    const key = { shop: 'example-store.myshopify.com', kind: 'order', id: '7' } as const;
    const points = explainPoints(trace({ key, ...changes }));
    expect(points?.why).toBe(why);
    expect(points?.what).toMatch(words);
  });
});

describe('an order that ended', () => {
  const cancelled: Mapped = {
    kind: 'wanted',
    remember: undefined,
    wanted: {
      kind: 'cancelled-order',
      id: '7',
      cancellation: {},
      order: {},
      sold: [],
      isRefunded: false,
      earlier: [],
    },
  };
  const line = { at: at('02:00:03'), version: 1, topic: 'orders/updated' };
  const skippedAs = (why: string) => ({ ...line, outcome: 'skipped', why });
  const call = { ...line, outcome: 'applied' };
  const { appliedKey: _, ...unsent } = entry;
  const appliedKey = cancelledOrderKey('7');

  it.each<[string, Partial<EntityEntry>, string]>([
    ['a guest', { outcomes: [skippedAs('guest')] }, 'guest'],
    ['a guest, and was cancelled', { appliedKey, outcomes: [skippedAs('guest'), call] }, 'guest'],
    ['pending', { outcomes: [skippedAs('pending')] }, 'never-sent'],
  ])('was skipped to its end: %s', (_what, changes, why) => {
    const known = { ...unsent, ...changes };
    const skip = { kind: 'skip', why };
    expect(skippedToItsEnd(cancelled, known, { kind: 'absent' })).toEqual(skip);
  });

  it.each<[string, Partial<EntityEntry>, Trace['serviceOrder']]>([
    ['was sent', { appliedKey, outcomes: [call, call] }, { kind: 'absent' }],
    ['was sent as completed', { amounts: sentAmounts, outcomes: [] }, { kind: 'absent' }],
    ['may have been sent', { uncertain: true, outcomes: [] }, { kind: 'absent' }],
    ['is in the service', { outcomes: [] }, { ...heldOrder, earning }],
    [
      'cannot be read',
      { appliedKey, outcomes: [skippedAs('guest'), call] },
      { kind: 'unknown', why: 'time-out' },
    ],
  ])('is expected as cancelled if it %s', (_what, changes, service) => {
    expect(skippedToItsEnd(cancelled, { ...unsent, ...changes }, service)).toBe(cancelled);
  });
});

describe('a lost webhook', () => {
  const line = { at: '2026-11-15T02:00:03.000Z', outcome: 'applied', topic: 'orders/updated' };
  const key = { shop: 'example-store.myshopify.com', kind: 'order', id: '7' } as const;
  const found = { ...line, version: 2_000, origin: 'reconcile' } as const;

  it('is named where reconciliation found a state that no webhook had reported', () => {
    const outcomes = [{ ...line, version: 1_000 }, found];
    expect(lostWebhookOf(trace({ key, entry: { ...entry, outcomes } }))).toMatch(
      /^A webhook was lost/,
    );
  });

  it('is not claimed where reconciliation sent a known state again', () => {
    const outcomes = [{ ...line, version: 2_000, outcome: 'rejected' }, found];
    expect(lostWebhookOf(trace({ key, entry: { ...entry, outcomes } }))).toBeUndefined();
  });
});
