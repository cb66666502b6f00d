import { sum, toJsonNumber } from '../../store/money.ts';
import type { StoreOrderLine } from '../../store/order.ts';
import { brandForm } from './map-product.ts';
import type { OrderAmounts } from './order-amounts.ts';
import type { OrderProductForm } from './wanted-state.ts';

/** One entry per product, with what its kept lines count. */
export function orderProducts({ lines }: OrderAmounts): OrderProductForm[] {
  const groups = Map.groupBy(lines, ({ line }) => productIdOf(line));
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, group]) => {
      const first = group[0]?.line;
      return {
        OriginalId: id,
        Title: first?.title ?? '',
        // A product just bought is on offer; a line without a product is not.
        IsActive: first?.productId !== undefined,
        ProductPrice: toJsonNumber(sum(group.map(({ counts }) => counts))),
        ProductBrand: brandForm(first?.vendor),
      };
    });
}

function productIdOf(line: StoreOrderLine): string {
  return line.productId ?? `line-${line.id}`;
}
