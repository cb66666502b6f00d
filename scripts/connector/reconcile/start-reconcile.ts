import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { ReconcileRequest } from '../../../shared/core/reconcile/reconcile.ts';
import { findShop } from '../arguments.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { describeRun, type EndedRun, readEnded } from './ended-run.ts';

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
