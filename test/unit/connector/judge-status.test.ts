import { describe, expect, it } from 'vitest';
import { judgeStatus } from '../../../scripts/connector/status/judge-status.ts';
import type {
  LastHour,
  QueueStatus,
  Status,
} from '../../../scripts/connector/status/status-model.ts';

const SHOP = 'example-store.myshopify.com';
const AT = '2026-11-15T03:00:00.000Z';
const expected = { oldestMessageMinutes: 30, reconcileEveryMinutes: 60, healedPercent: 5 };

const quietQueue = { waiting: 0, inFlight: 0, dead: 0, oldestSeconds: 0 };
const quietHour: LastHour = {
  ...{ applied: 4, 'no-change': 3, retried: 0, rejected: 0, misconfigured: 0, crash: 0 },
  ...{ received: 7, 'signatures-refused': 0, 'unknown-topic': 0, 'older-secret-used': 0 },
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

function status(changes: Partial<Status> = {}): Status {
  return {
    at: AT,
    queues: queues({}),
    lastHour: hour(),
    reconcile: known([
      {
        shop: SHOP,
        endedAt: '2026-11-15T02:30:00.000Z',
        looked: 100,
        healed: 0,
        rolledOut: 0,
        stopped: [],
      },
    ]),
    notices: known([]),
    pauses: known([]),
    subscriptions: [{ shop: SHOP, found: known({ right: 12, faults: [], notes: [] }) }],
    credentials: [{ shop: SHOP, purpose: 'webhook', state: 'there', why: undefined }],
    ...changes,
  };
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
    expect(verdict.notes).toEqual([
      `${SHOP}: paused since 2026-11-15 01:00 UTC until 2026-11-15 03:00 UTC, because the loyalty service asked for fewer calls`,
    ]);
  });

  it('is healthy when nothing is wrong', () => {
    expect(judgeStatus(status(), expected)).toEqual({ healthy: true, troubles: [], notes: [] });
  });

  it.each<[string, Partial<Status>, string, string]>([
    [
      'a dead letter',
      { queues: queues({ dead: 1 }) },
      '1 dead letter (orders) needs',
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
      { lastHour: hour({ misconfigured: 3, retried: 99 }), queues: queues({ inFlight: 8 }) },
      'refused (3 times',
      'doctor',
    ],
    [
      'a loyalty service that is away',
      { lastHour: hour({ retried: 40 }), queues: queues({ waiting: 2, inFlight: 6 }) },
      '8 messages wait, and in the last hour more attempts failed (40) than succeeded (7)',
      'doctor',
    ],
    [
      'a crash',
      { lastHour: hour({ crash: 1 }) },
      'stopped at an unexpected error 1 time in',
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
        credentials: [{ shop: SHOP, purpose: 'loyalty', state: 'missing', why: 'is not there' }],
      },
      'the loyalty secret is not there',
      `secrets set loyalty --shop ${SHOP}`,
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
    expect(verdict.healthy).toBe(false);
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
    ['an age that nobody knows', { queues: queues({ waiting: 1, oldestSeconds: undefined }) }],
    ['credentials that are repaired: nothing waits', { lastHour: hour({ misconfigured: 3 }) }],
    ['an outage that is over', { lastHour: hour({ retried: 400 }) }],
    [
      'one entity that is tried again and again',
      { lastHour: hour({ retried: 12 }), queues: queues({ inFlight: 1 }) },
    ],
    [
      'a busy hour in which some were tried twice',
      { lastHour: hour({ applied: 90, retried: 60 }), queues: queues({ waiting: 50 }) },
    ],
    ['a few foreign signatures', { lastHour: hour({ 'signatures-refused': 5 }) }],
    ['a few healed entities', { reconcile: reconciled({ looked: 6, healed: 4 }) }],
    ['a reconcile that has never run yet', { reconcile: reconciled({ endedAt: undefined }) }],
  ])('does not raise an alarm for %s', (_, changes) => {
    expect(judgeStatus(status(changes), expected).healthy).toBe(true);
  });

  it('says what it could not find out, and is not healthy without having seen the queues', () => {
    const unknown = { kind: 'unknown', why: 'access was refused' } as const;
    const figures = judgeStatus(status({ lastHour: unknown }), expected);
    expect(figures.healthy).toBe(true);
    expect(figures.notes).toEqual(["the last hour's figures: unknown, access was refused"]);
    expect(judgeStatus(status({ queues: unknown }), expected).healthy).toBe(false);
  });

  it('does not call a deployment ill because the operator may not see its secrets', () => {
    const why = 'cannot be read: access was refused';
    const credentials = [{ shop: SHOP, purpose: 'loyalty', state: 'unreadable', why }] as const;
    const verdict = judgeStatus(status({ credentials }), expected);
    expect(verdict.healthy).toBe(true);
    expect(verdict.notes).toEqual([`${SHOP}: the loyalty secret ${why}`]);
  });

  it('keeps telling of notices without calling them an illness', () => {
    const why = 'a customer asks for their data: answer within 30 days';
    const notices = known([
      { shop: SHOP, notice: 'data-request', id: '77', at: '2026-11-02T10:00:00.000Z', why },
    ]);
    const verdict = judgeStatus(status({ notices }), expected);
    expect(verdict.healthy).toBe(true);
    expect(verdict.notes).toEqual([`2026-11-02 ${SHOP}: ${why} (77)`]);
  });

  it('notes the orders that differ in the loyalty service, each once, with the command to run', () => {
    const found = { read: 9, unread: 0, differing: 2, ids: ['71', '72'] };
    const before = { ...found, ids: ['72'] };
    const { healthy, notes } = judgeStatus(
      status({ reconcile: reconciled({ ordersRead: [found, before] }) }),
      expected,
    );
    expect(healthy).toBe(true);
    expect(notes).toEqual([
      `${SHOP}: the loyalty service holds another state of 71, 72. See: npx loyalty-connector compare order 71`,
    ]);
  });
});
