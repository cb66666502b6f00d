import type { StoreOrder } from '../../store/store-entities.ts';
import { idempotencyKey } from '../ledger/idempotency-key.ts';
import type { EntityEntry } from '../ledger/ledger.ts';
import type { EntityKey } from '../ledger/ledger-key.ts';
import { fromThousandths } from '../ledger/sent-amounts.ts';
import { isKnown } from '../mapping/history-mark.ts';
import { type EntityRules, mapSnapshot } from '../mapping/map-snapshot.ts';
import { recallOrder } from '../mapping/remembered.ts';
import { hasOtherRules } from '../mapping/rules-revision.ts';
import type { OrderForm } from '../mapping/wanted-state.ts';

/** What counting one order by the rules of today changes: amounts that earn points. */
export interface RulesEffect {
  readonly before: number;
  readonly after: number;
  readonly wantedKey: string;
}

/** Undefined for an order that was never sent, is cancelled, or is counted by the rules of today already. */
export function rulesEffect(
  key: EntityKey,
  order: StoreOrder,
  entry: EntityEntry | undefined,
  rules: EntityRules,
  now: Date,
): RulesEffect | undefined {
  if (!isKnown(entry)) return undefined;
  const snapshot = {
    kind: 'snapshot',
    entity: { kind: 'order', order },
    version: Date.parse(order.updatedAt),
    source: 'store',
    newRules: true,
  } as const;
  const mapped = mapSnapshot(key, snapshot, entry, rules, now);
  if (mapped.kind !== 'wanted' || mapped.wanted.kind !== 'order') return undefined;
  const wantedKey = idempotencyKey(mapped.wanted);
  const [before, after] = [earnedBy(entry), earned(mapped.wanted.order)];
  const isSame =
    before === after && (wantedKey === entry.appliedKey || !hasOtherRules(mapped, entry));
  return isSame ? undefined : { before, after, wantedKey };
}

function earnedBy({ amounts, remembered }: EntityEntry): number {
  if (amounts) return fromThousandths(amounts.sent.total - amounts.taken);
  const { OrderTotal = 0, OrderCompletedDate } = recallOrder(remembered)?.basics ?? {};
  return OrderCompletedDate == null ? 0 : OrderTotal;
}

const earned = ({ IsCompleted, OrderTotal = 0 }: OrderForm): number =>
  IsCompleted === true ? OrderTotal : 0;
