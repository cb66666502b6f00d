import type { ParseSecret } from '../core/platform/platform.ts';
import type { SecretsCalls } from './aws-client.ts';

/** The text of the secret; rejects if there is none or it cannot be read now. */
export type SecretSource = (name: string) => Promise<string>;

export interface SecretReader<T> {
  /** At most `maxAgeMs` old while the secret can be read, otherwise at most `maxStaleMs`. */
  get(): Promise<T>;
  /** After a failed verification: reads again, unless it was read less than `minPauseMs` ago. */
  refresh(): Promise<Renewal<T>>;
}

interface Renewal<T> {
  readonly kind: 'renewed' | 'unchanged';
  readonly value: T;
}

export interface SecretReaderOptions<T> {
  readonly name: string;
  readonly source: SecretSource;
  readonly parse: ParseSecret<T>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly maxAgeMs?: number;
  readonly minPauseMs?: number;
  readonly maxStaleMs?: number;
  /** Called when the old value stays in use, which has a time limit. The error contains no secret. */
  readonly onFailedRenewal?: (error: unknown) => void;
}

const MINUTE_MS = 60_000;
/** How long a running process may use a secret that has changed. */
export const SECRET_MAX_AGE_MS = 5 * MINUTE_MS;
/** The same where the secret that changed is refused. */
export const REFUSED_SECRET_MAX_AGE_MS = MINUTE_MS;
/** The same while Secrets Manager does not answer: an outage must not stop the connector, but a revoked secret must end. */
export const STALE_SECRET_MAX_AGE_MS = 60 * MINUTE_MS;
const FAILURE_PAUSE_MS = 5_000;

export function createSecretReader<T>({
  name,
  source,
  parse,
  now,
  maxAgeMs = SECRET_MAX_AGE_MS,
  minPauseMs = REFUSED_SECRET_MAX_AGE_MS,
  maxStaleMs = STALE_SECRET_MAX_AGE_MS,
  onFailedRenewal = () => {},
}: SecretReaderOptions<T>): SecretReader<T> {
  let known: { readonly text: string; readonly value: T; readonly readAt: number } | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<Renewal<T>> | undefined;
  let failed: { readonly error: unknown; readonly at: number } | undefined;

  async function ask(): Promise<Renewal<T>> {
    askedAt = now();
    const text = await source(name);
    // `unchanged` says to callers that trying again is useless.
    const same = known?.text === text ? known : undefined;
    const value = same ? same.value : parseSecret(name, text, parse);
    known = { text, value, readAt: now() };
    return { kind: same ? 'unchanged' : 'renewed', value };
  }

  /** Concurrent callers share one request. Rejects only if no usable value is left. */
  function renew(): Promise<Renewal<T>> {
    // A missing secret must not cost a request for every event.
    if (!underWay && failed && now() - failed.at < FAILURE_PAUSE_MS) {
      return Promise.reject(failed.error);
    }
    underWay ??= ask()
      .catch((error: unknown): Renewal<T> => {
        if (!known || now() - known.readAt >= maxStaleMs) {
          failed = { error, at: now() };
          throw error;
        }
        onFailedRenewal(error);
        return { kind: 'unchanged', value: known.value };
      })
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  }

  return {
    async get() {
      if (!known) return (await renew()).value;
      const age = now() - known.readAt;
      // While the secret cannot be read, use the old value without a request for every event.
      const waits = !underWay && age < maxStaleMs && now() - askedAt < minPauseMs;
      return age < maxAgeMs || waits ? known.value : (await renew()).value;
    },
    async refresh() {
      if (known && !underWay && now() - askedAt < minPauseMs && now() - known.readAt < maxStaleMs) {
        return { kind: 'unchanged', value: known.value };
      }
      return renew();
    },
  };
}

/** The secret cannot be read at the moment. The problem is temporary and needs no correction. */
export class SecretUnreachable extends Error {
  override readonly name = 'SecretUnreachable';
}

/** Whether Secrets Manager refused permanently: no such secret, no permission, no key. */
function isRefusal(error: unknown): boolean {
  const { name = '', $metadata } = error as {
    readonly name?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode ?? 0;
  return status >= 400 && status < 500 && status !== 429 && !/Throttl|LimitExceeded/.test(name);
}

export function createSecretsManagerSource(secrets: SecretsCalls): SecretSource {
  return async (name) => {
    const call = secrets.getSecretValue({ SecretId: name });
    const { SecretString } = await call.catch((error: unknown) => {
      // The error of AWS does not name the secret.
      const message = `secret ${name} could not be read`;
      throw isRefusal(error)
        ? new Error(message, { cause: error })
        : new SecretUnreachable(message, { cause: error });
    });
    if (SecretString === undefined) throw new Error(`secret ${name} holds bytes, not text`);
    return SecretString;
  };
}

function parseSecret<T>(name: string, text: string, parse: SecretReaderOptions<T>['parse']): T {
  const fields = readSecretFields(text);
  if (!fields) throw new Error(`secret ${name} is not a JSON object`);
  const parsed = parse(fields);
  if (parsed.kind === 'parsed') return parsed.value;
  throw new Error(`secret ${name}: field ${parsed.field} ${parsed.why}`);
}

/** The fields of a secret's text; undefined when it is not a JSON object. */
export function readSecretFields(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // The error quotes the text.
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
