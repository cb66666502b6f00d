import { describe, expect, it } from 'vitest';
import { judgeStatus } from '../../../scripts/connector/status/judge-status.ts';
import type {
  LastHour,
  QueueStatus,
  Status,
  WaitingStatus,
} from '../../../scripts/connector/status/status-model.ts';

const SHOP = 'example-store.myshopify.com';
const AT = '2026-11-15T03:00:00.000Z';
const expected = { oldestMessageMinutes: 30, reconcileEveryMinutes: 60, healedPercent: 5 };

const quietQueue = { waiting: 0, inFlight: 0, dead: 0, oldestSeconds: 0 };
const quietHour: LastHour = {
  ...{ applied: 4, 'no-change': 3, retried: 0, rejected: 0, misconfigured: 0, crash: 0 },
  ...{ received: 7, 'signatures-refused': 0, 'unknown-topic': 0, 'older-secret-used': 0 },
  perMinute: { received: 0, applied: 0, retried: 0, rejected: 0 },
  signs: {},
  latencyMs: { p50: 900, p99: 2_100 },
};

function known<Value>(value: Value) {
  return { kind: 'known', value } as const;
}

function hour(figures: Partial<LastHour> = {}) {
  return known({ ...quietHour, ...figures });
}

function queues(orders: Partial<QueueStatus>) {
  return known([
    { family: 'orders' as const, ...quietQueue, ...orders },
    { family: 'products' as const, ...quietQueue },
  ]);
}

const reconciled = (changes: object) =>
  known([
    {
      shop: SHOP,
      endedAt: '2026-11-15T02:30:00.000Z',
      looked: 100,
      healed: 0,
      rolledOut: 0,
      stopped: [],
      ...changes,
    },
  ]);

function status(changes: Partial<Status> = {}): Status {
  return {
    at: AT,
    queues: queues({}),
    lastHour: hour(),
    waiting: known([]),
    reconcile: reconciled({}),
    notices: known([]),
    pauses: known([]),
    subscriptions: [{ shop: SHOP, found: known({ right: 12, faults: [], notes: [] }) }],
    credentials: [{ shop: SHOP, purpose: 'webhook', state: 'there', why: undefined }],
    ...changes,
  };
}

const waiting = (changes: Partial<WaitingStatus> = {}) =>
  known([
    {
      ...{ shop: SHOP, waitsFor: 'loyalty', messages: 11, whys: ['time-out'] },
      ...{ since: '2026-11-15T02:50:00.000Z', nextTry: '2026-11-15T03:00:40.000Z' },
      ...changes,
    } as WaitingStatus,
  ]);

describe('the verdict on a deployment', () => {
  it('names a pause, who made it, and how to end it; a throttled shop resumes by itself', () => {
    const shop = SHOP;
    const since = '2026-11-15T01:00:00.000Z';
    const until = '2026-11-15T03:00:00.000Z';
    const pauses = known([
      { shop, since, by: 'operator', part: 'orders', who: 'arn:aws:iam::1:user/kim' } as const,
      { shop, since, by: 'service', why: 'throttled', until } as const,
    ]);
    const verdict = judgeStatus(status({ pauses }), expected);
    expect(verdict.troubles).toEqual([
      {
        what: `${SHOP}: orders paused since 2026-11-15 01:00 UTC by arn:aws:iam::1:user/kim`,
        next: `resume --shop ${SHOP} --queue orders`,
      },
    ]);
    expect(verdict.waits).toEqual([
      `${SHOP}: paused since 2026-11-15 01:00 UTC until 2026-11-15 03:00 UTC, because the loyalty service asked for fewer calls`,
    ]);
  });

  it('is well when nothing is wrong', () => {
    const quiet = { state: 'well', troubles: [], waits: [], notes: [] };
    expect(judgeStatus(status(), expected)).toEqual(quiet);
  });

  it.each<[string, Partial<Status>, string, string]>([
    [
      'a dead letter',
      { queues: queues({ dead: 1 }) },
      '1 dead letter (orders) waits for a decision',
      'dead-letters list',
    ],
    [
      'an old message',
      { queues: queues({ oldestSeconds: 1_801 }) },
      'waited for 30 minutes',
      'doctor',
    ],
    [
      'refused credentials',
      { waiting: waiting({ waitsFor: 'misconfigured', whys: ['no-credentials'] }) },
      '11 messages wait because credentials, scopes or an address are refused since 02:50 UTC',
      'doctor',
    ],
    [
      'work that breaks off, also while other work succeeds',
      { waiting: waiting({ waitsFor: 'connector', whys: ['broke-off'] }) },
      '11 messages wait for the connector or AWS since 02:50 UTC (broke-off)',
      'doctor',
    ],
    [
      'refused credentials of which only the figures tell',
      { lastHour: hour({ misconfigured: 3 }), queues: queues({ inFlight: 8 }) },
      'refused 3 times in the last hour; none accepted since',
      'doctor',
    ],
    [
      'an outage that lasts for longer than the alarm allows',
      { waiting: waiting({ since: '2026-11-15T02:29:00.000Z' }) },
      '11 messages wait for the loyalty service since 02:29 UTC',
      'doctor',
    ],
    [
      'a crash',
      { lastHour: hour({ crash: 1 }) },
      'stopped at an unexpected error 1 time in the last hour',
      'doctor',
    ],
    [
      'bad signatures',
      { lastHour: hour({ 'signatures-refused': 6 }) },
      '6 webhooks were refused',
      'doctor',
    ],
    [
      'a missing subscription',
      {
        subscriptions: [
          {
            shop: SHOP,
            found: known({ right: 10, faults: ['orders/create is missing', 'b'], notes: [] }),
          },
        ],
      },
      'orders/create is missing, and 1 more',
      `webhooks check --shop ${SHOP}`,
    ],
    [
      'a missing secret',
      {
        credentials: [{ shop: SHOP, purpose: 'loyalty', state: 'malformed', why: 'was never set' }],
      },
      'the loyalty secret was never set',
      `secrets set loyalty --shop ${SHOP}`,
    ],
    [
      'the secret of a shop that is not deployed',
      {
        credentials: [{ shop: SHOP, purpose: 'loyalty', state: 'missing', why: 'does not exist' }],
      },
      'the loyalty secret does not exist',
      'doctor',
    ],
    [
      'a reconcile that stopped',
      { reconcile: reconciled({ endedAt: '2026-11-15T00:00:00.000Z' }) },
      'ended 180 minutes ago',
      'doctor',
    ],
    [
      'a reconcile that had to mend much',
      { reconcile: reconciled({ healed: 6 }) },
      'send 6 of 100',
      `webhooks check --shop ${SHOP}`,
    ],
  ])('names %s and the command to run next', (_, changes, what, next) => {
    const verdict = judgeStatus(status(changes), expected);
    expect(verdict.state).toBe('action-required');
    expect(verdict.troubles).toEqual([{ what: expect.stringContaining(what), next }]);
  });

  it('names what stops everything before what one message met', () => {
    const { troubles } = judgeStatus(
      status({
        queues: queues({ dead: 2, oldestSeconds: 7_200 }),
        credentials: [
          { shop: SHOP, purpose: 'store', state: 'malformed', why: 'has no accessToken' },
        ],
      }),
      expected,
    );
    expect(troubles.map(({ next }) => next)).toEqual([
      `secrets set store --shop ${SHOP}`,
      'doctor',
      'dead-letters list',
    ]);
  });

  it.each<[string, Partial<Status>]>([
    ['messages that only just arrived', { queues: queues({ waiting: 900, oldestSeconds: 40 }) }],
    [
      'an age of which there is no value yet',
      { queues: queues({ waiting: 1, oldestSeconds: undefined }) },
    ],
    ['credentials that are repaired: nothing waits', { lastHour: hour({ misconfigured: 3 }) }],
    ['an outage that is over', { lastHour: hour({ retried: 400 }) }],
    ['a few foreign signatures', { lastHour: hour({ 'signatures-refused': 5 }) }],
    ['a few healed entities', { reconcile: reconciled({ looked: 6, healed: 4 }) }],
    ['a reconcile that has never run yet', { reconcile: reconciled({ endedAt: undefined }) }],
  ])('does not raise an alarm for %s', (_, changes) => {
    expect(judgeStatus(status(changes), expected).state).toBe('well');
  });

  it('says what it could not find out, and is not well without having seen the queues', () => {
    const unknown = { kind: 'unknown', why: 'access was refused' } as const;
    const figures = judgeStatus(status({ lastHour: unknown }), expected);
    expect(figures.state).toBe('well');
    expect(figures.notes).toEqual(["the last hour's figures: unknown, access was refused"]);
    expect(judgeStatus(status({ queues: unknown }), expected).state).toBe('action-required');
    const aged = queues({ waiting: 2, oldestSeconds: undefined, oldestWhy: 'access was refused' });
    expect(judgeStatus(status({ queues: aged }), expected).notes).toEqual([
      'how long the oldest of orders waits: unknown, access was refused',
    ]);
  });

  it('does not call a deployment ill because the operator may not see its secrets', () => {
    const why = 'cannot be read: access was refused';
    const credentials = [{ shop: SHOP, purpose: 'loyalty', state: 'unreadable', why }] as const;
    const verdict = judgeStatus(status({ credentials }), expected);
    expect(verdict.state).toBe('well');
    expect(verdict.notes).toEqual([`${SHOP}: the loyalty secret ${why}`]);
  });

  it('keeps telling of notices without calling them an illness', () => {
    const why = 'a customer asks for their data: answer within 30 days';
    const notices = known([
      { shop: SHOP, notice: 'data-request', id: '77', at: '2026-11-02T10:00:00.000Z', why },
    ]);
    const verdict = judgeStatus(status({ notices }), expected);
    expect(verdict.state).toBe('well');
    expect(verdict.notes).toEqual([`2026-11-02 ${SHOP}: ${why} (77)`]);
  });

  it('notes the orders that differ in the loyalty service, each once, with the command that shows them', () => {
    const found = { read: 9, unread: 0, differing: 2, ids: ['71', '72'] };
    const before = { ...found, ids: ['72'] };
    const { state, notes } = judgeStatus(
      status({ reconcile: reconciled({ ordersRead: [found, before] }) }),
      expected,
    );
    expect(state).toBe('well');
    expect(notes).toEqual([
      `${SHOP}: the loyalty service holds another state of 71, 72; "reconcile status" says how to look at them`,
    ]);
  });
});

const minute = (text: string) => Date.parse(`2026-11-15T${text}:00.000Z`);

describe('a deployment whose messages wait', () => {
  it('is waiting, never well, and says for what, since when, how many and until when', () => {
    const { state, waits, troubles } = judgeStatus(status({ waiting: waiting() }), expected);
    expect(state).toBe('waiting');
    expect(troubles).toEqual([]);
    expect(waits).toEqual([
      `${SHOP}: 11 messages wait for the loyalty service since 02:50 UTC (time-out), next try in 40 s`,
    ]);
  });

  it('is waiting also where only the figures show that attempts fail', () => {
    const signs = { retried: { lastAt: minute('02:59'), acceptedSince: 0 } };
    const failing = { lastHour: hour({ retried: 8, signs }), queues: queues({ inFlight: 11 }) };
    const verdict = judgeStatus(status(failing), expected);
    expect(verdict.state).toBe('waiting');
    expect(verdict.waits).toEqual(['11 messages in flight; the last attempt failed at 02:59 UTC']);
    const over = { retried: { lastAt: minute('02:59'), acceptedSince: 2 } };
    const working = { ...failing, lastHour: hour({ retried: 8, signs: over }) };
    expect(judgeStatus(status(working), expected).state).toBe('well');
  });
});

describe('a deployment after a repair', () => {
  it.each([
    ['signatures-refused', 72, '72 webhooks were refused'],
    ['crash', 2, 'work stopped'],
    ['misconfigured', 4, 'credentials, scopes or an address were refused'],
  ] as const)(
    'is well once something was accepted after %s, and notes both',
    (figure, times, words) => {
      const judged = (acceptedSince: number) => {
        const signs = { [figure]: { lastAt: minute('02:40'), acceptedSince } };
        const lastHour = hour({ [figure]: times, signs });
        return judgeStatus(status({ lastHour, queues: queues({ waiting: 1 }) }), expected);
      };
      const before = judged(0);
      expect(before.state).toBe('action-required');
      expect(before.troubles[0]?.what).toContain('last at 02:40 UTC; none accepted since');
      const repaired = judged(12);
      expect(repaired.state).toBe('well');
      expect(repaired.notes[0]).toContain(words);
      expect(repaired.notes[0]).toContain('last at 02:40 UTC; 12 accepted since');
    },
  );
});
