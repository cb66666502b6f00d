import { accessScopesDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import { storeProblem } from '../deployment/store-problem.ts';
import { Problem } from '../problem.ts';
import type { BackfillState } from './backfill-state.ts';
import type { OpenBackfill } from './open-backfill.ts';

const SIXTY_DAYS_MS = 60 * 86_400_000;

/**
 * Without `read_all_orders` the store leaves older orders out without a word (Shopify, "Order"): a
 * backfill that looks complete and is not would be worse than none.
 */
export async function checkVisibility(
  { kind, since }: Pick<BackfillState, 'kind' | 'since'>,
  { ask, deployment }: Pick<OpenBackfill, 'ask' | 'deployment'>,
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
    'The app sees the orders of the last 60 days only: it lacks the access scope read_all_orders, and the store would leave the older ones out.',
    `Ask Shopify for that scope (in the app's API access requests), or begin later: --since ${day}`,
  );
}
