import { sum, toJsonNumber } from '../../store/money.ts';
import type { StoreOrder, StoreOrderLine } from '../../store/order.ts';
import { brandForm } from './map-product.ts';
import type { OrderProductForm } from './wanted-state.ts';

/**
 * One entry per product with what was paid for what is kept of it. The sum of the entries is the sum
 * of the kept lines, exactly.
 *
 * Sorted, because sources list the lines of one order differently and the result must be the same.
 */
export function orderProducts(order: StoreOrder): OrderProductForm[] {
  const kept = order.lines.filter((line) => line.kept > 0).toSorted(byId);
  const groups = Map.groupBy(kept, productIdOf);
  return [...groups]
    .map(([id, lines]) => ({
      id,
      first: lines[0],
      paid: sum(lines.map((line) => line.paid)),
    }))
    .toSorted(byId)
    .map(({ id, first, paid }) => ({
      OriginalId: id,
      Title: first?.title ?? '',
      // A product just bought is on offer; a line without a product is not.
      IsActive: first?.productId !== undefined,
      ProductPrice: toJsonNumber(paid),
      ProductBrand: brandForm(first?.vendor),
    }));
}

function productIdOf(line: StoreOrderLine): string {
  return line.productId ?? `line-${line.id}`;
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}
