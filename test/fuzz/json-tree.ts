/**
 * JSON as a text can have it and no value of JavaScript can: members of the same name twice, numbers
 * beyond any double, half of a surrogate pair.
 */
export type JsonTree = null | boolean | number | string | JsonTree[] | Members | Verbatim;

export class Members {
  pairs: [string, JsonTree][];
  constructor(pairs: [string, JsonTree][]) {
    this.pairs = pairs;
  }
}

/** Written as it is. */
export class Verbatim {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function toTree(value: unknown): JsonTree {
  if (Array.isArray(value)) return value.map(toTree);
  if (typeof value === 'object' && value !== null) {
    return new Members(Object.entries(value).map(([key, member]) => [key, toTree(member)]));
  }
  return (value ?? null) as JsonTree;
}

/** A copy that can be changed without changing the first; what is verbatim never changes. */
export function copyTree(tree: JsonTree): JsonTree {
  if (Array.isArray(tree)) return tree.map(copyTree);
  if (tree instanceof Members) {
    return new Members(tree.pairs.map(([key, member]) => [key, copyTree(member)]));
  }
  return tree;
}

export function writeTree(tree: JsonTree): string {
  if (Array.isArray(tree)) return `[${tree.map(writeTree).join(',')}]`;
  if (tree instanceof Verbatim) return tree.text;
  if (tree instanceof Members) {
    const members = tree.pairs.map(
      ([key, member]) => `${JSON.stringify(key)}:${writeTree(member)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(tree);
}
