import { availableParallelism, cpus } from 'node:os';
import { renderTable } from '../../scripts/connector/ground/terminal/print-document.ts';
import type { LoadOptions } from './arguments.ts';
import type { Verdict } from './judge.ts';
import type { AcceptedWebhook, Outcome, RunLogs } from './run-logs.ts';
import { THROTTLED } from './two-shops.config.ts';

export interface Phase {
  readonly name: PhaseName;
  readonly shop: string;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** How many the store created in it. */
  readonly webhooks: number;
}

/** `calm`: no shop is throttled yet; `throttled`: one is, without other troubles; in all parts after it, too. */
export type PhaseName = 'calm' | 'throttled' | 'killed' | 'flash sale';

export interface RunFacts {
  readonly phases: readonly Phase[];
  readonly troubles: readonly {
    readonly phase: string;
    readonly atSecond: number;
    readonly what: string;
  }[];
  readonly drainSeconds: number;
  /** Webhooks and messages that were not done in time. */
  readonly left: number;
  readonly dead: number;
  readonly logs: RunLogs;
  readonly verdicts: readonly Verdict[];
}

export type Report = ReturnType<typeof makeReport>;

export function makeReport(facts: RunFacts, { minutes, rate, burstSeconds, seed }: LoadOptions) {
  const { logs, verdicts, phases } = facts;
  const { accepted } = logs;
  const count = (outcome: Outcome) => accepted.filter((one) => one.outcome === outcome).length;
  return {
    at: new Date().toISOString(),
    machine: `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`,
    options: { minutes, rate, burstSeconds, seed },
    accepted: accepted.length,
    applied: count('applied'),
    unchanged: count('unchanged'),
    superseded: count('superseded'),
    skipped: count('skipped'),
    handled: count('handled'),
    settledByLedger: sum(verdicts, ({ settledByLedger }) => settledByLedger),
    dead: Math.max(facts.dead, count('dead')),
    lost: verdicts.flatMap(({ lost }) => lost),
    doubled: verdicts.flatMap(({ doubled }) => doubled),
    left: facts.left,
    givenUp: logs.givenUp.length,
    resent: logs.resent,
    healed: logs.healed,
    retries: logs.retries,
    sentAgain: sum(verdicts, ({ sentAgain }) => sentAgain),
    compared: verdicts.map(({ shop, orders, products, coupons, balances }) => ({
      ...{ shop, orders, products, coupons, balances },
    })),
    drainSeconds: facts.drainSeconds,
    phases: phases.map(({ name, shop, from, to, webhooks }) => {
      const isIn = (at: number) => at >= from && at < to;
      const own = accepted.filter((one) => one.shop === shop && isIn(one.sentAt ?? 0));
      const throttledAt = verdicts.find((one) => one.shop === shop)?.throttledAt ?? [];
      return {
        name,
        shop,
        seconds: (to - from) / 1000,
        offeredPerSecond: webhooks / ((to - from) / 1000),
        throttled: throttledAt.filter(isIn).length,
        ...latencies(own),
      };
    }),
    troubles: facts.troubles,
  };
}

export const isClean = (report: Report): boolean => problemsOf(report).length === 0;

/** Twice the time without a throttled neighbour, and what chance adds on a busy machine. */
const longestBeside = (calmMs: number): number => 2 * calmMs + 2_000;

/** What is wrong with the part in which one shop was throttled: it was not, or the other one was slowed. */
export function judgeThrottling(
  phases: readonly Pick<Report['phases'][number], 'name' | 'shop' | 'throttled' | 'p99Ms'>[],
): readonly string[] {
  const of = (wanted: PhaseName) => phases.filter(({ name }) => name === wanted);
  return of('throttled').flatMap(({ shop, throttled, p99Ms }) => {
    if (shop === THROTTLED) return throttled > 0 ? [] : [`not throttled: ${shop}`];
    const calm = of('calm').find((one) => one.shop === shop)?.p99Ms ?? 0;
    if (p99Ms <= longestBeside(calm)) return [];
    const times = `${seconds(p99Ms)} instead of ${seconds(calm)}`;
    return [`slowed: ${shop}: ${times} beside the throttled shop`];
  });
}

function sum<One>(all: readonly One[], count: (one: One) => number): number {
  return all.reduce((total, one) => total + count(one), 0);
}

/** From the first time the webhook was sent until the loyalty service had answered. */
export function latencies(webhooks: readonly AcceptedWebhook[]) {
  const sorted = webhooks
    .flatMap(({ outcome, sentAt, endedAt }) =>
      outcome === 'applied' && sentAt !== undefined && endedAt !== undefined
        ? [endedAt - sentAt]
        : [],
    )
    .toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
  return { applied: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) };
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;

export function renderReport(report: Report, width: number): string {
  const figures: readonly (readonly [string, string, string])[] = [
    [
      'accepted',
      whole(report.accepted),
      `webhooks answered with 200, of ${whole(sum(report.compared, ({ orders }) => orders))} orders`,
    ],
    ['applied', whole(report.applied), 'the loyalty service was brought to a new state'],
    ['unchanged', whole(report.unchanged), 'the state was already applied: no call'],
    ['superseded', whole(report.superseded), 'a newer state had been applied before'],
    ['skipped', whole(report.skipped), 'not to be synced, with a reason'],
    ['handled', whole(report.handled), 'turned into messages of their own'],
    [
      'in the ledger',
      whole(report.settledByLedger),
      'settled, but the log line was lost with a killed process',
    ],
    ['dead', whole(report.dead), 'parked for a person'],
    ['lost', whole(report.lost.length), 'according to both sides, the ledger and the log'],
    ['doubled', whole(report.doubled.length), 'orders that earned more than they are worth'],
    ['resent', whole(report.resent), 'deliveries that the store had to try again'],
    [
      'given up',
      whole(report.givenUp),
      'deliveries that failed nine times, and so were never accepted',
    ],
    ['healed', whole(report.healed), 'found by reconcile, because the store had given up'],
    ['retries', whole(report.retries), 'messages left on their queue for later'],
    ['sent again', whole(report.sentAgain), 'orders sent once more in the same state'],
    ['time to drain', `${whole(report.drainSeconds)} s`, 'after the sale'],
  ];
  const table = (columns: readonly string[], rows: readonly (readonly string[])[], left: number) =>
    renderTable(
      {
        columns: columns.map((title, index) => ({
          title,
          ...(index > 0 && index !== left && { align: 'right' as const }),
        })),
        rows: rows.map((cells) => ({ cells })),
      },
      new Date(),
      { width, style: (_, text) => text },
    );
  return [
    report.machine,
    table(['FIGURE', 'COUNT', 'WHAT'], figures, 2),
    table(
      ['PHASE', 'SHOP', 'OFFERED', 'FOR', '429', 'P50', 'P99'],
      report.phases.map((phase) => [
        phase.name,
        phase.shop,
        `${whole(phase.offeredPerSecond)}/s`,
        `${whole(phase.seconds)} s`,
        whole(phase.throttled),
        seconds(phase.p50Ms),
        seconds(phase.p99Ms),
      ]),
      1,
    ),
    judgement(report),
  ].join('\n\n');
}

const SHOWN = 20;

function judgement(report: Report): string {
  const problems = problemsOf(report);
  if (problems.length === 0) {
    const lines = report.compared.map(
      ({ shop, orders, products, coupons, balances }) =>
        `${shop}: lost 0, doubled 0: ${whole(orders)} orders, ${products} products, ${coupons} coupons and ${balances} balances are the same on both sides`,
    );
    return `${lines.join('\n')}\n`;
  }
  const more = problems.length > SHOWN ? [`and ${problems.length - SHOWN} more`] : [];
  return `${[...problems.slice(0, SHOWN), ...more].join('\n')}\n`;
}

function problemsOf({ lost, doubled, left, phases }: Report): readonly string[] {
  return [
    ...lost.map((one) => `lost: ${one}`),
    ...doubled.map((one) => `doubled: ${one}`),
    ...judgeThrottling(phases),
    ...(left > 0 ? [`still on their way: ${left} webhooks and messages`] : []),
  ];
}
