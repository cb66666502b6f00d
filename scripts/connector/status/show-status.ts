import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '../../../shared/config/release.ts';
import { sumOf } from '../../../shared/core/reconcile/last-reconcile.ts';
import { type Deployment, versionDifference } from '../deployment/deployment.ts';
import { explainAwsError } from '../deployment/explain-aws-error.ts';
import {
  type Block,
  type Cell,
  type ChartBlock,
  type Document,
  exitCodeOf,
  type FactsBlock,
  type FlowBlock,
  facts,
  type ShownFinding,
  type Suggestion,
  type Tone,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import type { CredentialStatus } from '../secrets/read-secret.ts';
import type { CommonOptions, Session } from '../session/session.ts';
import { EXIT, type ExitCode, Problem } from '../terminal/exit.ts';
import { counted, relativeTime, secondsText, spanText } from '../terminal/text.ts';
import type { SubscriptionStatus } from '../webhooks/webhooks.ts';
import {
  collectStatus,
  isEmpty,
  type QueueStatus,
  type ReconcileStatus,
  type Status,
} from './collect-status.ts';
import type { Chart, LastHour } from './figures.ts';
import { judgeStatus } from './judge-status.ts';

export interface StatusOptions extends CommonOptions {
  /** Seconds between two looks; true without a number. */
  readonly watch?: number | true;
  readonly charts?: boolean;
}

const WATCH_SECONDS = 10;
/** CloudWatch has a new figure once a minute, and bills each that is read; this machine bills nothing. */
const FRESH_SECONDS = { aws: 60, local: 5 } as const;

export async function showStatus(
  session: Session,
  options: StatusOptions,
): Promise<Document | ExitCode> {
  const deployment = await session.findDeployment();
  if (options.watch === undefined) return look(deployment, options);
  const seconds = options.watch === true ? WATCH_SECONDS : options.watch;
  const signal = session.interruption('Stopping.');
  let code: ExitCode = EXIT.fine;
  while (!signal.aborted) {
    const document = await look(deployment, options);
    // Clears a screen; a file or a pipe gets one status after the other.
    if (process.stdout.isTTY && !options.json) process.stdout.write('\u001b[2J\u001b[H');
    session.show(document);
    code = exitCodeOf(document);
    // Ctrl-C ends the wait.
    await sleep(seconds * 1_000, undefined, { signal }).catch(() => {});
  }
  return code;
}

/** Collect → judge → describe. */
async function look(deployment: Deployment, options: StatusOptions): Promise<Document> {
  const { connector, stack, stage, region, where, version } = deployment;
  const explain = (error: unknown) => oneLine(explainAwsError(error, options) ?? error);
  const charts = options.charts === true;
  const status = await collectStatus(deployment, explain, { now: new Date(), charts });
  const { verdict, findings, notes } = judgeStatus(status, connector.healing.everyMinutes);
  const difference = versionDifference(version);
  const doctor: Suggestion = { label: 'See what to do', line: line('doctor') };
  const noted: readonly ShownFinding[] = [
    ...(difference ? [{ tone: 'info', what: difference.what, next: [doctor] } as const] : []),
    ...notes,
  ];
  const shops = connector.shops.map(({ domain }) => domain);
  return {
    title: `${stack} ${version} ${where === 'aws' ? `in ${region}` : 'on this machine'}`,
    verdict,
    freshSeconds: FRESH_SECONDS[where],
    blocks: [
      ...(findings.length > 0 ? [{ kind: 'findings', findings } as const] : []),
      flowOf(status, shops),
      ...(connector.storefront ? [flowBack(status)] : []),
      ...shops.map((shop) => factsOf(status, shop, shops.length > 1 ? shop : undefined)),
      ...(charts ? chartsOf(status) : []),
      ...(noted.length > 0 ? [notesOf(noted)] : []),
    ],
    data: { stack, stage, region, where, version, commandVersion: VERSION, ...status },
  };
}

function oneLine(error: unknown): string {
  if (error instanceof Problem) return error.message.replace(/\.$/, '');
  return error instanceof Error ? error.message.replace(/\s+/g, ' ') : 'an unknown error';
}

/** The path of a change, as it is deployed. */
function flowOf(status: Status, shops: readonly string[]): FlowBlock {
  const hour = hourIn(status);
  return {
    kind: 'flow',
    title: 'From the store to the loyalty service',
    stages: [
      { name: 'Store', text: shops.join(', ') },
      figuresOf('Receiver', PER_MINUTE, hour, (known) => [
        rateIn(known, 'received'),
        ...seldom(known['signatures-refused'], 'refused for their signature in the last hour'),
        ...seldom(known['unknown-topic'], 'of other topics in the last hour'),
      ]),
      queuesOf(status, ({ family }) => family !== 'balances'),
      figuresOf('Workers', PER_MINUTE, hour, (known) => [
        rateIn(known, 'applied'),
        rateIn(known, 'retried', 'waits'),
        rateIn(known, 'rejected', 'bad'),
      ]),
      figuresOf('Loyalty service', 'Of the last hour, until its answer', hour, ({ latencyMs }) => {
        if (!latencyMs) return [{ value: 'nothing', name: 'applied' }];
        const { p50, p99 } = latencyMs;
        return Object.entries({ p50, p99 }).map(([name, ms]) => ({ value: secondsText(ms), name }));
      }),
    ],
  };
}

function flowBack(status: Status): FlowBlock {
  return {
    kind: 'flow',
    title: 'Back to the store',
    stages: [
      { name: 'Loyalty service', text: 'sends point events' },
      queuesOf(status, ({ family }) => family === 'balances'),
      { name: 'Balance worker', text: 'counted with the workers above' },
      { name: 'Store', text: 'shows the balances' },
    ],
  };
}

type Stage = FlowBlock['stages'][number];
type Figures = NonNullable<Stage['figures']>;

const hourIn = ({ lastHour }: Status) => (lastHour?.kind === 'known' ? lastHour.value : undefined);

function figuresOf(
  name: string,
  text: string,
  hour: LastHour | undefined,
  read: (hour: LastHour) => Figures,
): Stage {
  return hour ? { name, text, figures: read(hour) } : { name, text: 'figures not known' };
}

const PER_MINUTE = 'Per minute, of the last five minutes';

/** CloudWatch shows a figure after a minute or two: one minute alone would often be empty. */
const RATE_MINUTES = 5;

function rateIn({ chart }: LastHour, metric: Charted, tone?: Tone): Figures[number] {
  const last = chart[metric].slice(-RATE_MINUTES).reduce((sum, one) => sum + one, 0);
  const value = Math.round((last / RATE_MINUTES) * 10) / 10;
  return { value: String(value), name: metric, ...(tone && value > 0 && { tone }) };
}

const seldom = (many: number, name: string): Figures =>
  many === 0 ? [] : [{ value: String(many), name, tone: 'waits' }];

function queuesOf({ queues }: Status, isMeant: (queue: QueueStatus) => boolean): Stage {
  if (queues.kind === 'unknown') return { name: 'Queues', text: `not known: ${queues.why}` };
  const figures = ['Waiting', 'In flight', 'Oldest', 'Dead'];
  const columns = [
    { title: 'Queue' },
    ...figures.map((title) => ({ title, align: 'right' }) as const),
  ];
  const rows = queues.value.filter(isMeant).map((queue) => {
    const { family, waiting, inFlight, oldestSeconds, dead } = queue;
    const age = oldestSeconds === undefined ? 'not known' : spanText(oldestSeconds * 1000);
    const opens = line('dead-letters list', [], { queue: family });
    const letters = { text: String(dead), tone: 'bad', opens } as const;
    return { cells: [family, waiting, inFlight, isEmpty(queue) ? '-' : age, dead && letters] };
  });
  return { name: 'Queues', table: { kind: 'table', columns, rows } };
}

/** `title`: where there are several shops. */
function factsOf(status: Status, shop: string, title: string | undefined): FactsBlock {
  const hour = hourIn(status);
  const runs = status.reconcile.kind === 'known' ? status.reconcile.value : [];
  const run = runs.find((one) => one.shop === shop);
  const found = status.subscriptions.find((one) => one.shop === shop)?.found;
  const credentials = status.credentials.filter((one) => one.shop === shop);
  return facts(
    [
      [title === undefined ? 'Last hour' : 'Last hour, all shops', hour && hourText(hour)],
      ['Reconcile', run && reconcileCell(run, new Date(status.at))],
      ['Subscriptions', found && subscriptionText(found)],
      ['Credentials', credentials.map(credentialText).join(', ')],
    ],
    title,
  );
}

function hourText(hour: LastHour): string {
  const { received, applied, retried, rejected, 'no-change': unchanged } = hour;
  return `${counted(received, 'webhook')} received, ${applied} applied, ${unchanged} without anything to send, ${retried} retried, ${rejected} rejected`;
}

function reconcileCell({ shop, last }: ReconcileStatus, now: Date): Cell {
  if (!last) return 'has not run yet';
  const { endedAt, lookedAt, healed, stopped } = last;
  const left = stopped.map(({ kind, why }) => `${kind} ${why}`).join(', ');
  const end = left === '' ? '' : ` (not to the end: ${left})`;
  const text = `${relativeTime(Date.parse(endedAt), now)}, ${sumOf(lookedAt)} looked at, ${sumOf(healed)} healed${end}`;
  return { text, opens: line('reconcile status', [], { shop }) };
}

function subscriptionText(found: SubscriptionStatus['found']): string {
  if (found.kind === 'unknown') return `not known: ${found.why}`;
  const { right, faults } = found.value;
  return faults.length === 0
    ? `${right} right`
    : `${right} right, ${faults.length} missing or wrong`;
}

function credentialText({ purpose, state, rotating }: CredentialStatus): string {
  if (state !== 'there') return `${purpose} ${state}`;
  return rotating ? `${purpose} set (two accepted)` : `${purpose} set`;
}

type Charted = 'received' | 'applied' | 'retried' | 'rejected';
const TONES = { received: 'soft', applied: 'well', retried: 'waits', rejected: 'bad' } as const;

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
      { name: 'p50', values: p50 },
      { name: 'p99', values: p99, tone: 'waits' } as const,
    ];
    const common = { kind: 'chart', from, everySeconds } as const;
    return [
      { ...common, title: `Messages, ${when}`, unit: 'count', series: counts },
      { ...common, title: `Latency, ${when}`, unit: 'milliseconds', series: times },
    ];
  });
}

function notesOf(findings: readonly ShownFinding[]): Block {
  const title = counted(findings.length, 'note');
  return { kind: 'section', title, folded: true, blocks: [{ kind: 'findings', findings }] };
}
