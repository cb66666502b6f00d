import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import type { MemoryLedger } from '../../support/memory-ledger.ts';
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
  /** A deep scan, and everything that it sends. */
  readonly scan: () => Promise<void>;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Behind the connector's back the service loses an order, a person raises the amount of another, and a call that was
 * made long ago sets back a third. The deep scan must send the lost one again, but not within a day of its last call,
 * only report the second, and send the third again.
 */
export async function disturbService(world: PanelWorld): Promise<void> {
  const { kernel, loyalty, telemetry, seen, scan } = world;
  const { time, journal } = kernel;
  const { orders, points } = loyalty.rows;
  const inSync = [...orders.values()].filter((row) => isInSync(row.OriginalId, world));
  // Most runs have fewer than three.
  const first = Math.floor(kernel.chance(41) * 3);
  const [lost, raised, setBack] = [0, 1, 2].map((role) => inSync[(role + first) % 3]);
  const differ = (what: string) => journal.violation('reading', what);
  const lostCallAt = seen.lastCallAt.get(lost?.OriginalId ?? '') ?? 0;
  if (lost) {
    journal.play('order lost by the service');
    orders.delete(lost.OriginalId);
    if (lost.pointId !== null) points.delete(String(lost.pointId));
  }
  if (raised) {
    journal.play('order changed in the panel');
    orders.put(raised.OriginalId, { ...raised, OrderTotal: raised.OrderTotal + 1 });
    telemetry.changed.set(raised.OriginalId, false);
  }
  const isHealedOnce = setBack && wasSentByReconcile(setBack.OriginalId, world);
  if (setBack && !isHealedOnce) {
    journal.play('late call');
    const late = seen.lastSent.get(setBack.OriginalId);
    loyalty.answer('sendOrder', {}, { ...late, OrderTotal: setBack.OrderTotal / 2 });
  }

  await scan();
  await time.passUntil(time.now + DAY_MS);
  await scan();
  if (lost) {
    const againAt = seen.lastCallAt.get(lost.OriginalId) ?? 0;
    if (!orders.get(lost.OriginalId)?.IsCompleted) {
      differ(`the lost order ${lost.OriginalId} is not sent again`);
    } else if (againAt - lostCallAt < DAY_MS) {
      differ(`the lost order ${lost.OriginalId} is sent again within a day`);
    }
  }
  if (raised) {
    const { OriginalId: id, OrderTotal: total } = raised;
    const held = orders.get(id);
    if (held?.OrderTotal !== total + 1) {
      differ(`a scan changes the amount of order ${id} to ${held?.OrderTotal}`);
    }
    if (!telemetry.changed.get(id)) differ(`no scan reports the changed amount of order ${id}`);
    if (held) orders.put(id, { ...held, OrderTotal: total });
  }
  const again = setBack && orders.get(setBack.OriginalId)?.OrderTotal;
  if (again !== setBack?.OrderTotal) {
    differ(`order ${setBack?.OriginalId}, which a late call set back, is held with ${again}`);
  }
}

/** What a scan has sent last, it does not send again: a person may have changed it. */
function wasSentByReconcile(id: string, { ledger }: PanelWorld): boolean {
  const { outcomes = [] } =
    ledger.entries.get(ledgerKeyText({ shop: SHOP, kind: 'order', id })) ?? {};
  return outcomes.findLast(({ outcome }) => outcome === 'applied')?.origin === 'reconcile';
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
