import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  concatAST,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getNamedType,
  Kind,
  NoDeprecatedCustomRule,
  NoUnusedFragmentsRule,
  parse,
  separateOperations,
  specifiedRules,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import {
  MAX_PAGE_SIZE,
  MAX_QUERY_COST,
  pageSize,
  queryCost,
} from '../../shared/shopify/admin/schema/admin-schema.ts';

const FOLDER = join(import.meta.dirname, '../../shared/shopify/admin/documents');

/** One operation with the fragments it uses, ready to be sent. */
export interface AdminOperation {
  readonly name: string;
  readonly document: DocumentNode;
}

export function readAdminOperations(): readonly AdminOperation[] {
  const files = globSync(join(FOLDER, '**/*.graphql')).sort();
  const parsed = files.map((file) => parse(readFileSync(file, 'utf8'), { noLocation: true }));
  const operations = Object.entries(separateOperations(concatAST(parsed)));
  return operations.map(([name, { kind, definitions }]) => {
    // Read first by people, and by what looks for the name of a request.
    const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
    const own = definitions.filter((one) => one.kind !== Kind.FRAGMENT_DEFINITION);
    return { name, document: { kind, definitions: [...own, ...fragments] } };
  });
}

/** Everything that Shopify would refuse, or has announced to refuse one day. */
export function checkAdminDocument(schema: GraphQLSchema, document: DocumentNode): string[] {
  const errors = validate(schema, document, [
    ...specifiedRules,
    NoUnusedFragmentsRule,
    NoDeprecatedCustomRule,
  ]);
  if (errors.length > 0) return errors.map(({ message }: GraphQLError) => message);
  return [...checkPages(schema, document), ...checkCost(schema, document)];
}

function checkPages(schema: GraphQLSchema, document: DocumentNode): string[] {
  const faults: string[] = [];
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(field) {
        const size = pageSize(field);
        const type = getNamedType(types.getType());
        const { value: name } = field.name;
        if (size === undefined && type?.name.endsWith('Connection')) {
          faults.push(`${name} is a connection and must say how long its page is, as a number`);
        }
        if (size !== undefined && (size < 1 || size > MAX_PAGE_SIZE)) {
          faults.push(`${name} asks for ${size} at once, Shopify gives 1 to ${MAX_PAGE_SIZE}`);
        }
      },
    }),
  );
  return faults;
}

function checkCost(schema: GraphQLSchema, document: DocumentNode): string[] {
  const cost = queryCost(schema, document);
  return cost > MAX_QUERY_COST ? [`costs ${cost} points, Shopify allows ${MAX_QUERY_COST}`] : [];
}
