import type { SecretsCalls } from '../aws/aws-client.ts';
import {
  createSecretReader,
  createSecretsManagerSource,
  type SecretReader,
  SecretUnreachable,
} from '../aws/secrets.ts';
import type { WebhookSecrets } from '../core/events/receive-delivery.ts';
import { errorFields, type Telemetry } from '../core/events/telemetry.ts';
import {
  type ParsedSecret,
  type ParseSecret,
  requireText,
  type StoreSecret,
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
  webhook(fields): ParsedSecret<WebhookSecrets & Rotated> {
    const current = requireText(fields, 'current');
    if (current.kind === 'fault') return current;
    const previous = requireText(fields, 'previous');
    const older = previous.kind === 'parsed' ? previous.value : undefined;
    const { previousUntil } = fields;
    return { kind: 'parsed', value: { current: current.value, previous: older, previousUntil } };
  },

  loyalty(fields): ParsedSecret<LoyaltyCredentials> {
    const token = requireText(fields, 'token');
    if (token.kind === 'fault') return token;
    const key = requireText(fields, 'key');
    if (key.kind === 'fault') return key;
    return { kind: 'parsed', value: { token: token.value, key: key.value } };
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
