export interface BulkResult {
  /** In pieces, because the file may exceed the maximum length of a string. */
  readonly pieces: readonly Buffer[];
  readonly objects: number;
  readonly rootObjects: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes the result of a bulk query slice by slice: a line for every node of every connection. Nodes of a
 * nested connection name their owner in `__parentId`. Grouped, they follow their owner; otherwise the
 * order is undefined, and here they follow all owners.
 */
export class JsonlWriter {
  readonly #grouped: boolean;
  readonly #roots: Buffer[] = [];
  readonly #children: Buffer[] = [];
  #objects = 0;
  #rootObjects = 0;

  constructor(grouped: boolean) {
    this.#grouped = grouped;
  }

  /** Adds one slice of the answer; returns how many nodes its root connection had. */
  add(data: Fields): number {
    const roots: string[] = [];
    const children: string[] = [];
    let count = 0;
    for (const value of Object.values(data)) {
      const nodes = nodesOf(value) ?? (isFields(value) ? [value] : []);
      count += nodes.length;
      for (const node of nodes) writeNode(node, undefined, roots, this.#grouped ? roots : children);
    }
    this.#objects += roots.length + children.length;
    this.#rootObjects += count;
    if (roots.length > 0) this.#roots.push(toPiece(roots));
    if (children.length > 0) this.#children.push(toPiece(children));
    return count;
  }

  end(): BulkResult {
    const pieces = [...this.#roots, ...this.#children];
    return { pieces, objects: this.#objects, rootObjects: this.#rootObjects };
  }
}

function toPiece(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

function writeNode(node: Fields, parentId: unknown, lines: string[], below: string[]): void {
  const children: Fields[] = [];
  const own = withoutConnections(node, children);
  lines.push(JSON.stringify(parentId === undefined ? own : { ...own, __parentId: parentId }));
  for (const child of children) writeNode(child, node.id ?? parentId, below, below);
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
