import type { Telemetry } from '../batch/telemetry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { WalkedKind } from '../sync/store-walk.ts';
import type { HealedKind } from './healing-message.ts';
import { cursorKey, keepState, recallState } from './kept-state.ts';
import type { Compared, Repaired } from './reconcile-world.ts';

/** What the last run did for one shop, for the operator. */
export interface LastReconcile {
  /** The operator's command that asked for it; absent: the schedule. */
  readonly request?: string;
  /** ISO 8601. */
  readonly beganAt: string;
  readonly endedAt: string;
  readonly lookedAt: CountByKind;
  readonly healed: CountByKind;
  /** Sent again although no webhook was lost: see `Compared`. */
  readonly rolledOut: CountByKind;
  /** How long ago the oldest of the healed had changed; absent: none was healed. */
  readonly oldestHealedMs?: number;
  /** Empty: everything was compared. The next run continues where these stopped. */
  readonly stopped: readonly { readonly kind: WalkedKind; readonly why: string }[];
  /** Of the last run that compared balances: one in a night does. Absent: none has. */
  readonly balances?: Repaired;
  /** Absent: no deep walk was under way. Without `stopped`: it ended in this run. */
  readonly deep?: {
    readonly beganAt: string;
    readonly stopped?: { readonly in: string; readonly why: string };
  };
}

const summaryKey = (shop: string) => cursorKey(shop, 'last-run');

/** Undefined: no run has ended yet. */
export async function readLastReconcile(
  ledger: Pick<Ledger, 'readMany'>,
  shop: string,
): Promise<LastReconcile | undefined> {
  return (await recallState<LastReconcile>(ledger, summaryKey(shop))).state;
}

export async function keepLastReconcile(
  ledger: Pick<Ledger, 'readMany' | 'write'>,
  shop: string,
  last: LastReconcile,
): Promise<void> {
  const { state, revision } = await recallState<LastReconcile>(ledger, summaryKey(shop));
  const balances = last.balances ?? state?.balances;
  // A conflict means that another run ended at the same moment: either record is true.
  await keepState(
    ledger,
    summaryKey(shop),
    { ...last, ...(balances && { balances }) },
    {
      version: Date.parse(last.endedAt),
      revision,
    },
  );
}

type CountByKind = Readonly<Record<HealedKind, number>>;

export function sumOf(counts: Partial<CountByKind> = {}): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Below this number a percentage says nothing: one of three is no sign of lost webhooks. */
const LEAST_HEALED = 5;

export function areWebhooksLost(
  { lookedAt, healed }: { readonly lookedAt: number; readonly healed: number },
  healedPercent: number,
): boolean {
  return healed >= LEAST_HEALED && healed * 100 > lookedAt * healedPercent;
}

/** What one run did for one shop. */
export interface Tally {
  add(kind: HealedKind, compared: Compared, now: Date): void;
  readonly lookedAt: CountByKind;
  readonly healed: CountByKind;
  readonly rolledOut: CountByKind;
  /** Age of the oldest that was healed; undefined: none was. */
  readonly oldestHealedMs: number | undefined;
}

export function createTally(telemetry: Telemetry): Tally {
  const lookedAt = { order: 0, product: 0, coupon: 0 };
  const healed = { order: 0, product: 0, coupon: 0 };
  const rolledOut = { order: 0, product: 0, coupon: 0 };
  let oldestHealedMs: number | undefined;
  return {
    lookedAt,
    healed,
    rolledOut,
    get oldestHealedMs() {
      return oldestHealedMs;
    },
    add(kind, compared, now) {
      lookedAt[kind] += compared.lookedAt;
      healed[kind] += compared.healed.length;
      rolledOut[kind] += compared.rolledOut;
      if (compared.lookedAt > 0) telemetry.count('looked-at', { kind }, compared.lookedAt);
      if (compared.rolledOut > 0) telemetry.count('rolled-out', { kind }, compared.rolledOut);
      const { read = 0, differing = [] } = compared.ordersRead ?? {};
      if (read > 0) telemetry.count('orders-read', {}, read);
      if (differing.length > 0) {
        telemetry.count('order-differs', {}, differing.length);
      }
      if (compared.healed.length === 0) return;
      telemetry.count('healed', { kind }, compared.healed.length);
      const age = now.getTime() - Math.min(...compared.healed);
      oldestHealedMs = Math.max(oldestHealedMs ?? 0, age);
    },
  };
}
