import type { StoreProduct } from '../../store/product.ts';
import { type ProductNode, productFromNode } from '../admin/products/read-product.ts';
import type { BulkGroup } from './group-lines.ts';

/** A product of a bulk file, read by the same rules as its webhook; undefined when it cannot be. */
export function productFromBulk({ owner, children }: BulkGroup): StoreProduct | undefined {
  const pictures = children.filter(({ __typename: type }) => type === 'MediaImage');
  return productFromNode({ ...owner, media: { nodes: pictures } } as unknown as ProductNode);
}
