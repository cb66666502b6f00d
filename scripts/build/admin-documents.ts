import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  visit,
} from 'graphql';

const FOLDER = join(import.meta.dirname, '../../shared/shopify/admin/documents');

/** One operation with the fragments it uses, ready to be sent. */
export interface AdminOperation {
  /** Without ending: `orders`. */
  readonly file: string;
  readonly name: string;
  readonly operation: OperationDefinitionNode;
  readonly document: DocumentNode;
}

export function readAdminOperations(folder: string = FOLDER): AdminOperation[] {
  const files = globSync('**/*.graphql', { cwd: folder }).sort();
  const sources = files.map((file) => ({
    file: basename(file, '.graphql'),
    definitions: parse(readFileSync(join(folder, file), 'utf8'), { noLocation: true }).definitions,
  }));
  const fragments = new Map(
    sources.flatMap(({ definitions }) =>
      definitions
        .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
        .map((fragment) => [fragment.name.value, fragment] as const),
    ),
  );
  return sources.flatMap(({ file, definitions }) =>
    definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((operation) => ({
        file,
        name: operation.name?.value ?? '',
        operation,
        document: withFragments(operation, fragments),
      })),
  );
}

function withFragments(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DocumentNode {
  const used = new Set<FragmentDefinitionNode>();
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        // A spread without its fragment is reported by the validation.
        if (!fragment || used.has(fragment)) return;
        used.add(fragment);
        collect(fragment);
      },
    });
  };
  collect(operation);
  return { kind: Kind.DOCUMENT, definitions: [operation, ...used] };
}
