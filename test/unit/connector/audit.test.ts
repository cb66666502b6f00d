import { describe, expect, it } from 'vitest';
import {
  type Fact,
  factIn,
  fieldsIn,
  pauseIn,
  SpilledFacts,
} from '../../../scripts/connector/look/audit-facts.ts';
import {
  type Day,
  DayJudge,
  Findings,
  judgeRedemptions,
  judgeSentOrder,
  PROMISE_NAMES,
} from '../../../scripts/connector/look/audit-promises.ts';
import { LOG_LINES } from '../../../shared/core/events/telemetry.ts';
import { redemptionAt } from '../../fixtures/redemption.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const about = { shop: 'a-shop', kind: 'order', id: '1', topic: 'orders/updated' } as const;
const usual = { ...about, delivery: 'a-delivery' };
const day: Day = {
  ...{ since: 0, until: 24 * HOUR, heardUntil: 24 * HOUR, pauses: [], woken: [] },
};

const received = (at: number, more: Partial<Fact> = {}): Fact => ({
  ...{ ...usual, at, what: 'received' },
  ...more,
});
const ended = (at: number, more: Partial<Fact> = {}): Fact => ({
  ...{ ...usual, at, what: 'ended' },
  ...more,
});
const waits = (at: number, more: Partial<Fact> = {}): Fact => ({
  ...{ ...usual, at, what: 'waits', why: 'time-out', afterSeconds: 30, messageId: 'a-message' },
  ...more,
});

/** By promise what was found, without what was only counted. */
function judged(facts: readonly Fact[], given: Partial<Day> = {}) {
  const findings = new Findings();
  const judge = new DayJudge({ ...day, ...given }, findings);
  for (const some of Map.groupBy(facts, ({ id }) => id).values()) judge.judge(some);
  judge.finish();
  return foundIn(findings);
}

const foundIn = (findings: Findings) =>
  PROMISE_NAMES.flatMap((promise) => [
    ...findings.of[promise].violations.map(({ why }) => `${promise}: ${why}`),
    ...Object.keys(findings.of[promise].notDecided).map((why) => `${promise}? ${why}`),
  ]);

describe('an accepted webhook', () => {
  const other = { id: '2', delivery: 'another' };
  const later = [received(5 * HOUR, other), ended(5 * HOUR, other)];

  it.each([
    ['that was applied, has an end', [received(1), ended(2)], []],
    ['that is a dead letter, has an end', [received(1), { ...ended(2), what: 'parked' }], []],
    [
      'that SQS gave up, has an end',
      [received(1), { ...received(0), what: 'letter', delivery: '' }],
      [],
    ],
    [
      'whose end is that of another delivery, has none',
      [received(1), ended(2, { delivery: 'b' })],
      ['no-end'],
    ],
    ['of four hours ago, has none', [received(1)], ['no-end']],
    ['that came just now, is on its way', [received(23 * HOUR)], ['? on-its-way']],
    [
      'that waits in the ledger, is on its way',
      [received(1), { ...received(2), what: 'queued' }],
      ['? on-its-way'],
    ],
    [
      'that was tried, counts from its next attempt',
      [received(1), waits(20 * HOUR + 1, { afterSeconds: 1_800 })],
      ['? on-its-way'],
    ],
  ] as [string, Fact[], string[]][])('%s', (_, facts, found) => {
    const all = found.map((one) => `every-webhook-ends${one.startsWith('?') ? '' : ': '}${one}`);
    expect(judged([...facts, ...later])).toEqual(all);
  });

  it('behind a backlog is not decided, and is lost where its queue is empty', () => {
    expect(judged([received(1)])).toEqual(['every-webhook-ends? queue-has-a-backlog']);
    expect(judged([received(1)], { emptyAt: HOUR })).toEqual(['every-webhook-ends: no-end']);
    expect(judged([received(1)], { emptyAt: 1 })).toEqual([
      'every-webhook-ends? queue-has-a-backlog',
    ]);
  });

  it('beside ten others of its entity in a minute may be one message with an equal one', () => {
    const many = Array.from({ length: 11 }, (_, at) => received(at, { delivery: `${at}` }));
    expect(judged([...many, ...later])).toEqual(['every-webhook-ends? may-be-merged']);
  });

  it('of another time is not judged', () => {
    expect(judged([received(1)], { since: 2 })).toEqual([]);
    expect(judged([received(2)], { until: 2 })).toEqual([]);
  });
});

describe('the states of an order', () => {
  const sent = (at: number, state: string | undefined, again?: Fact['again']) =>
    ended(at, { calls: 'sendOrder', state, again });

  it.each([
    ['one after the other', [sent(1, 'a'), sent(2, 'b'), sent(3, 'a')], []],
    ['twice the same', [sent(1, 'a'), sent(2, 'a')], [': same-state-again']],
    ['the first, which the ledger knew', [sent(1, 'a', 'same')], [': same-state-again']],
    ['twice, asked for', [sent(1, 'a'), sent(2, 'a', 'forced')], []],
    ['twice, after a call without an answer', [sent(1, 'a'), sent(2, 'a', 'uncertain')], []],
    ['without a call', [sent(1, 'a'), ended(2, { state: 'a' })], []],
    ['of an older release', [sent(1, undefined)], ['? not-logged']],
  ] as [string, Fact[], string[]][])('%s', (_, facts, found) => {
    expect(judged(facts)).toEqual(found.map((one) => `sent-once${one}`));
  });

  it('twice the same, of which a lost ledger may have forgotten the first, is not decided', () => {
    const facts = [sent(1, 'a'), sent(3, 'a')];
    expect(judged(facts, { recoveredAt: 2 })).toEqual(['sent-once? ledger-lost']);
    expect(judged(facts, { recoveredAt: 1 })).toEqual(['sent-once: same-state-again']);
    // A restored one knows it, and is in doubt: the call is made again, for the service to refuse.
    const known = [sent(1, 'a'), sent(3, 'a', 'same')];
    expect(judged(known, { recoveredAt: 2 })).toEqual(['sent-once? ledger-lost']);
    expect(judged(known, { recoveredAt: 1 })).toEqual(['sent-once: same-state-again']);
  });
});

describe('a retry', () => {
  const early = ended(20_000, { messageId: 'a-message' });
  const broken = ['no-early-retry: before-its-delay'];

  it.each([
    ['after its delay', [waits(1), ended(31_000, { messageId: 'a-message' })], {}, []],
    ['before it', [waits(1), early], {}, broken],
    ['of another message', [waits(1), { ...early, messageId: 'another' }], {}, []],
    ['that an operator woke', [waits(1), early], { woken: [{ from: 10, until: 20 }] }, []],
    [
      'that somebody woke, as a lost ledger may have said, is not decided',
      [waits(1), early],
      { recoveredAt: 20_001 },
      ['no-early-retry? ledger-lost'],
    ],
    ['before it, after a lost ledger', [waits(1), early], { recoveredAt: 20_000 }, broken],
    [
      'after the time of the worker',
      [waits(1, { why: 'out-of-time' }), early],
      {},
      ['no-early-retry? out-of-time'],
    ],
    [
      'after a visibility that was not changed',
      [waits(1, { afterSeconds: 1_800 }), ended(1_441_000, { messageId: 'a-message' })],
      {},
      [],
    ],
  ] as [string, Fact[], Partial<Day>, string[]][])('%s', (_, facts, given, found) => {
    expect(judged(facts, given)).toEqual(found);
  });
});

describe('a pause', () => {
  const pauses = [{ shop: 'a-shop', from: HOUR, until: 2 * HOUR }];
  const call = (at: number, more = {}) => ended(at, { calls: 'sendOrder', state: 'a', ...more });
  const broken = ['no-call-while-paused: called-while-paused'];

  it.each([
    ['has no call', [call(HOUR - 1), call(2 * HOUR, { state: 'b' })], { pauses }, []],
    ['has one', [call(1.5 * HOUR)], { pauses }, broken],
    ['of another shop', [call(1.5 * HOUR)], { pauses: [{ ...pauses[0], shop: 'b' }] }, []],
    ['of another queue', [call(1.5 * HOUR)], { pauses: [{ ...pauses[0], queue: 'products' }] }, []],
    ['that had just begun', [call(HOUR + 30_000)], { pauses }, []],
    [
      'that a person ended',
      [call(1.5 * HOUR)],
      { pauses, woken: [{ from: 1.2 * HOUR, until: 1.3 * HOUR }] },
      [],
    ],
    [
      'that somebody ended, as a lost ledger may have said, is not decided',
      [call(1.5 * HOUR)],
      { pauses, recoveredAt: 3 * HOUR },
      ['no-call-while-paused? ledger-lost'],
    ],
    ['after a lost ledger has one', [call(1.5 * HOUR)], { pauses, recoveredAt: HOUR }, broken],
    [
      'of half a minute is not decided',
      [],
      { pauses: [{ ...pauses[0], until: HOUR + 30_000 }] },
      ['no-call-while-paused? pause-too-short'],
    ],
  ] as [string, Fact[], Partial<Day>, string[]][])('%s', (_, facts, given, found) => {
    expect(judged(facts, given)).toEqual(found);
  });
});

describe('the ledger', () => {
  const entry = {
    ...{ version: 1, uncertain: false, revision: 1, appliedKey: 'a' },
    outcomes: [{ at: new Date(HOUR).toISOString(), outcome: 'applied', version: 1, topic: '' }],
  };
  const service = { total: 1, products: [], taken: 0, placedAt: '1969-01-01T00:00:00Z' };
  const goLive = '1970-01-01T00:00:00Z';

  it.each([
    ['an old order', { ...entry, service }, ': placed-before-go-live'],
    ['an old order of a backfill', { ...entry, service, history: true }, undefined],
    [
      'an order of another integration',
      { ...entry, service: { ...service, theirs: 1 } },
      '? not-recorded',
    ],
    [
      'an order without a date',
      { ...entry, service: { ...service, placedAt: undefined } },
      '? not-recorded',
    ],
    [
      'the end of one that was perhaps never sent',
      { ...entry, service: { ...service, placedAt: undefined, ended: true } },
      undefined,
    ],
    ['one that was not sent that day', { ...entry, outcomes: [], service }, undefined],
  ] as [string, Parameters<typeof judgeSentOrder>[1], string | undefined][])(
    'has %s',
    (_, given, found) => {
      const findings = new Findings();
      judgeSentOrder(about, given, day, { goLive }, findings);
      expect(foundIn(findings)).toEqual(
        found === undefined ? [] : [`nothing-before-go-live${found}`],
      );
    },
  );

  // After another integration, orders that were open then are sent: history is what was complete.
  it.each([
    [
      'alone, an order from before it',
      false,
      '1969-12-31',
      '1970-01-02',
      ': placed-before-go-live',
    ],
    ['alone, one that was placed since', false, '1970-01-01', '1970-01-02', undefined],
    ['after another, one that completed since', true, '1969-12-31', '1970-01-02', undefined],
    [
      'after another, one that was complete',
      true,
      '1969-12-30',
      '1969-12-31',
      ': placed-before-go-live',
    ],
    ['after another, one that is not complete', true, '1969-12-31', undefined, '? not-recorded'],
  ])('has sent since go-live %s', (_, takesOver, placedAt, completedAt, found) => {
    const sent = { ...entry, service: { ...service, placedAt, completedAt } };
    const findings = new Findings();
    judgeSentOrder(about, sent, day, { goLive, takesOver }, findings);
    expect(foundIn(findings)).toEqual(
      found === undefined ? [] : [`nothing-before-go-live${found}`],
    );
  });

  it('has redemptions that share nothing, and each ready one a code', () => {
    const findings = new Findings();
    const at = new Date(HOUR).toISOString();
    const code = { code: 'A', kind: 'fixed', value: 1, startsAt: at } as const;
    const ready = redemptionAt(
      { at: 'ready', code, discountId: '1', redeemedRewardId: 7 },
      { intendedAt: at, since: at, clientKeys: ['x'] },
    );
    expect(judgeRedemptions(about, [ready], day, findings)).toEqual([code]);
    expect(foundIn(findings)).toEqual([]);
    judgeRedemptions(about, [ready, { ...ready, stuck: 'credit-unclear' }], day, findings);
    expect(foundIn(findings)).toEqual([
      'redeemed-once: one-click-two-redemptions',
      'redeemed-once: one-code-two-redemptions',
      'redeemed-once: one-payment-two-redemptions',
      'redeemed-once? waits-for-person',
    ]);
  });
});

describe('a log line', () => {
  it('is read behind what an export puts before it; metrics and broken lines are none', () => {
    expect(fieldsIn('2026-11-19T00:00:00Z stream {"message":"received"}\n')).toEqual({
      message: 'received',
    });
    expect(fieldsIn('{"_aws":{},"received":1}')).toBeUndefined();
    expect(fieldsIn('{"message":')).toBeUndefined();
    expect(fieldsIn('START RequestId')).toBeUndefined();
  });

  it('is a fact only where it is about a delivery', () => {
    const { delivery: correlationId, ...rest } = usual;
    const told = { why: 'time-out', afterSeconds: 5, messageId: 'm', calls: 'sendOrder' };
    const all = { ...rest, ...told, state: 'a', again: 'same' };
    expect(factIn(1, LOG_LINES.retried, { ...all, correlationId, other: 1 })).toEqual({
      ...{ ...all, at: 1, what: 'waits', delivery: 'a-delivery' },
    });
    expect(factIn(1, 'announced', { ...rest, correlationId })).toBeUndefined();
    expect(factIn(1, 'applied', rest)).toBeUndefined();
  });

  it('about a pause of shoppers alone is none', () => {
    const fields = { shop: 'a-shop', until: new Date(2).toISOString(), of: 'all' };
    expect(pauseIn(1, LOG_LINES.paused, fields)).toEqual({ shop: 'a-shop', from: 1, until: 2 });
    expect(pauseIn(1, LOG_LINES.paused, { ...fields, of: 'shoppers' })).toBeUndefined();
  });
});

it('facts come back entity by entity in their order, however many there are', () => {
  const facts = new SpilledFacts();
  for (let at = 20_000; at > 0; at -= 1) facts.add(received(at, { id: String(at % 300) }));
  const entities = [...facts.entities()];
  expect(entities).toHaveLength(300);
  expect(entities.flat()).toHaveLength(20_000);
  for (const some of entities) {
    expect(new Set(some.map(({ id }) => id)).size).toBe(1);
    expect(some.map(({ at }) => at)).toEqual(some.map(({ at }) => at).toSorted((a, b) => a - b));
  }
  facts.remove();
});
