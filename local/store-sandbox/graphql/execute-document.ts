import {
  type DocumentNode,
  type ExecutionResult,
  executeSync,
  GraphQLError,
  type GraphQLFieldResolver,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  type OperationDefinitionNode,
} from 'graphql';
import { adminSchema } from '../../../shared/shopify/admin/schema/admin-schema.ts';
import { checkAccess } from './access.ts';
import type { GraphContext, View } from './graph-context.ts';
import { mutationRoot } from './mutation-root.ts';
import { queryRoot } from './query-root.ts';

/** Synchronous, because everything is in memory. */
export function executeDocument(
  context: GraphContext,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variableValues: Readonly<Record<string, unknown>>,
): ExecutionResult {
  return executeSync({
    schema: adminSchema(),
    document,
    operationName: operation.name?.value ?? null,
    rootValue: operation.operation === 'mutation' ? mutationRoot(context) : queryRoot(context),
    contextValue: context,
    variableValues,
    fieldResolver: resolveField,
    typeResolver: (value) => String((value as View).__typename),
  });
}

/** A field that a view does not implement is an error, so that it is not mistaken for an empty one. */
const resolveField: GraphQLFieldResolver<View, GraphContext> = (source, args, context, info) => {
  const { fieldName, parentType, returnType } = info;
  const typeName = getNamedType(returnType).name;
  const denied = checkAccess(context.scopes, typeName, fieldName);
  if (denied) throw denied;
  if (!Object.hasOwn(source, fieldName)) {
    throw new GraphQLError(
      `${parentType.name}.${fieldName} is in Shopify's schema, but this sandbox does not have it.`,
      { extensions: { code: 'NOT_IN_SANDBOX' } },
    );
  }
  const value = source[fieldName];
  const result: unknown = typeof value === 'function' ? value(args) : value;
  // The type of a node is known only after it was found.
  const type = (result as View | null)?.__typename;
  const hidden =
    typeof type === 'string' ? checkAccess(context.scopes, type, fieldName) : undefined;
  if (hidden) throw hidden;
  count(context, returnType, result);
  return result;
};

function count(
  { tally }: GraphContext,
  returnType: Parameters<typeof getNamedType>[0] & object,
  result: unknown,
): void {
  if (result == null || !isCompositeType(getNamedType(returnType))) return;
  const isList = isListType(getNullableType(returnType));
  tally.objects += isList && Array.isArray(result) ? result.length : 1;
}
