import { createHmac } from 'node:crypto';

/**
 * The query with the signature that the store's app proxy adds: every parameter, sorted, `name=value`
 * without anything between them, the values of a name given twice joined by a comma (Shopify,
 * "Authenticate app proxies").
 */
export function signQuery(query: URLSearchParams, secret: string): URLSearchParams {
  const names = [...new Set(query.keys())];
  const signed = names
    .map((name) => `${name}=${query.getAll(name).join(',')}`)
    .toSorted()
    .join('');
  const signature = createHmac('sha256', secret).update(signed).digest('hex');
  return new URLSearchParams([...query, ['signature', signature]]);
}
