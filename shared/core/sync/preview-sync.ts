import type { MappingRules } from '../../config/mapping-settings.ts';
import type { OperationId } from '../../loyalty/operations.ts';
import type { EntityKey } from '../events/event.ts';
import { type Outcome, overtaken } from '../events/outcome.ts';
import type { LedgerPast } from '../ledger/entry.ts';
import {
  type EntityEntry,
  expiresAfter,
  type Ledger,
  type RecordKey,
  readEntry,
  rememberedForm,
} from '../ledger/ledger.ts';
import { orderMemory, type RememberedOrder } from '../mapping/wanted-state.ts';
import type { CallAssumptions, LoyaltyCalls, SyncDeps, Synced } from './dependencies.ts';
import type { Candidate } from './read-snapshot.ts';
import { syncEntity } from './sync-entity.ts';

export interface PreviewDeps extends Pick<SyncDeps, 'store' | 'now' | 'rewards'> {
  readonly ledger: Pick<Ledger, 'createdAt' | 'readMany'>;
  readonly rules: MappingRules;
  readonly assumptions: CallAssumptions;
  /** What the ledger says of the shop's past. Default: nothing. */
  readonly past?: Pick<LedgerPast, 'goLiveOf'>;
}

/**
 * The outcome `applied` means: it would be sent, and what the service answers is not known. The entry is as it would be
 * written.
 */
export interface Preview extends Synced {
  readonly calls: readonly OperationId[];
}

/**
 * What a worker would do with an event now. It runs the worker's own code, without writing anything or
 * calling the loyalty service. Only the store is really asked.
 */
export async function previewSync(
  key: EntityKey,
  candidate: Candidate,
  entry: EntityEntry | undefined,
  { store, ledger, rules, assumptions, now, past, rewards }: PreviewDeps,
): Promise<Preview> {
  const calls: OperationId[] = [];
  const shop = {
    loyalty: noteCalls(calls),
    breaker: { enter: async () => ({ kind: 'permit', settle: () => {} }) as const },
    rules,
    assumptions,
  };
  const deps: SyncDeps = {
    ledger: {
      readMany: ledger.readMany,
      write: async (_, __, revision) => ({ kind: 'written', revision: (revision ?? 0) + 1 }),
      markUncertain: async () => {},
      listCodes: async () => ({ codes: [] }),
      scanEntities: async () => ({ entries: [] }),
      createdAt: ledger.createdAt,
      redact: async () => {},
    },
    store,
    rewards,
    queue: { send: async () => {} },
    shop: () => shop,
    telemetry: { count: () => {}, log: () => {} },
    now,
    // Nothing is written, and no order counts as forgotten.
    orderRetentionDays: Number.POSITIVE_INFINITY,
    deadline: new AbortController().signal,
    pauses: {
      windowFrom: (_shop, queuedAt) => queuedAt,
      doubtOf: () => undefined,
      goLiveOf: (domain) => past?.goLiveOf(domain),
      takeoverOf: () => undefined,
      noteObserving: async () => {},
    },
  };
  const synced = await syncEntity(key, candidate, entry, deps);
  return { ...synced, calls };
}

/** A loyalty service that accepts everything and stores nothing. */
function noteCalls(calls: OperationId[]): LoyaltyCalls {
  const note = (operation: OperationId) => async () => {
    calls.push(operation);
    // What the service holds is not asked here: the preview continues as if it did not have the order.
    return operation === 'getOrder'
      ? { kind: 'business-error', class: 'rejected', code: 37, message: '', fields: [] }
      : { kind: 'success', value: undefined };
  };
  return new Proxy({} as LoyaltyCalls, { get: (_, operation) => note(operation as OperationId) });
}

/** What would have been sent for an entity of a shop that is only observed. Without personal data. */
interface ObservedPlan {
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
  const { ledger, pauses, now, store, rewards } = deps;
  const { rules, assumptions } = deps.shop(key.shop);
  await pauses.noteObserving(key.shop, now());
  const given = { store, ledger, rules, assumptions, now, past: pauses, rewards };
  const preview = await previewSync(key, candidate, entry, given);
  const { outcome, entry: after } = preview;
  if (outcome.kind === 'retry' || outcome.kind === 'superseded') return outcome;
  // Nothing is planned for what nobody has.
  if (outcome.kind === 'skipped' && outcome.why === 'not-in-store') return outcome;
  const recorded = await recordPlan(key, planOf(preview), after, deps);
  return recorded ? { kind: 'skipped', why: 'observing' } : overtaken;
}

function planOf({ outcome, calls, entry }: Preview): ObservedPlan {
  const counts = entry?.outcomes.at(-1)?.counts;
  const steps = orderMemory.read(entry?.remembered)?.steps;
  return {
    outcome: outcome.kind,
    ...('why' in outcome && { why: outcome.why }),
    calls,
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
  const state = after?.appliedKey !== undefined && { appliedKey: after.appliedKey };
  const kept = expiresAfter(orderRetentionDays, now());
  const item = { ...form.entry(plan, version, kept), ...state };
  const written = await ledger.write(key, item, last?.revision);
  return written.kind === 'written';
}
