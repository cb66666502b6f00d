import type { MemoryLedger } from '../../../local/harness/memory-ledger.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger-key.ts';
import { standingOf, usualRules } from '../../support/order-law.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { type Rules, SHOP } from './connector.ts';
import type { LivingStore } from './living-store.ts';
import type { LoyaltyService } from './loyalty-service.ts';
import { ON_ITS_WAY_MS } from './watch-merges.ts';
import type { Seen } from './watch-orders.ts';
import type { WatchedTelemetry } from './watched-telemetry.ts';

interface PanelWorld {
  readonly kernel: Kernel;
  readonly store: LivingStore;
  readonly loyalty: LoyaltyService;
  readonly ledger: MemoryLedger;
  readonly telemetry: WatchedTelemetry;
  readonly rules: Rules;
  readonly seen: Seen;
  readonly knownSince: ReadonlyMap<string, number>;
  /** A deep walk, and everything that it sends. */
  readonly walk: () => Promise<void>;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Behind the connector's back the service loses an order, and a person changes the amount of another. The deep walk
 * must send the lost one again, but not within a day of its last call, and only report the other.
 */
export async function disturbService(world: PanelWorld): Promise<void> {
  const { kernel, loyalty, telemetry, seen, walk } = world;
  const { time, journal } = kernel;
  const { orders, points } = loyalty.rows;
  const [lost, changed] = [...orders.values()].filter((row) => isInSync(row.OriginalId, world));
  if (!lost || !changed) return;
  const { OriginalId: id } = changed;
  const differ = (what: string) => journal.violation('reading', what);
  orders.delete(lost.OriginalId);
  if (lost.pointId !== null) points.delete(String(lost.pointId));
  orders.put(id, { ...changed, OrderTotal: changed.OrderTotal + 1 });
  telemetry.changed.set(id, false);
  journal.note(
    id.length,
    () => `the service loses order ${lost.OriginalId}, order ${id} is changed`,
  );

  const callAt = seen.lastCallAt.get(lost.OriginalId) ?? 0;
  await walk();
  await time.passUntil(time.now + DAY_MS);
  await walk();
  const againAt = seen.lastCallAt.get(lost.OriginalId) ?? 0;
  if (!orders.get(lost.OriginalId)?.IsCompleted) {
    differ(`the lost order ${lost.OriginalId} is not sent again`);
  } else if (againAt - callAt < DAY_MS) {
    differ(`the lost order ${lost.OriginalId} is sent again within a day`);
  }
  const held = orders.get(id);
  if (held?.OrderTotal !== changed.OrderTotal + 1) {
    differ(`a walk changes the amount of order ${id} to ${held?.OrderTotal}`);
  }
  if (!telemetry.changed.get(id)) differ(`no walk reports the changed amount of order ${id}`);
  if (held) orders.put(id, { ...held, OrderTotal: changed.OrderTotal });
}

const IN_SYNC: ReadonlySet<string> = new Set(['applied', 'unchanged']);

/** Completed, alive in the store, and nothing is taken from it or open: the middle of an exchange is not sent. */
function isInSync(id: string, world: PanelWorld): boolean {
  const { loyalty, ledger, store, rules, knownSince } = world;
  const row = loyalty.rows.orders.get(id);
  const entry = ledger.entries.get(ledgerKeyText({ shop: SHOP, kind: 'order', id }));
  const order = store.world.rows.orders.get(id);
  if (!row?.IsCompleted || row.IsCancelledOrReturned || row.partialCancels.length > 0) return false;
  if (!order || standingOf(order, usualRules).kind === 'exchange') return false;
  const isOfToday = (knownSince.get(id) ?? 0) >= rules.changeAt + ON_ITS_WAY_MS;
  const { outcome = '' } = entry?.outcomes.at(-1) ?? {};
  const isSettled =
    entry?.uncertain === false && entry.redactedAt === undefined && IN_SYNC.has(outcome);
  const customer = loyalty.rows.customers.get(row.customerId);
  const isTheirs = order.customerId != null && order.customerId === row.customerId;
  return isSettled && isOfToday && isTheirs && customer?.isActive === true;
}
