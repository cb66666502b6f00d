import type { StoreCoupon } from '../../store/coupon.ts';
import { type EntityKey, entityKeyText } from '../entity.ts';
import { inTurns } from '../in-turns.ts';
import type { StoreEntity } from '../store-reader.ts';
import { type HealedKind, healingMessage } from './healing-message.ts';
import { judgeEntity } from './judge-entity.ts';
import type { Compared, ReconciledShop, ReconcileWorld } from './reconcile-world.ts';
import { sendOnce } from './send-once.ts';

/** What the store says of one entity. */
export interface Seen {
  readonly id: string;
  readonly version: number;
  readonly entity: StoreEntity | undefined;
}

/** Holds a page of the store against the ledger and sends for what differs. */
export async function compareEntities(
  shop: ReconciledShop,
  kind: HealedKind,
  seen: readonly Seen[],
  since: number,
  world: ReconcileWorld,
): Promise<Compared> {
  const { ledger, now, telemetry } = world;
  const keyOf = ({ id }: Seen): EntityKey => ({ shop: shop.domain, kind, id });
  const entries = await ledger.readMany(seen.map(keyOf));
  const healed: number[] = [];
  await inTurns(seen, async (one) => {
    const key = keyOf(one);
    const entry = entries.get(entityKeyText(key));
    const { version, entity } = one;
    const at = { rules: shop.rules, since, now: now() };
    const judgement = judgeEntity({ key, entry, version, entity, ...at });
    if (judgement.kind !== 'heal') return;
    const found = { shop: shop.domain, id: one.id, version, now: now() };
    const message = healingMessage(kind, found, judgement.wantedKey, couponIn(entity));
    if (!(await sendOnce(message, world))) return;
    healed.push(version);
    telemetry.log('info', 'sent for by reconciling', { ...key, why: judgement.why });
  });
  return { lookedAt: seen.length, healed };
}

function couponIn(entity: StoreEntity | undefined): StoreCoupon | undefined {
  return entity?.kind === 'coupon' ? entity.coupon : undefined;
}
