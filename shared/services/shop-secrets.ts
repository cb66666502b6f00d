import type { SecretsCalls } from '../aws/aws-client.ts';
import type { WebhookSecrets } from '../core/events/receive-delivery.ts';
import { errorFields, type Telemetry } from '../core/events/telemetry.ts';
import type {
  ParsedSecret,
  ParseSecret,
  SecretTexts,
  StoreSecret,
} from '../core/platform/platform.ts';
import type { UnreadCredentials } from '../loyalty/client.ts';

/**
 * Refused credentials are read again no more often: what waits for them is woken as soon as they are changed. Unlike
 * a webhook's signature, a stranger cannot cause a refusal.
 */
export const REFUSED_PAUSE_MS = 5_000;

export interface ShopSecrets {
  webhook(shopPath: string): SecretReader<WebhookSecrets>;
  loyalty(
    shopPath: string,
  ): Record<'get' | 'refresh', () => Promise<LoyaltyCredentials | UnreadCredentials>>;
  /** In the form of the shop's platform. */
  store<T>(shopPath: string, parse: ParseSecret<T>): StoreSecret<T>;
  /** The tokens of point events. No person enters them: the connector makes them. */
  points<T extends Rotated>(shopPath: string, parse: ParseSecret<T>): SecretReader<T>;
}

export function createShopSecrets(
  calls: SecretsCalls,
  prefix: string,
  telemetry: Telemetry,
): ShopSecrets {
  const source = createSecretsManagerSource(calls);
  function reader<T>(name: string, parse: ParseSecret<T>, minPauseMs?: number): SecretReader<T> {
    return createSecretReader({
      ...(minPauseMs !== undefined && { minPauseMs }),
      name,
      source,
      parse,
      now: Date.now,
      onFailedRenewal: (error) =>
        telemetry.log('warn', 'a secret could not be read again, the old value is used', {
          secret: name,
          ...errorFields(error),
        }),
    });
  }
  return {
    webhook: (path) => inForceOf(reader(secretName(prefix, path, 'webhook'), secretForms.webhook)),
    loyalty: (path) =>
      credentialsOf(
        reader(secretName(prefix, path, 'loyalty'), secretForms.loyalty, REFUSED_PAUSE_MS),
      ),
    store: (path, parse) =>
      credentialsOf(reader(secretName(prefix, path, 'store'), parse, REFUSED_PAUSE_MS)),
    points: (path, parse) => inForceOf(reader(secretName(prefix, path, 'points'), parse)),
  };
}

/** Whoever verifies gets no older secret that has ended, also from a process that read it before its end. */
function inForceOf<T extends Rotated>(secret: SecretReader<T>): SecretReader<T> {
  return {
    get: async () => inForce(await secret.get(), Date.now()),
    async refresh() {
      const { kind, value } = await secret.refresh();
      return { kind, value: inForce(value, Date.now()) };
    },
  };
}

/** What a rotation leaves in a secret: the one before it, and the moment of its end in ISO 8601. */
interface Rotated {
  readonly previous?: unknown;
  readonly previousUntil?: unknown;
}

/** Without the older secret once it has ended. One that was stored without an end has ended. */
export function inForce<T extends Rotated>(stored: T, now: number): T {
  if (now < Date.parse(`${stored.previousUntil}`)) return stored;
  const { previous: _, previousUntil: __, ...current } = stored;
  return current as T;
}

/** The clients get a failure as a value, which says whether to wait or to report it. */
function credentialsOf<T>(secret: SecretReader<T>) {
  const orWhyNot = (read: Promise<T>) =>
    read.catch((error: unknown) =>
      error instanceof SecretUnreachable ? ('unreachable' as const) : ('unusable' as const),
    );
  return {
    get: () => orWhyNot(secret.get()),
    refresh: () => orWhyNot(secret.refresh().then(({ value }) => value)),
  };
}

/** Of the secrets that people enter. */
export const SECRET_PURPOSES = ['webhook', 'loyalty', 'store'] as const;

export type SecretPurpose = (typeof SECRET_PURPOSES)[number];

interface LoyaltyCredentials {
  readonly token: string;
  readonly key: string;
}

/** How the functions read a secret's fields; that of the store is the platform's. */
export const secretForms = {
  webhook({ current, previous, previousUntil }): ParsedSecret<WebhookSecrets & Rotated> {
    return current === undefined
      ? { kind: 'fault', field: 'current' }
      : { kind: 'parsed', value: { current, previous, previousUntil } };
  },

  loyalty({ token, key }): ParsedSecret<LoyaltyCredentials> {
    if (token === undefined) return { kind: 'fault', field: 'token' };
    if (key === undefined) return { kind: 'fault', field: 'key' };
    return { kind: 'parsed', value: { token, key } };
  },
} satisfies Readonly<Record<string, ParseSecret<unknown>>>;

/**
 * `loyalty-connector/prod/example-store/webhook`: each shop has a secret per purpose, so that a function can read only
 * the one it needs.
 */
export const secretName = (
  prefix: string,
  shopPath: string,
  purpose: SecretPurpose | 'points',
): string => `${prefix}/${shopPath}/${purpose}`;

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
class SecretUnreachable extends Error {
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
  const parsed = parse(textsIn(fields));
  if (parsed.kind === 'parsed') return parsed.value;
  throw new Error(`secret ${name}: field ${faultText(parsed)}`);
}

export function faultText({
  field,
  why,
}: Extract<ParsedSecret<unknown>, { kind: 'fault' }>): string {
  return `${field} ${why ?? 'must be a text that is not empty'}`;
}

export function textsIn(fields: Readonly<Record<string, unknown>>): SecretTexts {
  const texts = Object.entries(fields).filter(([, value]) => typeof value === 'string' && value);
  return Object.fromEntries(texts) as SecretTexts;
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
