import { describe, expect, it } from 'vitest';
import { lineText } from '../../../scripts/connector/ground/terminal/line.ts';
import type { Trace } from '../../../scripts/connector/look/judge-trace.ts';
import { judgeTrace, pointsText, replaysIn } from '../../../scripts/connector/look/judge-trace.ts';
import {
  arithmeticOf,
  documentOf,
  timelineOf,
} from '../../../scripts/connector/look/show-trace.ts';
import type { EntityEntry, LedgerEntry } from '../../../shared/core/ledger/ledger.ts';
import { mapOrder } from '../../../shared/core/mapping/map-order.ts';
import { idempotencyKey, type Mapped } from '../../../shared/core/mapping/wanted-state.ts';
import type { StoreProduct } from '../../../shared/store/store-entities.ts';
import type { OrderEarning } from '../../../shared/store/storefront-answers.gen.ts';
import { lineOf } from '../../fixtures/order-spec.ts';
import { neverSent, rules, storeCredit, storeOrder } from '../../fixtures/store-entities.ts';

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
    changedAt: Date.parse(product.updatedAt),
    mapped,
    held: { kind: 'cannot-be-read' },
    copies: [],
    isObserved: false,
    earned: undefined,
    doubt: undefined,
    assumptions: { readTotals: 'as-sent' },
    pause: undefined,
    ready: 3,
    waits: [],
    tried: [],
    redemptions: 0,
    replays: [],
    ...changes,
  };
}

const at = (time: string) => `2026-11-15T${time}.000Z`;
const earning: OrderEarning = { state: 'earns', points: 41, cashback: 0, why: null };
const heldOrder: Extract<Trace['held'], { kind: 'order' }> = {
  kind: 'order',
  order: { OriginalId: '7', OrderTotal: 40, IsCompleted: true, State: 2 },
};
const sentEvent: Trace['letters'][number]['event'] = {
  ...{ shop: 'example-store.myshopify.com', kind: 'order', id: '7', topic: 'orders/updated' },
  ...{ claim: 'changed', origin: 'webhook', deliveryId: 'd-1', body: undefined },
  ...{ triggeredAt: at('00:58:00'), receivedAt: at('00:58:01') },
  replays: [{ at: at('00:59:00'), by: 'ops' }],
};

const wantedOrder = (changes: object, changed = false) =>
  ({
    kind: 'order',
    id: '7',
    order: { OriginalId: '7', OrderTotal: 40, IsCompleted: true, ...changes },
    sold: [],
    changed,
    isFine: false,
  }) as const;

describe('the verdict on one entity', () => {
  const order = wantedOrder({});
  const ofOrder = (changes: Partial<Trace> = {}): Partial<Trace> => ({
    key: { shop: 'example-store.myshopify.com', kind: 'order', id: '7' },
    mapped: { kind: 'wanted', wanted: order, remember: undefined, rules: 'a' },
    entry: { ...entry, appliedKey: idempotencyKey(order), rules: 'a' },
    held: heldOrder,
    ...changes,
  });
  /** Never sent as a customer; the service has it with this address. */
  const ofCustomer = (email: string): Partial<Trace> => ({
    ...{ key: { ...trace().key, kind: 'member' }, entry: undefined, ready: 0 },
    mapped: {
      ...{ kind: 'wanted', remember: undefined },
      wanted: { kind: 'member', id: '7', member: { OriginalId: '7', Email: 'kim@example.org' } },
    },
    held: { kind: 'customer', customer: { OriginalId: '7', Email: email } },
  });
  const deleted = { kind: 'deleted-member', id: '7' } as const;
  const other: EntityEntry = { ...entry, appliedKey: 'other', rules: 'before' };
  const again = 'resend order 7 --shop example-store.myshopify.com --force';
  const send = 'resend product 7 --shop example-store.myshopify.com --wait --yes';
  const byHand = { UpdatedDate: at('02:30:00'), EstimatedBonus: { EstimatedPoints: 25 } };
  const cancelled = { ...order, kind: 'cancelled-order', cancellation: {} } as const;

  const gaveUp = (line: object): EntityEntry => ({
    ...{ ...other, appliedKey: undefined as never },
    outcomes: [{ at: at('02:10:00'), outcome: 'rejected', version: 0, topic: '', ...line }],
  });
  const refused = { kind: 'unknown', why: 'HTTP 401.', isRefused: true } as const;

  it.each<[string, Partial<Trace>, string | undefined, string, string | undefined]>([
    ['is well where both sides agree', ofOrder(), 'ok', 'Both sides were read just now', undefined],
    [
      'is well beside an obsolete dead letter, which it shows',
      ofOrder({ letters: [letter] }),
      ...(['ok', '1 dead letter about it left over', 'dead-letters show m-1'] as const),
    ],
    [
      'is well when only the rules changed since',
      ofOrder({ entry: other }),
      'ok',
      'agree.',
      undefined,
    ],
    [
      'is not known where the service did not answer',
      ofOrder({ held: { kind: 'unknown', why: 'time-out' } }),
      ...(['unknown', 'could not be read: time-out', 'status'] as const),
    ],
    [
      'requires action where the service refuses the credentials, sent or not',
      ofOrder({ held: refused }),
      ...(['action required', 'refuses the credentials', 'doctor'] as const),
    ],
    [
      'does not say that a message goes on by itself while credentials are refused',
      { entry: undefined, waits: [{ ...wait, waitsFor: 'misconfigured' }] },
      ...(['action required', 'scopes or an address were refused', 'doctor'] as const),
    ],
    [
      'says of a product when it was sent, and no more: the service cannot be asked',
      ...([
        {},
        undefined,
        'Its current state was sent at 2026-11-15 02:00:03 UTC.',
        undefined,
      ] as const),
    ],
    [
      'sends again what the service lost',
      ofOrder({ held: { kind: 'absent' } }),
      ...(['action required', 'does not have it', again] as const),
    ],
    [
      'sends again what differs',
      ofOrder({ held: { kind: 'order', order: { ...heldOrder.order, OrderTotal: 75 } } }),
      ...([
        'action required',
        'differs: amount that counts (store: 40, service: 75)',
        again,
      ] as const),
    ],
    [
      'sends nothing again that is cancelled in the service, where it would be refused',
      ofOrder({ held: { kind: 'order', order: { ...heldOrder.order, State: 3 } } }),
      ...(['action required', 'give the customer the points by hand', undefined] as const),
    ],
    [
      'is not well where the order was changed in the service since, and gives other points',
      ofOrder({ held: { kind: 'order', order: { ...heldOrder.order, ...byHand } } }),
      ...([
        'action required',
        'grants 25 for 40, and the order was changed there',
        undefined,
      ] as const),
    ],
    [
      'waits while a call is in doubt, whatever was applied before',
      { entry: { ...entry, uncertain: true } },
      ...(['pending', 'is unknown. The next event', undefined] as const),
    ],
    [
      'names the dead letters of a call in doubt',
      { entry: { ...entry, uncertain: true }, letters: [letter, letter] },
      'action required',
      '2 dead letters about it: the name is missing.',
      'dead-letters list --id 7 --shop example-store.myshopify.com',
    ],
    [
      'waits after a change while messages are on the queue',
      { entry: { ...entry, appliedKey: 'other' } },
      'pending',
      'an earlier state was sent. Messages are on the queue, perhaps one about it',
      'status',
    ],
    [
      'names resend where no webhook came, and does not promise that the end of a pause sends it',
      { entry: undefined, ready: 0, pause },
      ...(['pending', 'No event about it was accepted', send] as const),
    ],
    [
      'names who dropped its dead letter, and sends it only if a person wants it',
      { entry: gaveUp({ outcome: 'dropped', why: 'by ops' }), ready: 0 },
      ...(['action required', 'dropped by ops at 2026-11-15 02:10:00 UTC: it is', send] as const),
    ],
    [
      'names a rejection whose dead letter is gone',
      { entry: gaveUp({ why: 'the name is missing' }), ready: 0 },
      ...(['action required', 'gave up at 2026-11-15 02:10:00 UTC: the name', send] as const),
    ],
    [
      'takes what changed since for lost',
      { entry: gaveUp({ outcome: 'dropped', version: 1 }), ready: 0 },
      ...(['pending', 'No event about this state was accepted', send] as const),
    ],
    [
      'takes nothing for changed where the store does not say when',
      { entry: gaveUp({ outcome: 'dropped', version: 1 }), ready: 0, changedAt: undefined },
      ...(['action required', 'dropped at 2026-11-15 02:10:00 UTC: it is', send] as const),
    ],
    [
      'names the pause that holds what is sent now',
      { entry: undefined, pause },
      ...(['pending', 'orders paused since 2026-11-15 01:00 UTC by ops', 'status'] as const),
    ],
    [
      'names what its own message waits for, and until when',
      { entry: undefined, waits: [wait] },
      'pending',
      'the loyalty service (it answered with a server error), and the next attempt is at 2026-11-15 03:10:00 UTC',
      'retry-now --shop example-store.myshopify.com',
    ],
    [
      'offers no earlier attempt while a call for it may still be executed',
      { entry: undefined, waits: [{ ...wait, notBefore: Date.now() + 86_400_000 }] },
      ...(['pending', 'the next attempt is at 2026-11-15 03:10:00 UTC', undefined] as const),
    ],
    [
      'offers the end of the pause that its message waits for: another attempt would not help',
      {
        ...{ entry: undefined, waits: [{ ...wait, waitsFor: 'paused' }] },
        pause: { ...pause, until: at('05:00:00') } as Trace['pause'],
      },
      'pending',
      'until 2026-11-15 05:00 UTC by ops), and the next attempt is at 2026-11-15 05:00:00 UTC',
      'resume --shop example-store.myshopify.com --queue orders',
    ],
    [
      'says why the message about what nobody knows waits, and until when',
      {
        ...{ store: { kind: 'gone' }, entry: undefined },
        waits: [{ ...wait, waitsFor: 'store', why: 'store-says-gone' }],
      },
      'pending',
      'has it. Its message is waiting for the store (the store does not have it, and is asked again',
      'retry-now --shop example-store.myshopify.com',
    ],
    [
      'says once why it was given up, in the words of its dead letter',
      { entry: gaveUp({ why: 'Order_Refused' }), letters: [letter] },
      'action required',
      'Not sent. 1 dead letter about it: the name is missing.',
      'dead-letters show m-1',
    ],
    [
      'waits when the store has deleted what is still there',
      { store: { kind: 'gone' }, entry: { ...entry, appliedKey: 'other' } },
      ...(['pending', 'no longer has it', 'status'] as const),
    ],
    [
      'names the dead letter that holds the change',
      { entry: undefined, letters: [letter] },
      ...(['action required', 'the name is missing', 'dead-letters show m-1'] as const),
    ],
    [
      'is well for a customer whom an order brought, and whose address both sides have',
      ofCustomer('kim@example.org'),
      ...(['ok', 'the same e-mail address', undefined] as const),
    ],
    [
      'promises no reconcile for a customer, of whom only late changes are looked for',
      ofCustomer('other@example.org'),
      'action required',
      'otherwise a reconcile soon after its change does',
      'resend customer 7 --shop example-store.myshopify.com --wait --yes',
    ],
    [
      'does not agree on a customer whom only the service still has',
      {
        ...ofCustomer('kim@example.org'),
        ...{ store: { kind: 'gone' }, entry: { ...entry, appliedKey: idempotencyKey(deleted) } },
        mapped: { kind: 'wanted', wanted: deleted, remember: undefined },
      },
      ...(['unknown', 'The loyalty service still does', undefined] as const),
    ],
    [
      'is well where a rule leaves it out, and the service does not have it',
      { entry: undefined, mapped: { kind: 'skip', why: 'guest' }, held: { kind: 'absent' } },
      ...(['ok', 'Skipped: ordered as a guest', undefined] as const),
    ],
    [
      'is well for an order that ended before anything of it was sent',
      ofOrder({
        entry: undefined,
        mapped: { ...mapped, wanted: cancelled },
        held: { kind: 'absent' },
      }),
      ...(['ok', 'agree', undefined] as const),
    ],
    [
      'needs a person when a rule of the merchant fails',
      { mapped: { kind: 'fault', faults: ['rules.document threw'] } },
      ...(['action required', 'rules.document threw', undefined] as const),
    ],
    [
      'is not known without the store',
      { store: { kind: 'unavailable', why: 'unauthorized' }, mapped: undefined },
      ...(['unknown', 'The store refuses the credentials (unauthorized).', 'doctor'] as const),
    ],
    [
      'is not known when no side has it',
      { store: { kind: 'gone' }, entry: undefined, mapped: undefined },
      ...(['unknown', 'Neither', undefined] as const),
    ],
  ])('%s', (_, changes, kind, words, next) => {
    const verdict = judgeTrace(trace(changes));
    expect(verdict.what).toContain(words);
    expect(verdict.kind).toBe(kind);
    const [first] = verdict.next;
    expect(first && lineText(first.line)).toBe(next && `npx loyalty-connector ${next}`);
  });

  it('names redemptions of a customer that are not finished', () => {
    const shown = documentOf(trace({ ...ofCustomer('kim@example.org'), redemptions: 1 }));
    expect(JSON.stringify(shown.blocks)).toContain('1 redemption not finished.');
    expect(shown.next?.map(({ label }) => label)).toContain('See points and rewards');
  });

  it('shows no moment of the last change where the store does not say it', () => {
    const whats = (changes: Partial<Trace>) => JSON.stringify(documentOf(trace(changes)).blocks);
    expect(whats({})).toContain('last changed');
    expect(whats({ changedAt: undefined })).not.toContain('last changed');
  });

  it('shows no next attempt where both sides agree', () => {
    const whats = (changes: Partial<Trace>) =>
      JSON.stringify(documentOf(trace({ waits: [wait], ...changes })).blocks);
    expect(whats({ entry: undefined })).toContain('next attempt');
    expect(whats(ofOrder())).not.toContain('next attempt');
  });

  it('promises no next attempt while a pause has no end', () => {
    const { blocks, verdict, data } = documentOf(trace({ entry: undefined, pause, waits: [wait] }));
    expect(verdict).toMatchObject({
      ...{
        kind: 'action required',
        what: expect.stringMatching(
          /^Not sent: orders paused since .* It is sent when you resume\.$/,
        ),
      },
    });
    expect(verdict?.what).not.toContain('by itself');
    expect(JSON.stringify([blocks, verdict, data])).not.toMatch(/next ?(attempt|try)/i);
  });
});

it('shows that an operator sent its dead letter again: by the first replay that can have meant it', () => {
  const recorded = (time: string, given: Record<string, string>) => ({
    ...{ at: at(time), who: 'AROA:kim', command: 'dead-letters replay', version: '1.0.0' },
    arguments: { ...given, yes: 'true' },
    end: { at: at('02:05:09'), result: 'finished', counts: { sent: 200 } } as const,
  });
  const replay = recorded('02:05:00', { reason: 'rejected', text: 'order #1007' });
  const others = [
    ...[{ delivered: 'yes' }, { reason: 'unmappable' }, { code: 'Other' }, { text: '#1008' }].map(
      (given) => recorded('02:04:00', given),
    ),
    ...[{ since: at('02:02:00') }, { until: at('02:00:00') }].map((given) =>
      recorded('02:03:00', given),
    ),
  ];
  const outcomes = (
    [
      ['02:01:00', 'rejected'],
      ['02:07:00', 'applied'],
    ] as const
  ).map(([time, outcome]) => ({
    ...{ at: at(time), outcome, version: 1, topic: 'orders/updated', why: 'Order_Unknown' },
  }));
  const all = [recorded('02:06:00', {}), replay, ...others];
  expect(replaysIn(outcomes, all, 'order 7 Order #1007', new Date(at('03:00:00')))).toEqual([
    replay,
  ]);
  const { lines } = timelineOf(trace({ replays: [replay] }), true);
  expect(lines.at(-1)).toMatchObject({
    ...{
      who: 'kim',
      what: "dead-letters replay --reason rejected --text 'order #1007'",
      detail: 'done, 200 sent',
    },
  });
});

it('shows what happened in time order, from every source, up to the next attempt', () => {
  const [sent] = entry.outcomes.map((one) => ({ ...one, counts: 50_000 }));
  const less = { ...sent, at: at('02:40:00'), topic: 'resend/order', counts: 20_000 };
  const { lines } = timelineOf(
    trace({
      entry: { ...entry, outcomes: [sent, less] } as EntityEntry,
      letters: [{ ...letter, event: sentEvent }],
      waits: [wait],
      tried: [
        // A pause holds it three times, and ends before the recorded time of the last.
        ...['02:10:00', '02:15:00', '02:59:00'].map((until) => ({
          ...({ ...wait, waitsFor: 'paused', why: 'shop-paused', tries: 0 } as const),
          ...{
            since: Date.parse(at('02:05:00')),
            until: Date.parse(at(until)),
            ...(until === '02:59:00' && { ended: 'applied' as const }),
          },
        })),
        { ...wait, until: Date.parse(at('02:20:00')), tries: 1 },
      ],
    }),
    false,
  );
  expect(lines.map(({ who, what }) => `${who}: ${what}`)).toEqual([
    'Store: sent the event',
    'Queue: received',
    'Dead letter: sent again by ops',
    'Dead letter: given up',
    'Store: last changed',
    'Queue: waiting',
    'Connector: sent',
    'Queue: tried again',
    'Queue: tried again',
    'Connector: sent',
    'Queue: next attempt',
  ]);
  const why = 'for the loyalty service (it answered with a server error), after';
  expect(lines.slice(-4, -2).map(({ detail }) => detail)).toEqual([
    `it had waited ${why} 1 failed attempt`,
    'it had waited for the end of a pause',
  ]);
  expect(lines.find(({ what }) => what === 'waiting')?.detail).toBe(`${why} 2 failed attempts`);
  expect(lines.at(-2)?.facts).toEqual([
    ['Taken back', '30'],
    ['Counts for points', '20'],
    ['Event', 'sent again by an operator'],
    ['State of', { at: expect.any(String) }],
  ]);
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
  const held = (changes: Partial<OrderEarning>) =>
    sent({}, { held: heldOrder, earned: { ...earning, ...changes } });

  it.each<[Partial<Trace>, RegExp]>([
    [sent({}, { entry: undefined, held: { kind: 'absent' } }), /^No points yet\.$/],
    // It may hold another amount.
    [sent({}, { entry: undefined, held: heldOrder, earned: earning }), /grants 41 points/],
    [sent({ IsCompleted: false }), /once it is complete/],
    [sent({ OrderTotal: 0 }), /no part of the payment counts/],
    [sent({}, { held: { kind: 'unknown', why: 'time-out' } }), /did not say how many/],
    [held({ state: 'earns' }), /grants 41 points for it\.$/],
    [held({ state: 'none', why: 'no-points' }), /grants none for it/],
  ])('%# are explained in one sentence: %1$s', (changes, words) => {
    const key = { shop: 'example-store.myshopify.com', kind: 'order', id: '7' } as const;
    expect(pointsText(trace({ key, ...changes }))).toMatch(words);
  });
});

describe('the arithmetic of an order', () => {
  const lines = [lineOf(19_600)];
  const spec = { lines, taxPercent: 20, taxesIncluded: true, fulfilledAfterDays: 1 };
  const order = storeOrder(spec);
  const mapped = mapOrder(order, rules, neverSent);
  if (mapped.kind !== 'wanted' || mapped.wanted.kind !== 'order') throw new Error(mapped.kind);
  const { wanted } = mapped;
  const store: Trace['store'] = { kind: 'found', value: { kind: 'order', order } };
  /** Each step as `196.00 paid`. */
  const told = (changes: Partial<Trace>) =>
    arithmeticOf(trace({ store, mapped, ...changes })).map(({ rows }) =>
      rows.map(({ cells }) => cells.join(' ')),
    );

  it('shows each step, and the sum that is sent', () => {
    const [now] = told({});
    expect(now).toEqual([
      '196.00 goods kept, after discounts, without shipping, taxes included',
      '−32.67 taxes in it',
      '163.33 counts for points',
    ]);
    expect(wanted.order.OrderTotal).toBe(163.33);
  });

  it('says of store credit what was given, and what is not known', () => {
    const paid = storeCredit({ gifts: '49', refunds: '49', unknown: '98' });
    const credited = { ...order, paidWithGiftCards: paid };
    const [now] = told({
      store: { kind: 'found', value: { kind: 'order', order: credited } },
      mapped: mapOrder(credited, { ...rules, storeCredit: 'by-origin' }, neverSent),
    });
    expect(now?.slice(2)).toEqual([
      '−39.42 paid with store credit that was given, not refunded: the part of 49.00 that was for these goods',
      '−78.85 paid with store credit; unknown whether it was given or refunded: the part of 98.00 that was for these goods',
      '45.06 counts for points',
    ]);
  });

  it('shows none of a cancelled order', () => {
    const cancelled = { ...wanted, kind: 'cancelled-order', cancellation: {} } as const;
    expect(told({ mapped: { ...mapped, wanted: cancelled } })).toEqual([]);
  });

  it('says what was counted when, as the ledger recorded it: never computed again', () => {
    const outcomes = [196_000, 196_000, 98_000, 163_330].map((counts, index) => ({
      ...{
        at: `2026-11-1${index}T10:00:00.000Z`,
        outcome: 'applied',
        version: 0,
        topic: '',
        counts,
      },
    }));
    const { lines } = timelineOf(trace({ store, mapped, entry: { ...entry, outcomes } }), true);
    const shown = lines.flatMap(({ who, facts }) => (who === 'Connector' ? [facts] : []));
    const counts = (amount: string) => ['Counts for points', amount];
    expect(shown).toEqual([
      ...[[counts('196.00')], [], [['Taken back', '98.00'], counts('98.00')]],
      [counts('163.33')],
    ]);
  });
});

it('names a lost event where reconciliation found a state that none had reported', () => {
  const key = { shop: 'example-store.myshopify.com', kind: 'order', id: '7' } as const;
  const line = { at: at('02:00:03'), outcome: 'applied', topic: 'orders/updated', version: 2_000 };
  const found = { ...line, origin: 'reconcile' } as const;
  const details = (before: object) => {
    const outcomes = [{ ...line, ...before }, found];
    const { lines } = timelineOf(trace({ key, entry: { ...entry, outcomes } }), true);
    return lines.at(-1)?.facts;
  };
  const lost = ['Found by', 'reconciliation, its event was lost'];
  expect(details({ version: 1_000 })).toContainEqual(lost);
  // Sent again for another reason.
  expect(details({ outcome: 'rejected' })).toContainEqual(['Found by', 'reconciliation']);
});
