import type { OperationId } from '../../../shared/loyalty/operations.ts';
import type { ContractOperation } from '../contract.ts';

export type Route =
  | {
      readonly kind: 'operation';
      readonly operation: OperationId;
      readonly path: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'unknown-path' }
  | { readonly kind: 'wrong-method'; readonly allowed: readonly string[] }
  | { readonly kind: 'bad-escape' };

export type Router = (method: string, rawPath: string) => Route;

/**
 * Finds operations by the contract's path templates. It works on the path as it was sent: a URL
 * parser would resolve `..` and `%2e%2e`, and an id may be exactly that.
 */
export function createRouter(operations: readonly ContractOperation[]): Router {
  const templates = operations
    .map((operation) => ({ operation, segments: operation.path.split('/') }))
    // A fixed text wins over a parameter in the same place.
    .sort((a, b) => a.operation.pathParams.length - b.operation.pathParams.length);

  return (method, rawPath) => {
    const segments = rawPath.split('/');
    const fitting = templates.filter((template) => fits(template.segments, segments));
    const found = fitting.find(({ operation }) => operation.method === method);
    if (found) return readOperation(found.operation.operationId, found.segments, segments);
    if (fitting.length === 0) return { kind: 'unknown-path' };
    const allowed = new Set(fitting.map(({ operation }) => operation.method));
    return { kind: 'wrong-method', allowed: [...allowed].sort() };
  };
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((part, i) =>
    isParameter(part) ? segments[i] !== '' : part === segments[i],
  );
}

function readOperation(
  operation: OperationId,
  template: readonly string[],
  segments: readonly string[],
): Route {
  try {
    const path = Object.fromEntries(
      template.flatMap((part, i) =>
        isParameter(part) ? [[part.slice(1, -1), decodeURIComponent(segments[i] ?? '')]] : [],
      ),
    );
    return { kind: 'operation', operation, path };
  } catch (error) {
    if (error instanceof URIError) return { kind: 'bad-escape' };
    throw error;
  }
}

const isParameter = (part: string): boolean => part.startsWith('{');
