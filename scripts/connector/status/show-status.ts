import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '../../../shared/config/release.ts';
import { type Deployment, versionDifference } from '../deployment/deployment.ts';
import { explainAwsError } from '../deployment/explain-aws-error.ts';
import {
  type Block,
  type ChartBlock,
  type Document,
  exitCodeOf,
  type FactsBlock,
  type FlowBlock,
  facts,
  type Suggestion,
  type TableBlock,
  type Tone,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { CredentialStatus } from '../secrets/read-secret.ts';
import type { CommonOptions, Session } from '../session.ts';
import { counted, relativeTime, spanText } from '../terminal/text.ts';
import {
  collectStatus,
  type QueueStatus,
  type ReconcileStatus,
  type Status,
} from './collect-status.ts';
import type { Chart, ChartedCount, LastHour } from './figures.ts';
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
  const noted = [
    ...(difference ? [{ tone: 'info', what: difference.what, next: [doctor] } as const] : []),
    ...notes,
  ];
  const shops = connector.shops.map(({ domain }) => domain);
  const isStorefront = connector.storefront !== undefined;
  return {
    title: `${stack} ${version} ${where === 'aws' ? `in ${region}` : 'on this machine'}`,
    verdict,
    freshSeconds: FRESH_SECONDS[where],
    blocks: [
      ...(findings.length > 0 ? [{ kind: 'findings', findings } as const] : []),
      ...flowsOf(status, shops, isStorefront),
      ...shops.map((shop) => factsOf(status, shop, shops.length > 1)),
      ...chartsOf(status),
      ...(noted.length > 0 ? [notesOf(noted)] : []),
    ],
    data: { stack, stage, region, where, version, commandVersion: VERSION, ...status },
  };
}

function oneLine(error: unknown): string {
  if (error instanceof Problem) return error.message.replace(/\.$/, '');
  return error instanceof Error ? error.message.replace(/\s+/g, ' ') : 'an unknown error';
}

type Stage = FlowBlock['stages'][number];

/** The path of a change, as it is deployed. */
function flowsOf(status: Status, shops: readonly string[], isStorefront: boolean): Block[] {
  const hour = status.lastHour?.kind === 'known' ? status.lastHour.value : undefined;
  const isBalances = ({ family }: QueueStatus) => family === 'balances';
  const queues = (isMeant: (queue: QueueStatus) => boolean): Stage =>
    status.queues.kind === 'known'
      ? { name: 'Queues', table: queueTable(status.queues.value.filter(isMeant)) }
      : { name: 'Queues', text: `not known: ${status.queues.why}` };
  const there: FlowBlock = {
    kind: 'flow',
    title: 'From the store to the loyalty service',
    stages: [
      { name: 'Store', text: shops.join(', ') },
      stageOf('Receiver', hour, (known) => [
        rateIn(known, 'received'),
        ...seldom(known['signatures-refused'], 'refused for their signature in the last hour'),
        ...seldom(known['unknown-topic'], 'of other topics in the last hour'),
      ]),
      queues((queue) => !isBalances(queue)),
      stageOf('Workers', hour, (known) => [
        rateIn(known, 'applied'),
        rateIn(known, 'retried', 'waits'),
        rateIn(known, 'rejected', 'bad'),
      ]),
      stageOf('Loyalty service', hour, ({ latencyMs }) =>
        latencyMs
          ? [
              { value: secondsText(latencyMs.p50), name: 'p50 of the last hour' },
              { value: secondsText(latencyMs.p99), name: 'p99, from the change to its answer' },
            ]
          : [{ value: 'nothing', name: 'was applied in the last hour' }],
      ),
    ],
  };
  const back: FlowBlock = {
    kind: 'flow',
    title: 'Back to the store',
    stages: [
      { name: 'Loyalty service', text: 'sends point events' },
      queues(isBalances),
      { name: 'Balance worker', text: 'counted with the workers above' },
      { name: 'Store', text: 'shows the balances' },
    ],
  };
  return isStorefront ? [there, back] : [there];
}

type Figures = NonNullable<Stage['figures']>;

function stageOf(name: string, hour: LastHour | undefined, figuresIn: (hour: LastHour) => Figures) {
  return hour ? { name, figures: figuresIn(hour) } : { name, text: 'figures not known' };
}

function rateIn({ perMinute }: LastHour, metric: ChartedCount, tone?: Tone): Figures[number] {
  const value = Math.round(perMinute[metric] * 10) / 10;
  const name = `${metric} per minute, of the last five minutes`;
  return { value: String(value), name, ...(tone && value > 0 && { tone }) };
}

const seldom = (many: number, name: string): Figures =>
  many === 0 ? [] : [{ value: String(many), name, tone: 'waits' }];

function queueTable(queues: readonly QueueStatus[]): TableBlock {
  return {
    kind: 'table',
    columns: [
      { title: 'Queue' },
      ...['Waiting', 'In flight', 'Oldest', 'Dead'].map(
        (title) => ({ title, align: 'right' }) as const,
      ),
    ],
    rows: queues.map(({ family, waiting, inFlight, oldestSeconds, dead }) => ({
      cells: [
        family,
        waiting,
        inFlight,
        ageText(oldestSeconds, waiting + inFlight),
        dead === 0
          ? 0
          : {
              text: String(dead),
              tone: 'bad',
              opens: line('dead-letters list', [], { queue: family }),
            },
      ],
    })),
  };
}

function ageText(seconds: number | undefined, messages: number): string {
  if (messages === 0) return '-';
  return seconds === undefined ? 'not known' : spanText(seconds * 1000);
}

function secondsText(milliseconds: number): string {
  return milliseconds < 100_000 ? `${(milliseconds / 1000).toFixed(1)} s` : spanText(milliseconds);
}

function factsOf(status: Status, shop: string, hasOthers: boolean): FactsBlock {
  const ofShop = <One extends { readonly shop: string }>(all: readonly One[]) =>
    all.filter((one) => one.shop === shop);
  const runs = status.reconcile.kind === 'known' ? ofShop(status.reconcile.value) : [];
  const hour = status.lastHour?.kind === 'known' ? status.lastHour.value : undefined;
  const [subscriptions] = ofShop(status.subscriptions);
  return facts(
    [
      ['Last hour', hour && hourText(hour, hasOthers)],
      ...runs.flatMap((run) => reconcileFacts(run, new Date(status.at))),
      ['Subscriptions', subscriptions && subscriptionText(subscriptions.found)],
      ['Credentials', ofShop(status.credentials).map(credentialText).join(', ')],
    ],
    hasOthers ? shop : undefined,
  );
}

function hourText(hour: LastHour, hasOthers: boolean): string {
  const unchanged = `${hour['no-change']} without anything to send`;
  const ends = `${hour.applied} applied, ${unchanged}, ${hour.retried} retried, ${hour.rejected} rejected`;
  return `${counted(hour.received, 'webhook')} received, ${ends}${hasOthers ? ' (all shops)' : ''}`;
}

function reconcileFacts(run: ReconcileStatus, now: Date): readonly (readonly [string, string])[] {
  const { endedAt, looked, healed, rolledOut, stopped, balances, ordersRead = [] } = run;
  const anew =
    rolledOut === 0 ? '' : `, ${rolledOut} sent anew for changed rules or expired dead letters`;
  const left = (why: string) => (why === '' ? '' : ` (not to the end: ${why})`);
  const ended =
    endedAt === undefined
      ? 'has not run yet'
      : `${relativeTime(Date.parse(endedAt), now)}, ${looked} looked at, ${healed} healed${anew}`;
  return [
    ['Reconcile', `${ended}${left(stopped.join(', '))}`],
    ...ordersRead.map(({ read, unread, differing }) => {
      const rest = unread === 0 ? '' : `, ${unread} could not be read`;
      return ['Orders read', `${read} compared, ${differing} differ${rest}`] as const;
    }),
    ...(balances
      ? [
          [
            'Balances',
            `last night ${balances.compared} compared, ${balances.asked} differed${left(balances.stopped ?? '')}`,
          ] as const,
        ]
      : []),
  ];
}

function subscriptionText(found: Status['subscriptions'][number]['found']): string {
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

function chartsOf({ lastHour, lastDay }: Status): readonly ChartBlock[] {
  const hour = lastHour?.kind === 'known' ? lastHour.value.chart : undefined;
  const day = lastDay?.kind === 'known' ? lastDay.value : undefined;
  return [...(hour ? chartsIn(hour, 'last hour') : []), ...(day ? chartsIn(day, 'last day') : [])];
}

function chartsIn(chart: Chart, when: string): readonly ChartBlock[] {
  const { from, everySeconds, received, applied, retried, rejected, p50, p99 } = chart;
  const common = { kind: 'chart', from, everySeconds } as const;
  return [
    {
      ...common,
      title: `Messages, ${when}`,
      unit: 'count',
      series: [
        { name: 'received', values: received },
        { name: 'applied', values: applied, tone: 'well' },
        { name: 'retried', values: retried, tone: 'waits' },
        { name: 'rejected', values: rejected, tone: 'bad' },
      ],
    },
    {
      ...common,
      title: `Latency, ${when}`,
      unit: 'milliseconds',
      series: [
        { name: 'p50', values: p50 },
        { name: 'p99', values: p99, tone: 'waits' },
      ],
    },
  ];
}

function notesOf(findings: Extract<Block, { kind: 'findings' }>['findings']): Block {
  const title = counted(findings.length, 'note');
  return { kind: 'section', title, folded: true, blocks: [{ kind: 'findings', findings }] };
}
