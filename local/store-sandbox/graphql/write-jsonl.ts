import type { BulkResult } from './bulk-operations.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The result of a bulk query: a line for every node of every connection, the children of a nested
 * connection after their parent and pointing at it with `__parentId`.
 */
export function writeJsonl(data: Fields): BulkResult {
  const lines: string[] = [];
  let rootObjects = 0;

  function writeNode(node: Fields, parentId: unknown): void {
    const children: Fields[] = [];
    const own = withoutConnections(node, children);
    lines.push(JSON.stringify(parentId === undefined ? own : { ...own, __parentId: parentId }));
    for (const child of children) writeNode(child, node.id ?? parentId);
  }

  for (const value of Object.values(data)) {
    const nodes = nodesOf(value) ?? (isFields(value) ? [value] : []);
    rootObjects += nodes.length;
    for (const node of nodes) writeNode(node, undefined);
  }
  return {
    jsonl: lines.map((line) => `${line}\n`).join(''),
    objects: lines.length,
    rootObjects,
  };
}

/** A connection inside another object belongs to the nearest node above it. */
function withoutConnections(fields: Fields, found: Fields[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      const nodes = nodesOf(value);
      if (nodes) {
        found.push(...nodes);
        return [];
      }
      return [[name, isFields(value) ? withoutConnections(value, found) : value]];
    }),
  );
}

function nodesOf(value: unknown): readonly Fields[] | undefined {
  if (!isFields(value)) return undefined;
  if (Array.isArray(value.nodes)) return value.nodes.filter(isFields);
  if (!Array.isArray(value.edges)) return undefined;
  return value.edges.map((edge) => edge?.node).filter(isFields);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
