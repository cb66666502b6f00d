import { setTimeout as sleep } from 'node:timers/promises';
import { RECONCILE_MINUTES } from '../../../shared/config/metrics.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { sumOf } from '../../../shared/core/reconcile/last-reconcile.ts';
import { findingsBlock } from '../ground/checks/check.ts';
import type { ChecksByPlatform } from '../ground/checks/step.ts';
import { untilOf } from '../ground/compare/settle.ts';
import type { Chart, LastHour } from '../ground/session/figures.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import {
  type Cell,
  type ChartBlock,
  type Document,
  type FactsBlock,
  facts,
  right,
  type TableBlock,
  table,
} from '../ground/terminal/document.ts';
import { line } from '../ground/terminal/line.ts';
import { counted, relativeTime, secondsText, spanText } from '../ground/terminal/text.ts';
import {
  collectStatus,
  isEmpty,
  type ReconcileStatus,
  type Status,
  undecidedIn,
} from './collect-status.ts';
import { judgeStatus, verdictOf } from './judge-status.ts';

export interface StatusOptions extends CommonOptions {
  readonly charts?: boolean;
  readonly watch?: boolean;
}

/** CloudWatch has a new figure once a minute, and bills each that is read; this machine bills nothing. */
const FRESH_SECONDS = { aws: 60, local: 5 } as const;

/** Collect → judge → describe. */
export async function showStatus(
  { findDeployment }: Pick<Session, 'findDeployment'>,
  options: StatusOptions,
  platforms: ChecksByPlatform,
): Promise<Document> {
  const deployment = await findDeployment();
  const { stack, stage, region, where, version } = deployment;
  const charts = options.charts === true;
  const status = await collectStatus(deployment, options, { now: new Date(), charts }, platforms);
  const results = judgeStatus(status);
  const block = findingsBlock(results, { all: false });
  const notes = results.map((one) => ({
    ...one,
    findings: one.findings.filter(({ verdict }) => verdict === 'info'),
  }));
  const noted = findingsBlock(notes);
  const title = counted(noted.findings.length, 'note');
  const { shops } = status;
  return {
    title: `${stack} ${version} ${where === 'aws' ? `in ${region}` : 'on this machine'}`,
    verdict: verdictOf(results, status),
    freshSeconds: FRESH_SECONDS[where],
    blocks: [
      block,
      queuesOf(status),
      ...shops.map((shop) => factsOf(status, shop)),
      ...(charts ? chartsOf(status) : []),
      ...(noted.findings.length > 0
        ? [{ kind: 'section', title, folded: true, blocks: [noted] } as const]
        : []),
    ],
    data: { stack, stage, region, where, version, commandVersion: VERSION, ...status },
  };
}

/** `status --watch`: again and again, until Ctrl-C. */
export async function watchStatus(
  session: Pick<Session, 'findDeployment' | 'show'>,
  options: StatusOptions,
  platforms: ChecksByPlatform,
): Promise<never> {
  const { stderr } = process;
  for (;;) {
    const shown = await showStatus(session, options, platforms);
    if (!options.json) console.clear();
    session.show(shown);
    for (let left = shown.freshSeconds ?? FRESH_SECONDS.aws; left > 0; left -= 1) {
      if (stderr.isTTY) stderr.write(`\rAgain in ${left} s. Ctrl-C ends it.\u001b[K`);
      await sleep(1_000);
    }
    if (stderr.isTTY) stderr.write('\r\u001b[K');
  }
}

const hourIn = ({ lastHour }: Status) => (lastHour?.kind === 'known' ? lastHour.value : undefined);

/** Those of balances go back to the store. */
export function queuesOf({ queues }: Pick<Status, 'queues'>): TableBlock {
  if (queues.kind === 'unknown') {
    return table([], [], { title: 'Queues', empty: `Unknown: ${queues.why}` });
  }
  // The ages come from CloudWatch, some minutes late.
  const hasAges = queues.value.some((one) => !isEmpty(one) && one.oldestSeconds !== undefined);
  const names = ['Queued', 'Under way', 'Dead', ...(hasAges ? ['Oldest'] : [])];
  const rows = queues.value.map((queue) => {
    const { family, waiting, inFlight, oldestSeconds, dead } = queue;
    const age = oldestSeconds === undefined ? '' : spanText(oldestSeconds * 1000);
    const opens = line('dead-letters list', [], { queue: family });
    const undecided = undecidedIn(queue);
    // The number that the findings name; a note says what SQS counts besides.
    const letters = { text: `${undecided}`, tone: undecided > 0 ? 'bad' : 'soft', opens } as const;
    const cells = [family, waiting, inFlight, dead && letters];
    return hasAges ? [...cells, isEmpty(queue) ? '-' : age] : cells;
  });
  return table(['Queue', ...names.map(right)], rows, { title: 'Queues' });
}

function factsOf(status: Status, shop: string): FactsBlock {
  const { at, shops, checks } = status;
  const isOnly = shops.length === 1;
  const [hour, now] = [hourIn(status), new Date(at)];
  const times = hour?.latencyMs;
  const runs = status.reconcile.kind === 'known' ? status.reconcile.value : [];
  const run = runs.find((one) => one.shop === shop);
  const found = (check: string) => {
    const { findings = [] } = checks.find(({ name }) => name === check) ?? {};
    const [first, ...others] = findings.filter((one) => one.shop === shop);
    return (
      first &&
      `${first.what}${others.length === 0 ? '' : `, and ${counted(others.length, 'note')}`}`
    );
  };
  return facts(
    [
      [isOnly ? 'Last hour' : 'Last hour, all shops', hourText(status, hour)],
      [
        'End to end',
        times && `half within ${secondsText(times.p50)}, 99 % within ${secondsText(times.p99)}`,
      ],
      ['Calls', found('pauses')],
      ['Comparison', run && reconcileCell(run, now)],
      ['Subscriptions', found('subscriptions')],
      ['Credentials', found('secrets')],
    ],
    isOnly ? undefined : shop,
  );
}

function hourText({ lastHour }: Status, hour: LastHour | undefined): string {
  if (!hour) return lastHour ? 'unknown' : "not counted with deployment.monitoring 'basic'";
  const { received, applied, retried, rejected, 'no-change': unchanged } = hour;
  if (received + applied + retried + rejected + unchanged === 0) return 'no events';
  const results = `${counted(applied + unchanged + rejected, 'result')}: ${applied} applied, ${unchanged} no change, ${rejected} rejected`;
  return `${counted(received, 'event')} received, ${results}; ${retried} retried`;
}

function reconcileCell({ shop, last }: ReconcileStatus, now: Date): Cell {
  if (!last) return `none yet; the first one runs within ${RECONCILE_MINUTES} minutes`;
  const { endedAt, lookedAt, healed, rolledOut, stopped } = last;
  const left = stopped.map(({ kind, why }) => `${kind} ${why}`).join(', ');
  const end = left === '' ? ` up to ${untilOf(last, now)}` : ` (incomplete: ${left})`;
  const [compared, sent] = [sumOf(lookedAt), sumOf(healed) + sumOf(rolledOut)];
  const done =
    compared + sent === 0 ? 'no change' : `${counted(compared, 'change')} compared, ${sent} resent`;
  const text = `${relativeTime(Date.parse(endedAt), now)}: ${done}${end}`;
  return { text, opens: line('reconcile status', [], { shop }) };
}

type Charted = 'received' | 'applied' | 'retried' | 'rejected';

const TONES = { received: 'soft', applied: 'ok', retried: 'pending', rejected: 'bad' } as const;

function chartsOf(status: Status): readonly ChartBlock[] {
  const { lastDay } = status;
  const drawn: readonly (readonly [string, Chart | undefined])[] = [
    ['last hour', hourIn(status)?.chart],
    ['last day', lastDay?.kind === 'known' ? lastDay.value : undefined],
  ];
  return drawn.flatMap(([when, chart]): readonly ChartBlock[] => {
    if (!chart) return [];
    const { from, everySeconds, p50, p99 } = chart;
    const counts = Object.entries(TONES).map(([name, tone]) => {
      return { name, tone, values: chart[name as Charted] };
    });
    const times = [
      { name: 'half within', values: p50 },
      { name: '99 % within', values: p99, tone: 'pending' } as const,
    ];
    const common = { kind: 'chart', from, everySeconds } as const;
    return [
      { ...common, title: `Messages, ${when}`, unit: 'count', series: counts },
      { ...common, title: `End to end, ${when}`, unit: 'milliseconds', series: times },
    ];
  });
}
