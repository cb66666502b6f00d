import { describe, expect, it } from 'vitest';
import { lineText } from '../../../scripts/connector/document/line.ts';
import type {
  QueueStatus,
  Status,
  WaitingStatus,
} from '../../../scripts/connector/status/collect-status.ts';
import type { LastHour } from '../../../scripts/connector/status/figures.ts';
import { judgeStatus } from '../../../scripts/connector/status/judge-status.ts';
import type { FoundByReading } from '../../../shared/core/reconcile/deep-scan.ts';
import type { LastReconcile } from '../../../shared/core/reconcile/last-reconcile.ts';

const SHOP = 'example-store.myshopify.com';
const AT = '2026-11-15T03:00:00.000Z';

const quietQueue = { waiting: 0, inFlight: 0, dead: 0, oldestSeconds: 0 };
const quietHour: LastHour = {
  ...{ applied: 4, 'no-change': 3, retried: 0, rejected: 0, misconfigured: 0, crash: 0 },
  ...{ received: 7, 'signatures-refused': 0, 'unknown-topic': 0, 'older-secret-used': 0 },
  signs: {},
  latencyMs: { p50: 900, p99: 2_100 },
  chart: {} as LastHour['chart'],
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

const reconciled = (last: object = {}, ordersRead: readonly FoundByReading[] = []) => {
  const run = { endedAt: '2026-11-15T02:30:00.000Z', lookedAt: { order: 100 }, ...last };
  return known([{ shop: SHOP, last: run as LastReconcile, ordersRead, recoversSince: undefined }]);
};

const NEVER_RUN = known([
  { shop: SHOP, last: undefined, ordersRead: [], recoversSince: undefined },
]);

function status(changes: Partial<Status> = {}): Status {
  return {
    at: AT,
    queues: queues({}),
    lastHour: hour(),
    lastDay: undefined,
    waiting: known([]),
    reconcile: reconciled(),
    notices: known([]),
    pauses: known([]),
    subscriptions: [{ shop: SHOP, found: known({ right: 12, faults: [], notes: [] }) }],
    credentials: [{ shop: SHOP, purpose: 'webhook', state: 'there', why: undefined }],
    ...changes,
  };
}

/** In words, with the first command of each finding. */
function judge(changes: Partial<Status> = {}) {
  const { verdict, findings, notes } = judgeStatus(status(changes), 60);
  const found = findings.map(({ tone, what, next: [first] = [] }) => ({
    ...{ tone, what, next: first && lineText(first.line).replace('npx loyalty-connector ', '') },
  }));
  return {
    kind: verdict.kind,
    verdict: verdict.what,
    troubles: found.filter(({ tone }) => tone === 'bad'),
    waits: found.filter(({ tone }) => tone === 'waits'),
    notes: notes.map(({ what }) => what),
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
  it('names a pause, who made it, why, and how to end it; what has an end goes on by itself', () => {
    const shop = SHOP;
    const since = '2026-11-15T01:00:00.000Z';
    const until = '2026-11-15T03:30:00.000Z';
    const kim = {
      shop,
      since,
      by: 'operator',
      who: 'arn:aws:sts::1:assumed-role/ops/kim',
    } as const;
    const pauses = known([
      { ...kim, part: 'orders' } as const,
      { ...kim, part: 'all', until, because: 'a move' } as const,
      { shop, since, by: 'service', why: 'throttled', until } as const,
    ]);
    const { troubles, waits } = judge({ pauses });
    const next = `resume --shop ${SHOP}`;
    expect(troubles).toMatchObject([
      {
        what: `${SHOP}: orders paused since 2026-11-15 01:00 UTC by kim`,
        next: `${next} --queue orders`,
      },
    ]);
    const time = 'since 2026-11-15 01:00 UTC until 2026-11-15 03:30 UTC';
    expect(waits).toMatchObject([
      { what: `${SHOP}: all calls paused ${time} by kim, because: a move`, next },
      {
        what: `${SHOP}: paused ${time}, because the loyalty service asked for fewer calls`,
        next: undefined,
      },
    ]);
  });

  it('is well when nothing is wrong', () => {
    const quiet = { kind: 'well', troubles: [], waits: [], notes: [] };
    expect(judge()).toMatchObject(quiet);
  });

  it.each<[string, Partial<Status>, string, string]>([
    [
      'a dead letter',
      { queues: queues({ dead: 1 }) },
      '1 dead letter of orders waits for a decision',
      'dead-letters list --queue orders',
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
        credentials: [{ shop: SHOP, purpose: 'loyalty', state: 'unset', why: 'was never set' }],
      },
      'the loyalty secret was never set',
      `setup --shop ${SHOP}`,
    ],
    [
      'a reconcile that stopped',
      { reconcile: reconciled({ endedAt: '2026-11-15T00:00:00.000Z' }) },
      'ended 180 minutes ago',
      'doctor',
    ],
    [
      'a reconcile that had to mend much',
      { reconcile: reconciled({ healed: { order: 6 } }) },
      'send 6 of 100',
      `webhooks check --shop ${SHOP}`,
    ],
  ])('names %s and the command to run next', (_, changes, what, next) => {
    const verdict = judge(changes);
    expect(verdict.kind).toBe('action required');
    expect(verdict.troubles).toMatchObject([{ what: expect.stringContaining(what), next }]);
  });

  it('names what stops everything before what one message met', () => {
    const { troubles } = judge({
      queues: queues({ dead: 2, oldestSeconds: 7_200 }),
      credentials: [
        { shop: SHOP, purpose: 'store', state: 'malformed', why: 'has no accessToken' },
      ],
    });
    expect(troubles.map(({ next }) => next)).toEqual([
      `secrets set store --shop ${SHOP}`,
      'doctor',
      'dead-letters list --queue orders',
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
    [
      'a few healed entities',
      { reconcile: reconciled({ lookedAt: { order: 6 }, healed: { order: 4 } }) },
    ],
    ['a reconcile that has never run yet', { reconcile: NEVER_RUN }],
  ])('does not raise an alarm for %s', (_, changes) => {
    expect(judge(changes).kind).toBe('well');
  });

  it.each(['queues', 'lastHour', 'waiting', 'reconcile', 'notices', 'pauses'] as const)(
    'is not known, and says why, without %s; what needs a person comes first',
    (part) => {
      const unknown = { [part]: { kind: 'unknown', why: 'access was refused' } };
      const judged = judge(unknown);
      expect(judged.kind).toBe('not known');
      expect(judged.waits).toMatchObject([
        { what: expect.stringMatching(/ ?\w+ could not be read: access was refused$/) },
      ]);
      const subscriptions = [{ shop: SHOP, found: known({ right: 1, faults: ['x'], notes: [] }) }];
      expect(judge({ ...unknown, subscriptions }).kind).toBe('action required');
    },
  );

  it('is well where the settings ask for no figures', () => {
    const notes = ["deployment.monitoring is 'basic', which writes no figures"];
    expect(judge({ lastHour: undefined })).toMatchObject({ kind: 'well', notes });
  });

  it('does not call a deployment ill, nor well, because the operator may not see its secrets', () => {
    const why = 'cannot be read: your AWS credentials may not';
    const store = { shop: SHOP, purpose: 'store', state: 'unreadable', why } as const;
    const found = { kind: 'unknown', why: 'the store does not tell (no-credentials)' } as const;
    const subscriptions = [{ shop: SHOP, found }];
    expect(judge({ subscriptions, credentials: [{ ...store, isDenied: true }] })).toMatchObject({
      kind: 'not known',
      verdict:
        'Nothing needs a person in what you may read; secrets and webhook subscriptions were not asked.',
      notes: [
        `${SHOP}: the store secret ${why}`,
        `webhook subscriptions of ${SHOP}: not asked, without the store secret`,
      ],
    });
    // Secrets Manager did not answer, or the store did not.
    expect(judge({ credentials: [store] }).kind).toBe('not known');
    expect(judge({ subscriptions }).verdict).toContain(`webhook subscriptions of ${SHOP}`);
  });

  it('keeps telling of notices without calling them an illness', () => {
    const why = 'a customer asks for their data: answer within 30 days';
    const notices = known([
      { shop: SHOP, notice: 'data-request', id: '77', at: '2026-11-02T10:00:00.000Z', why },
    ]);
    const verdict = judge({ notices });
    expect(verdict.kind).toBe('well');
    expect(verdict.notes).toEqual([`2026-11-02 ${SHOP}: ${why} (77)`]);
  });

  it('needs a person for orders that differ in the loyalty service, each counted once', () => {
    const found = { read: 9, unread: 0, differing: 2, ids: ['71', '72'] };
    const before = { ...found, ids: ['72'] };
    const { kind, troubles } = judge({ reconcile: reconciled({}, [found, before]) });
    expect(kind).toBe('action required');
    const what = `${SHOP}: the loyalty service holds another state of 2 orders`;
    expect(troubles).toMatchObject([{ what, next: `reconcile status --shop ${SHOP}` }]);
  });
});

const minute = (text: string) => Date.parse(`2026-11-15T${text}:00.000Z`);

describe('a deployment whose messages wait', () => {
  it('is waiting, never well, and says for what, since when, how many and until when', () => {
    const { kind, waits, troubles } = judge({ waiting: waiting() });
    expect(kind).toBe('waits');
    expect(troubles).toEqual([]);
    expect(waits).toMatchObject([
      {
        what: `${SHOP}: 11 messages wait for the loyalty service since 02:50 UTC (time-out), next try in 40 s`,
        next: `retry-now --shop ${SHOP} --reason loyalty`,
      },
    ]);
  });

  it('is waiting also where only the figures show that attempts fail', () => {
    const signs = { retried: { lastAt: minute('02:59'), acceptedSince: 0, sinceAccepted: 8 } };
    const failing = { lastHour: hour({ retried: 8, signs }), queues: queues({ inFlight: 11 }) };
    const verdict = judge(failing);
    expect(verdict.kind).toBe('waits');
    expect(verdict.waits).toMatchObject([
      { what: '11 messages in flight; the last attempt failed at 02:59 UTC' },
    ]);
    const over = { retried: { lastAt: minute('02:59'), acceptedSince: 2, sinceAccepted: 0 } };
    const working = { ...failing, lastHour: hour({ retried: 8, signs: over }) };
    expect(judge(working).kind).toBe('well');
  });
});

describe('a deployment after a repair', () => {
  it.each([
    ['signatures-refused', 72, '72 webhooks were refused'],
    ['misconfigured', 4, 'credentials, scopes or an address were refused'],
  ] as const)(
    'is well once something was accepted after %s, and notes both; of several shops it is not known',
    (figure, times, words) => {
      const judged = (acceptedSince: number, more: Partial<Status> = {}) => {
        const sinceAccepted = acceptedSince > 0 ? 0 : times;
        const signs = { [figure]: { lastAt: minute('02:40'), acceptedSince, sinceAccepted } };
        const lastHour = hour({ [figure]: times, signs });
        return judge({ lastHour, queues: queues({ waiting: 1 }), ...more });
      };
      const before = judged(0);
      expect(before.kind).toBe('action required');
      expect(before.troubles[0]?.what).toContain('last at 02:40 UTC; none accepted since');
      const repaired = judged(12);
      expect(repaired.kind).toBe('well');
      expect(repaired.notes[0]).toContain(words);
      expect(repaired.notes[0]).toContain('last at 02:40 UTC; repaired: 12 accepted since');
      const found = known({ right: 12, faults: [], notes: [] });
      const subscriptions = [SHOP, 'other.myshopify.com'].map((shop) => ({ shop, found }));
      const either = judged(12, { subscriptions });
      expect(either).toMatchObject({ kind: 'not known', notes: [] });
      expect(either.waits[0]?.what).toContain('02:40 UTC; 12 accepted since, of any shop');
    },
  );

  it('does not take a crash as repaired by what others did since', () => {
    const crash = { lastAt: minute('02:40'), acceptedSince: 12, sinceAccepted: 0 };
    const { kind, troubles } = judge({ lastHour: hour({ crash: 2, signs: { crash } }) });
    expect(kind).toBe('action required');
    expect(troubles[0]?.what).toMatch(/last at 02:40 UTC$/);
  });

  it('stays so when a stray request is refused, and speaks of the older secret while both are accepted', () => {
    const stray = { lastAt: minute('02:59'), acceptedSince: 0, sinceAccepted: 1 };
    const figures = { 'signatures-refused': 73, 'older-secret-used': 2 };
    const lastHour = hour({ ...figures, signs: { 'signatures-refused': stray } });
    const webhook = { shop: SHOP, purpose: 'webhook', state: 'there', why: undefined } as const;
    const judged = (rotating: boolean) =>
      judge({ lastHour, credentials: [{ ...webhook, rotating }] });
    expect([judged(false).kind, judged(false).notes.length]).toEqual(['well', 1]);
    expect(judged(true).notes[1]).toContain('do not finish the rotation yet');
  });
});
