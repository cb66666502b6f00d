import {
  type DocumentNode,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isUnionType,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** What another schema changes for a document: `- ` and `+ ` with a field, argument, member or value that it uses. */
export function changesFor(
  document: DocumentNode,
  before: GraphQLSchema,
  after: GraphQLSchema,
): readonly string[] {
  const [old, now] = [partsUsed(before, document), partsUsed(after, document)];
  return [
    ...[...old].filter((part) => !now.has(part)).map((part) => `- ${part}`),
    ...[...now].filter((part) => !old.has(part)).map((part) => `+ ${part}`),
  ];
}

function partsUsed(schema: GraphQLSchema, document: DocumentNode): ReadonlySet<string> {
  const parts = new Set<string>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const field = types.getFieldDef();
        if (!field) return;
        const deprecated = field.deprecationReason == null ? '' : ', deprecated';
        parts.add(`${types.getParentType()}.${field.name}: ${field.type}${deprecated}`);
        addMembers(field.type, parts);
      },
      Argument() {
        const argument = types.getArgument();
        if (argument) parts.add(`${types.getFieldDef()?.name}(${argument.name}: ${argument.type})`);
      },
      VariableDefinition({ type }) {
        const given = typeFromAST(schema, type);
        if (given) addMembers(given, parts);
      },
    }),
  );
  return parts;
}

/** Values, members, and the fields of an input at any depth. */
function addMembers(type: GraphQLType, parts: Set<string>): void {
  const named = getNamedType(type);
  if (isEnumType(named)) {
    for (const { name } of named.getValues()) parts.add(`${named}.${name}`);
  } else if (isUnionType(named)) {
    for (const member of named.getTypes()) parts.add(`${named} = ${member}`);
  } else if (isInputObjectType(named)) {
    for (const field of Object.values(named.getFields())) {
      const part = `${named}.${field.name}: ${field.type}`;
      if (parts.has(part)) continue;
      parts.add(part);
      addMembers(field.type, parts);
    }
  }
}
