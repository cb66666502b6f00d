import { errorFields, type Telemetry } from '../batch/telemetry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { StoreEntity } from '../sync/store-reader.ts';
import { applyStep, openBook } from './open-book.ts';

export interface UsedCodesWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  readonly orderRetentionDays: number;
}

/**
 * Marks the reward codes that an order names as used, so that no page calls them ready any more. Only the
 * customer of a code can use it. Read only for orders with a code. The order does not wait for it: without the
 * mark, the store's count of uses says it a little later.
 */
export async function noteUsedCodes(
  shop: string,
  entity: StoreEntity | { readonly kind: 'gone' },
  { ledger, telemetry, now, orderRetentionDays }: UsedCodesWorld,
): Promise<void> {
  if (entity.kind !== 'order' || !entity.order.customer) return;
  const { couponCodes, customer } = entity.order;
  if (couponCodes.length === 0) return;
  // The store does not distinguish upper and lower case in codes.
  const used = new Set(couponCodes.map((code) => code.toLowerCase()));
  const world = { ledger, now, retentionDays: orderRetentionDays };
  const book = openBook({ shop, customerId: customer.id }, world);
  try {
    const { redemptions } = await book.read();
    for (const { id, state } of redemptions) {
      if (state.at !== 'ready' || !used.has(state.code.code.toLowerCase())) continue;
      await applyStep(book, id, { kind: 'use' });
    }
  } catch (error) {
    telemetry.log('warn', 'a used code could not be marked', { shop, ...errorFields(error) });
  }
}
