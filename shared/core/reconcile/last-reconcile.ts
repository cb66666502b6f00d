import { HEALED_PERCENT } from '../../config/metrics.ts';
import type { EntityKind } from '../events/event.ts';
import type { Telemetry } from '../events/telemetry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  type Compared,
  type ComparedKind,
  cursorKey,
  entityKindOf,
  openCursor,
  ROLLED_OUT,
  recallState,
  type Sent,
} from './dependencies.ts';

/** What a run did for one shop, for the operator. */
export interface LastReconcile {
  /** The operator's command that asked for it; absent in a scheduled run. */
  readonly request?: string;
  /** ISO 8601. */
  readonly beganAt: string;
  readonly endedAt: string;
  readonly lookedAt: CountByKind;
  readonly healed: CountByKind;
  /** Sent again although no webhook was lost: see `SentReason`. */
  readonly rolledOut: CountByKind;
  /** The first of what was healed or rolled out. */
  readonly sent: readonly SentEntity[];
  /** The next run continues where these stopped. Empty when everything was compared. */
  readonly stopped: readonly {
    readonly kind: ComparedKind;
    readonly why: string;
    readonly refused?: boolean;
  }[];
  /** ISO 8601: since then the store or the loyalty service refuses credentials, scopes or address. */
  readonly refusedSince?: string;
  /** Absent while no deep scan is under way. Without `stopped`, it ended in this run. */
  readonly deep?: {
    readonly beganAt: string;
    readonly stopped?: { readonly in: string; readonly why: string };
  };
}

type SentEntity = { readonly kind: EntityKind } & Sent;

/** With the runs before it, the newest first. */
interface KeptRuns extends LastReconcile {
  readonly earlier?: readonly LastReconcile[];
}

/** Together at most 60 KB with ordinary ids; an item may have 400. */
const SENT_KEPT = 20;
const RUNS_KEPT = 10;

const summaryKey = (shop: string) => cursorKey(shop, 'last-run');

/** Undefined before the first run has ended. */
export async function readLastReconcile(
  ledger: Pick<Ledger, 'readMany'>,
  shop: string,
): Promise<LastReconcile | undefined> {
  const [last] = await readReconcileRuns(ledger, shop);
  return last;
}

/** The newest first: the last runs, and the last ones that sent something. */
export async function readReconcileRuns(
  ledger: Pick<Ledger, 'readMany'>,
  shop: string,
): Promise<readonly LastReconcile[]> {
  return runsIn(await recallState<KeptRuns>(ledger, summaryKey(shop)));
}

function runsIn(kept: KeptRuns | undefined): readonly LastReconcile[] {
  if (!kept) return [];
  const { earlier = [], ...last } = kept;
  return [last, ...earlier];
}

export async function keepLastReconcile(
  ledger: Pick<Ledger, 'readMany' | 'write'>,
  shop: string,
  last: LastReconcile,
): Promise<void> {
  const { state, keep } = await openCursor<KeptRuns>(ledger, summaryKey(shop));
  const earlier = worthKeeping(runsIn(state));
  // A conflict means that another run ended at the same moment: either record is true.
  await keep({ ...last, earlier }, Date.parse(last.endedAt));
}

/** Most runs send nothing: those that did are kept for longer. */
function worthKeeping(runs: readonly LastReconcile[]): readonly LastReconcile[] {
  const kept = new Set([...runs.slice(0, RUNS_KEPT), ...runs.filter(hasSent).slice(0, RUNS_KEPT)]);
  return runs.filter((run) => kept.has(run));
}

const hasSent = ({ healed, rolledOut }: LastReconcile) => sumOf(healed) + sumOf(rolledOut) > 0;

type CountByKind = Readonly<Record<EntityKind, number>>;

export function sumOf(counts: Partial<CountByKind> = {}): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** So many late, and runs are missing: one may fail while the next is still running. */
export const RUNS_MISSED = 2.5;

/** Below this number a percentage says nothing: one of three is no sign of lost webhooks. */
const LEAST_HEALED = 5;

export function areWebhooksLost({
  lookedAt,
  healed,
}: {
  readonly lookedAt: number;
  readonly healed: number;
}): boolean {
  return healed >= LEAST_HEALED && healed * 100 > lookedAt * HEALED_PERCENT;
}

export interface Tally extends Pick<LastReconcile, 'lookedAt' | 'healed' | 'rolledOut' | 'sent'> {
  add(kind: ComparedKind, compared: Compared): void;
}

export function createTally(telemetry: Telemetry): Tally {
  const none = { order: 0, product: 0, coupon: 0, member: 0 };
  const [lookedAt, healed, rolledOut] = [{ ...none }, { ...none }, { ...none }];
  const sent: SentEntity[] = [];
  return {
    lookedAt,
    healed,
    rolledOut,
    sent,
    add(scanned, compared) {
      const kind = entityKindOf(scanned);
      lookedAt[kind] += compared.lookedAt;
      const lost = compared.sent.filter(({ why }) => !ROLLED_OUT.some((one) => one === why));
      const unlost = compared.sent.length - lost.length;
      healed[kind] += lost.length;
      rolledOut[kind] += unlost;
      const room = SENT_KEPT - sent.length;
      sent.push(...compared.sent.slice(0, room).map(({ id, why }) => ({ kind, id, why })));
      if (compared.lookedAt > 0) telemetry.count('looked-at', { kind }, compared.lookedAt);
      if (unlost > 0) telemetry.count('rolled-out', { kind }, unlost);
      const { read = [], differing = [] } = compared.ordersRead ?? {};
      if (read.length > 0) telemetry.count('orders-read', {}, read.length);
      if (differing.length > 0) telemetry.count('order-differs', {}, differing.length);
      if (lost.length > 0) telemetry.count('healed', { kind }, lost.length);
    },
  };
}
