import { SQS } from '@aws-sdk/client-sqs';
import { createSqsEventQueue, createSqsQueueDepth } from '../../../shared/aws/sqs-event-queue.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import type { BulkQueue, QueueDepth } from '../../../shared/core/events/event.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { enrichmentOf } from '../../../shared/services/configured-store.ts';
import type { AdminAnswer } from '../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../shared/shopify/admin/client/admin-client.ts';
import type { Enrichment } from '../../../shared/shopify/admin/orders/enrichment.ts';
import {
  type BulkState,
  readBulkState,
  startBulkQuery,
} from '../../../shared/shopify/bulk/bulk-operation.ts';
import { bulkQuery } from '../../../shared/shopify/bulk/bulk-query.ts';
import { findShop } from '../arguments.ts';
import { type Deployment, nextCommand, type Place } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { openShopServices, storeProblem } from '../deployment/services.ts';
import { ALLOW_BULK_QUERIES } from '../doctor/check-app.ts';
import { Problem } from '../exit.ts';
import { type BackfillState, type Backfills, openBackfills, searchFor } from './backfill-state.ts';

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

export interface Waiting {
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
