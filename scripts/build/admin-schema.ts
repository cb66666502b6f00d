import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { buildClientSchema, type GraphQLSchema, type IntrospectionQuery } from 'graphql';
import { API_VERSION } from '../../shared/shopify/api-version.ts';

let schema: GraphQLSchema | undefined;

/** Shopify's own schema of that version, as the package `@shopify/dev-mcp` ships it. */
export function adminSchema(): GraphQLSchema {
  schema ??= buildClientSchema(readIntrospection());
  return schema;
}

function readIntrospection(): IntrospectionQuery {
  // By path: the package exports its server only, not its data.
  const file = `../../node_modules/@shopify/dev-mcp/dist/data/admin_${API_VERSION}.json.gz`;
  const packed = readFileSync(join(import.meta.dirname, file));
  const { data } = JSON.parse(gunzipSync(packed).toString('utf8'));
  return data;
}
