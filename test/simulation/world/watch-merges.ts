import { mergedInto } from '../../../shared/core/ledger/entry.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import type { OrderForm } from '../../../shared/core/mapping/wanted-state.ts';
import type { LoyaltyCall } from '../../support/in-process-loyalty.ts';
import type { MemoryLedger } from '../../support/memory-ledger.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SHOP } from './connector.ts';
import type { LoyaltyService } from './loyalty-service.ts';
import type { WatchedTelemetry } from './watched-telemetry.ts';

export interface WatchedMerges {
  readonly kernel: Kernel;
  readonly loyalty: LoyaltyService;
  readonly ledger: MemoryLedger;
  /** By order: when the ledger first knew it, or may have. */
  readonly knownSince: ReadonlyMap<string, number>;
  readonly telemetry: WatchedTelemetry;
}

/** Longer than any call and any lag: an order that is on its way when its customer changes is not judged. */
export const ON_ITS_WAY_MS = 5 * 60_000;

/**
 * After a merge a completed order stays with the member who earned its points, every other one is sent for the
 * customer who was kept, and points of the one who is gone are reported.
 */
export function watchMerges({ kernel, loyalty, ledger, knownSince, telemetry }: WatchedMerges): {
  readonly watch: (call: LoyaltyCall) => void;
} {
  const owners = new Map<string, string>();
  const pointsRead = new Map<string, number>();
  const violation = (what: string) => kernel.journal.violation('merges', what);
  telemetry.onMerged = (id) => {
    const points = pointsRead.get(id);
    if (points !== 0)
      violation(`the merge of ${id} counts as done, and they have ${points} points`);
  };

  /** When the ledger learned that the customer is gone. */
  function goneSince(id: string): number | undefined {
    const entry = ledger.entries.get(ledgerKeyText({ shop: SHOP, kind: 'customer', id }));
    const { at } = entry?.outcomes.at(-1) ?? {};
    return mergedInto(entry) === undefined || at === undefined ? undefined : Date.parse(at);
  }

  function watchOrder({ OriginalId: id = '', Customer }: OrderForm): void {
    const row = loyalty.rows.orders.get(id);
    const owner = owners.get(id);
    if (row && owner !== undefined && row.customerId !== owner) {
      violation(`the completed order ${id} passes from ${owner} to ${row.customerId}`);
    }
    if (!row?.IsCompleted) return;
    owners.set(id, row.customerId);
    const to = Customer?.OriginalId ?? '';
    const gone = goneSince(to);
    // What a worker marked before the merge, it may have sent: then it stays.
    const marked = knownSince.get(id) ?? 0;
    if (owner === undefined && gone !== undefined && marked > gone + ON_ITS_WAY_MS) {
      violation(`order ${id} is sent for ${to}, who was merged into another`);
    }
  }

  return {
    watch: ({ operation, path, body }) => {
      if (operation === 'sendOrder') watchOrder(body as OrderForm);
      if (operation !== 'getCustomerPoints') return;
      const id = path.id ?? '';
      const points = [...loyalty.rows.points.values()]
        .filter(({ customerId, isCanceled }) => customerId === id && !isCanceled)
        .reduce((sum, { pointsHundredths }) => sum + pointsHundredths, 0);
      pointsRead.set(id, points);
    },
  };
}
