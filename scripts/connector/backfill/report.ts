import { SQS } from '@aws-sdk/client-sqs';
import { createSqsEventQueue, createSqsQueueDepth } from '../../../shared/aws/sqs-queues.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import type { BulkQueue, QueueDepth } from '../../../shared/core/events/event.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { enrichmentOf } from '../../../shared/services/configured-store.ts';
import type { AdminAnswer } from '../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../shared/shopify/admin/client/admin-client.ts';
import type { Enrichment } from '../../../shared/shopify/admin/order-as-payload.ts';
import {
  type BulkState,
  bulkQuery,
  readBulkState,
  startBulkQuery,
} from '../../../shared/shopify/bulk/bulk-operation.ts';
import { findShop, shopsOf } from '../arguments.ts';
import { ALLOW_BULK_QUERIES } from '../checks/store.ts';
import { type Deployment, nextCommand, openLedger, type Place } from '../deployment/deployment.ts';
import { openShopServices, storeProblem } from '../deployment/services.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Table } from '../terminal/terminal.ts';
import { relativeTime } from '../terminal/text.ts';
import {
  type BackfillState,
  type Backfills,
  openBackfills,
  searchFor,
  spanWords,
  startWords,
  wordsOf,
} from './run-backfill.ts';

/** Reports what was sent; the outcome is known only to the workers. */
export function reportEnd(
  { terminal, json }: Session,
  deployment: Deployment,
  state: BackfillState,
): ExitCode {
  if (json) {
    terminal.json(stateDocument(state, deployment));
    return EXIT.fine;
  }
  const codes = state.kind === 'discounts' ? 'codes' : state.kind;
  terminal.line(`Done: ${state.sent} ${codes} of ${state.shop} sent (${spanWords(state)}).`);
  if (state.asked > 0) {
    terminal.line(
      `For ${state.asked} of them the worker reads the store: the file lacks tips and partly returned lines.`,
    );
  }
  if (state.unreadable > 0) {
    terminal.line(`${state.unreadable} could not be read from the store's file and were left out.`);
  }
  terminal.line('The workers process them now. To see the outcome:');
  terminal.line(`  ${nextCommand(deployment, 'status')}`);
  terminal.line(`  ${nextCommand(deployment, 'dead-letters list')}`);
  return EXIT.fine;
}

export function reportPause(
  { terminal, json }: Session,
  deployment: Deployment,
  state: BackfillState,
): ExitCode {
  if (json) {
    terminal.json(stateDocument(state, deployment));
    return EXIT.interrupted;
  }
  terminal.line(
    `Stopped after ${state.sent}${state.total ? ` of ${state.total}` : ''}. To resume:`,
  );
  terminal.line(`  ${nextCommand(deployment, `backfill resume ${wordsOf(state)}`)}`);
  return EXIT.interrupted;
}

/** For `--json`. */
export function stateDocument(state: BackfillState, deployment: Deployment) {
  const { id, shop, kind, since, until, run, startedAt, savedAt, finishedAt, total } = state;
  const { sent, asked, unreadable } = state;
  const isFinished = finishedAt !== undefined;
  const next = isFinished
    ? `${startWords(state)} --again --yes`
    : `backfill resume ${wordsOf(state)}`;
  return {
    ...{ id, shop, kind, since, until, run, startedAt, savedAt, finishedAt, total },
    ...{ sent, asked, unreadable },
    state: stageOf(state),
    next: nextCommand(deployment, next),
  };
}

export interface BackfillsDocument {
  readonly stack: string;
  readonly backfills: readonly ReturnType<typeof stateDocument>[];
}

type Stage = keyof typeof STAGES;

const STAGES = {
  finished: 'finished',
  'not-started': 'not started',
  'waits-for-store': 'waits for the store',
  // Only the process that runs it knows.
  'stopped-or-running': 'stopped or running',
};

function stageOf({ finishedAt, operationId, place, sent }: BackfillState): Stage {
  if (finishedAt !== undefined) return 'finished';
  if (operationId === undefined) return 'not-started';
  return place.byte === 0 && sent === 0 ? 'waits-for-store' : 'stopped-or-running';
}

/** Of all shops, or of one; the newest first. */
export async function showBackfills(
  { terminal, json, findDeployment }: Session,
  id: string | undefined,
  { shop: named }: { readonly shop?: string },
): Promise<ExitCode> {
  const deployment = await findDeployment();
  const shops = shopsOf(deployment.connector, named);
  const found = await Promise.all(shops.map((shop) => readStates(deployment, shop.domain, id)));
  const states = found
    .flat()
    .toSorted((one, other) => other.startedAt.localeCompare(one.startedAt));
  const whose = shops.map(({ domain }) => domain).join(', ');
  if (id !== undefined && states.length === 0) {
    throw new Problem(`${whose} has no backfill "${id}".`);
  }
  if (json) {
    const backfills = states.map((state) => stateDocument(state, deployment));
    terminal.json({ stack: deployment.stack, backfills } satisfies BackfillsDocument);
  } else if (states.length === 0) terminal.line(`${whose}: no backfills.`);
  else terminal.table(tableOf(states, new Date()));
  return EXIT.fine;
}

async function readStates(
  deployment: Deployment,
  shop: string,
  id: string | undefined,
): Promise<readonly BackfillState[]> {
  const { backfills } = openBackfill(deployment, shop);
  const names = id === undefined ? await backfills.list() : [id];
  const loaded = await Promise.all(names.map((name) => backfills.load(name)));
  return loaded.flatMap((kept) => (kept ? [kept.state] : []));
}

function tableOf(states: readonly BackfillState[], now: Date): Table {
  return {
    columns: [
      { title: 'backfill' },
      { title: 'shop', shrinks: true },
      { title: 'state' },
      { title: 'sent', align: 'right' },
      { title: 'of', align: 'right' },
      { title: 'left out', align: 'right' },
      { title: 'last' },
    ],
    rows: states.map((state) => [
      state.id,
      state.shop,
      STAGES[stageOf(state)],
      String(state.sent),
      state.total === undefined ? '' : String(state.total),
      String(state.unreadable),
      relativeTime(Date.parse(state.savedAt), now),
    ]),
  };
}

/** What a backfill of one shop works with. */
export interface OpenBackfill {
  readonly deployment: Deployment;
  readonly shop: Shop;
  readonly ask: Ask;
  readonly enrichment: Enrichment;
  readonly ledger: Ledger;
  readonly backfills: Backfills;
  readonly queue: Pick<BulkQueue, 'sendAll'>;
  readonly depth: QueueDepth;
}

export function openBackfill(deployment: Deployment, named: string | undefined): OpenBackfill {
  const { aws, output, connector } = deployment;
  const shop = findShop(connector, named);
  const ledger = openLedger(deployment);
  const sqs = new SQS(aws);
  const urls = {
    orders: output('OrdersQueueUrl'),
    products: output('ProductsQueueUrl'),
    coupons: output('CouponsQueueUrl'),
  };
  return {
    deployment,
    shop,
    ask: openShopServices(deployment).ask(shop),
    enrichment: enrichmentOf(shop.rules),
    ledger,
    backfills: openBackfills(ledger, shop.domain, () => new Date()),
    queue: createSqsEventQueue(sqs, urls, { requestsAtOnce: 4 }),
    depth: createSqsQueueDepth(sqs, urls),
  };
}

type Completed = Extract<BulkState, { kind: 'completed' }>;

/** Starts the bulk operation of the store; returns its id. */
export async function orderFile(
  state: Pick<BackfillState, 'kind' | 'since' | 'until'>,
  { ask, enrichment, deployment }: OpenBackfill,
): Promise<string> {
  const answer = await startBulkQuery(ask, bulkQuery(state.kind, searchFor(state), enrichment));
  if (isDenied(answer)) {
    throw new Problem(
      "The store does not let this app run bulk queries: a partner's app must be allowed to, and loses it after 31 days without one.",
      `${ALLOW_BULK_QUERIES} Then repeat the command.`,
    );
  }
  if (answer.kind !== 'data') throw storeProblem(answer, deployment);
  if (answer.data.kind === 'started') return answer.data.id;
  throw new Problem(
    'The store is already running as many bulk operations of this app as it allows.',
    'Wait until they finish (minutes, longer for a large shop), then repeat the command.',
  );
}

/** Starting one needs no scope of its own: what the query may not read shows in its result. */
const isDenied = (answer: AdminAnswer<unknown>): boolean =>
  answer.kind === 'failure' && answer.reason === 'access-denied' && answer.scope === undefined;

const FIRST_LOOK_MS = 500;
const SELDOM_LOOK_MS = 10_000;

interface Waiting {
  readonly signal: AbortSignal;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly onWait: (objects: number) => void;
}

/** Waits for the file; undefined when it was interrupted. Throws when none will come. */
export async function awaitFile(
  operationId: string,
  { ask, deployment }: OpenBackfill,
  { signal, pause, onWait }: Waiting,
): Promise<Completed | Exclude<BulkState, { kind: 'completed' | 'running' }> | undefined> {
  for (let look = FIRST_LOOK_MS; ; look = Math.min(look * 1.5, SELDOM_LOOK_MS)) {
    if (signal.aborted) return undefined;
    const answer = await readBulkState(ask, operationId);
    if (answer.kind !== 'data') throw storeProblem(answer, deployment);
    if (answer.data.kind !== 'running') return answer.data;
    onWait(answer.data.objects);
    await pause(look);
  }
}

/** Why there is no file, and what to do. */
export function fileProblem(
  state: Exclude<BulkState, { kind: 'completed' | 'running' }>,
  again: string,
  deployment: Place,
): Problem {
  switch (state.kind) {
    case 'failed':
      return state.errorCode === 'ACCESS_DENIED'
        ? new Problem(
            'The store refused its bulk operation: the app lacks an access scope.',
            `Repeat the command after the fix that this names: ${nextCommand(deployment, 'doctor')}`,
          )
        : new Problem(
            `The store's bulk operation failed (${state.errorCode}).`,
            'Repeat the command to start a new one; a shorter period takes the store less time.',
          );
    case 'canceled':
      return new Problem(
        'The bulk operation was cancelled in the store.',
        'Repeat the command to start a new one.',
      );
    case 'expired':
      return new Problem(
        'The store no longer has the file of this backfill: it keeps files for seven days.',
        `Start again; entities that were already sent are recognised and not sent twice: ${again}`,
      );
  }
}
