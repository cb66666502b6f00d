import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  differingIn,
  type FoundByReading,
  readFindings,
} from '../../../shared/core/reconcile/deep-scan.ts';
import { quietUntil, type SentReason } from '../../../shared/core/reconcile/dependencies.ts';
import {
  type LastReconcile,
  readLastReconcile,
  readReconcileRuns,
  sumOf,
} from '../../../shared/core/reconcile/last-reconcile.ts';
import type { ReconcileRequest } from '../../../shared/core/reconcile/reconcile.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { openShopServices, orderNames } from '../deployment/services.ts';
import {
  type Block,
  type Cell,
  type Document,
  right,
  table,
  type Verdict,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import { shopsOf } from '../session/arguments.ts';
import type { Session } from '../session/session.ts';
import { counted } from '../terminal/text.ts';

export interface ReconcileOptions {
  readonly deep?: boolean;
  readonly shop?: string;
}

/** Start → wait → say what was found. */
export async function startReconcile(
  session: Session,
  { deep = false, shop: named }: ReconcileOptions,
): Promise<Document> {
  const signal = session.interruption('The comparison goes on by itself.');
  const deployment = await session.findDeployment();
  const domains = shopsOf(deployment.connector, named).map(({ domain }) => domain);
  const change = await session.beginChange(deployment);
  const isOurs = await invokeReconcile(deployment, {
    ...(deep && { mode: 'deep' }),
    ...(named !== undefined && domains[0] !== undefined && { shop: domains[0] }),
  });
  change.count({ started: 1 });
  const title = `${deep ? 'Deep comparison' : 'Comparison'} of ${domains.join(', ')} with the ledger`;
  session.terminal.note('Comparing; a run takes a quarter of an hour at most.');
  await awaitRuns(session, deployment, { domains, isOurs, signal });
  const read = await readRuns(deployment, named);
  const shops = read.map((one) => ({ ...one, runs: one.runs.slice(0, 1).filter(isOurs) }));
  return documentOf(title, shops, judgeRuns(shops, deep), { named, deployment });
}

type IsOurs = (last: LastReconcile) => boolean;

/** Starts a run; returns how it is recognised once it has ended. */
export async function invokeReconcile(
  deployment: Deployment,
  asked: Omit<ReconcileRequest, 'request'> = {},
): Promise<IsOurs> {
  const request = randomUUID();
  const askedAt = Date.now();
  await new LambdaClient(deployment.aws).send(
    new InvokeCommand({
      FunctionName: deployment.output('ReconcileFunction'),
      // A run may take a quarter of an hour.
      InvocationType: 'Event',
      Payload: Buffer.from(JSON.stringify({ request, ...asked })),
    }),
  );
  // A run of the schedule that began later replaces the record, and says the same.
  return (last) => last.request === request || Date.parse(last.beganAt) > askedAt;
}

const EVERY_MS = 2_000;
/** The function ends after 15 minutes, and AWS may start it late. */
const PATIENCE_MS = 17 * 60_000;

/** Waits until the run has ended for all shops, or long enough. */
export async function awaitRuns(
  { terminal }: Session,
  deployment: Deployment,
  {
    domains,
    isOurs,
    signal,
  }: { readonly domains: readonly string[]; readonly isOurs: IsOurs; readonly signal: AbortSignal },
): Promise<void> {
  const ledger = openLedger(deployment);
  const progress = terminal.progress('Shops compared:', domains.length);
  const endMs = performance.now() + PATIENCE_MS;
  while (!signal.aborted && performance.now() < endMs) {
    const runs = await Promise.all(domains.map((domain) => readLastReconcile(ledger, domain)));
    const ended = runs.filter((last) => last && isOurs(last)).length;
    progress.report(ended);
    if (ended === domains.length) break;
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
  }
  progress.end();
}

/** The runs of one shop, the newest first. */
interface ShopRuns {
  readonly shop: string;
  readonly runs: readonly LastReconcile[];
  /** Orders read from the loyalty service by the newest deep comparison and, until it ends, by the one before. */
  readonly ordersRead: readonly FoundByReading[];
  /** Of orders, by their ids. */
  readonly names: ReadonlyMap<string, string>;
}

async function readRuns(
  deployment: Deployment,
  named: string | undefined,
): Promise<readonly ShopRuns[]> {
  const ledger = openLedger(deployment);
  const services = openShopServices(deployment);
  return Promise.all(
    shopsOf(deployment.connector, named).map(async (shop) => {
      const runs = await readReconcileRuns(ledger, shop.domain);
      const ordersRead = await readFindings(ledger, shop.domain);
      const sent = runs.flatMap((run) => run.sent ?? []).filter(({ kind }) => kind === 'order');
      const ids = [...ordersRead.flatMap((found) => found.ids), ...sent.map(({ id }) => id)];
      const names = await orderNames(services.ask(shop), ids);
      return { shop: shop.domain, runs, ordersRead, names };
    }),
  );
}

/** What makes up for lost webhooks: the last comparisons, and where to look besides. */
export async function showRuns(
  { findDeployment }: Session,
  { shop: named }: Pick<ReconcileOptions, 'shop'>,
): Promise<Document> {
  const deployment = await findDeployment();
  const { everyMinutes } = deployment.connector.healing;
  const shops = await readRuns(deployment, named);
  const verdict = judgeRuns(shops, true);
  // Nothing was compared just now.
  const isKnown = verdict.kind === 'well' || verdict.kind === 'waits';
  const title = `Comparisons of the store with the ledger, every ${everyMinutes} minutes`;
  return documentOf(title, shops, isKnown ? undefined : verdict, { named, deployment });
}

const KINDS_BY_WEIGHT = ['action required', 'not known', 'waits', 'well'] as const;

function judgeRuns(shops: readonly ShopRuns[], isDeep: boolean): Verdict {
  const judged = shops.map((one) => ({ shop: one.shop, ...judgeRun(one, isDeep) }));
  const kind = KINDS_BY_WEIGHT.find((kind) => judged.some((one) => one.kind === kind)) ?? 'well';
  const whose = shops.length > 1;
  const sentences = judged.map(({ shop, what }) => (whose ? `${shop}: ${what}` : what));
  return { kind, what: sentences.join('\n') };
}

type JudgedRuns = Pick<ShopRuns, 'runs' | 'ordersRead'>;

/** The end of the newest run: what was compared, and which minutes were left out. */
export function judgeRun({ runs: [last], ordersRead }: JudgedRuns, isDeep: boolean): Verdict {
  if (!last) {
    return { kind: 'not known', what: 'No comparison has ended yet; what it finds is not known.' };
  }
  const { lookedAt, healed, rolledOut, stopped, deep } = last;
  const [first] = stopped;
  if (first) {
    const what = `Not everything was compared (${first.kind}s: ${first.why}). The next run goes on there.`;
    return { kind: 'not known', what };
  }
  const until = new Date(quietUntil(new Date(last.beganAt))).toISOString().slice(11, 16);
  const leftOut = `What changed after ${until} UTC was left to its webhooks, which may still come.`;
  // A deep scan meets an order in the store, in the ledger, and among the latest changes.
  const compared = `${countsText(lookedAt)}${isDeep ? ', each counted as often as it was compared' : ''}`;
  const differing = differingIn(ordersRead);
  if (differing > 0) {
    const seen = isDeep ? '' : ' A deep comparison found that; the service was not asked now.';
    const what = `The loyalty service holds another state of ${counted(differing, 'order')}.${seen} ${leftOut}`;
    return { kind: 'action required', what };
  }
  const goesOn =
    isDeep && deep?.stopped
      ? ` The deep comparison goes on in the next run (${deep.stopped.why}).`
      : '';
  const sent = { order: 0, product: 0, coupon: 0 };
  for (const kind of KINDS) sent[kind] = healed[kind] + rolledOut[kind];
  if (sumOf(sent) > 0) {
    const what = `Compared: ${compared}. Sent again, because the ledger had another state: ${countsText(sent)}. The workers go on with them. ${leftOut}${goesOn}`;
    return { kind: 'waits', what };
  }
  if (sumOf(lookedAt) === 0) {
    const what = `Nothing was compared: there was nothing new up to ${until} UTC. ${leftOut} The next run compares it.${goesOn}`;
    return { kind: 'waits', what };
  }
  const [newest] = ordersRead;
  const asked = isDeep ? readText(newest) : 'The loyalty service was not asked.';
  const same = `Store and ledger agree: ${compared}, compared just now. ${asked}`;
  const isUnread = isDeep && newest !== undefined && newest.unread > 0;
  const kind = isUnread ? 'not known' : goesOn ? 'waits' : 'well';
  return { kind, what: `${same} ${leftOut}${goesOn}` };
}

/** Of a deep comparison. */
function readText({ read, unread }: Pick<FoundByReading, 'read' | 'unread'> = NONE): string {
  const left = unread > 0 ? `, ${unread} could not be read` : '';
  return `Read from the loyalty service: ${counted(read, 'order')}${left}.`;
}

const NONE = { read: 0, unread: 0 };

const KINDS = ['order', 'product', 'coupon'] as const;

/** `37 orders, 1 product` */
function countsText(counts: LastReconcile['lookedAt']): string {
  return KINDS.filter((kind) => counts[kind] > 0)
    .map((kind) => counted(counts[kind], kind))
    .join(', ');
}

function documentOf(
  title: string,
  shops: readonly ShopRuns[],
  verdict: Verdict | undefined,
  { named: shop, deployment }: { named: string | undefined; deployment: Deployment },
): Document {
  const isStopped = shops.some(({ runs: [last] }) => last && last.stopped.length > 0);
  const { everyMinutes } = deployment.connector.healing;
  return {
    title,
    ...(verdict && { verdict }),
    blocks: shops.map((one) => ({ kind: 'section', title: one.shop, blocks: blocksOf(one) })),
    next: [
      ...(isStopped ? [{ label: 'See what is wrong', line: line('status') }] : []),
      { label: 'Compare now', line: line('reconcile', [], { shop }) },
      {
        label: 'Compare everything',
        say: 'Compare everything, not only what changed lately:',
        line: line('reconcile', [], { shop, deep: true }),
      },
      { label: 'Check webhook subscriptions', line: line('webhooks check', [], { shop }) },
      { label: 'See backfills', line: line('backfill status', [], { shop }) },
    ],
    data: {
      ...{ stack: deployment.stack, everyMinutes },
      shops: shops.map(({ names: _, ...one }) => one),
    },
  };
}

const MOST_SENT = 40;

function blocksOf({ shop, runs, ordersRead, names }: ShopRuns): readonly Block[] {
  const entity = (kind: (typeof KINDS)[number], id: string): Cell => ({
    text: `${kind} ${names.get(id) ?? id}`,
    opens: line('trace', [kind, id], { shop }),
  });
  const sent = runs.flatMap(({ endedAt, sent = [] }) => sent.map((one) => ({ endedAt, ...one })));
  const all = runs.reduce((sum, run) => sum + sumOf(run.healed) + sumOf(run.rolledOut), 0);
  const shown = sent.slice(0, MOST_SENT);
  const differing = [...new Set(ordersRead.flatMap(({ ids }) => ids))];
  return [
    table(
      ['Ended', right('Compared'), right('Healed'), right('Rolled out'), 'Not compared'],
      runs.map(({ endedAt, lookedAt, healed, rolledOut, stopped, deep }) => [
        { at: endedAt },
        ...[lookedAt, healed, rolledOut].map(sumOf),
        [
          ...stopped.map(({ kind, why }) => `${kind}s: ${why}`),
          ...(deep?.stopped ? [`deep: ${deep.stopped.why}`] : []),
        ].join(', ') || '–',
      ]),
      { empty: 'No comparison has ended yet.' },
    ),
    table(
      ['Run', { title: 'What', shrinks: true }, 'Why'],
      shown.map(({ endedAt, kind, id, why }) => [
        { at: endedAt },
        entity(kind, id),
        SENT_REASONS[why],
      ]),
      {
        title: all > shown.length ? `Sent again, the last ${shown.length} of ${all}` : 'Sent again',
      },
    ),
    table(
      ['Order'],
      differing.map((id) => [entity('order', id)]),
      { title: 'The loyalty service holds another state' },
    ),
  ];
}

/** Why a run sent something. */
const SENT_REASONS: Readonly<Record<SentReason, string>> = {
  missing: 'no webhook of it was settled',
  stale: 'changed without a webhook',
  different: 'the ledger had another state',
  uncertain: 'the outcome of its last call was not known',
  deleted: 'deleted without a webhook',
  removed: 'removed from its discount without a webhook',
  'rules-changed': 'the rules or a date changed what is sent',
  unannounced: 'only its version changed',
  'dead-letter-expired': 'its dead letter expired',
  recovered: 'the ledger was lost or restored',
  lost: 'the loyalty service had lost it',
};
