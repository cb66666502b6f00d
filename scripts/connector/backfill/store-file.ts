import type { AdminAnswer } from '../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../shared/shopify/admin/client/admin-client.ts';
import { accessScopesDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import type { Enrichment } from '../../../shared/shopify/admin/order-as-payload.ts';
import {
  type BulkState,
  bulkQuery,
  readBulkState,
  startBulkQuery,
} from '../../../shared/shopify/bulk/bulk-operation.ts';
import { ALLOW_BULK_QUERIES } from '../checks/store.ts';
import { nextCommand, type Place } from '../deployment/deployment.ts';
import { storeProblem } from '../deployment/services.ts';
import { Problem } from '../terminal/exit.ts';
import { type BackfillState, searchFor } from './run-backfill.ts';

/** The store that writes the file of a backfill. */
export interface AskedStore {
  readonly deployment: Place;
  readonly ask: Ask;
  readonly enrichment: Enrichment;
}

const SIXTY_DAYS_MS = 60 * 86_400_000;

/**
 * Without `read_all_orders` the store silently leaves out older orders (Shopify, "Order"): a
 * backfill that looks complete and is not would be worse than none.
 */
export async function checkVisibility(
  { kind, since }: Pick<BackfillState, 'kind' | 'since'>,
  { ask, deployment }: Pick<AskedStore, 'ask' | 'deployment'>,
  now: Date,
): Promise<void> {
  const oldest = now.getTime() - SIXTY_DAYS_MS;
  if (kind !== 'orders' || (since !== undefined && Date.parse(since) >= oldest)) return;
  const answer = await ask(accessScopesDocument, {});
  if (answer.kind !== 'data') throw storeProblem(answer, deployment);
  const { accessScopes } = answer.data.currentAppInstallation;
  if (accessScopes.some(({ handle }) => handle === 'read_all_orders')) return;
  const day = new Date(Math.ceil(oldest / 86_400_000) * 86_400_000).toISOString().slice(0, 10);
  throw new Problem(
    'The app can read only the orders of the last 60 days: it lacks the access scope read_all_orders, and the store would leave out older orders.',
    `Ask Shopify for that scope (in the app's API access requests), or start later: --since ${day}`,
  );
}

/** Starts the bulk operation of the store; returns its id. */
export async function orderFile(
  state: Pick<BackfillState, 'kind' | 'since' | 'until'>,
  { ask, enrichment, deployment }: AskedStore,
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

/** Waits for the file, or for the news that none will come; undefined when it was interrupted. */
export async function awaitFile(
  operationId: string,
  { ask, deployment }: Pick<AskedStore, 'ask' | 'deployment'>,
  { signal, pause, onWait }: Waiting,
): Promise<Exclude<BulkState, { kind: 'running' }> | undefined> {
  for (let look = FIRST_LOOK_MS; ; look = Math.min(look * 1.5, SELDOM_LOOK_MS)) {
    if (signal.aborted) return undefined;
    const answer = await readBulkState(ask, operationId);
    if (answer.kind !== 'data') throw storeProblem(answer, deployment);
    if (answer.data.kind !== 'running') return answer.data;
    onWait(answer.data.objects);
    await pause(look);
  }
}

/** Why there is no file, and what to do. `again` starts the backfill anew. */
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
