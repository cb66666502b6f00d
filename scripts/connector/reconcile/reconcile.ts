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
import { shopsOf } from '../arguments.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { openShopServices, orderNames } from '../deployment/services.ts';
import {
  type Block,
  type Cell,
  type Document,
  type Suggestion,
  type TableBlock,
  text,
  type Verdict,
  type VerdictKind,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import type { Session } from '../session.ts';
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
): Promise<Document> {
  const signal = wait ? session.interruption('The comparison goes on by itself.') : undefined;
  const deployment = await session.findDeployment();
  const { connector, stack } = deployment;
  const shops = shopsOf(connector, named);
  const domains = shops.map(({ domain }) => domain);
  const change = await session.beginChange(deployment);
  const request = randomUUID();
  const askedAt = new Date();
  await invokeReconcile(deployment, {
    request,
    ...(deep && { mode: 'deep' }),
    ...(named !== undefined && shops[0] && { shop: shops[0].domain }),
  });
  change.count({ started: 1 });
  const title = `${deep ? 'Deep comparison' : 'Comparison'} of ${domains.join(', ')} with the ledger`;
  if (!signal) {
    return {
      title,
      blocks: [text('It was started, and takes a quarter of an hour at most.')],
      next: [{ label: 'See what it found', line: line('reconcile status', [], { shop: named }) }],
      data: { stack, started: true, deep },
    };
  }
  const runs = await followRuns(session, deployment, { domains, request, askedAt, signal });
  const described = runs.map((run) => describeRun(run, deep));
  const kind = KINDS_BY_WEIGHT.find((one) => described.some((run) => run.kind === one)) ?? 'well';
  const sentences = described.map(({ shop, what }) =>
    named === undefined ? `${shop}: ${what}` : what,
  );
  return {
    title,
    verdict: { kind, what: sentences.join('\n') },
    blocks: [],
    next: described.flatMap(({ next }) => next ?? []),
    data: { stack, started: true, deep, shops: runs },
  };
}

const KINDS_BY_WEIGHT = ['action required', 'not known', 'waits', 'well'] as const;

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
  readonly kind: VerdictKind;
  readonly what: string;
  readonly next?: Suggestion;
}

/** The end of a run: what was compared just now, and which minutes were left out. */
function describeRun({ shop, last, read }: EndedRun, isDeep: boolean): DescribedRun {
  const runs = { label: 'See the last runs', line: line('reconcile status', [], { shop }) };
  if (!last) {
    const what = 'The comparison has not ended yet; what it finds is not known.';
    return { shop, kind: 'not known', what, next: runs };
  }
  const { lookedAt, healed, rolledOut, stopped, deep } = last;
  const [first] = stopped;
  if (first) {
    const what = `Not everything was compared (${first.kind}s: ${first.why}). The next run goes on there.`;
    const next = { label: 'See what is wrong', line: line('status') };
    return { shop, kind: 'not known', what, next };
  }
  const until = new Date(quietUntil(new Date(last.beganAt))).toISOString().slice(11, 16);
  const leftOut = `What changed after ${until} UTC was left to its webhooks, which may still come.`;
  // A deep scan meets an order in the store, in the ledger, and among the latest changes.
  const compared = `${countsText(lookedAt)}${isDeep ? ', each counted as often as it was compared' : ''}`;
  const [differing] = (isDeep && read?.ids) || [];
  if (differing !== undefined) {
    const what = `Compared: ${compared}. Orders that differ in the loyalty service: ${read?.differing}. ${leftOut}`;
    const label = `See ${counted(read?.differing ?? 0, 'order')} that differ`;
    return { shop, kind: 'action required', what, next: { ...runs, label } };
  }
  const sent = { order: 0, product: 0, coupon: 0 };
  for (const kind of KINDS) sent[kind] = healed[kind] + rolledOut[kind];
  const goesOn =
    isDeep && deep?.stopped
      ? ` The deep comparison goes on in the next run (${deep.stopped.why}).`
      : '';
  if (sumOf(sent) > 0) {
    const what = `Compared: ${compared}. Sent again, because the ledger had another state: ${countsText(sent)}. The workers go on with them. ${leftOut}${goesOn}`;
    return { shop, kind: 'waits', what, next: { ...runs, label: 'See what was sent, and why' } };
  }
  const same =
    sumOf(lookedAt) === 0
      ? 'Nothing to compare: the store has changed nothing since the last run.'
      : `In sync: ${compared}, compared just now.`;
  return { shop, kind: goesOn ? 'waits' : 'well', what: `${same} ${leftOut}${goesOn}` };
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

const differingIn = ({ ordersRead }: ShopRuns) => [
  ...new Set(ordersRead.flatMap(({ ids }) => ids)),
];

/** What makes up for lost webhooks: the last comparisons, and where to look besides. */
export async function showRuns(
  { findDeployment }: Session,
  { shop: named }: RunsOptions,
): Promise<Document<RunsDocument>> {
  const deployment = await findDeployment();
  const { connector, stack } = deployment;
  const { everyMinutes } = connector.healing;
  const ledger = openLedger(deployment);
  const services = openShopServices(deployment);
  const read = await Promise.all(
    shopsOf(connector, named).map(async (shop) => {
      const [runs, ordersRead] = await Promise.all([
        readReconcileRuns(ledger, shop.domain),
        readFindings(ledger, shop.domain),
      ]);
      const found = { shop: shop.domain, runs, ordersRead };
      const sent = runs.flatMap((run) => run.sent ?? []).filter(({ kind }) => kind === 'order');
      const ids = [...differingIn(found), ...sent.map(({ id }) => id)];
      return { found, names: await orderNames(services.ask(shop), ids) };
    }),
  );
  const shops = read.map(({ found }) => found);
  const verdict = judgeRuns(shops);
  return {
    title: `Comparisons of the store with the ledger, every ${everyMinutes} minutes`,
    ...(verdict && { verdict }),
    blocks: read.map(({ found, names }) => ({
      kind: 'section',
      title: found.shop,
      blocks: blocksOf(found, names),
    })),
    next: [
      { label: 'Compare now', line: line('reconcile', [], { shop: named, wait: true }) },
      {
        label: 'Compare everything',
        say: 'Compare everything, not only what changed lately:',
        line: line('reconcile', [], { shop: named, deep: true, wait: true }),
      },
      { label: 'Check webhook subscriptions', line: line('webhooks check', [], { shop: named }) },
      { label: 'See backfills', line: line('backfill status', [], { shop: named }) },
    ],
    data: { stack, everyMinutes, shops },
  };
}

/** Never `well`: nothing is compared just now. */
function judgeRuns(shops: readonly ShopRuns[]): Verdict | undefined {
  const differing = shops.reduce((sum, shop) => sum + differingIn(shop).length, 0);
  if (differing > 0) {
    const what = `The loyalty service holds another state of ${counted(differing, 'order')}.`;
    return { kind: 'action required', what };
  }
  for (const { shop, runs } of shops) {
    const [last] = runs;
    if (!last) return { kind: 'not known', what: `No comparison of ${shop} has ended yet.` };
    if (last.stopped.length === 0) continue;
    const what = `The last comparison of ${shop} did not compare everything. The next one goes on there.`;
    return { kind: 'not known', what };
  }
  return undefined;
}

function blocksOf(found: ShopRuns, names: ReadonlyMap<string, string>): readonly Block[] {
  const { shop, runs } = found;
  const entity = (kind: 'order' | 'product' | 'coupon', id: string): Cell => ({
    text: `${kind} ${names.get(id) ?? id}`,
    opens: line('trace', [kind, id], { shop }),
  });
  const differing = differingIn(found);
  const sent = runs.flatMap(({ endedAt, sent = [] }) => sent.map((one) => ({ endedAt, ...one })));
  const more = runs.reduce((sum, run) => sum + sumOf(run.healed) + sumOf(run.rolledOut), 0);
  const blocks: Block[] = [tableOf(runs)];
  if (sent.length > 0) {
    blocks.push({
      ...{ kind: 'table', title: 'Sent again' },
      columns: [{ title: 'Run' }, { title: 'What', shrinks: true }, { title: 'Why' }],
      rows: sent.slice(0, MOST_SENT).map(({ endedAt, kind, id, why }) => ({
        cells: [{ at: endedAt }, entity(kind, id), SENT_REASONS[why]],
      })),
    });
    const hidden = more - Math.min(sent.length, MOST_SENT);
    if (hidden > 0) blocks.push(text(`And ${hidden} more.`, 'soft'));
  }
  if (differing.length > 0) {
    blocks.push({
      ...{ kind: 'table', title: 'The loyalty service holds another state' },
      columns: [{ title: 'Order' }],
      rows: differing.map((id) => ({ cells: [entity('order', id)] })),
    });
  }
  return blocks;
}

const MOST_SENT = 40;

function tableOf(runs: readonly LastReconcile[]): TableBlock {
  return {
    kind: 'table',
    columns: [
      { title: 'Ended' },
      { title: 'Compared', align: 'right' },
      { title: 'Healed', align: 'right' },
      { title: 'Rolled out', align: 'right' },
      { title: 'Not compared', shrinks: true },
    ],
    rows: runs.map(({ endedAt, lookedAt, healed, rolledOut, stopped, deep }) => ({
      cells: [
        { at: endedAt },
        ...[lookedAt, healed, rolledOut].map(sumOf),
        [
          ...stopped.map(({ kind, why }) => `${kind}s: ${why}`),
          ...(deep?.stopped ? [`deep: ${deep.stopped.why}`] : []),
        ].join(', ') || '–',
      ],
    })),
    empty: 'No comparison has ended yet.',
  };
}
