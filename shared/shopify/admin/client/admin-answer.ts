import type { StoreAnswer } from '../../../core/sync/store-reader.ts';

/** What became of one question to the store. No text in it comes from the store's own messages. */
export type AdminAnswer<Data> =
  | { readonly kind: 'data'; readonly data: Data }
  /** The store understood a mutation and refused it; nothing was changed. */
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
  /** The least time to wait before asking again. */
  readonly afterSeconds?: number;
  /** The access scope that the store asks for. */
  readonly scope?: string;
}

/** True: nothing will pass until a person acts. */
const reasons = {
  /** The caller's own signal. */
  aborted: false,
  'time-out': false,
  /** Refused, reset, name not found, TLS. */
  connection: false,
  /** The bucket of points is empty, or 429. */
  throttled: false,
  /** 5xx, 408 and the store's own internal errors. */
  'server-error': false,
  /** Something else answered: not JSON, or not the shape of a GraphQL answer. */
  'not-the-api': false,
  /** A part of what was asked is missing: never taken for the truth. */
  'partial-answer': false,
  /** A page of a list belongs to a later state than the page before it. */
  'changed-while-reading': false,
  /** The answer lacks what every such entity has, or has it in another form. */
  'unreadable-answer': false,
  /** Where the credentials are kept does not answer just now. */
  'credentials-unreachable': false,
  /** The credentials cannot be had. */
  'no-credentials': true,
  /** The store does not take the app's id and secret, or not for this shop. */
  'bad-credentials': true,
  /** 401, also with a new token. */
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
  /** The document is not acceptable to this store: too costly, or of another version. */
  'query-refused': true,
  /** Older than the app may see, or deleted: the store says the same of both. */
  'order-not-visible': true,
} as const satisfies Record<string, boolean>;

export type FailureReason = keyof typeof reasons;

export function failure(
  reason: FailureReason,
  details: Omit<AdminFailure, 'kind' | 'reason'> = {},
): AdminFailure {
  return { kind: 'failure', reason, ...details };
}

/** A failure in the words of the sync, which retries it: soon, or slowly with an alarm. */
export function unavailable(
  answer: Exclude<AdminAnswer<never>, { kind: 'data' }>,
): Extract<StoreAnswer<never>, { kind: 'unavailable' }> {
  if (answer.kind === 'user-errors') return { kind: 'unavailable', why: 'refused' };
  const { reason, scope, afterSeconds } = answer;
  return {
    kind: 'unavailable',
    why: scope === undefined ? reason : `${reason}-${scope.replaceAll('_', '-')}`,
    ...(afterSeconds !== undefined && { afterSeconds }),
    ...(reasons[reason] && { misconfigured: true }),
  };
}
