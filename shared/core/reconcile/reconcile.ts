import { withGoLive } from '../mapping/history-mark.ts';
import type { WalkedKind } from '../sync/store-walk.ts';
import { askForDeepWalk, type DeepEnd, walkDeeply } from './deep-walk.ts';
import {
  areWebhooksLost,
  createTally,
  keepLastReconcile,
  sumOf,
  type Tally,
} from './last-reconcile.ts';
import { reconcileKind } from './reconcile-kind.ts';
import type { ReconciledShop, ReconcileWorld, Repaired } from './reconcile-world.ts';

/** Orders first: points are what people wait for. */
const KINDS: readonly WalkedKind[] = ['order', 'product', 'discount'];

/**
 * One scheduled run: what the store changed is compared with what was sent. The time that is left goes
 * to a deep walk, if one was asked for, so that it ends after some runs.
 */
export async function reconcile(
  configured: readonly ReconciledShop[],
  isDeep: boolean,
  given: Omit<ReconcileWorld, 'sent'>,
): Promise<void> {
  const world = { ...given, sent: new Set<string>() };
  const shops = await Promise.all(
    configured.map(async (shop) => ({
      ...shop,
      rules: await withGoLive(shop.rules, given.ledger),
    })),
  );
  const beganAt = world.now().toISOString();
  const runs = [];
  if (isDeep) for (const { domain } of shops) await askForDeepWalk(domain, world);
  for (const shop of shops) {
    await world.checkSubscriptions(shop.domain);
    const tally = createTally(world.telemetry);
    runs.push({ shop, tally, stopped: await compareChanges(shop, tally, world) });
  }
  for (const { shop, tally, stopped } of runs) {
    const balances = await repair(shop.domain, world);
    const deep = await walkDeeply(shop, world, tally);
    await keepSummary({ shop: shop.domain, beganAt, tally, stopped, balances, deep }, world);
  }
  if (runs.every(({ stopped }) => stopped.length === 0)) world.telemetry.count('reconciled');
}

type StoppedWalk = { readonly kind: WalkedKind; readonly why: string };

async function compareChanges(
  shop: ReconciledShop,
  tally: Tally,
  world: ReconcileWorld,
): Promise<readonly StoppedWalk[]> {
  const stopped: StoppedWalk[] = [];
  for (const kind of KINDS) {
    const end = await reconcileKind(shop, kind, world, tally);
    if (end.kind === 'finished') continue;
    stopped.push({ kind, why: end.why });
    const fields = { shop: shop.domain, kind, why: end.why };
    world.telemetry.log('warn', 'reconciling continues in the next run', fields);
  }
  return stopped;
}

async function repair(
  shop: string,
  { repairBalances, telemetry }: ReconcileWorld,
): Promise<Repaired | undefined> {
  const repaired = await repairBalances?.(shop);
  if (!repaired) return undefined;
  const level = repaired.stopped === undefined ? 'info' : 'warn';
  telemetry.log(level, 'compared balances with the report', { shop, ...repaired });
  return repaired;
}

interface ShopRun {
  readonly shop: string;
  readonly beganAt: string;
  readonly tally: Tally;
  readonly stopped: readonly StoppedWalk[];
  readonly balances: Repaired | undefined;
  readonly deep: DeepEnd;
}

async function keepSummary(
  { shop, beganAt, tally, stopped, balances, deep }: ShopRun,
  { ledger, telemetry, now, healedPercent }: ReconcileWorld,
): Promise<void> {
  const { lookedAt, healed, rolledOut, oldestHealedMs } = tally;
  const sums = { lookedAt: sumOf(lookedAt), healed: sumOf(healed), rolledOut: sumOf(rolledOut) };
  if (areWebhooksLost(sums, healedPercent)) telemetry.count('webhooks-lost');
  telemetry.log('info', 'reconciled', { shop, ...sums, oldestHealedMs });
  await keepLastReconcile(ledger, shop, {
    beganAt,
    endedAt: now().toISOString(),
    lookedAt,
    healed,
    rolledOut,
    ...(oldestHealedMs !== undefined && { oldestHealedMs }),
    stopped,
    ...(balances && { balances }),
    ...(deep.kind !== 'idle' && { deep: deepSummary(deep) }),
  });
}

function deepSummary(deep: Exclude<DeepEnd, { kind: 'idle' }>) {
  const beganAt = new Date(deep.began).toISOString();
  if (deep.kind === 'finished') return { beganAt };
  return { beganAt, stopped: { in: deep.phase, why: deep.why } };
}
