import type { OperationId } from '../../loyalty/operations.ts';
import type { EntityKey } from '../events/event.ts';
import { type Outcome, overtaken } from '../events/outcome.ts';
import {
  type EntityEntry,
  expiresAfter,
  type RecordKey,
  readEntry,
  rememberedForm,
} from '../ledger/ledger.ts';
import { type RememberedOrder, recallOrder } from '../mapping/wanted-state.ts';
import { previewSync } from './preview-sync.ts';
import type { Candidate, SyncDeps } from './sync-entity.ts';

/** What would have been sent for an entity of a shop that is only observed. Without personal data. */
export interface ObservedPlan {
  readonly outcome: Outcome['kind'];
  /** Of an entity that would not be sent. */
  readonly why?: string;
  readonly calls: readonly OperationId[];
  /** Of an order that would count: its amount in thousandths, and how it came about. */
  readonly counts?: number;
  readonly steps?: RememberedOrder['steps'];
}

const form = rememberedForm<ObservedPlan>('plan', 1);
export const recallPlan = form.read;

export function planKey({ shop, kind, id }: EntityKey): RecordKey<'plan'> {
  return { shop, kind: 'plan', id: `${kind}/${id}` };
}

/**
 * Runs the sync without its calls, and records what it would have done. The entity's own entry is only read, so
 * nothing ever counts as sent.
 */
export async function observeEntity(
  key: EntityKey,
  candidate: Candidate,
  entry: EntityEntry | undefined,
  deps: SyncDeps,
): Promise<Outcome> {
  const { ledger, pauses, now, store } = deps;
  const { rules, assumptions } = deps.shop(key.shop);
  await pauses.noteObserving(key.shop, now());
  const given = { store, ledger, rules, assumptions, now, past: pauses };
  const preview = await previewSync(key, candidate, entry, given);
  const { outcome, entry: after } = preview;
  if (outcome.kind === 'retry' || outcome.kind === 'superseded') return outcome;
  const recorded = await recordPlan(key, planOf(preview), after, deps);
  return recorded ? { kind: 'skipped', why: 'observing' } : overtaken;
}

function planOf({ outcome, calls, entry }: Awaited<ReturnType<typeof previewSync>>): ObservedPlan {
  const counts = entry?.outcomes.at(-1)?.counts;
  const steps = recallOrder(entry?.remembered)?.steps;
  return {
    outcome: outcome.kind,
    ...('why' in outcome && { why: outcome.why }),
    calls: calls.map(({ operation }) => operation),
    ...(counts !== undefined && { counts }),
    ...(steps && { steps }),
  };
}

/** False when another worker wrote meanwhile. A plan of a newer state stays. */
async function recordPlan(
  entity: EntityKey,
  plan: ObservedPlan,
  after: EntityEntry | undefined,
  { ledger, now, orderRetentionDays }: SyncDeps,
): Promise<boolean> {
  const key = planKey(entity);
  const version = after?.outcomes.at(-1)?.version ?? after?.version ?? 0;
  const last = await readEntry(ledger, key);
  if (last && last.version > version) return true;
  const kept = expiresAfter(orderRetentionDays, now());
  const state = after?.appliedKey !== undefined && { appliedKey: after.appliedKey };
  const same = { version, uncertain: false, ...state };
  const item = { ...same, remembered: form.write(plan), outcomes: [], ...kept };
  const written = await ledger.write(key, item, last?.revision);
  return written.kind === 'written';
}
