import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** Shopify, "GraphQL Admin API rate limits": no single query may cost more. */
export const MOST_POINTS = 1000;
/** Shopify, "Pagination with GraphQL": no page may be longer. */
export const LONGEST_PAGE = 250;

/** A mutation costs ten, a connection two besides what it holds. */
const MUTATION = 10;
const CONNECTION = 2;

/**
 * What a document costs at most, by the documented rules: an object one point, scalars and enums
 * none, of a union or an interface the dearest of its types, a connection as many objects as its page
 * has. Shopify counts long pages at a discount that it does not document, so the real cost is lower.
 * Of a list without a page size one object is counted, as Shopify does.
 */
export function queryCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>> = {},
): number {
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment] as const),
  );
  const costs = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map(({ operation, selectionSet }) => {
      const root = schema.getRootType(operation);
      if (!root) return 0;
      const base = operation === 'mutation' ? MUTATION : 0;
      return base + selectionCost(root, selectionSet, { schema, fragments, variables });
    });
  return Math.max(0, ...costs);
}

interface Context {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Of the objects that the selection can meet, the dearest one's cost. */
function selectionCost(
  type: GraphQLCompositeType,
  selection: SelectionSetNode,
  context: Context,
): number {
  const possible = isAbstractType(type) ? context.schema.getPossibleTypes(type) : [type];
  return Math.max(0, ...possible.map((object) => objectCost(object, selection, context)));
}

function objectCost(
  object: GraphQLObjectType,
  { selections }: SelectionSetNode,
  context: Context,
): number {
  const costs = selections.map((selection): number => {
    if (selection.kind === Kind.FIELD) return fieldCost(object, selection, context);
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : context.fragments.get(selection.name.value);
    if (!fragment || !applies(object, fragment.typeCondition?.name.value, context)) return 0;
    return objectCost(object, fragment.selectionSet, context);
  });
  return costs.reduce((total, cost) => total + cost, 0);
}

function applies(object: GraphQLObjectType, condition: string | undefined, { schema }: Context) {
  if (condition === undefined || condition === object.name) return true;
  const type = schema.getType(condition);
  return isAbstractType(type) && schema.isSubType(type, object);
}

function fieldCost(object: GraphQLObjectType, field: FieldNode, context: Context): number {
  const definition = object.getFields()[field.name.value];
  const type = definition && getNamedType(definition.type);
  if (!isCompositeType(type) || !field.selectionSet) return 0;
  if (type.name === 'PageInfo') return 0;
  const size = pageSize(field, context.variables);
  if (isObjectType(type) && type.name.endsWith('Connection')) {
    return CONNECTION + (size ?? LONGEST_PAGE) * nodeCost(type, field.selectionSet, context);
  }
  return (size ?? 1) * (1 + selectionCost(type, field.selectionSet, context));
}

/** `edges`, `nodes` and `node` are how a connection is written, not objects of their own. */
function nodeCost(
  connection: GraphQLObjectType,
  selection: SelectionSetNode,
  context: Context,
): number {
  const cost = objectCost(connection, selection, context);
  return viaEdges(selection, context) ? cost - 1 : cost;
}

function viaEdges({ selections }: SelectionSetNode, context: Context): boolean {
  return selections.some((selection) => {
    if (selection.kind === Kind.FIELD) return selection.name.value === 'edges';
    if (selection.kind === Kind.INLINE_FRAGMENT) return viaEdges(selection.selectionSet, context);
    const fragment = context.fragments.get(selection.name.value);
    return fragment !== undefined && viaEdges(fragment.selectionSet, context);
  });
}

/** `first` or `last`, as written or as the variable has it. */
export function pageSize(
  { arguments: given = [] }: FieldNode,
  variables: Readonly<Record<string, unknown>> = {},
): number | undefined {
  const size = given.find(({ name }) => name.value === 'first' || name.value === 'last')?.value;
  if (size?.kind === Kind.INT) return Number(size.value);
  if (size?.kind !== Kind.VARIABLE) return undefined;
  const value = variables[size.name.value];
  return typeof value === 'number' ? value : undefined;
}
