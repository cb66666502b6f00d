import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as operationTypes from '@graphql-codegen/typescript-operations';
import { type GraphQLSchema, getOperationAST, print, stripIgnoredCharacters } from 'graphql';
import { adminSchema } from '../../shared/shopify/admin/schema/admin-schema.ts';
import { API_VERSION } from '../../shared/shopify/entity-id.ts';
import { type AdminOperation, checkAdminDocument, readAdminOperations } from './admin-documents.ts';

/**
 * Writes the documents of the Admin API as TypeScript: their text and their types in one file, because
 * neither Node nor the bundler reads .graphql files. With `--check` it only compares.
 */
const TARGET = join(import.meta.dirname, '../../shared/shopify/admin/documents.gen.ts');

/** Shopify writes every one of them as text in JSON: exact, whatever its length. */
const TEXT_SCALARS = ['ID', 'DateTime', 'Decimal', 'Money', 'UnsignedInt64', 'URL'];

async function generateAdminTypes(
  schema: GraphQLSchema,
  operations: readonly AdminOperation[],
): Promise<string> {
  const types = await codegen({
    filename: TARGET,
    schema: undefined as never,
    schemaAst: schema,
    // Copies, because the generator takes repeated fragments out of the documents it is given.
    documents: operations.map(({ name, document }) => ({
      location: name,
      document: structuredClone(document),
    })),
    config: {
      scalars: Object.fromEntries(TEXT_SCALARS.map((name) => [name, 'string'])),
      immutableTypes: true,
      skipTypename: true,
      enumType: 'string-literal',
      disableDescriptions: true,
      inlineFragmentTypes: 'combine',
    },
    plugins: [{ operations: {} }],
    pluginMap: { operations: operationTypes },
  });
  return [
    `// Generated from documents/*.graphql and Shopify's schema ${API_VERSION}: npm run generate.`,
    `import type { AdminDocument } from './client/admin-client.ts';`,
    types.trim(),
    ...operations.map(documentCode),
    '',
  ].join('\n\n');
}

function documentCode({ name, document }: AdminOperation): string {
  const operation = getOperationAST(document)?.operation;
  const kind = operation === 'mutation' ? 'Mutation' : 'Query';
  const constant = `${name.charAt(0).toLowerCase()}${name.slice(1)}Document`;
  const text = stripIgnoredCharacters(print(document));
  return [
    `export const ${constant}: AdminDocument<${name}${kind}, ${name}${kind}Variables> = {`,
    `  name: '${name}',`,
    `  kind: '${operation}',`,
    `  text: ${JSON.stringify(text)},`,
    `};`,
  ].join('\n');
}

async function main({ check, target }: { check: boolean; target: string }): Promise<void> {
  const schema = adminSchema();
  const operations = readAdminOperations();
  const faults = operations.flatMap(({ name, document }) =>
    checkAdminDocument(schema, document).map((fault) => `${name}: ${fault}`),
  );
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    process.exitCode = 1;
    return;
  }
  const code = await generateAdminTypes(schema, operations);
  if (!check) {
    writeFileSync(target, code);
  } else if (readFileSync(target, 'utf8') !== code) {
    console.error(`${target} is not what its documents say: npm run generate`);
    process.exitCode = 1;
  }
}

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
await main({ check: values.check, target: positionals[0] ?? TARGET });
