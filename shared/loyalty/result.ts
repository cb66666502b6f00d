import type { HttpAnswer, HttpFailure, HttpRequest } from '../http/http-client.ts';
import type { ErrorClass, LoyaltyErrorName } from './error-codes.ts';
import type { FindingName } from './operations.ts';

/**
 * What became of one call. Callers that only need to know what to do next switch on `kind`, and on
 * `class` for the two failures. No text in here holds credentials or a customer's data; only `value`
 * does, because it is the service's data itself.
 */
export type LoyaltyResult<Value> =
  | Success<Value>
  | Warning<Value>
  | BusinessError
  | TransportFailure;

interface Success<Value> {
  readonly kind: 'success';
  readonly value: Value;
}

/** A success that the service remarks on: Severity 1 of envelope A. */
interface Warning<Value> {
  readonly kind: 'warning';
  readonly value: Value;
  /** Two digits; the contract does not show their meanings. */
  readonly code: string | undefined;
  readonly codeName: string | undefined;
}

/** The service understood the call and says that it failed, or does not say that it succeeded. */
export interface BusinessError {
  readonly kind: 'business-error';
  readonly class: ErrorClass;
  /** Absent when the answer names no error: envelope C has no place for a code. */
  readonly code?: number;
  /** Absent, too, for a code that the contract does not have. */
  readonly name?: LoyaltyErrorName;
  /** The service's own name of the outcome, where its envelope has one. For people: it is any text. */
  readonly codeName?: string;
  /** Present when the answer reports no error, and its content says that there is one. */
  readonly finding?: FindingName;
  /** The service's own words, without personal data. */
  readonly message: string;
  readonly fields: readonly string[];
  readonly retryAfterSeconds?: number;
}

/** The call brought no answer of the service's that could be believed. */
export interface TransportFailure {
  readonly kind: 'transport-failure';
  readonly reason: TransportFailureReason;
  readonly class: ErrorClass;
  /** False only when the service surely did not carry the request out. */
  readonly mayHaveHappened: boolean;
  readonly message: string;
  readonly status?: number;
  /** What the operating system or TLS called it: ECONNRESET, ENOTFOUND, CERT_HAS_EXPIRED. */
  readonly errno?: string;
  readonly retryAfterSeconds?: number;
}

const classes = {
  /** No complete answer in time. */
  'time-out': 'retry',
  /** The caller's own signal. */
  aborted: 'retry',
  /** Reset, refused, name not found, TLS: see `errno`. */
  connection: 'retry',
  /** 429. */
  throttled: 'throttled',
  /** 5xx and 408. */
  unavailable: 'retry',
  /**
   * 404 without an error of the contract, or no content where one object was asked for. It is absent, or the
   * base address is wrong, or this one id cannot be routed: too little to stop every call for, and no
   * reason to give this one up.
   */
  'not-found': 'retry',
  /**
   * 403: as a rule the account's, but a firewall may also refuse one text, such as a name. Too little to
   * stop every call for.
   */
  forbidden: 'misconfigured',
  /** 401, 407 and redirects: wrong credentials or address, so every call gets this answer. */
  misconfigured: 'misconfigured',
  /** The function that gives the credentials failed, or gave unusable ones. */
  'no-credentials': 'misconfigured',
  /** The store of the credentials does not answer: a temporary fault. */
  'credentials-unreachable': 'retry',
  /** Never sent: `loyalty.callsPerSecond` leaves no room for it at the moment. */
  'out-of-tokens': 'retry',
  /** Never sent: where the tokens of `loyalty.callsPerSecond` are kept does not answer. */
  'tokens-unreachable': 'retry',
  /** Any other 4xx: this request is not acceptable. */
  refused: 'rejected',
  /** Never sent: the id is blank, and the path would be that of another operation. */
  'blank-id': 'rejected',
  /** Not HTTP, not JSON, empty, too large, or not the shape of this operation's answer. */
  'not-the-contract': 'retry',
} as const satisfies Record<string, ErrorClass>;

export type TransportFailureReason = keyof typeof classes;

export function transportFailure(
  reason: TransportFailureReason,
  details: Omit<TransportFailure, 'kind' | 'reason' | 'class'>,
): TransportFailure {
  return { kind: 'transport-failure', reason, class: classes[reason], ...details };
}

/** The HTTP client, as far as calls use it. */
export interface CallSender {
  send(request: CallRequest): Promise<CallAnswer | CallFailure>;
}
export type CallRequest = HttpRequest & { readonly body: string | undefined };
export type CallAnswer = Pick<HttpAnswer, 'kind' | 'status' | 'headers' | 'text'>;
export type CallFailure = Pick<HttpFailure, 'kind' | 'reason' | 'mayHaveHappened' | 'code'>;

/** In words of ours: Node's messages hold addresses, and could hold more one day. */
export function describeHttpFailure(
  { reason, mayHaveHappened, code }: Omit<CallFailure, 'kind'>,
  timeoutMs: number,
): TransportFailure {
  const details = { mayHaveHappened, ...(code !== undefined && { errno: code }) };
  switch (reason) {
    case 'time-out':
      return transportFailure(reason, {
        ...details,
        message: `No complete answer within ${timeoutMs} ms.`,
      });
    case 'aborted':
      return transportFailure(reason, { ...details, message: 'Aborted by the caller.' });
    case 'connection':
      return transportFailure(reason, {
        ...details,
        message: `Connection failed (${code ?? 'closed'}).`,
      });
    case 'not-http':
      return transportFailure('not-the-contract', {
        ...details,
        message: `The answer is not HTTP (${code ?? 'unknown'}).`,
      });
    case 'too-large':
      return transportFailure('not-the-contract', {
        ...details,
        message: 'The answer is too large to be one of the contract.',
      });
  }
}
