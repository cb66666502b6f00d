import { createHash } from 'node:crypto';
import type { OrderRules } from './mapping-rules.ts';

/** Raised with every change of code that maps the same order differently: a test notices such a change. */
const MAPPING = 2;

/**
 * Names the rules by which an order is mapped. A ledger entry keeps that of the state that was applied, so
 * that a difference made by the rules alone does not count as a change in the store.
 */
export function rulesRevision(rules: OrderRules): string {
  const { completeWhen, orderTotal, taxes, giftCards, pendingOrders, customersWithoutEmail } =
    rules;
  const { document, birthday, enrich, enrolment, metadata } = rules;
  const settings = [
    ...[completeWhen, orderTotal, taxes, giftCards, pendingOrders, customersWithoutEmail],
    ...[document, birthday, enrich, enrolment, metadata],
  ];
  const text = JSON.stringify([MAPPING, ...settings], (_, value: unknown) =>
    typeof value === 'function' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
