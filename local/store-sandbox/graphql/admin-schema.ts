import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { buildClientSchema, type GraphQLSchema } from 'graphql';
import { apiVersion } from '../settings.ts';

let schema: GraphQLSchema | undefined;

/**
 * Shopify's own schema, from the introspection that its package for assistants carries: 11 MB of
 * JSON, which takes half a second and 50 MB, so it is built once and only when it is first needed.
 */
export function adminSchema(): GraphQLSchema {
  if (schema) return schema;
  const manifest = findPackageJSON('@shopify/dev-mcp', import.meta.url) ?? '';
  const file = join(dirname(manifest), 'dist', 'data', `admin_${apiVersion}.json.gz`);
  const introspection = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'));
  // It is what the real store serves: checking it again costs time and finds nothing.
  schema = buildClientSchema(introspection.data ?? introspection, { assumeValid: true });
  return schema;
}
