import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;

/** A mutation costs ten (Shopify, "GraphQL Admin API rate limits"). */
const mutationCost = 10;

/**
 * What a query costs before it is carried out: nothing for a scalar, one for an object, the dearest
 * choice where a type is abstract, and a connection by its size.
 *
 * By the documentation a connection's cost is in proportion to its size (`sized`). Costs that real
 * stores state are far lower: `variants(first: 250) { nodes { inventoryItem { id } } }` is 24. `eased`
 * is our guess at the rule, which meets that figure.
 */
export function requestedCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  rule: 'eased' | 'sized',
): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition);
  }
  const defaults = defaultsOf(operation.variableDefinitions ?? []);
  const readValue = (node: ValueNode | undefined): unknown => {
    if (node?.kind === Kind.VARIABLE) {
      const given = variables[node.name.value];
      return given === undefined ? defaults.get(node.name.value) : given;
    }
    return node && 'value' in node ? node.value : undefined;
  };

  function selectionCost(type: GraphQLCompositeType, set: SelectionSetNode | undefined): number {
    let shared = 0;
    const choices = new Map<string, number>();
    for (const selection of set?.selections ?? []) {
      if (isLeftOut(selection.directives ?? [])) continue;
      if (selection.kind === Kind.FIELD) {
        shared += fieldCost(type, selection);
        continue;
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      const name = fragment?.typeCondition?.name.value;
      const inner = name === undefined ? type : schema.getType(name);
      if (!fragment || !isCompositeType(inner)) continue;
      const cost = selectionCost(inner, fragment.selectionSet);
      // Only one of the types of an abstract field can be met.
      if (isAbstractType(type) && isObjectType(inner)) {
        choices.set(inner.name, (choices.get(inner.name) ?? 0) + cost);
      } else shared += cost;
    }
    return shared + Math.max(0, ...choices.values());
  }

  function isLeftOut(directives: NonNullable<FieldNode['directives']>): boolean {
    return directives.some(({ name, arguments: args }) => {
      const condition = readValue(args?.find((one) => one.name.value === 'if')?.value);
      return name.value === 'include'
        ? condition === false
        : name.value === 'skip' && condition === true;
    });
  }

  function fieldCost(parent: GraphQLCompositeType, field: FieldNode): number {
    if (!('getFields' in parent)) return 0;
    const definition = parent.getFields()[field.name.value];
    const type = definition && getNamedType(definition.type);
    if (!type || !isCompositeType(type) || type.name === 'PageInfo') return 0;
    if (!type.name.endsWith('Connection')) return 1 + selectionCost(type, field.selectionSet);
    const argument = (name: string) =>
      Number(readValue(field.arguments?.find((one) => one.name.value === name)?.value) ?? 0);
    const size = argument('first') || argument('last');
    return 2 + factor(size) * nodeCost(type, field.selectionSet);
  }

  /** `edges` and `nodes` are the way to the node, not objects of their own. */
  function nodeCost(type: GraphQLCompositeType, set: SelectionSetNode | undefined): number {
    const cost = selectionCost(type, set);
    const throughEdges = set?.selections.some(
      (one) => one.kind === Kind.FIELD && one.name.value === 'edges',
    );
    return Math.max(1, throughEdges ? cost - 1 : cost);
  }

  const factor = (size: number): number =>
    rule === 'sized' ? size : Math.max(1, Math.round(2 * Math.log(Math.max(1, size))));

  const root =
    operation.operation === 'mutation' ? schema.getMutationType() : schema.getQueryType();
  if (!root) return 0;
  if (operation.operation !== 'mutation') return selectionCost(root, operation.selectionSet);
  return mutationCost * operation.selectionSet.selections.length;
}

function defaultsOf(definitions: readonly VariableDefinitionNode[]): ReadonlyMap<string, unknown> {
  return new Map(
    definitions.flatMap(({ variable, defaultValue }) =>
      defaultValue && 'value' in defaultValue ? [[variable.name.value, defaultValue.value]] : [],
    ),
  );
}
