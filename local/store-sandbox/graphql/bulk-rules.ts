import {
  type DocumentNode,
  getNamedType,
  getNullableType,
  isListType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { adminSchema } from '../../../shared/shopify/admin/schema/admin-schema.ts';

/** Shopify, "Perform bulk operations". */
const maxConnections = 5;
const maxNesting = 2;

/** Why a valid query cannot run in bulk. */
export function bulkProblem(document: DocumentNode): string | undefined {
  const types = new TypeInfo(adminSchema());
  const problems: string[] = [];
  const above: ('connection' | 'list' | 'other')[] = [];
  let connections = 0;
  visit(
    document,
    visitWithTypeInfo(types, {
      OperationDefinition: (operation) => {
        const single = operation.selectionSet.selections.length === 1;
        if (!single) problems.push('Bulk queries must have a single top-level field.');
        if (operation.variableDefinitions?.length) problems.push('Bulk queries take no variables.');
      },
      Field: {
        enter: () => {
          const type = types.getType();
          const name = type ? getNamedType(type).name : '';
          if (!name.endsWith('Connection')) {
            // The edges of the connection itself do not count as a list.
            const own = above.at(-1) === 'connection' || name.endsWith('Edge');
            above.push(type && isListType(getNullableType(type)) && !own ? 'list' : 'other');
            return;
          }
          connections += 1;
          if (above.includes('list')) {
            problems.push(
              'Queries that contain a connection field within a list field are not supported.',
            );
          }
          const nested = above.filter((one) => one === 'connection').length;
          if (nested > maxNesting) problems.push('Bulk queries cannot be nested that deep.');
          above.push('connection');
        },
        leave: () => {
          above.pop();
        },
      },
    }),
  );
  if (connections === 0) problems.push('Bulk queries must contain at least one connection.');
  if (connections > maxConnections)
    problems.push('Bulk queries cannot contain more than 5 connections.');
  if (document.definitions.some(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)) {
    problems.push(
      'The sandbox does not support named fragments in bulk queries: write their fields inline.',
    );
  }
  return problems[0];
}
