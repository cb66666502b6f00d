import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import {
  buildSchema,
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
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { API_VERSION } from '../../entity-id.ts';

let schema: GraphQLSchema | undefined;

/**
 * Shopify's published schema of the Admin API, without its descriptions. For tools, tests and the store
 * sandbox, never for a function: building it takes about a second, so it is built on first use.
 * `npm run renew-schemas` fetches it; source.json says from where.
 */
export function adminSchema(): GraphQLSchema {
  if (schema) return schema;
  const packed = readFileSync(join(import.meta.dirname, `${API_VERSION}.graphql.br`));
  schema = readSchema(brotliDecompressSync(packed).toString('utf8'));
  return schema;
}

/** With what only Shopify's documentation has. */
export function readSchema(published: string): GraphQLSchema {
  const documented = readFileSync(join(import.meta.dirname, 'rollouts.graphql'), 'utf8');
  // Published by Shopify: checking it again would only take time.
  const options = { assumeValid: true, assumeValidSDL: true, noLocation: true };
  return buildSchema(`${published}\n${documented}`, options);
}

/** Shopify, "GraphQL Admin API rate limits": the highest cost of a single query. */
export const MAX_QUERY_COST = 1000;
/** Shopify, "Pagination with GraphQL". */
export const MAX_PAGE_SIZE = 250;

/** The base cost of a mutation and of a connection (Shopify, "GraphQL Admin API rate limits"). */
const MUTATION = 10;
const CONNECTION = 2;

interface CostOptions {
  /** Default: the one that costs most. */
  readonly operation?: OperationDefinitionNode;
  readonly variables?: Readonly<Record<string, unknown>>;
  /**
   * `sized`, as documented: a connection costs in proportion to its page size. Real stores charge far
   * less: `variants(first: 250) { nodes { inventoryItem { id } } }` costs 24. `eased` is our guess at
   * their rule, which gives that figure. Default: `sized`.
   */
  readonly pages?: 'sized' | 'eased';
}

/**
 * The requested cost of a document: an object one point, scalars and enums none, a union or an interface
 * its most expensive type, a connection as many objects as its page has. A list without a page size counts
 * as one object, as Shopify does it. With `sized` the result is an upper bound and includes what a
 * mutation returns.
 */
export function queryCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation: only, variables = {}, pages = 'sized' }: CostOptions = {},
): number {
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment] as const),
  );
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const costs = (only ? [only] : operations).map((one) => {
    const root = schema.getRootType(one.operation);
    if (!root) return 0;
    const defaults = (one.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, literalOf(defaultValue)] as const] : [],
    );
    const given = { ...Object.fromEntries(defaults), ...variables };
    const context = { schema, fragments, variables: given, pages };
    if (one.operation !== 'mutation') return selectionCost(root, one.selectionSet, context);
    const base = MUTATION * one.selectionSet.selections.length;
    return pages === 'sized' ? base + selectionCost(root, one.selectionSet, context) : base;
  });
  return Math.max(0, ...costs);
}

interface Context {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly pages: 'sized' | 'eased';
}

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
    if (isLeftOut(selection.directives, context.variables)) return 0;
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

function isLeftOut(directives: FieldNode['directives'], variables: Context['variables']): boolean {
  return (directives ?? []).some(({ name, arguments: given }) => {
    const condition = valueIn(given?.find((one) => one.name.value === 'if')?.value, variables);
    return condition === (name.value === 'skip');
  });
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
    const counted = countedNodes(size ?? MAX_PAGE_SIZE, context);
    return CONNECTION + counted * nodeCost(type, field.selectionSet, context);
  }
  return (size ?? 1) * (1 + selectionCost(type, field.selectionSet, context));
}

function countedNodes(size: number, { pages }: Context): number {
  return pages === 'sized' ? size : Math.max(1, Math.round(2 * Math.log(Math.max(1, size))));
}

/** `edges`, `nodes` and `node` are syntax of a connection and not counted as objects. */
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

export function pageSize(
  { arguments: given = [] }: FieldNode,
  variables: Readonly<Record<string, unknown>> = {},
): number | undefined {
  const sizes = given.filter(({ name }) => name.value === 'first' || name.value === 'last');
  const values = sizes.map(({ value }) => valueIn(value, variables));
  return values.find((value) => typeof value === 'number');
}

function valueIn(node: ValueNode | undefined, variables: Context['variables']): unknown {
  return node?.kind === Kind.VARIABLE ? variables[node.name.value] : node && literalOf(node);
}

function literalOf(node: ValueNode): unknown {
  if (node.kind === Kind.INT) return Number(node.value);
  return node.kind === Kind.BOOLEAN ? node.value : undefined;
}
