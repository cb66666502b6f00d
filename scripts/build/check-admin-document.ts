import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getNamedType,
  NoDeprecatedCustomRule,
  NoUnusedFragmentsRule,
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
