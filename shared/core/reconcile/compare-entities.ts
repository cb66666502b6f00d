import type { StoreCoupon } from '../../store/store-entities.ts';
import { inBatches } from '../batch/in-batches.ts';
import { type EntityKey, ledgerKeyText } from '../ledger/ledger-key.ts';
import { isNewer } from '../ledger/newer-item.ts';
import { isKnown } from '../mapping/history-mark.ts';
import { withRewardCodeFirst } from '../redeem/reward-code-record.ts';
import { announce } from '../sync/fan-out.ts';
import type { StoreEntity } from '../sync/store-reader.ts';
import type { SentOrder } from './compare-order.ts';
import { type HealedKind, healingMessage, type SentReason, sendOnce } from './healing-message.ts';
import { type HealReason, judgeEntity } from './judge-entity.ts';
import type { Compared, Purpose, ReconciledShop, ReconcileWorld, Sent } from './reconcile-world.ts';

/** What the store says of one entity. */
export interface Seen {
  readonly id: string;
  readonly version: number;
  readonly entity: StoreEntity | undefined;
}

/** Compares a page of the store with the ledger and sends a message for each difference. */
export async function compareEntities(
  shop: ReconciledShop,
  kind: HealedKind,
  seen: readonly Seen[],
  purpose: Purpose,
  world: ReconcileWorld,
): Promise<Compared & { readonly sentOrders: readonly SentOrder[] }> {
  const { ledger, now, telemetry, orderRetentionDays } = world;
  const keyOf = ({ id }: Seen): EntityKey => ({ shop: shop.domain, kind, id });
  const entries = await ledger.readMany(seen.map(keyOf));
  const asSent = await Promise.all(
    seen.map(async ({ entity, ...one }) => ({
      ...one,
      entity: entity && (await withRewardCodeFirst(shop.domain, entity, ledger)),
    })),
  );
  const sentOrders: SentOrder[] = [];
  const differing = asSent.flatMap((one) => {
    const key = keyOf(one);
    const { version, entity } = one;
    if (isNewer(entries, ledgerKeyText(key))) return [];
    const entry = entries.get(ledgerKeyText(key));
    const { rules, doubt } = shop;
    const at = { rules, doubt, since: purpose.since, orderRetentionDays, now: now() };
    const judgement = judgeEntity({ key, entry, version, entity, ...at });
    if (kind === 'order' && judgement.kind === 'fine' && isKnown(entry) && !entry.uncertain) {
      sentOrders.push({ id: one.id, entry, wanted: judgement.applied });
    }
    if (judgement.kind !== 'heal') return [];
    const { why, wantedKey } = judgement;
    // Nothing differs that is sent, or it may be older than the connector and have changed in nothing since.
    const isSame = wantedKey !== undefined && wantedKey === entry?.appliedKey;
    const isUnannounced = why === 'missing' || (why === 'stale' && isSame);
    const isQuiet = world.quietProducts && kind === 'product' && isUnannounced;
    return [{ ...one, key, judgement, isQuiet }];
  });
  await announce(
    shop.domain,
    differing.flatMap(({ entity }) => couponIn(entity) ?? []),
    ledger,
  );
  const sent: Sent[] = [];
  await inBatches(differing, async ({ key, id, version, entity, judgement, isQuiet }) => {
    const { wantedKey } = judgement;
    const why = reasonOf(judgement.why, isQuiet);
    const found = { shop: shop.domain, id, version, now: now() };
    // Each doubt asks anew, also for a state that was asked for minutes ago.
    const state = shop.doubt ? String(shop.doubt.until) : wantedKey;
    const message = healingMessage(kind, found, state, couponIn(entity));
    const asked = why === 'letter-expired' && kind === 'order' && { history: true };
    if (!(await sendOnce({ ...message, ...asked }, world))) return;
    sent.push({ id, version, why });
    telemetry.log('info', 'sent by reconciling', { ...key, why });
  });
  return { lookedAt: seen.length, sent, sentOrders };

  function reasonOf(why: HealReason, isQuiet: boolean): SentReason {
    if (isQuiet) return 'unannounced';
    if (shop.doubt) return 'recovered';
    // A change of that very second would have been found by the scheduled walk, within the hour.
    return purpose.isDeep && why === 'different' ? 'rules-changed' : why;
  }
}

function couponIn(entity: StoreEntity | undefined): StoreCoupon | undefined {
  return entity?.kind === 'coupon' ? entity.coupon : undefined;
}
