import { sum, toJsonNumber } from '../../store/money.ts';
import type { StoreOrder, StoreOrderLine } from '../../store/store-entities.ts';
import { brandForm } from './map-product.ts';
import { byId, type OrderAmounts } from './order-amounts.ts';
import type { OrderProductForm } from './wanted-state.ts';

/** Every product of the order with what was paid for it, also those of which nothing is kept. */
export function soldProducts({ lines }: StoreOrder): OrderProductForm[] {
  const counting = lines.toSorted(byId).map((line) => ({ line, counts: line.paid }));
  return orderProducts({ lines: counting });
}

/** One entry per product, with what its kept lines count. */
export function orderProducts({ lines }: Pick<OrderAmounts, 'lines'>): OrderProductForm[] {
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
