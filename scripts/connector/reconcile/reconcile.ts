import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { type FoundByReading, readFindings } from '../../../shared/core/reconcile/deep-scan.ts';
import { quietUntil } from '../../../shared/core/reconcile/dependencies.ts';
import {
  type LastReconcile,
  readLastReconcile,
  readReconcileRuns,
  sumOf,
} from '../../../shared/core/reconcile/last-reconcile.ts';
import type { ReconcileRequest } from '../../../shared/core/reconcile/reconcile.ts';
import { findShop, shopsOf } from '../arguments.ts';
import { type Deployment, nextCommand, openLedger } from '../deployment/deployment.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Table } from '../terminal/terminal.ts';
import { counted } from '../terminal/text.ts';
import { SENT_REASONS } from './sent-reasons.ts';

export interface ReconcileOptions {
  readonly deep?: boolean;
  readonly shop?: string;
  readonly wait?: boolean;
}

/** Start → wait → say what was found. */
export async function startReconcile(
  session: Session,
  { deep = false, shop: named, wait = false }: ReconcileOptions,
): Promise<ExitCode> {
  const { terminal, json } = session;
  const signal = wait ? session.interruption('The comparison goes on by itself.') : undefined;
  const deployment = await session.findDeployment();
  const { connector, stack } = deployment;
  const shops = named === undefined ? connector.shops : [findShop(connector, named)];
  const change = await session.beginChange(deployment);
  const request = randomUUID();
  const askedAt = new Date();
  await invokeReconcile(deployment, {
    request,
    ...(deep && { mode: 'deep' }),
    ...(named !== undefined && shops[0] && { shop: shops[0].domain }),
  });
  change.count({ started: 1 });
  if (!signal) {
    if (json) terminal.json({ stack, started: true, deep });
    else
      terminal.line(
        `Started. To see what it found: ${nextCommand(deployment, 'reconcile status')}`,
      );
    return EXIT.fine;
  }
  const domains = shops.map(({ domain }) => domain);
  const runs = await followRuns(session, deployment, { domains, request, askedAt, signal });
  const described = runs.map((run) => describeRun(run, deep));
  if (json) terminal.json({ stack, started: true, deep, shops: runs });
  else {
    for (const { shop, what, next } of described) {
      terminal.paragraph(`${shop}: ${what}`);
      if (next !== undefined) terminal.line(`    ${nextCommand(deployment, next)}`);
    }
  }
  return described.every(({ isWhole }) => isWhole) ? EXIT.fine : EXIT.failed;
}

export async function invokeReconcile(
  deployment: Deployment,
  request: ReconcileRequest,
): Promise<void> {
  await new LambdaClient(deployment.aws).send(
    new InvokeCommand({
      FunctionName: deployment.output('ReconcileFunction'),
      // A run may take a quarter of an hour.
      InvocationType: 'Event',
      Payload: Buffer.from(JSON.stringify(request)),
    }),
  );
}

const EVERY_MS = 2_000;
/** The function ends after 15 minutes, and AWS may start it late. */
const PATIENCE_MS = 17 * 60_000;

async function followRuns(
  { terminal }: Session,
  deployment: Deployment,
  asked: Parameters<typeof readEnded>[1] & { readonly signal: AbortSignal },
): Promise<readonly EndedRun[]> {
  const ledger = openLedger(deployment);
  terminal.note('Comparing; a run takes a quarter of an hour at most.');
  const progress = terminal.progress('Shops compared:', asked.domains.length);
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const runs = await readEnded(ledger, asked);
    progress.report(runs.filter(({ last }) => last).length);
    const isOver = asked.signal.aborted || performance.now() > endMs;
    if (isOver || runs.every(({ last }) => last)) {
      progress.end();
      return runs;
    }
    await sleep(EVERY_MS, undefined, { signal: asked.signal }).catch(() => {});
  }
}

/** The run of one shop that a command asked for. */
interface EndedRun {
  readonly shop: string;
  /** Undefined when it has not ended. */
  readonly last: LastReconcile | undefined;
  /** What the newest deep scan found by reading orders from the loyalty service. */
  readonly read: FoundByReading | undefined;
}

async function readEnded(
  ledger: Pick<Ledger, 'readMany'>,
  asked: {
    readonly domains: readonly string[];
    readonly request: string;
    readonly askedAt: Date;
  },
): Promise<readonly EndedRun[]> {
  return Promise.all(
    asked.domains.map(async (shop) => {
      const [last, [read]] = await Promise.all([
        readLastReconcile(ledger, shop),
        readFindings(ledger, shop),
      ]);
      // A run of the schedule that began later replaces the record, and says the same.
      const isOurs =
        last?.request === asked.request ||
        (last !== undefined && Date.parse(last.beganAt) > asked.askedAt.getTime());
      return { shop, last: isOurs ? last : undefined, read };
    }),
  );
}

interface DescribedRun {
  readonly shop: string;
  readonly what: string;
  /** A command, without `npx loyalty-connector`. */
  readonly next?: string;
  /** Everything that was asked for was compared. */
  readonly isWhole: boolean;
}

/** The end of a run in a sentence: `in sync: 37 orders.` */
function describeRun({ shop, last, read }: EndedRun, isDeep: boolean): DescribedRun {
  if (!last) {
    return { shop, what: 'the comparison has not ended yet.', next: 'status', isWhole: false };
  }
  const { lookedAt, healed, rolledOut, stopped, deep } = last;
  const [first] = stopped;
  if (first) {
    const what = `not everything was compared (${first.kind}s: ${first.why}); the next run goes on there.`;
    return { shop, what, next: 'status', isWhole: false };
  }
  const sent = { order: 0, product: 0, coupon: 0 };
  for (const kind of KINDS) sent[kind] = healed[kind] + rolledOut[kind];
  // A deep scan meets an order in the store, in the ledger, and among the latest changes.
  const compared = `${countsText(lookedAt)}${isDeep ? ', each counted as often as it was compared' : ''}`;
  const isWhole = !isDeep || deep?.stopped === undefined;
  const more = isWhole
    ? ''
    : ` The deep comparison goes on in the next run (${deep?.stopped?.why}).`;
  const until = new Date(quietUntil(new Date(last.beganAt))).toISOString().slice(11, 16);
  const rest = ` What changed after ${until} UTC was left to its webhooks, which may still come.${more}`;
  const [differing] = read?.ids ?? [];
  if (isDeep && differing !== undefined) {
    const what = `compared: ${compared}. Orders that differ in the loyalty service: ${read?.differing}.${rest}`;
    return { shop, what, next: `compare order ${differing} --shop ${shop}`, isWhole };
  }
  if (sumOf(sent) > 0) {
    const what = `compared: ${compared}. Sent again, because the ledger had another state: ${countsText(sent)}.${rest}`;
    return { shop, what, next: `reconcile status --shop ${shop}`, isWhole };
  }
  if (sumOf(lookedAt) === 0) {
    return {
      shop,
      what: `in sync: the store has changed nothing since the last run.${rest}`,
      isWhole,
    };
  }
  return { shop, what: `in sync: ${compared}.${rest}`, isWhole };
}

const KINDS = ['order', 'product', 'coupon'] as const;

/** `37 orders, 1 product` */
function countsText(counts: LastReconcile['lookedAt']): string {
  return KINDS.filter((kind) => counts[kind] > 0)
    .map((kind) => counted(counts[kind], kind))
    .join(', ');
}

export interface RunsOptions {
  readonly shop?: string;
}

/** For `--json`. */
export interface RunsDocument {
  readonly stack: string;
  readonly everyMinutes: number;
  readonly shops: readonly ShopRuns[];
}

/** The runs of one shop, the newest first. */
interface ShopRuns {
  readonly shop: string;
  readonly runs: readonly LastReconcile[];
  /** Orders read from the loyalty service by the newest deep comparison and, until it ends, by the one before. */
  readonly ordersRead: readonly FoundByReading[];
}

export async function showRuns(
  { terminal, json, findDeployment }: Session,
  { shop: named }: RunsOptions,
): Promise<ExitCode> {
  const deployment = await findDeployment();
  const { connector, stack } = deployment;
  const ledger = openLedger(deployment);
  const shops = await Promise.all(
    shopsOf(connector, named).map(async ({ domain: shop }): Promise<ShopRuns> => {
      const [runs, ordersRead] = await Promise.all([
        readReconcileRuns(ledger, shop),
        readFindings(ledger, shop),
      ]);
      return { shop, runs, ordersRead };
    }),
  );
  if (json) {
    const { everyMinutes } = connector.healing;
    terminal.json({ stack, everyMinutes, shops } satisfies RunsDocument);
    return EXIT.fine;
  }
  for (const { shop, runs, ordersRead } of shops) {
    if (runs.length === 0) {
      terminal.line(`${shop}: no run has ended yet. To start one:`);
      terminal.line(`  ${nextCommand(deployment, `reconcile --shop ${shop} --wait`)}`);
      continue;
    }
    terminal.line(`${shop}: every ${connector.healing.everyMinutes} minutes`);
    terminal.table(tableOf(runs));
    showDiffering(terminal, deployment, shop, ordersRead);
  }
  return EXIT.fine;
}

function tableOf(runs: readonly LastReconcile[]): Table {
  return {
    columns: [
      { title: 'ENDED (UTC)' },
      { title: 'COMPARED', align: 'right' },
      { title: 'HEALED', align: 'right' },
      { title: 'ROLLED OUT', align: 'right' },
      { title: 'NOT COMPARED', shrinks: true },
    ],
    rows: runs.map(({ endedAt, lookedAt, healed, rolledOut, stopped, deep }) => [
      endedAt.slice(0, 19).replace('T', ' '),
      ...[lookedAt, healed, rolledOut].map((counts) => `${sumOf(counts)}`),
      [
        ...stopped.map(({ kind, why }) => `${kind}s: ${why}`),
        ...(deep?.stopped ? [`deep: ${deep.stopped.why}`] : []),
      ].join(', ') || '-',
    ]),
    details: runs.map(sentText),
  };
}

/** `order 1001, 1002: changed without a webhook; and 3 more` */
function sentText({ sent = [], healed, rolledOut }: LastReconcile): string {
  const groups = Map.groupBy(sent, ({ kind, why }) => `${kind} ${why}`);
  const parts = [...groups.values()].flatMap((group) => {
    const [first] = group;
    const ids = group.map(({ id }) => id).join(', ');
    return first ? [`${first.kind} ${ids}: ${SENT_REASONS[first.why]}`] : [];
  });
  const more = sumOf(healed) + sumOf(rolledOut) - sent.length;
  return [...parts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function showDiffering(
  terminal: Session['terminal'],
  deployment: Deployment,
  shop: string,
  ordersRead: readonly FoundByReading[],
): void {
  const ids = [...new Set(ordersRead.flatMap((found) => found.ids))];
  const [first] = ids;
  if (first === undefined) return;
  terminal.line(`The loyalty service holds another state of ${ids.join(', ')}. To see it:`);
  terminal.line(`  ${nextCommand(deployment, `compare order ${first} --shop ${shop}`)}`);
}
