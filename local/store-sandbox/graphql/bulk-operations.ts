import { randomUUID } from 'node:crypto';
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
import { gid, type Ids } from '../model/ids.ts';
import { type Announcement, moment } from '../model/world.ts';

interface Operation {
  readonly id: string;
  readonly query: string;
  readonly grouped: boolean;
  readonly status: 'CREATED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED';
  readonly errorCode: string | null;
  readonly createdAt: string;
  readonly completedAt: string | null;
  readonly result: BulkResult | undefined;
  /** Hard to guess, because the download needs no token. */
  readonly key: string;
}

interface BulkParts {
  readonly ids: Ids;
  readonly now: () => Date;
  readonly takesMs: number;
  /** Returns what is wrong with the query, if anything. */
  readonly check: (query: string) => string | undefined;
  readonly run: (
    query: string,
    options: { readonly grouped: boolean },
  ) => Promise<BulkResult | { readonly errorCode: string }>;
  readonly address: () => string;
  readonly announce: (announcement: Announcement) => void;
}

/** The fields of `BulkOperation`, by name. */
type View = Readonly<Record<string, unknown>>;

type BulkStart =
  | { readonly kind: 'started'; readonly operation: View }
  | { readonly kind: 'refused'; readonly why: string; readonly code: string };

/** Shopify's limit per shop since 2026-01; before it was one. */
const maxAtOnce = 5;
const maxKept = 50;
/** "Results remain available for seven days after completion" (Shopify, "bulkOperationRunQuery"). */
const KEPT_MS = 7 * 86_400_000;

/** In memory: a result is needed only for minutes, and a new one is cheap. */
export class BulkOperations {
  readonly #parts: BulkParts;
  readonly #operations = new Map<string, Operation>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(parts: BulkParts) {
    this.#parts = parts;
  }

  start(query: string, grouped: boolean): BulkStart {
    const { ids, check, takesMs } = this.#parts;
    const problem = check(query);
    if (problem !== undefined) return { kind: 'refused', why: problem, code: 'INVALID' };
    const running = [...this.#operations.values()].filter(isUnderWay).length;
    if (running >= maxAtOnce) {
      const why = `A bulk query operation for this app and shop is already in progress: ${maxAtOnce} at once.`;
      return { kind: 'refused', why, code: 'OPERATION_IN_PROGRESS' };
    }
    const id = gid('BulkOperation', ids.next('BulkOperation'));
    const created: Operation = {
      id,
      query,
      grouped,
      status: 'CREATED',
      errorCode: null,
      createdAt: moment(this.#parts),
      completedAt: null,
      result: undefined,
      key: randomUUID(),
    };
    this.#put(created);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#finish(id);
    }, takesMs);
    this.#timers.add(timer);
    this.#put({ ...created, status: 'RUNNING' });
    return { kind: 'started', operation: this.#view(created) };
  }

  cancel(id: string): View | undefined {
    const operation = this.#operations.get(id);
    if (!operation) return undefined;
    if (isUnderWay(operation))
      this.#put({ ...operation, status: 'CANCELED', completedAt: moment(this.#parts) });
    return this.get(id);
  }

  get(id: string): View | undefined {
    const operation = this.#operations.get(id);
    return operation && this.#view(operation);
  }

  /** The content of a result file. */
  result(key: string): readonly Buffer[] | undefined {
    const operation = [...this.#operations.values()].find((one) => one.key === key);
    return operation && !this.#isExpired(operation) ? operation.result?.pieces : undefined;
  }

  #isExpired({ completedAt }: Operation): boolean {
    const { now } = this.#parts;
    return completedAt !== null && now().getTime() - Date.parse(completedAt) >= KEPT_MS;
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #finish(id: string): Promise<void> {
    const operation = this.#operations.get(id);
    if (!operation || !isUnderWay(operation)) return;
    const outcome = await this.#parts.run(operation.query, operation);
    const current = this.#operations.get(id);
    if (!current || !isUnderWay(current)) return;
    const completedAt = moment(this.#parts);
    const failed = 'errorCode' in outcome;
    this.#put({
      ...operation,
      completedAt,
      status: failed ? 'FAILED' : 'COMPLETED',
      errorCode: failed ? outcome.errorCode : null,
      result: failed ? undefined : outcome,
    });
    this.#parts.announce({
      topic: 'bulk_operations/finish',
      id: id.split('/').at(-1) ?? '',
      createdAt: operation.createdAt,
      completedAt,
      status: failed ? 'failed' : 'completed',
    });
  }

  #put(operation: Operation): void {
    this.#operations.set(operation.id, operation);
    for (const [id, old] of this.#operations) {
      if (this.#operations.size <= maxKept) break;
      if (!isUnderWay(old)) this.#operations.delete(id);
    }
  }

  #view(operation: Operation): View {
    const { result } = operation;
    const isExpired = operation.status === 'COMPLETED' && this.#isExpired(operation);
    // An empty result has no file.
    const hasFile = result !== undefined && result.objects > 0 && !isExpired;
    return {
      __typename: 'BulkOperation',
      id: operation.id,
      status: isExpired ? 'EXPIRED' : operation.status,
      errorCode: operation.errorCode,
      createdAt: operation.createdAt,
      objectCount: String(result?.objects ?? 0),
      rootObjectCount: String(result?.rootObjects ?? 0),
      fileSize: hasFile ? String(sizeOf(result)) : null,
      url: hasFile ? `${this.#parts.address()}/bulk-results/${operation.key}.jsonl` : null,
    };
  }
}

const sizeOf = ({ pieces }: BulkResult): number =>
  pieces.reduce((bytes, piece) => bytes + piece.length, 0);

const isUnderWay = ({ status }: Operation): boolean => status === 'CREATED' || status === 'RUNNING';

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
