import type { StoreAnswer } from '../../../core/store/store.ts';
import type { HttpFailure } from '../../../http/http-client.ts';

export const ADMIN_HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'content-type': 'application/json',
  'user-agent': 'loyalty-connector',
};

/** The result of one query or mutation. It holds no text of the store's own messages. */
export type AdminAnswer<Data> =
  | { readonly kind: 'data'; readonly data: Data }
  /** The store refused a mutation; nothing was changed. */
  | { readonly kind: 'user-errors'; readonly errors: readonly UserError[] }
  | AdminFailure;

export interface UserError {
  /** `basicCodeDiscount.code` */
  readonly field: string;
  /** `TAKEN`, `INVALID`, …; undefined for mutations whose errors have no code. */
  readonly code: string | undefined;
}

export interface AdminFailure {
  readonly kind: 'failure';
  readonly reason: FailureReason;
  /** The shortest time to wait before the next try. */
  readonly afterSeconds?: number;
  /** The access scope that is missing. */
  readonly scope?: string;
}

/** True: calls will fail until a person acts. */
const reasons = {
  /** The caller's own signal. */
  aborted: false,
  'time-out': false,
  /** Refused, reset, name not found, TLS. */
  connection: false,
  /** Not enough query cost points, or 429. */
  throttled: false,
  /** 5xx, 408 and internal errors of the store. */
  'server-error': false,
  /** Another program answered: not JSON, or not a GraphQL answer. */
  'not-the-api': false,
  /** Errors came with a part of the data. The part is not used. */
  'partial-answer': false,
  /** The entity changed between two pages of a list. */
  'changed-while-reading': false,
  /** A required field is missing or has another form. */
  'unreadable-answer': false,
  /** Secrets Manager does not answer at the moment. */
  'credentials-unreachable': false,
  /** The secret holds no valid credentials. */
  'no-credentials': true,
  /** The store refuses the app's id and secret, or refuses them for this shop. */
  'bad-credentials': true,
  /** 401, with a new token too. */
  unauthorized: true,
  /** 403. */
  forbidden: true,
  'access-denied': true,
  /** 402: the shop has not paid its bill. */
  'shop-frozen': true,
  /** 423: the store has locked the shop. */
  'shop-locked': true,
  /** 404: there is no such shop. */
  'shop-not-found': true,
  /** 3xx: the address is not the shop's permanent one. */
  redirected: true,
  /** The store refuses the document: too costly, or of another API version. */
  'query-refused': true,
  /** Older than the app may see, or deleted: the answer is the same. */
  'order-not-visible': true,
} as const satisfies Record<string, boolean>;

export type FailureReason = keyof typeof reasons;

export const HTTP_FAILURES: Readonly<Record<HttpFailure['reason'], FailureReason>> = {
  aborted: 'aborted',
  'time-out': 'time-out',
  connection: 'connection',
  'not-http': 'not-the-api',
  'too-large': 'not-the-api',
};

export function failure(
  reason: FailureReason,
  details: Omit<AdminFailure, 'kind' | 'reason'> = {},
): AdminFailure {
  return { kind: 'failure', reason, ...details };
}

/** The form in which the core gets a failure. It retries: soon, or slowly and with an alarm. */
export function unavailable(
  answer: Exclude<AdminAnswer<never>, { kind: 'data' }>,
): Extract<StoreAnswer<never>, { kind: 'unavailable' }> {
  if (answer.kind === 'user-errors') return { kind: 'unavailable', why: 'refused' };
  const { reason, scope, afterSeconds } = answer;
  return {
    kind: 'unavailable',
    why: scope === undefined ? reason : `${reason}-${scope.replaceAll('_', '-')}`,
    ...(afterSeconds !== undefined && { afterSeconds }),
    ...(scope !== undefined && { lacks: scope }),
    ...(reasons[reason] && { misconfigured: true }),
    ...(reason === 'query-refused' && { queryRefused: true }),
    ...(reason === 'order-not-visible' && { hidden: true }),
  };
}

/** `cost` is present in refusals too. */
interface GraphqlBody {
  readonly data?: unknown;
  readonly errors?: unknown;
  readonly extensions?: { readonly cost?: unknown } | null;
}

/** Undefined if the Admin API did not write it. */
export function readBody(text: string): GraphqlBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

export function readAnswer<Data>(
  { status, retryAfter }: { readonly status: number; readonly retryAfter: string | undefined },
  { data, errors }: GraphqlBody,
  kind: 'query' | 'mutation',
): AdminAnswer<Data> {
  if (status < 200 || status > 299) return readStatus(status, retryAfter);
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

/** In `requiredAccess` or, where that is absent, in the message. */
function missingScope(error: unknown): string | undefined {
  const words = [textAt(error, 'extensions', 'requiredAccess'), textAt(error, 'message')];
  return /\b(?:read|write)_[a-z_]+\b/.exec(words.join(' '))?.[0];
}

/** Every mutation of the Admin API returns a list with this name in its only field. */
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

/**
 * Readers rely on the types of the store's schema and do not check every step of an answer. An answer
 * that differs from the schema causes a TypeError and counts as unreadable. It is read again later; a
 * scan continues with the other entities.
 */
export async function ifLikeSchema<T, Otherwise>(
  read: () => T | Promise<T>,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TypeError) return otherwise;
    throw error;
  }
}
