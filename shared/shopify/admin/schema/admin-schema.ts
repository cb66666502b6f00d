import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { API_VERSION } from '../../api-version.ts';

let schema: GraphQLSchema | undefined;

/**
 * Shopify's published schema of the Admin API, without its descriptions. For tools, tests and the store
 * sandbox, never for a function: building it takes about a second, so it is built on first use.
 * `npm run renew-schemas` fetches it.
 */
export function adminSchema(): GraphQLSchema {
  if (schema) return schema;
  const packed = readFileSync(join(import.meta.dirname, `${API_VERSION}.graphql.br`));
  // Published by Shopify: checking it again would only take time.
  const published = { assumeValid: true, assumeValidSDL: true, noLocation: true };
  schema = buildSchema(brotliDecompressSync(packed).toString('utf8'), published);
  return schema;
}
