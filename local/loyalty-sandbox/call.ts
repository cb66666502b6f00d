import type { OperationId } from '../../shared/loyalty/operations.ts';

/** A part of a request that is not what the contract says, found before the program sees it. */
export interface Fault {
  /** `Customer.Email`, or empty for the body as a whole. */
  readonly path: string;
  readonly problem: string;
}

/** One request, after authentication and routing, before any rule of the program. */
export interface Call {
  readonly operation: OperationId;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON, or undefined where there was none or it could not be parsed (then a fault says so). */
  readonly body: unknown;
  /** Empty when the request is what the contract says. */
  readonly faults: readonly Fault[];
  /** Not a request: an integration that is built into the service does it. */
  readonly isBuiltIn?: true;
}

/** The rules of the loyalty program. Synchronous, so that one call is one atomic step. */
export interface Program {
  /** The JSON answer. A refused call changes nothing. */
  answer(call: Call): unknown;
  /** What time alone brings about; every call does it first. */
  settleDue(): void;
}
