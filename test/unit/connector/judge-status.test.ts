import { describe, expect, it } from 'vitest';
import {
  type CheckResult,
  type Finding,
  fail,
  findingsBlock,
  unknown,
  warn,
} from '../../../scripts/connector/ground/checks/check.ts';
import type { CredentialStatus } from '../../../scripts/connector/ground/checks/read-secret.ts';
import {
  type WaitingInShop,
  type WokenMessage,
  wokenTexts,
} from '../../../scripts/connector/ground/checks/waiting-messages.ts';
import type { LastHour } from '../../../scripts/connector/ground/session/figures.ts';
import { lineText } from '../../../scripts/connector/ground/terminal/line.ts';
import {
  groupWaiting,
  type QueueStatus,
  type Status,
  type WaitingStatus,
} from '../../../scripts/connector/look/collect-status.ts';
import {
  judgeSignatures,
  judgeStatus,
  verdictOf,
} from '../../../scripts/connector/look/judge-status.ts';
import { queuesOf } from '../../../scripts/connector/look/show-status.ts';
import type { DifferingOrder } from '../../../shared/core/reconcile/deep-scan.ts';
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

const nothing = { recoversSince: undefined, ordersRead: { read: 0, unread: 0 } };
const reconciled = (last: object = {}, differing: readonly DifferingOrder[] = []) => {
  const run = { endedAt: '2026-11-15T02:30:00.000Z', lookedAt: { order: 100 }, ...last };
  return known([{ shop: SHOP, last: run as LastReconcile, differing, ...nothing }]);
};

const NEVER_RUN = known([{ shop: SHOP, last: undefined, differing: [], ...nothing }]);

const checked = (name: string, ...findings: readonly Finding[]): readonly CheckResult[] => [
  { name, findings: findings.map((one) => ({ ...one, shop: SHOP })) },
];

function status(changes: Partial<Status> = {}): Status {
  return {
    ...{ at: AT, shops: [SHOP], queues: queues({}), lastHour: hour(), lastDay: undefined },
    ...{ waiting: known([]), reconcile: reconciled(), notices: known([]) },
    ...{ credentials: [], checks: [] },
    ...changes,
  };
}

/** In words, with the first command of each finding. */
function judge(changes: Partial<Status> = {}) {
  const given = status(changes);
  const results = judgeStatus(given);
  const { kind, what: verdict } = verdictOf(results, given);
  const found = findingsBlock(results).findings.map(({ tone, what, fix, next: [first] = [] }) => ({
    ...{ tone, what, fix },
    next: first && lineText(first.line).replace('npx loyalty-connector ', ''),
  }));
  const of = (tone: string) => found.filter((one) => one.tone === tone);
  const notes = of('info').map(({ what }) => what);
  return { kind, verdict, troubles: of('bad'), waits: of('pending'), notes };
}

const waiting = (changes: Partial<WaitingStatus> = {}) =>
  known([
    {
      ...{ shop: SHOP, waitsFor: 'loyalty', messages: 11, whys: ['time-out'], mayBeEarlier: true },
      ...{ since: '2026-11-15T02:50:00.000Z', nextTry: '2026-11-15T03:00:40.000Z' },
      ...changes,
    } as WaitingStatus,
  ]);

it('names a shop that the store refuses, and says that the others go on', () => {
  const last = {
    refusedSince: '2026-11-13T03:00:00.000Z',
    stopped: [{ kind: 'order', why: 'store-unauthorized' }],
  };
  const given = status({ reconcile: reconciled(last) });
  const { findings = [] } = judgeStatus(given).find(({ name }) => name === 'reconcile') ?? {};
  expect(findings).toEqual([
    expect.objectContaining({
      shop: SHOP,
      verdict: 'fail',
      what: expect.stringMatching(
        /^credentials, scopes or an address refused since .*13.* \(store-unauthorized\): this shop is not synced until you fix that; others are not affected$/,
      ),
    }),
  ]);
});

it('says of refused credentials that others were entered since the run that found them', () => {
  const last = {
    refusedSince: '2026-11-13T03:00:00.000Z',
    stopped: [{ kind: 'order', why: 'loyalty-misconfigured' }],
  };
  const storedAt = new Date('2026-11-15T02:45:00.000Z');
  const state = 'there';
  const credentials = [{ shop: SHOP, purpose: 'loyalty', state, storedAt }] as const;
  const { kind, waits } = judge({ reconcile: reconciled(last), credentials });
  expect(kind).toBe('pending');
  const what = expect.stringMatching(
    /\(loyalty-misconfigured\), as the last run found; a secret has/,
  );
  expect(waits).toEqual([expect.objectContaining({ what })]);
});

describe('the verdict on a deployment', () => {
  it.each<[string, Partial<Status>, string, string | undefined]>([
    [
      'a dead letter, beside those that were delivered since',
      { queues: queues({ dead: 3, delivered: 2 }) },
      '1 dead letter of orders needs a decision',
      'dead-letters list --queue orders',
    ],
    [
      'an old message',
      { queues: queues({ oldestSeconds: 1_801 }) },
      'been waiting for 30 minutes',
      'doctor',
    ],
    [
      'refused credentials',
      { waiting: waiting({ waitsFor: 'misconfigured', whys: ['no-credentials'] }) },
      '11 messages waiting because credentials, scopes or an address were refused since 02:50 UTC',
      'doctor',
    ],
    [
      'work that breaks off, also while other work succeeds',
      { waiting: waiting({ waitsFor: 'connector', whys: ['broke-off'], messages: 1 }) },
      '1 message waiting for the connector or AWS since 02:50 UTC (the worker met an unexpected error)',
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
      '11 messages waiting for the loyalty service since 02:29 UTC',
      'doctor',
    ],
    [
      'bad signatures',
      { lastHour: hour({ 'signatures-refused': 6 }) },
      '6 requests with a wrong signature refused',
      'doctor',
    ],
    [
      'what a check found',
      { checks: checked('secrets', fail('never set')) },
      'never set',
      undefined,
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
    const judged = judge(changes);
    expect(judged).toMatchObject({ kind: 'action required', verdict: '1 problem needs you.' });
    expect(judged.troubles).toMatchObject([{ what: expect.stringContaining(what), next }]);
  });

  it.each<[string, Partial<Status>]>([
    ['messages that only just arrived', { queues: queues({ waiting: 900, oldestSeconds: 40 }) }],
    [
      'an age of which there is no value yet',
      { queues: queues({ waiting: 1, oldestSeconds: undefined }) },
    ],
    ['credentials that are repaired: nothing waits', { lastHour: hour({ misconfigured: 3 }) }],
    ['dead letters that were delivered since', { queues: queues({ dead: 2, delivered: 2 }) }],
    ['an outage that is over', { lastHour: hour({ retried: 400 }) }],
    ['a few foreign signatures', { lastHour: hour({ 'signatures-refused': 5 }) }],
    [
      'a few healed entities',
      { reconcile: reconciled({ lookedAt: { order: 6 }, healed: { order: 4 } }) },
    ],
    ['a reconcile that has never run yet', { reconcile: NEVER_RUN }],
    ['a deployment that writes no figures', { lastHour: undefined }],
  ])('does not raise an alarm for %s', (_, changes) => {
    expect(judge(changes).kind).toBe('ok');
  });

  it('is not known while events are refused for their signature and none is accepted', () => {
    const judged = judge({ lastHour: hour({ 'signatures-refused': 1, received: 0 }) });
    expect(judged.kind).toBe('unknown');
    expect(judged.waits).toMatchObject([
      { what: expect.stringContaining('none accepted'), next: 'doctor' },
    ]);
  });

  it('says that refused signatures are not counted where no figures are written', () => {
    expect(judge({ lastHour: undefined }).notes).toContainEqual(
      expect.stringContaining(
        "refused signatures are not counted with deployment.monitoring 'basic'",
      ),
    );
  });

  it('says that nothing waits only of empty queues', () => {
    expect(judge().verdict).toBe('All clear.');
    const { verdict } = judge({ queues: queues({ inFlight: 1 }) });
    expect(verdict).toBe('All clear; 1 message on the queues.');
  });

  it.each(['queues', 'lastHour', 'waiting', 'reconcile', 'notices'] as const)(
    'is not known, and says why, without %s; what needs a person comes first',
    (part) => {
      const unread = { [part]: { kind: 'unknown', why: 'access was refused' } };
      const judged = judge(unread);
      expect(judged.kind).toBe('unknown');
      expect(judged.waits).toMatchObject([
        { what: 'unknown: could not be read: access was refused', next: 'doctor' },
      ]);
      expect(judge({ ...unread, checks: checked('x', fail('x')) }).kind).toBe('action required');
    },
  );

  it('does not call a deployment ill, nor well, because the operator may not see its secrets', () => {
    const secrets = { ...unknown('your AWS credentials may not'), lacks: ['store secret'] };
    const subscriptions = { ...unknown('no answer'), needs: ['store secret'] };
    const checks = [...checked('secrets', secrets), ...checked('subscriptions', subscriptions)];
    const what = 'Not everything could be checked: secrets.';
    expect(judge({ checks })).toMatchObject({ kind: 'unknown', verdict: what });
  });

  it('needs a person for orders that differ in the loyalty service, if not only lately', () => {
    const late = { id: '73', at: 1, lately: true } as const;
    const differing = [{ id: '71', at: 1 }, { id: '72', at: 1 }, late];
    const { troubles } = judge({ reconcile: reconciled({}, differing) });
    const what = '2 orders differ in the loyalty service';
    expect(troubles).toMatchObject([{ what, next: `reconcile status --shop ${SHOP}` }]);
  });

  it('counts what waits because of a pause with the pause', () => {
    const refused = { ...fail('paused, because credentials are refused'), lacks: ['calls'] };
    const { troubles, verdict } = judge({
      checks: checked('pauses', refused),
      waiting: waiting({ waitsFor: 'misconfigured' }),
    });
    expect([troubles.length, verdict]).toEqual([1, '1 problem needs you.']);
    expect(JSON.stringify(troubles)).not.toContain('next try');
  });

  it('does not claim to retry what an operator paused', () => {
    const paused = { ...warn('all calls paused'), lacks: ['calls'] };
    const retried = judge({ checks: checked('calls', warn('slow')) }).verdict;
    const { kind, verdict } = judge({ checks: checked('pauses', paused) });
    expect(kind).toBe('pending');
    expect(verdict).not.toBe(retried);
  });
});

it('shows beside the queue as many dead letters as it names, and says what the others are', () => {
  const shown = (dead: number, delivered?: number) =>
    queuesOf({ queues: queues({ dead, delivered }) }).rows[0]?.cells[3];
  const { troubles } = judge({ queues: queues({ dead: 11, delivered: 7 }) });
  expect(troubles[0]?.what).toContain('4 dead letters of orders need');
  expect(shown(11, 7)).toMatchObject({ text: '4', tone: 'bad' });
  expect(shown(7, 7)).toMatchObject({ text: '0', tone: 'soft' });
  expect(shown(11)).toMatchObject({ text: '11', tone: 'bad' });
  expect(shown(0)).toBe(0);
});

const minute = (text: string) => Date.parse(`2026-11-15T${text}:00.000Z`);

describe('a deployment whose messages wait', () => {
  const message: WaitingInShop = {
    ...{ shop: SHOP, queue: 'orders', about: { kind: 'order', id: '7' }, messageId: 'm-1' },
    ...{ receiptHandle: '', waitsFor: 'loyalty', why: 'time-out', since: minute('02:50') },
    ...{ until: minute('03:04'), tries: 1, receives: 1, revision: 1 },
  };

  it('is waiting, never well, and says for what, since when, how many and until when', () => {
    const { kind, waits } = judge({ waiting: waiting() });
    expect(kind).toBe('pending');
    expect(waits).toMatchObject([
      {
        what: '11 messages waiting for the loyalty service since 02:50 UTC (no answer in time), next try in 40 s',
        next: `retry-now --shop ${SHOP}`,
      },
    ]);
  });

  it('offers no earlier try where a call may still be executed', () => {
    const offered = (...messages: readonly WaitingInShop[]) => {
      const groups = groupWaiting(messages, queues({ inFlight: 2 }), [], new Date(AT));
      return judge({ waiting: known(groups) }).waits.map(({ next }) => next);
    };
    // Also where the next try is a little later than that.
    const heldBack = { ...message, notBefore: minute('03:03') };
    expect(offered(heldBack)).toEqual([undefined]);
    const now = `retry-now --shop ${SHOP}`;
    expect(offered(heldBack, message)).toEqual([now]);
    expect(offered({ ...message, notBefore: minute('03:00') })).toEqual([now]);
  });

  it('names the pause that holds what had waited for something else', () => {
    const held = (until?: string) => {
      const since = '2026-11-15T02:55:00.000Z';
      const pause = { shop: SHOP, since, by: 'operator', part: 'all', who: 'ops' } as const;
      const pauses = [{ ...pause, ...(until && { until }) }];
      const store = { ...message, waitsFor: 'store', why: 'connection' } as const;
      return groupWaiting([store], queues({ inFlight: 1 }), pauses, new Date(AT))[0];
    };
    expect(held()).toMatchObject({ waitsFor: 'paused', whys: ['shop-paused'] });
    expect(held('2026-11-15T03:30:00.000Z')).toMatchObject({ waitsFor: 'paused' });
    // It ends before the message would be tried.
    expect(held('2026-11-15T03:01:00.000Z')).toMatchObject({ waitsFor: 'store' });
  });

  it.each(['loyalty', 'store', 'throttled', 'misconfigured', 'connector', 'paused'] as const)(
    'for %s says the same of a shop, whatever is true of another',
    (waitsFor) => {
      const other = 'second-store.myshopify.com';
      const paused = { ...fail('all calls paused'), shop: other, lacks: ['calls'] };
      const storedAt = new Date('2026-11-15T02:45:00.000Z');
      const entered = { shop: other, purpose: 'loyalty', state: 'there', storedAt } as const;
      const last = { refusedSince: '2026-11-13T03:00:00.000Z', stopped: [] };
      const theirs = { shop: other, last: last as never, differing: [], ...nothing };
      const own = (changes: Partial<Status>) =>
        judgeStatus(status({ waiting: waiting({ waitsFor }), ...changes })).flatMap(
          ({ name, findings }) =>
            findings.flatMap((one) => (one.shop === SHOP ? [{ name, ...one }] : [])),
        );
      const alone = own({});
      expect(alone.length).toBeGreaterThan(0);
      const beside = {
        checks: [{ name: 'pauses', findings: [paused] }],
        credentials: [entered],
        reconcile: known([...reconciled().value, theirs]),
      };
      expect(own(beside)).toEqual(alone);
    },
  );

  it('says nothing of a step that waits for its time by design', () => {
    const step = { ...message, waitsFor: 'planned', why: 'redemption-to-cancel' } as const;
    const groups = groupWaiting([step], queues({ inFlight: 1 }), [], new Date(AT));
    expect(judge({ waiting: known(groups) })).toMatchObject({ kind: 'ok', waits: [] });
  });

  it('says the time of day of an attempt that cannot be earlier, in a line that stays', () => {
    const held = { queue: 'orders', isHeldBack: true, inSeconds: 21 } as WokenMessage;
    expect(wokenTexts([held], 'now', new Date(AT))).toEqual([
      expect.stringContaining('by 03:00:21 UTC: orders 1. Until then, '),
    ]);
  });
});

describe('a deployment after a repair', () => {
  it.each([
    ['signatures-refused', 72, '72 requests with a wrong signature refused'],
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
      expect(repaired.kind).toBe('ok');
      expect(repaired.notes[0]).toContain(words);
      expect(repaired.notes[0]).toContain('last at 02:40 UTC; resolved: 12 accepted since');
      const either = judged(12, { shops: [SHOP, 'other.myshopify.com'] });
      expect(either).toMatchObject({ kind: 'unknown', notes: [] });
      expect(either.waits[0]?.what).toContain('02:40 UTC; 12 accepted since, across all shops');
    },
  );

  it('does not know whether an entered secret is right until a webhook comes', () => {
    const sign = { lastAt: minute('02:40'), acceptedSince: 0, sinceAccepted: 72 };
    const lastHour = hour({ 'signatures-refused': 72, signs: { 'signatures-refused': sign } });
    const webhook = { shop: SHOP, purpose: 'webhook', state: 'there' } as const;
    const judged = (storedAt: string) => {
      const credentials: CredentialStatus[] = [
        { ...webhook, storedAt: new Date(minute(storedAt)) },
      ];
      return judge({ lastHour, credentials });
    };
    const at = (now: string) => {
      const hourOf = {
        received: 0,
        'signatures-refused': 72,
        signs: { 'signatures-refused': sign },
      };
      const credentials = [{ ...webhook, storedAt: new Date(minute('02:39') + 40_000) }];
      const judging = { shops: [SHOP], now: new Date(now), credentials };
      return judgeSignatures(hourOf as unknown as LastHour, judging).what;
    };
    expect(at('2026-11-15T02:40:10.000Z')).toContain('may use the older one for 30 s more');
    // A receiver may have had the older one for a minute.
    expect([judged('02:39').kind, judged('02:40').kind]).toEqual(['action required', 'unknown']);
    expect(judged('02:40').waits[0]?.what).toContain('the receiver uses it by now');
    const entered = judged('02:50');
    expect(entered.kind).toBe('unknown');
    expect(entered.waits[0]?.what).toContain('a secret was entered at 02:50 UTC');
  });

  it('names a command that a rotation that runs does not refuse', () => {
    const signs = { 'signatures-refused': { lastAt: minute('02:40'), acceptedSince: 0 } };
    const hourOf = { received: 0, 'signatures-refused': 72, signs } as unknown as LastHour;
    const named = (olderUntil?: string) => {
      const credentials: readonly CredentialStatus[] = [
        { shop: SHOP, purpose: 'webhook', state: 'there', ...(olderUntil && { olderUntil }) },
      ];
      const { next } = judgeSignatures(hourOf, { shops: [SHOP], now: new Date(AT), credentials });
      return next?.map((one) => lineText(one.line));
    };
    const command = 'npx loyalty-connector secrets set webhook';
    expect(named()).toEqual([`${command} --rotate --shop ${SHOP}`]);
    // The newer one may be mistyped: the older one stays.
    expect(named('2026-11-16T00:59:00.000Z')).toEqual([`${command} --shop ${SHOP} --yes`]);
  });

  it('needs a person while the older secret is used hours after a rotation, before its end', () => {
    const webhook = { shop: SHOP, purpose: 'webhook', state: 'there' } as const;
    const judged = (storedAt: string, olderUntil?: string) =>
      judge({
        lastHour: hour({ 'older-secret-used': 4 }),
        credentials: [
          { ...webhook, storedAt: new Date(minute(storedAt)), ...(olderUntil && { olderUntil }) },
        ],
      });
    const until = '2026-11-16T00:59:00.000Z';
    // A store may use it for an hour after the change; without an older one, another shop's was used.
    expect([judged('01:01', until).kind, judged('00:59').kind]).toEqual(['ok', 'ok']);
    const { kind, troubles } = judged('00:59', until);
    expect(kind).toBe('action required');
    expect(troubles[0]?.what).toContain(
      '4 requests in the last hour signed with the older webhook secret',
    );
    expect(troubles[0]?.what).toContain(`that of ${SHOP} expires at 2026-11-16 00:59 UTC`);
    expect(troubles[0]?.fix).toContain('If it may have leaked, end it now');
  });

  it('waits with what was refused before the secret was changed', () => {
    const refused = waiting({ waitsFor: 'misconfigured', whys: ['misconfigured'] });
    const judged = (storedAt: string, changes: Partial<Status>) => {
      const loyalty = { shop: SHOP, purpose: 'loyalty', state: 'there' } as const;
      return judge({
        ...changes,
        credentials: [{ ...loyalty, storedAt: new Date(minute(storedAt)) }],
      });
    };
    expect(judged('02:59', { waiting: refused }).kind).toBe('action required');
    const { kind, waits } = judged('03:00', { waiting: refused });
    expect([kind, waits[0]?.what]).toEqual([
      'pending',
      '11 messages waiting: refused before a secret was entered at 03:00 UTC, next try in 40 s',
    ]);
    const sign = { lastAt: minute('02:40'), acceptedSince: 0, sinceAccepted: 3 };
    const lastHour = hour({ misconfigured: 3, signs: { misconfigured: sign } });
    const counted = { lastHour, queues: queues({ inFlight: 3 }) };
    expect(judged('02:39', counted).kind).toBe('action required');
    expect(judged('02:41', counted).kind).toBe('pending');
    const used = hour({
      misconfigured: 3,
      signs: { misconfigured: { ...sign, acceptedSince: 1 } },
    });
    expect(judged('02:41', { ...counted, lastHour: used }).kind).toBe('ok');
  });

  it('is well about credentials also while something else waits', () => {
    const sign = { lastAt: minute('02:40'), acceptedSince: 0, sinceAccepted: 3 };
    const lastHour = hour({ misconfigured: 3, signs: { misconfigured: sign } });
    const judged = (messages: number) =>
      judge({
        ...{ lastHour, queues: queues({ inFlight: 3 }) },
        waiting: waiting({ waitsFor: 'planned', messages }),
      });
    expect(judged(3).kind).toBe('ok');
    expect(judged(3).notes[0]).toContain('nothing is waiting for that any more');
    // One of them was perhaps refused, and is tried now.
    expect(judged(2).kind).toBe('action required');
  });

  it('does not take a crash as repaired by what others did since, and says until when', () => {
    const crash = { lastAt: minute('02:40'), acceptedSince: 12, sinceAccepted: 0 };
    const { kind, troubles } = judge({ lastHour: hour({ crash: 2, signs: { crash } }) });
    expect(kind).toBe('action required');
    expect(troubles[0]?.what).toMatch(/error 2 times in the last hour, last at 02:40 UTC$/);
    expect(troubles[0]?.fix).toContain('This clears at 03:40 UTC');
  });

  it('stays well when a stray request is refused', () => {
    const stray = { lastAt: minute('02:59'), acceptedSince: 0, sinceAccepted: 1 };
    const lastHour = hour({ 'signatures-refused': 73, signs: { 'signatures-refused': stray } });
    const { kind, notes } = judge({ lastHour });
    expect([kind, notes.length]).toEqual(['ok', 1]);
  });
});
