import { createHash } from 'node:crypto';
import type { OrderRules } from './mapping-rules.ts';
import { recallOrder } from './remembered.ts';
import type { Mapped } from './wanted-state.ts';

/** Raised with every change of code that maps the same order differently: a test notices such a change. */
const MAPPING = 3;

/**
 * Names the rules by which an order is mapped. A ledger entry keeps that of the state that was applied, so
 * that a difference made by the rules alone does not count as a change in the store.
 */
export function rulesRevision(rules: OrderRules): string {
  const { completeWhen, orderTotal, taxes, giftCards, lostDisputes, pendingOrders } = rules;
  const { customersWithoutEmail, document, birthday, enrich, enrolment, metadata } = rules;
  const settings = [
    ...[completeWhen, orderTotal, taxes, giftCards, lostDisputes, pendingOrders],
    ...[customersWithoutEmail, document, birthday, enrich, enrolment, metadata],
  ];
  const text = JSON.stringify([MAPPING, ...settings], (_, value: unknown) =>
    typeof value === 'function' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/** The entry's state was mapped by other rules than this one. */
export function hasOtherRules(
  mapped: Mapped | undefined,
  entry: { readonly rules?: string } | undefined,
): boolean {
  return mapped?.kind === 'wanted' && mapped.rules !== undefined && mapped.rules !== entry?.rules;
}

/**
 * Of two states with the same version: only the rules make them differ. The version alone does not say so,
 * because the store may change an order twice in a second. But by the rules that it keeps, a completed order
 * counts another amount only if the store changed it.
 */
export function differsByRulesAlone(
  mapped: Mapped | undefined,
  entry: { readonly rules?: string; readonly remembered?: string } | undefined,
): boolean {
  if (mapped?.kind !== 'wanted' || !hasOtherRules(mapped, entry)) return false;
  const { basics } = recallOrder(entry?.remembered) ?? {};
  if (mapped.wanted.kind !== 'order' || !basics) return true;
  const { OrderTotal, IsCompleted } = mapped.wanted.order;
  // One that was not completed has no points to lose.
  return basics.OrderCompletedDate == null ? !IsCompleted : OrderTotal === basics.OrderTotal;
}
