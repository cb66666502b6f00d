import type { EntityKey } from '../events/event.ts';
import { type Outcome, overtaken } from '../events/outcome.ts';
import { expiresAfter, type RecordKey, readEntry } from '../ledger/ledger.ts';
import { idempotencyKey } from '../mapping/wanted-state.ts';
import type { Decision, Gathered } from './decide.ts';
import type { SyncDeps } from './dependencies.ts';

export function planKey({ shop, kind, id }: EntityKey): RecordKey<'plan'> {
  return { shop, kind: 'plan', id: `${kind}/${id}` };
}

/**
 * In place of a call, for a shop that is only observed: which state was decided on, so that scans know it. The entity's
 * own entry stays as it is, so nothing ever counts as sent. A plan of a newer state stays, too.
 */
export async function recordPlan(
  { key: entity, entry }: Gathered,
  version: number,
  decision: Decision,
  { ledger, pauses, now, orderRetentionDays }: SyncDeps,
): Promise<Outcome> {
  await pauses.noteObserving(entity.shop, now());
  const key = planKey(entity);
  const last = await readEntry(ledger, key);
  if (!last || last.version <= version) {
    const wanted = 'mapped' in decision && 'wanted' in decision.mapped && decision.mapped.wanted;
    const appliedKey = wanted ? idempotencyKey(wanted) : entry?.appliedKey;
    const plan = {
      ...{ version, uncertain: false, outcomes: [] },
      ...(appliedKey !== undefined && { appliedKey }),
      ...expiresAfter(orderRetentionDays, now()),
    };
    const written = await ledger.write(key, plan, last?.revision);
    if (written.kind === 'conflict') return overtaken;
  }
  return { kind: 'skipped', why: 'observing' };
}
