import { idempotencyKey } from '../ledger/idempotency-key.ts';
import type { EntityEntry } from '../ledger/ledger.ts';
import { type EntityKey, ledgerKeyText } from '../ledger/ledger-key.ts';
import { isNewer } from '../ledger/newer-item.ts';
import type { WalkAnswer } from '../sync/store-walk.ts';
import { deletionMessage, sendOnce } from './healing-message.ts';
import type { ReconcileWorld, Sent } from './reconcile-world.ts';

type Unavailable = Extract<WalkAnswer<never>, { kind: 'unavailable' }>;

interface WalkedDiscount {
  readonly id: string;
  readonly version: number;
  /** The codes that the store showed. */
  readonly codes: ReadonlySet<string>;
  /** False: the first ones were read by an earlier run. */
  readonly isComplete: boolean;
}

/**
 * Finds codes that the ledger has and their discount no longer has: a removal without a webhook shows
 * nowhere else. The store is asked for each code before a message is sent.
 */
export async function findRemovedCodes(
  shop: string,
  { id: discountId, version, codes, isComplete }: WalkedDiscount,
  world: ReconcileWorld,
): Promise<{ readonly sent: readonly Sent[]; readonly stopped?: Unavailable }> {
  const { ledger, store, now, telemetry } = world;
  const sent: Sent[] = [];
  let from: string | undefined;
  do {
    const page = await ledger.listCodes(shop, discountId, from);
    const unseen = page.codes.filter((code) => !codes.has(code));
    const keys = unseen.map((id): EntityKey => ({ shop, kind: 'coupon', id }));
    const entries = await ledger.readMany(keys);
    for (const key of keys) {
      if (isNewer(entries, ledgerKeyText(key))) continue;
      const entry = entries.get(ledgerKeyText(key));
      if (!entry || !isActive(key.id, entry)) continue;
      // Settled from this state of the discount, so it is among the codes that this run did not read.
      if (!isComplete && entry.version >= version) continue;
      const answer = await store.readCoupon(shop, key.id);
      // What was sent before is returned too: it is counted nowhere else.
      if (answer.kind === 'unavailable') return { sent, stopped: answer };
      if (answer.kind === 'found' && answer.value.code === key.id) continue;
      const message = deletionMessage('coupon', { shop, id: key.id, version, now: now() });
      if (!(await sendOnce(message, world))) continue;
      sent.push({ id: key.id, version, why: 'removed' });
      telemetry.log('info', 'sent by reconciling', { ...key, why: 'removed' });
    }
    from = page.next;
  } while (from !== undefined);
  return { sent };
}

/** The service holds it, or may. A skipped or inactive code needs no end. */
function isActive(code: string, { appliedKey, uncertain }: EntityEntry): boolean {
  const ended = idempotencyKey({ kind: 'inactive-coupon', id: code });
  return uncertain || (appliedKey !== undefined && appliedKey !== ended);
}
