import { idFromGid } from '../entity-id.ts';

// Without a schema library: the receiver loads this file.

export type Payload = Readonly<Record<string, unknown>>;

/** In the variables of the query; a deletion may name it only in the paths of what changed. */
export function productIdOfEvent(body: Payload): string | undefined {
  const given = asText(asRecord(body.query_variables)?.productId);
  return idFromGid(given ?? gidOfRoot(body.fields_changed), 'Product');
}

/** `{"removed": ["product[id: 'gid://shopify/Product/123']"]}` */
function gidOfRoot(fieldsChanged: unknown): string | undefined {
  const [path] = Object.values(asRecord(fieldsChanged) ?? {}).flat();
  return /^product\[id: '([^']+)'\]/.exec(asText(path) ?? '')?.[1];
}

export function asRecord(value: unknown): Payload | undefined {
  return typeof value === 'object' && value !== null ? (value as Payload) : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
