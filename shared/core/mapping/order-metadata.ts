import type { StoreOrder } from '../../store/store-entities.ts';
import { HISTORY_METADATA } from './history-mark.ts';
import type { OrderRules } from './mapping-rules.ts';
import { askMerchant } from './merchant-function.ts';
import type { MappingFault, MetadataForm } from './wanted-state.ts';

export type MetadataResult =
  | { readonly kind: 'value'; readonly metadatas: MetadataForm[] }
  | { readonly kind: 'fault'; readonly fault: MappingFault };

/**
 * What has no field of its own, and the merchant's additions, which replace ours of the same name,
 * except the history mark. Sorted by name: the merchant's function may build its answer in any
 * order.
 */
export function orderMetadata(
  order: StoreOrder,
  rules: OrderRules,
  history: boolean,
): MetadataResult {
  const ours = new Map<string, string>();
  if (order.name !== undefined) ours.set('order_name', order.name);
  if (order.source !== undefined) ours.set('source', order.source);
  ours.set('currency', order.currency);
  if (order.couponCodes.length > 1) ours.set('coupons', order.couponCodes.join(', '));
  if (order.paymentGateways.length > 1) {
    ours.set('payment_gateways', order.paymentGateways.join(', '));
  }

  const { metadata } = rules;
  if (metadata !== undefined) {
    const expected = 'an object of texts';
    const added = askMerchant('metadata', metadata, order, isTexts, expected);
    if (added.kind === 'fault') return added;
    for (const [name, value] of Object.entries(added.value)) ours.set(name, value);
  }
  // Last, so that the merchant's function cannot replace it: it keeps campaigns from firing.
  if (history) ours.set(HISTORY_METADATA.name, HISTORY_METADATA.value);
  const metadatas = [...ours]
    .map(([Name, Value]) => ({ Name, Value }))
    .toSorted((one, other) => (one.Name < other.Name ? -1 : 1));
  return { kind: 'value', metadatas };
}

function isTexts(answer: unknown): answer is Record<string, string> {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    !Array.isArray(answer) &&
    Object.values(answer).every((value) => typeof value === 'string')
  );
}
