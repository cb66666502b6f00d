import {
  type AdminAnswer,
  type AdminFailure,
  type FailureReason,
  failure,
  type UserError,
} from './admin-answer.ts';

/** What came over the wire, before anything of it is believed. */
export interface RawAnswer {
  /** Undefined: nothing came. */
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  /** The GraphQL errors, in whatever form they came. */
  readonly errors: unknown;
  readonly data: unknown;
  readonly cost: unknown;
}

export function readAnswer<Data>(raw: RawAnswer, kind: 'query' | 'mutation'): AdminAnswer<Data> {
  const { status } = raw;
  if (status === undefined) return failure('connection');
  if (status < 200 || status > 299) return readStatus(status, raw.retryAfter);
  const { errors, data } = raw;
  if (Array.isArray(errors) && errors.length > 0) return readErrors(errors, data);
  if (!isObject(data)) return failure('not-the-api');
  const refusals = kind === 'mutation' ? readUserErrors(data) : [];
  return refusals.length > 0
    ? { kind: 'user-errors', errors: refusals }
    : { kind: 'data', data: data as Data };
}

export function readStatus(status: number, retryAfter: string | undefined): AdminFailure {
  const seconds = /^\d{1,5}(?:\.\d+)?$/.test(retryAfter ?? '')
    ? Math.ceil(Number(retryAfter))
    : undefined;
  return failure(reasonOf(status), seconds === undefined ? {} : { afterSeconds: seconds });
}

const STATUS: Readonly<Record<number, FailureReason>> = {
  401: 'unauthorized',
  402: 'shop-frozen',
  403: 'forbidden',
  404: 'shop-not-found',
  408: 'server-error',
  423: 'shop-locked',
  429: 'throttled',
  430: 'throttled',
};

function reasonOf(status: number): FailureReason {
  if (status >= 500) return 'server-error';
  if (status >= 300 && status <= 399) return 'redirected';
  return STATUS[status] ?? 'query-refused';
}

/** Shopify, "GraphQL Admin API reference": the codes of errors that come with status 200. */
function readErrors(errors: readonly unknown[], data: unknown): AdminFailure {
  const codes = errors.map((error) => textAt(error, 'extensions', 'code'));
  if (codes.includes('THROTTLED')) return failure('throttled');
  if (codes.includes('ACCESS_DENIED')) {
    const scope = errors.map(missingScope).find((name) => name !== undefined);
    return failure('access-denied', scope === undefined ? {} : { scope });
  }
  if (codes.includes('SHOP_INACTIVE')) return failure('shop-locked');
  if (codes.includes('INTERNAL_SERVER_ERROR')) return failure('server-error');
  return failure(isObject(data) ? 'partial-answer' : 'query-refused');
}

/** Named in `requiredAccess`, and in the sentence where that is absent. */
function missingScope(error: unknown): string | undefined {
  const words = [textAt(error, 'extensions', 'requiredAccess'), textAt(error, 'message')];
  return /\b(?:read|write)_[a-z_]+\b/.exec(words.join(' '))?.[0];
}

/** Every mutation of the Admin API answers with a list of this name in its one field. */
function readUserErrors(data: object): UserError[] {
  return Object.values(data).flatMap((payload) => {
    const errors: unknown = isObject(payload) && 'userErrors' in payload ? payload.userErrors : [];
    return (Array.isArray(errors) ? errors : []).map((error: unknown) => ({
      field: fieldPath(error),
      code: textAt(error, 'code'),
    }));
  });
}

function fieldPath(error: unknown): string {
  const path: unknown = isObject(error) && 'field' in error ? error.field : undefined;
  const steps = (Array.isArray(path) ? path : []).filter((step) => typeof step === 'string');
  return steps.join('.');
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>(
    (part, key) => (isObject(part) ? new Map(Object.entries(part)).get(key) : undefined),
    value,
  );
  return typeof found === 'string' ? found : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
