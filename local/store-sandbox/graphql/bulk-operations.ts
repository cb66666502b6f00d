import { randomUUID } from 'node:crypto';
import { gid, type Ids } from '../model/ids.ts';
import { type Announcement, moment } from '../model/world.ts';
import type { BulkResult } from './write-jsonl.ts';

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

export interface BulkParts {
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

export type BulkStart =
  | { readonly kind: 'started'; readonly operation: View }
  | { readonly kind: 'refused'; readonly why: string; readonly code: string };

/** Shopify's limit per shop since 2026-01; before it was one. */
const maxAtOnce = 5;
const maxKept = 50;

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

  all(): readonly View[] {
    return [...this.#operations.values()].map((operation) => this.#view(operation));
  }

  /** The content of a result file. */
  result(key: string): readonly Buffer[] | undefined {
    return [...this.#operations.values()].find((one) => one.key === key)?.result?.pieces;
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
    // An empty result has no file.
    const hasFile = result !== undefined && result.objects > 0;
    return {
      __typename: 'BulkOperation',
      id: operation.id,
      status: operation.status,
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
