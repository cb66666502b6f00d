import type { WalkedKind } from '../store-walk.ts';
import { keepLastReconcile } from './last-reconcile.ts';
import { reconcileKind } from './reconcile-kind.ts';
import type { ReconciledShop, ReconcileWorld } from './reconcile-world.ts';
import { createTally } from './tally.ts';

/** Orders first: points are what people wait for. */
const KINDS: readonly WalkedKind[] = ['order', 'product', 'discount'];

/** One scheduled run: what the store changed is compared with what was sent, shop by shop. */
export async function reconcile(
  shops: readonly ReconciledShop[],
  world: ReconcileWorld,
): Promise<void> {
  let finished = true;
  for (const shop of shops) finished = (await reconcileShop(shop, world)) && finished;
  if (finished) world.telemetry.count('reconciled');
}

async function reconcileShop(shop: ReconciledShop, world: ReconcileWorld): Promise<boolean> {
  const { ledger, telemetry, now } = world;
  const beganAt = now().toISOString();
  const tally = createTally(telemetry);
  const stopped: { kind: WalkedKind; why: string }[] = [];
  for (const kind of KINDS) {
    const end = await reconcileKind(shop, kind, world, tally);
    if (end.kind === 'stopped') stopped.push({ kind, why: end.why });
  }
  const { lookedAt, healed, oldestHealedMs } = tally;
  if (oldestHealedMs !== undefined) telemetry.count('oldest-healed-ms', {}, oldestHealedMs);
  for (const { kind, why } of stopped) {
    telemetry.log('warn', 'reconciling goes on in the next run', { shop: shop.domain, kind, why });
  }
  const endedAt = now().toISOString();
  await keepLastReconcile(ledger, shop.domain, {
    beganAt,
    endedAt,
    lookedAt,
    healed,
    ...(oldestHealedMs !== undefined && { oldestHealedMs }),
    stopped,
  });
  return stopped.length === 0;
}
