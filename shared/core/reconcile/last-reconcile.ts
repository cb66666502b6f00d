import type { Ledger } from '../ledger/ledger.ts';
import type { WalkedKind } from '../sync/store-walk.ts';
import { cursorKey, keepState, recallState } from './kept-state.ts';
import type { CountByKind } from './tally.ts';

/** What the last run did for one shop, for the operator. */
export interface LastReconcile {
  /** ISO 8601. */
  readonly beganAt: string;
  readonly endedAt: string;
  readonly lookedAt: CountByKind;
  readonly healed: CountByKind;
  /** Sent anew by a deep walk, because the rules make something else of them today. */
  readonly rolledOut: CountByKind;
  /** How long ago the oldest of the healed had changed; absent: none was healed. */
  readonly oldestHealedMs?: number;
  /** Empty: everything was compared. The next run goes on where these stopped. */
  readonly stopped: readonly { readonly kind: WalkedKind; readonly why: string }[];
  /** Absent: no deep walk was under way. Without `stopped`: it came to its end in this run. */
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
  const { revision } = await recallState(ledger, summaryKey(shop));
  // A conflict means that another run has ended at the same moment: either tells the truth.
  await keepState(ledger, summaryKey(shop), last, {
    version: Date.parse(last.endedAt),
    revision,
  });
}
