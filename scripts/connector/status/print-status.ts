import { setTimeout as sleep } from 'node:timers/promises';
import { HEALED_PERCENT, OLDEST_MESSAGE_MINUTES } from '../../../shared/config/metrics.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { type Deployment, nextCommand, versionDifference } from '../deployment/deployment.ts';
import { explainAwsError } from '../deployment/explain-aws-error.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { CredentialStatus } from '../secrets/read-secret.ts';
import type { CommonOptions, Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printable, relativeTime, spanText, wrap } from '../terminal/text.ts';
import { collectStatus } from './collect-status.ts';
import { judgeStatus, type Verdict } from './judge-status.ts';
import type { Chart, LastHour, QueueStatus, Status } from './status-model.ts';

export interface StatusOptions extends CommonOptions {
  /** Seconds between two looks; true without a number. */
  readonly watch?: number | true;
  readonly charts?: boolean;
}

const STATES = {
  well: { code: EXIT.fine, text: 'well', style: 'green' },
  waiting: { code: EXIT.waiting, text: 'waiting', style: 'yellow' },
  'action-required': { code: EXIT.failed, text: 'ACTION REQUIRED', style: 'red' },
} as const;

/** CloudWatch shows a figure after a minute or two: looking more often shows no more. */
const WATCH_SECONDS = 10;

export async function showStatus(session: Session, options: StatusOptions): Promise<ExitCode> {
  const deployment = await session.findDeployment();
  if (options.watch === undefined) return showOnce(session, deployment, options);
  const seconds = options.watch === true ? WATCH_SECONDS : options.watch;
  const signal = session.interruption('Stopping.');
  let code: ExitCode = EXIT.fine;
  while (!signal.aborted) {
    // Clears a screen; a file or a pipe gets one status after the other.
    if (process.stdout.isTTY && !session.json) process.stdout.write('\u001b[2J\u001b[H');
    code = await showOnce(session, deployment, options);
    // Ctrl-C ends the wait.
    await sleep(seconds * 1_000, undefined, { signal }).catch(() => {});
  }
  return code;
}

/** Collect → judge → show. */
async function showOnce(
  { terminal, json }: Session,
  deployment: Deployment,
  options: StatusOptions,
): Promise<ExitCode> {
  const { healing } = deployment.connector;
  const explain = (error: unknown) => oneLine(explainAwsError(error, options) ?? error);
  const status = await collectStatus(deployment, explain, {
    now: new Date(),
    charts: options.charts === true,
  });
  const verdict = judgeStatus(status, {
    oldestMessageMinutes: OLDEST_MESSAGE_MINUTES,
    reconcileEveryMinutes: healing.everyMinutes,
    healedPercent: HEALED_PERCENT,
  });
  const troubles = verdict.troubles.map(({ what, next }) => ({
    what,
    next: nextCommand(deployment, next),
  }));
  const { stack, stage, region, where, version } = deployment;
  const difference = versionDifference(version);
  const notes = difference ? [`${difference.what}; "doctor" says what to do`] : [];
  const judged = { ...verdict, troubles, notes: [...notes, ...verdict.notes] };
  const versions = { version, commandVersion: VERSION };
  if (json) terminal.json({ stack, stage, region, where, ...versions, ...judged, ...status });
  else printStatus(terminal, deployment, status, judged);
  return STATES[verdict.state].code;
}

function oneLine(error: unknown): string {
  if (error instanceof Problem) return error.message.replace(/\.$/, '');
  return error instanceof Error ? error.message.replace(/\s+/g, ' ') : 'an unknown error';
}

/** Prints the verdict first, then the figures behind it. */
function printStatus(
  terminal: Terminal,
  { stack, region, where, version }: Deployment,
  status: Status,
  verdict: Verdict,
): void {
  const place = where === 'aws' ? `in ${region}` : 'on this machine';
  terminal.line(`${stack} ${version} ${place}, ${status.at.slice(0, 19).replace('T', ' ')} UTC`);
  terminal.line();
  const { text, style } = STATES[verdict.state];
  terminal.line(terminal.style(['bold', style], text));
  for (const { what, next } of verdict.troubles) {
    for (const line of wrap(printable(what), terminal.width - 2)) terminal.line(`  ${line}`);
    terminal.line(`    ${terminal.style('cyan', next)}`);
  }
  for (const wait of verdict.waits) {
    for (const line of wrap(printable(wait), terminal.width - 2)) terminal.line(`  ${line}`);
  }
  terminal.line();
  if (status.queues.kind === 'known') printQueues(terminal, status.queues.value);
  if (status.lastHour.kind === 'known') printHour(terminal, status.lastHour.value);
  printParts(terminal, status);
  if (status.lastHour.kind === 'known')
    printChart(terminal, 'last hour', status.lastHour.value.chart);
  if (status.lastDay?.kind === 'known') printChart(terminal, 'last day', status.lastDay.value);
  if (verdict.notes.length === 0) return;
  terminal.line();
  for (const note of verdict.notes) {
    const [first = '', ...rest] = wrap(printable(note), terminal.width - 6);
    terminal.line(`note: ${first}`);
    for (const more of rest) terminal.line(`      ${more}`);
  }
}

function printQueues(terminal: Terminal, queues: readonly QueueStatus[]): void {
  terminal.table({
    columns: [
      { title: 'queue' },
      ...['waiting', 'in flight', 'oldest', 'dead'].map(
        (title) => ({ title, align: 'right' }) as const,
      ),
    ],
    rows: queues.map(({ family, waiting, inFlight, oldestSeconds, dead }) => [
      family,
      String(waiting),
      String(inFlight),
      ageText(oldestSeconds, waiting + inFlight),
      String(dead),
    ]),
  });
  terminal.line();
}

function ageText(seconds: number | undefined, messages: number): string {
  if (messages === 0) return '-';
  return seconds === undefined ? 'unknown' : spanText(seconds * 1000);
}

const OUTCOMES = ['applied', 'no-change', 'retried', 'rejected'] as const;

function printHour(terminal: Terminal, hour: LastHour): void {
  terminal.table({
    columns: [
      { title: 'last hour' },
      ...[...OUTCOMES, 'p50', 'p99'].map((title) => ({ title, align: 'right' }) as const),
    ],
    rows: [
      [
        'messages',
        ...OUTCOMES.map((outcome) => String(hour[outcome])),
        ...[hour.latencyMs?.p50, hour.latencyMs?.p99].map(secondsText),
      ],
    ],
  });
  terminal.line(terminal.style('dim', 'p50, p99: from the change in one system to the other'));
  terminal.line();
  terminal.line(
    `webhooks       ${hour.received} received, ${hour['signatures-refused']} refused for their signature, ${hour['unknown-topic']} of other topics`,
  );
}

function printParts(terminal: Terminal, status: Status): void {
  const now = new Date(status.at);
  if (status.reconcile.kind === 'known') {
    for (const one of status.reconcile.value) {
      const { shop, endedAt, looked, healed, rolledOut, stopped, balances, ordersRead } = one;
      const anew =
        rolledOut === 0 ? '' : `, ${rolledOut} sent anew for changed rules or expired dead letters`;
      const run =
        endedAt === undefined
          ? 'has not run yet'
          : `${relativeTime(Date.parse(endedAt), now)}, ${looked} looked at, ${healed} healed${anew}`;
      const left = stopped.length === 0 ? '' : ` (not to the end: ${stopped.join(', ')})`;
      terminal.line(`reconcile      ${shop}: ${run}${left}`);
      for (const { read, unread, differing } of ordersRead ?? []) {
        const left = unread === 0 ? '' : `, ${unread} could not be read`;
        terminal.line(`orders read    ${shop}: ${read} compared, ${differing} differ${left}`);
      }
      if (balances) {
        const end = balances.stopped === undefined ? '' : ` (not to the end: ${balances.stopped})`;
        const found = `${balances.compared} compared, ${balances.asked} differed${end}`;
        terminal.line(`balances       ${shop}: last night ${found}`);
      }
    }
  }
  for (const { shop, found } of status.subscriptions) {
    if (found.kind === 'unknown') continue;
    const { right, faults } = found.value;
    const wrong = faults.length === 0 ? '' : `, ${faults.length} missing or wrong`;
    terminal.line(`subscriptions  ${shop}: ${right} right${wrong}`);
  }
  const byShop = Map.groupBy(status.credentials, ({ shop }) => shop);
  for (const [shop, secrets] of byShop) {
    terminal.line(`credentials    ${shop}: ${secrets.map(credentialText).join(', ')}`);
  }
}

function credentialText({ purpose, state, rotating }: CredentialStatus): string {
  if (state !== 'there') return `${purpose} ${state}`;
  return rotating ? `${purpose} set (two accepted)` : `${purpose} set`;
}

/** Of the names on the left, and of the largest values on the right. */
const BESIDE_COLUMNS = 24;

/** A line of blocks for each figure, at most as wide as the screen: then one block is several periods. */
function printChart(terminal: Terminal, title: string, chart: Chart | undefined): void {
  if (!chart) return;
  const { from, everySeconds, received, applied, retried, rejected, p50, p99 } = chart;
  const periods = Math.ceil(received.length / Math.max(terminal.width - BESIDE_COLUMNS, 1));
  const sums = (values: readonly number[]) =>
    inGroups(values, periods).map((group) => group.reduce((sum, one) => sum + one, 0));
  const worst = (values: readonly (number | null)[]) =>
    inGroups(values, periods).map((group) => {
      const known = group.filter((one) => one !== null);
      return known.length === 0 ? null : Math.max(...known);
    });
  const minutes = (everySeconds * periods) / 60;
  terminal.line();
  terminal.table({
    columns: [
      { title },
      { title: `from ${from.slice(11, 16)} UTC, one block is ${minutes} min` },
      { title: 'most', align: 'right' },
    ],
    rows: [
      ...Object.entries({ received, applied, retried, rejected }).map(([name, values]) => [
        name,
        sparkline(sums(values)),
        String(Math.max(...sums(values))),
      ]),
      ...Object.entries({ p50, p99 }).map(([name, values]) => [
        name,
        sparkline(worst(values)),
        secondsText(Math.max(...worst(values).map((one) => one ?? 0)) || undefined),
      ]),
    ],
  });
}

function inGroups<Value>(values: readonly Value[], size: number): readonly (readonly Value[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

const BLOCKS = '▁▂▃▄▅▆▇█';

/** A dot is nothing, the lowest block is the least above it. */
export function sparkline(values: readonly (number | null)[]): string {
  const most = Math.max(...values.map((one) => one ?? 0));
  return values
    .map((one) => (one ? BLOCKS[Math.ceil((one / most) * BLOCKS.length) - 1] : '·'))
    .join('');
}

function secondsText(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '-';
  return milliseconds < 100_000 ? `${(milliseconds / 1000).toFixed(1)} s` : spanText(milliseconds);
}
