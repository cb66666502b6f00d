import { describe, expect, it } from 'vitest';
import { RETENTION } from '../../../infra/storage.ts';
import {
  HEALED_PERCENT,
  OLDEST_MESSAGE_MINUTES,
  RECONCILE_MINUTES,
} from '../../../shared/config/metrics.ts';
import { synthesizeStack } from '../../support/synthesized-stack.ts';
import { alarmsOf, type NamedAlarm, rings, type Series } from '../../support/watched-metrics.ts';

/** A week, a day or an hour of the same value. */
const each = (count: number, value: number): Series => Array.from({ length: count }, () => value);
const nothing = (count: number): Series => Array.from({ length: count }, () => undefined);

interface Lives {
  /** Where points are being lost or delayed; else a person must act, but not at night. */
  readonly isUrgent?: true;
  /** Any of these rings. */
  readonly rings: readonly Series[];
  /** None of these does. */
  readonly quiet: readonly Series[];
}

/** By the heading in the runbook: what each alarm must ring for, and on what it stays quiet. */
const LIVES: Readonly<Record<string, Lives>> = {
  'Dead letters': { rings: [[1], [1, ...nothing(11)]], quiet: [[0], [1, ...each(12, 0)]] },
  'Dead letters expire': { rings: [each(7, 1)], quiet: [each(6, 1), [...each(6, 1), 0]] },
  'Oldest message': {
    isUrgent: true,
    rings: [
      [1_800, 1_800],
      [1_800, 0, 1_800],
    ],
    quiet: [each(9, 1_799), [1_800, 0, 0]],
  },
  'Many messages in flight': { isUrgent: true, rings: [[60_000]], quiet: [[59_999]] },
  'Receiver fails': {
    isUrgent: true,
    rings: [[1, ...nothing(8), 1]],
    quiet: [[1], [1, ...nothing(12), 1]],
  },
  'Receiver is slow': {
    rings: [[3_000, 20, 4_000, 3_000]],
    quiet: [[9_000, 9_000, 20, 20]],
  },
  'Signatures refused': { isUrgent: true, rings: [[5], [5, 0, 0, 0]], quiet: [[4, 4, 4, 4]] },
  'Many requests refused': { rings: [[3_000]], quiet: [each(12, 299)] },
  'Functions throttled': { isUrgent: true, rings: [[3, 0, 1]], quiet: [[50]] },
  'Older webhook secret': { rings: [[9, 9, 9]], quiet: [[9, 9]] },
  'Unexpected API version': { rings: [[1, ...nothing(20)]], quiet: [[]] },
  'Long waits': {
    isUrgent: true,
    rings: [[1], [1, ...nothing(18)]],
    quiet: [[], [1, ...nothing(24)]],
  },
  'Messages stuck': {
    isUrgent: true,
    rings: [[1], [1, ...nothing(6)]],
    quiet: [[], [1, ...nothing(12)]],
  },
  'Credentials or settings refused': { isUrgent: true, rings: [[1, ...nothing(6)]], quiet: [[]] },
  'Loyalty service throttles': { rings: [each(10, 1)], quiet: [each(9, 40)] },
  'Worker errors': { rings: [[1]], quiet: [[]] },
  'Function errors': { isUrgent: true, rings: [[1]], quiet: [each(12, 0)] },
  'Ledger throttled': { rings: [[1, 1, 1]], quiet: [[9, 9]] },
  'Webhooks get lost': { rings: [[1], [1, undefined]], quiet: [[]] },
  'Reconciliation missing': { rings: [nothing(3)], quiet: [[1, undefined, undefined]] },
  'Orders differ': { rings: [[1]], quiet: [[]] },
  'Subscriptions wrong': { rings: [[2, ...nothing(3)]], quiet: [[]] },
  'Data request': { rings: [[1]], quiet: [[]] },
  'Shop redaction': { rings: [[1]], quiet: [[]] },
  'App uninstalled': { isUrgent: true, rings: [[1]], quiet: [[]] },
  'Point events refused': { rings: [[5]], quiet: [[4, 4]] },
  'Storefront refused': { rings: [[20]], quiet: [[19, 19]] },
  'Storefront unavailable': { rings: [[5, 0, 5]], quiet: [[90], each(12, 4)] },
  'Redemption pending': { rings: [[1]], quiet: [[]] },
  'PIN guessing': { rings: [[1], [1, ...nothing(11)]], quiet: [[], [1, ...nothing(12)]] },
  Trouble: { rings: [[1], [1, ...nothing(11)]], quiet: [[], [1, ...nothing(12)]] },
};

const headingOf = ({ description }: NamedAlarm) =>
  /docs\/runbook\.md, "(.+)"$/.exec(description)?.[1] ?? '';

const alarms = (['full', 'basic'] as const).flatMap((monitoring) =>
  alarmsOf(synthesizeStack({ storefront: {}, deployment: { monitoring } })),
);

describe('an alarm', () => {
  it.each(alarms)('rings for its trouble, and stays quiet on a normal day: $name', (alarm) => {
    const { rings: loud, quiet } = LIVES[headingOf(alarm)] ?? { rings: [], quiet: [] };
    expect(loud).not.toEqual([]);
    for (const series of loud) expect(rings(alarm, series), String(series)).toBe(true);
    for (const series of quiet) expect(rings(alarm, series), String(series)).toBe(false);
  });

  it.each(alarms)('says when to look at it, and no figure that is not its own: $name', (alarm) => {
    const { properties, description } = alarm;
    const [message = ''] = description.split('\n');
    const { isUrgent } = LIVES[headingOf(alarm)] ?? {};
    expect(message).toMatch(isUrgent ? /^Look at it now: / : /^Look at it today: /);
    const { Threshold, EvaluationPeriods } = properties as Readonly<Record<string, number>>;
    const of = Threshold ?? 0;
    const known = [
      ...[
        of,
        2 * of,
        of / 60,
        of / 1_000,
        EvaluationPeriods,
        RETENTION.toDays(),
        RETENTION.toDays() - 1,
      ],
      ...[HEALED_PERCENT, OLDEST_MESSAGE_MINUTES, RECONCILE_MINUTES],
    ];
    const said = (message.match(/\d[\d,]*/g) ?? []).map((one) => Number(one.replaceAll(',', '')));
    expect(said.filter((one) => !known.includes(one))).toEqual([]);
    expect(new Set(said).size).toBe(said.length);
    const others = alarms.filter(
      (one) => one.name !== alarm.name && one.description === description,
    );
    expect(others).toEqual([]);
  });

  it('is deployed in basic monitoring where it needs a person, and nothing else says it', () => {
    const names = alarmsOf(
      synthesizeStack({ deployment: { monitoring: 'basic' }, storefront: {} }),
    );
    expect(names.map(({ name }) => name.replace('loyalty-connector-prod-', '')).toSorted()).toEqual(
      [
        ...['function-errors-reconcile', 'many-refused-points', 'many-refused-storefront'],
        ...['many-refused-webhooks', 'oldest-message-balances', 'oldest-message-coupons'],
        ...['oldest-message-orders', 'oldest-message-products', 'receiver-fails', 'trouble'],
      ],
    );
  });

  it('adds up what is counted, and takes the highest of a level and the 99th percentile of a time', () => {
    const expected = (name: string) => {
      if (name.startsWith('Approximate')) return 'Maximum';
      return name.endsWith('Latency') ? 'p99' : 'Sum';
    };
    const metrics = alarms.flatMap((alarm) => alarm.metrics);
    expect(metrics.map(({ name, statistic }) => [name, statistic])).toEqual(
      metrics.map(({ name }) => [name, expected(name)]),
    );
  });

  it('takes ten times as many refused pages as other requests: shoppers make mistakes', () => {
    const [pages] = alarms.filter(({ name }) => name.endsWith('many-refused-storefront'));
    const [webhooks] = alarms.filter(({ name }) => name.endsWith('many-refused-webhooks'));
    if (!pages || !webhooks) throw new Error('an alarm is missing');
    expect([rings(pages, [2_999]), rings(webhooks, [300])]).toEqual([false, true]);
  });
});
